"""The comparison of several models on the same rows: the best one, paired differences, tests."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from calibrant._repr import listed, number_text
from calibrant._sections import Axis, Block, DataTable, Figure, Layer, Paragraph, Section, TableColumn
from calibrant.comparison import holm
from calibrant.comparison._internal import t_figures
from calibrant.metrics import Difference, compare
from calibrant.metrics._internal import BootstrapPlan
from calibrant.report._predictions.report_data import ReportData, computed_once
from calibrant.report._predictions.wording import (
    cell_text,
    ends_text,
    metric_words,
    money_text,
    pvalue_text,
    rows_text,
)
from calibrant.studies import PairDifference

Measure = Literal["profit", "log_loss", "brier"]
MEASURES: dict[Measure, str] = {"profit": "profit", "log_loss": "log-loss", "brier": "Brier score"}


@dataclass(frozen=True)
class ModelChoice:
    """The best of several models and how it compares with each other one.

    Parameters
    ----------
    measure : {"profit", "log_loss", "brier"}
        What the models are compared by.
    best : str
        The model with the best mean.
    pairs : tuple of PairDifference
        The best model with each other one: one-sided p-values corrected for the number of other models, which holds
        although the best one is chosen by the same rows (multiple comparisons with the best; Hsu 1981). One end of each
        interval bounds the difference with the same correction.
    tested : bool
        Whether a test holds; not with rows of very few groups.

    Examples
    --------
    >>> pair = PairDifference("a", "b", -0.02, -0.03, -0.01, 0.002, 0.001, better="a")
    >>> choice = ModelChoice("log_loss", "a", (pair,), True)
    >>> choice.worse, choice.not_shown, choice.worse_by(pair), choice.at_least(pair)
    (['b'], [], 0.02, 0.01)
    """

    measure: Measure
    best: str
    pairs: tuple[PairDifference, ...]
    tested: bool

    @property
    def worse(self) -> list[str]:
        """The models that are shown to be worse than the best one."""
        return [pair.b for pair in self.pairs if pair.better]

    @property
    def not_shown(self) -> list[str]:
        """The models that are not shown to be worse."""
        return [pair.b for pair in self.pairs if not pair.better]

    def worse_by(self, pair: PairDifference) -> float:
        """Return the difference by which the other model is worse on these rows."""
        return abs(pair.difference)

    def at_least(self, pair: PairDifference) -> float:
        """Return the lower bound of how much worse the other model is; below 0 where it may be better."""
        return pair.low if self.measure == "profit" else -pair.high


@computed_once
def choose_model(data: ReportData) -> ModelChoice | None:
    """Return the best of several models, by profit where costs are known, else by log-loss; None for one model.

    Where a log-loss is infinite, because a probability of 0 came true, models are compared by the Brier score.
    """
    if len(data.names) == 1:
        return None
    is_finite = all(math.isfinite(card["log_loss"].value) for card in data.cards.values())
    measure: Measure = "profit" if data.costs is not None else "log_loss" if is_finite else "brier"
    values = {name: row_values(data, name, measure) for name in data.names}
    sign = 1.0 if measure == "profit" else -1.0
    totals = {name: sign * float((data.weight * each).sum()) for name, each in values.items()}
    best = max(totals, key=lambda name: totals[name])
    others = [name for name in data.names if name != best]
    each = 1.0 - 2.0 * (1.0 - data.confidence) / len(others)
    pairs = [paired_difference(data, (best, other), values, each) for other in others]
    # One-sided p-values of the best one's being better, corrected for the number of pairs
    adjusted = [min(1.0, len(others) * pair.pvalue / 2) if pair.pvalue == pair.pvalue else math.nan for pair in pairs]
    error = 1.0 - data.confidence
    found = tuple(
        replace(pair, adjusted_pvalue=pvalue, better=best if pvalue <= error else "")
        for pair, pvalue in zip(pairs, adjusted, strict=True)
    )
    return ModelChoice(measure, best, found, not any(math.isnan(pair.pvalue) for pair in found))


def row_values(data: ReportData, name: str, measure: Measure) -> NDArray[np.float64]:
    """Return the profit of each row by the model's decisions, or its loss."""
    if measure == "profit":
        costed = data.costed(name)
        return costed.earnings(costed.decisions())
    read = data.plan(name).predictions
    proba = read.true_class_proba()
    if measure == "log_loss":
        return np.asarray(-np.log(proba))
    squared = (read.proba**2).sum(axis=1) - 2.0 * proba + 1.0
    return np.asarray(squared / (2.0 if read.n_classes <= 2 else 1.0))


def paired_difference(
    data: ReportData, names: tuple[str, str], values: dict[str, NDArray[np.float64]], confidence: float
) -> PairDifference:
    """Compare two models row by row, or group by group where rows belong to some: Student's t-test of the differences.

    The p-value is two-sided, and of this pair alone.
    """
    one, other = (values[name] for name in names)
    difference, plan = one - other, data.plan(data.names[0])  # resampled alike for all models
    mean = plan.predictions.mean(difference)
    if plan.has_few_groups:
        return PairDifference(*names, mean)
    figures = t_figures(mean, *variance_of_mean(difference - mean, plan), confidence)
    return PairDifference(*names, mean, figures[4], figures[5], figures[2])


def variance_of_mean(away: NDArray[np.float64], plan: BootstrapPlan) -> tuple[float, float]:
    """Return the variance of a mean and its degrees of freedom, by each row's distance from the mean.

    Rows count by their frequency; where they belong to groups, or stand for several of a population, groups count.
    """
    weight, total, cluster = plan.predictions.weight, plan.predictions.total, plan.clusters()
    if cluster is None:
        df = max(total - 1.0, 1.0)
        return float((weight * away**2).sum() / (df * total)), df
    sums = np.bincount(cluster, weight * away)
    df = max(len(sums) - 1.0, 1.0)
    return float((sums**2).sum() / total**2 * len(sums) / df), df


_COMPARED = ("log_loss", "brier", "auc", "accuracy")
_BY_ROW: tuple[Measure, ...] = ("log_loss", "brier")  # means over the rows
_METHODS = {
    "BCa": "by bootstrap (BCa)",
    "DeLong": "DeLong's for areas",
    "Tango": "Tango's for accuracy",
    "paired t": "by the paired t-test",
}
_MANY_ROWS = (
    50_000  # replicates of so many rows take seconds for each pair of models, and the t-test is then exact enough
)


def comparison_section(data: ReportData) -> Section | None:
    """Return the comparison of models; None where there is one model."""
    choice = choose_model(data)
    if choice is None:
        return None
    blocks: list[Block] = [Paragraph(_statement(data, choice))]
    if choice.tested:
        blocks += [_best_table(data, choice), _figure(data, choice)]
        blocks += [_reference_table(data, choice)] if data.reference is not None else []
    blocks.append(_scores_table(data, data.reference or choice.best, is_tested=choice.tested))
    return Section("comparison", "Which model is better?", tuple(blocks), "Paired comparison")


def _statement(data: ReportData, choice: ModelChoice) -> str:
    """Return the outcome of the comparison, in words."""
    measure, at = MEASURES[choice.measure], data.level
    best = f"By {measure}, {choice.best} is the best of {len(data.names)} models on these rows"
    if not choice.tested:
        return f"{best}. No test holds: the rows are of fewer than 10 groups."
    worse = f"it is shown to be better than {listed(choice.worse)}" if choice.worse else ""
    same = f"it is not shown to differ from {listed(choice.not_shown)}" if choice.not_shown else ""
    found = "; ".join(filter(None, [worse, same]))
    why = " The log-loss of a model is infinite, so the Brier score is used." if choice.measure == "brier" else ""
    error = 100 - float(at.removesuffix(" %"))
    return (
        f"{best}: {found}.{why} All models are compared on the same rows. The best one is chosen by these rows too, "
        f"which the test allows for: the model that is truly best is called worse in at most {error:g} of 100 reports."
    )


def _amount(choice: ModelChoice, value: float) -> str:
    return money_text(value) if choice.measure == "profit" else number_text(value)


def _scale(data: ReportData, choice: ModelChoice) -> float:
    """Return the factor of differences: profits are totals, losses are means."""
    return float(data.weight.sum()) if choice.measure == "profit" else 1.0


def _best_table(data: ReportData, choice: ModelChoice) -> DataTable:
    measure, scale = MEASURES[choice.measure], _scale(data, choice)
    columns = (
        TableColumn("Model", "left"),
        TableColumn("Worse by", term=measure),
        TableColumn("At least", term=f"at {data.level}"),
        TableColumn("p", term="corrected"),
        TableColumn("Finding", "left"),
    )
    rows = [
        (
            pair.b,
            _amount(choice, scale * choice.worse_by(pair)),
            _amount(choice, scale * choice.at_least(pair)),
            pvalue_text(pair.adjusted_pvalue),
            f"worse than {choice.best}" if pair.better else "not shown to differ",
        )
        for pair in choice.pairs
    ]
    test = "T-test of the differences of whole groups" if data.groups is not None else "Paired t-test by row"
    n = rows_text(len(rows), "comparison")
    note = (
        f"{test}, one-sided, p-values and bounds corrected for {n} by multiple comparisons with "
        "the best (Hsu 1981). A bound below 0: the model may be the better one."
    )
    caption = f"The other {'model' if len(rows) == 1 else 'models'} against {choice.best}, by {measure}"
    return DataTable(caption, columns, tuple(rows), tuple(pair.b for pair in choice.pairs), note)


def _figure(data: ReportData, choice: ModelChoice) -> Figure:
    measure, scale = MEASURES[choice.measure], _scale(data, choice)
    layers = []
    for pair in choice.pairs:
        ends = sorted((pair.low, pair.high) if choice.measure == "profit" else (-pair.high, -pair.low))
        row = (pair.b, scale * choice.worse_by(pair), scale * ends[0], scale * ends[1])
        layers.append(Layer.of_intervals([row], model=pair.b))
    return Figure(
        "differences",
        f"How much worse than {choice.best}",
        f"Difference of {measure}. Where the lower end of the bar is above 0, the model is shown to be worse.",
        f"Differences of {measure} between {choice.best} and {rows_text(len(layers), 'other model')}, with intervals; "
        "the table has the numbers.",
        Axis("Model"),
        Axis(f"Worse by ({measure})"),
        tuple(layers),
    )


def _reference_table(data: ReportData, choice: ModelChoice) -> DataTable:
    """Return the differences from the reference, which was fixed beforehand: two-sided, corrected by Holm."""
    reference, others = str(data.reference), [name for name in data.names if name != data.reference]
    values = {name: row_values(data, name, choice.measure) for name in data.names}
    pairs = [paired_difference(data, (other, reference), values, data.confidence) for other in others]
    corrected = holm([pair.pvalue for pair in pairs]).tolist()
    measure, scale = MEASURES[choice.measure], _scale(data, choice)
    error = 1.0 - data.confidence
    sides = ("worse", "better") if choice.measure == "profit" else ("better", "worse")
    columns = (
        TableColumn("Model", "left"),
        TableColumn("Difference", term=measure),
        TableColumn(f"{data.level} interval"),
        TableColumn("p", term="corrected"),
        TableColumn("Finding", "left"),
    )
    rows = [
        (
            pair.a,
            _amount(choice, scale * pair.difference),
            f"{_amount(choice, scale * pair.low)} to {_amount(choice, scale * pair.high)}",
            pvalue_text(pvalue),
            f"{sides[pair.difference > 0]} than {reference}" if pvalue <= error else "not shown to differ",
        )
        for pair, pvalue in zip(pairs, corrected, strict=True)
    ]
    n = rows_text(len(rows), "comparison")
    note = f"Paired t-tests, two-sided, corrected by Holm for {n}; each interval is of one pair."
    return DataTable(f"All models against the reference {reference}", columns, tuple(rows), tuple(others), note)


def _scores_table(data: ReportData, base: str, *, is_tested: bool) -> DataTable:
    """Return the differences of the main scores, with paired intervals that hold for all models together."""
    others = [name for name in data.names if name != base]
    each = 1.0 - (1.0 - data.confidence) / len(others)
    found = {other: _differences(data, other, base, each) for other in others}
    cells = [(other, found[other][metric]) for metric in found[others[0]] for other in others]
    columns = (
        TableColumn("Model", "left"),
        TableColumn("Score", "left"),
        TableColumn(f"Less that of {base}"),
        TableColumn("Interval"),
        TableColumn("By", "left"),
        TableColumn("Better model", "left"),
    )
    rows = tuple(_score_row(other, base, difference, is_tested=is_tested) for other, difference in cells)
    together = f" for {len(others)} comparisons together (Bonferroni)" if len(others) > 1 else ""
    note = f"Intervals at {data.level}{together}, each score by itself"
    methods = dict.fromkeys(_METHODS[found.method] for _, found in cells if found.method in _METHODS)
    note += f": {listed(list(methods))}." if methods else "."
    note += "" if is_tested else " Rows of fewer than 10 groups show no model to be better."
    return DataTable(f"Differences of scores from {base}", columns, rows, tuple(other for other, _ in cells), note)


def _score_row(other: str, base: str, found: Difference, *, is_tested: bool) -> tuple[str, ...]:
    unknown = "" if found.low is None else "not shown to differ"
    better = {"first": other, "second": base}.get(found.better if is_tested else "", unknown)
    if math.isinf(found.difference):  # what has probability 0 and happens makes the expected log-loss infinite too
        better = base if found.difference > 0 else other
    is_finite = math.isfinite(found.difference)
    value = f"{found.difference:+.4f}" if is_finite else cell_text(found.difference)
    ends = ends_text(found.low, found.high) if is_finite else ""
    _, term, side = metric_words(found.metric)
    return other, f"{term}: {side} is better", value, ends, found.method if ends else "", better


def _differences(data: ReportData, other: str, base: str, confidence: float) -> dict[str, Difference]:
    """Return the differences by metric; with very many rows by formulas, because replicates of them take long."""
    found: dict[str, Difference] = {}
    metrics: tuple[str, ...] = _COMPARED
    if data.n_rows >= _MANY_ROWS:
        found = {metric: _by_row(data, other, base, metric, confidence) for metric in _BY_ROW}
        metrics = ("auc", "accuracy") if data.is_binary else ("accuracy",)
    cards = (
        replace(
            data.cards[name],
            scores={metric: data.cards[name][metric] for metric in metrics},
            judged=replace(data.plan(name), confidence=confidence),
        )
        for name in (other, base)
    )
    return {**found, **compare(*cards)}


def _by_row(data: ReportData, other: str, base: str, metric: Measure, confidence: float) -> Difference:
    values = {name: row_values(data, name, metric) for name in (other, base)}
    difference = data.cards[other][metric].value - data.cards[base][metric].value
    if not math.isfinite(difference):
        return Difference(metric, difference)
    pair = paired_difference(data, (other, base), values, confidence)
    better = "first" if pair.high < 0.0 else "second" if pair.low > 0.0 else ""
    return Difference(metric, difference, pair.low, pair.high, "paired t", better)
