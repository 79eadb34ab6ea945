"""The best of many methods, with the score that its choosing does not flatter."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from textwrap import fill
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from scipy.special import stdtrit

from calibrant._optional import optional_import
from calibrant._params import CONFIDENCE, check_param
from calibrant._random import seed_sequence, stream
from calibrant._repr import number_text
from calibrant.comparison._internal import tied_ranks
from calibrant.exceptions import DataError, StudyError
from calibrant.metrics import METRICS, Interval
from calibrant.metrics._internal import Predictions, read_predictions
from calibrant.resampling._internal import NO_INTERVAL, ends_in_range
from calibrant.studies._results.predictions import TestPredictions, predictions_from_parquet
from calibrant.studies._results.tables import check_complete, mean_interval, study_means

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    from calibrant.comparison._internal import Better
    from calibrant.studies._results.study_values import MetricFacts, StudyValues

__all__ = ["BestMethod", "Selection", "best_method", "bootstrap_weights", "select_by_rows", "select_by_units"]


_WIDTH = 110


@dataclass(frozen=True, repr=False)
class BestMethod:
    """The best of the methods of a study; its repr states both scores and how the second was corrected.

    Parameters
    ----------
    method : str
        The method; with a nested plan the one that was chosen most often.
    metric : str
        The metric that chose it.
    better : str
        Which value is better, in words.
    dataset : str or None
        The data set; None where it was chosen over several.
    n_methods : int
        Number of methods that it was chosen from.
    apparent : float
        Its mean, which is too good: it was chosen for it. NaN with a nested plan.
    corrected : float
        The score of a method that is chosen like this, on rows that had no part in the choice; NaN where it cannot be
        known.
    low, high : float
        The interval of the corrected score; NaN where none holds.
    confidence : float
        Its confidence.
    correction : {"nested", "folds", "rows", "data sets", "nothing chosen", "none"}
        What the choice was separated by.
    how : str
        The same in words.
    choices : dict of str to float
        How often each method was chosen when the choice was repeated, the most frequent first.
    mean_rank, corrected_mean_rank : float
        Over several data sets, the mean rank that it was chosen by, and the same corrected; else NaN.

    Examples
    --------
    >>> from calibrant.studies import StudyResults
    >>> values = {"iris": [[0.20, 0.22, 0.21, 0.19], [0.10, 0.11, 0.12, 0.09], [0.11, 0.10, 0.12, 0.10]]}
    >>> StudyResults.from_values(values, methods=["tree", "forest", "bayes"], metric="mse").best("mse")
    forest is the best of 3 methods by mse on iris (lower is better)
      its mean is 0.1050, flattered by the choice; corrected 0.1069
    Corrected by choosing on folds that are drawn with replacement and testing the choice on the others; chosen
    there: forest 80 %, bayes 20 %.
    """

    method: str
    metric: str
    better: str
    dataset: str | None
    n_methods: int
    apparent: float
    corrected: float
    low: float = math.nan
    high: float = math.nan
    confidence: float = 0.95
    correction: Literal["nested", "folds", "rows", "data sets", "nothing chosen", "none"] = "none"
    how: str = ""
    choices: Mapping[str, float] = field(default_factory=dict)
    mean_rank: float = math.nan
    corrected_mean_rank: float = math.nan
    n_datasets: int = 1

    def to_frame(self) -> pd.DataFrame:
        """Return a pandas frame of one row.

        Examples
        --------
        >>> from calibrant.studies import StudyResults
        >>> values = {"iris": [[0.20, 0.22, 0.21, 0.19], [0.10, 0.11, 0.12, 0.09]]}
        >>> best = StudyResults.from_values(values, methods=["tree", "forest"], metric="mse").best("mse")
        >>> best.to_frame()[["method", "apparent", "corrected"]]
           method  apparent  corrected
        0  forest     0.105      0.105
        """
        pandas = optional_import("pandas", extra="studies", purpose="return the best method as a frame")
        shown = ("method", "metric", "dataset", "n_methods", "apparent", "corrected", "low", "high", "confidence")
        row = {name: getattr(self, name) for name in (*shown, "correction", "mean_rank", "corrected_mean_rank")}
        frame: pd.DataFrame = pandas.DataFrame([row])
        return frame

    def __repr__(self) -> str:
        on = self.dataset if self.dataset is not None else f"{self.n_datasets} data sets"
        if self.correction == "nested":
            first = f"{self.method} was chosen most often of {self.n_methods} methods by {self.metric} on {on}"
        else:
            first = f"{self.method} is the best of {self.n_methods} methods by {self.metric} on {on}"
        lines = [f"{first} ({self.better})", f"  {self._scores()}"]
        if not math.isnan(self.mean_rank):
            ranks = f"mean rank {self.mean_rank:.2f}, corrected {self.corrected_mean_rank:.2f}"
            lines.append(f"  {ranks}; a method of average rank has {(self.n_methods + 1) / 2:g}")
        chosen = [f"{name} {100 * share:.0f} %" for name, share in list(self.choices.items())[:5] if share >= 0.005]
        stated = f"; chosen there: {', '.join(chosen)}" if chosen else ""
        return "\n".join([*lines, fill(f"{self.how}{stated}.", _WIDTH)])

    def _scores(self) -> str:
        interval = f"{100 * self.confidence:g} % interval {number_text(self.low)} to {number_text(self.high)}"
        ends = "" if math.isnan(self.low) else f" ({interval})"
        if self.correction == "nested":
            return f"the score of choosing and testing on other rows is {number_text(self.corrected)}{ends}"
        if self.correction == "nothing chosen":
            return f"its mean is {number_text(self.corrected)}{ends}"
        mean = f"its mean is {number_text(self.apparent)}, flattered by the choice"
        is_corrected = not math.isnan(self.corrected)
        return f"{mean}; " + (f"corrected {number_text(self.corrected)}{ends}" if is_corrected else "not corrected")


# Draws of units: with 1,000 the error of the simulation is a fortieth of the standard error that 10 folds have
_MOST_DRAWS, _MOST_NUMBERS = 1000, 10_000_000
_ROW_DRAWS = 200  # each of them computes the metric of every method once


class Selection(NamedTuple):
    """The mean score of the methods that were chosen on other units, and how often each was chosen."""

    score: float
    shares: NDArray[np.float64]


def select_by_units(losses: NDArray[np.float64], values: NDArray[np.float64], repeat: int = 0) -> Selection:
    """Choose the method of the least mean loss on units that are drawn, and read its values on the other units.

    Every unit counts the same: the mean of what was read on it, and then the mean over the units.

    Parameters
    ----------
    losses, values : arrays of shape (n_methods, n_units)
        What chooses, the least is best, and what is read; NaN where there is no value.
    repeat : int
        The number of the stream of random draws.

    Examples
    --------
    >>> errors = np.array([[0.1, 0.2, 0.1], [0.3, 0.4, 0.2]])
    >>> score, shares = select_by_units(errors, errors)
    >>> round(score, 4), shares.tolist()
    (0.1333, [1.0, 0.0])
    """
    n_methods, n_units = losses.shape
    weights = bootstrap_weights(n_units, max(100, min(_MOST_DRAWS, _MOST_NUMBERS // n_units)), repeat)
    chosen = _chosen(losses, weights)
    read = np.where(weights == 0, values[chosen], np.nan)  # draws x units
    n_read = (~np.isnan(read)).sum(axis=0)
    by_unit = np.where(np.isnan(read), 0.0, read).sum(axis=0)[n_read > 0] / n_read[n_read > 0]
    shares = np.bincount(chosen, minlength=n_methods) / len(chosen)
    return Selection(float(by_unit.mean()) if len(by_unit) else float("nan"), shares)


def bootstrap_weights(n_units: int, n_draws: int, repeat: int = 0) -> NDArray[np.int64]:
    """Return how often each unit is drawn in bootstrap draws that leave at least one out."""
    random = stream(seed_sequence(0), repeat)
    weights = random.multinomial(n_units, np.full(n_units, 1.0 / n_units), size=n_draws)
    return np.asarray(weights[(weights == 0).any(axis=1)])


def _chosen(losses: NDArray[np.float64], weights: NDArray[np.int64]) -> NDArray[np.intp]:
    """Return the method of the least mean loss in each draw, the first of equal ones."""
    is_known = ~np.isnan(losses)
    total, n_known = np.where(is_known, losses, 0.0) @ weights.T, is_known.astype(np.float64) @ weights.T
    means = np.divide(total, n_known, out=np.full(total.shape, np.inf), where=n_known > 0)
    return np.asarray(means.argmin(axis=0))


def select_by_rows(
    score: Callable[[int, NDArray[np.float64]], float],
    loss: Callable[[float], float],
    n_methods: int,
    unit: NDArray[np.intp],
) -> Selection:
    """Choose by the metric on rows that are drawn, and read the metric of the chosen method on the other rows.

    Parameters
    ----------
    score : callable
        ``score(method, weight)``, the metric of a method with the predictions weighted; NaN where it is undefined.
    loss : callable
        Turns a value of the metric into a number of which the least is best.
    n_methods : int
        Number of methods.
    unit : array of int
        The row, or the group, of each prediction; those of one are drawn together.

    Examples
    --------
    >>> errors = np.array([[0, 0, 1, 0], [1, 1, 0, 1]])
    >>> found = select_by_rows(lambda i, w: float(np.average(errors[i], weights=w)), float, 2, np.arange(4))
    >>> 0.2 < found.score < 0.5
    True
    """
    codes = np.unique(unit, return_inverse=True)[1]
    weights = bootstrap_weights(int(codes.max()) + 1, _ROW_DRAWS)[:, codes].astype(np.float64)
    chosen, read = [], []
    for weight in weights:
        losses = [loss(score(method, weight)) for method in range(n_methods)]
        if np.isnan(losses).all():
            continue
        chosen.append(int(np.nanargmin(losses)))
        read.append(score(chosen[-1], (weight == 0).astype(np.float64)))
    shares = np.bincount(chosen, minlength=n_methods) / max(1, len(chosen))
    found: Any = np.array(read)[~np.isnan(read)] if read else np.empty(0)
    return Selection(float(found.mean()) if len(found) else float("nan"), shares)


_FOLDS = "Corrected by choosing on folds that are drawn with replacement and testing the choice on the others"
_ROWS = "Corrected by choosing on test rows that are drawn with replacement and testing the choice on the others"
_SETS = "Corrected by choosing on data sets that are drawn with replacement and testing the choice on the others"
_NESTED = "A method was chosen within the training rows of each split"


def best_method(
    study: StudyValues, metric: str, *, dataset: str | None, better: Better | None, confidence: float, partial: bool
) -> BestMethod:
    """Return the best method on one data set or over all of them; `StudyResults.best` describes it."""
    check_param("confidence", confidence, CONFIDENCE)
    facts, datasets = study.facts(metric, better), study.chosen_datasets(dataset)
    means = study_means(study, metric, datasets, partial=partial)
    check_complete(study, means, partial=partial)
    if any(study.plans[name].is_nested for name in datasets):
        return _nested(study, facts, datasets, means.values, confidence)
    losses = facts.losses(means.values)
    is_unknown = np.isnan(losses)
    is_known = np.asarray(~(is_unknown.any(axis=1) if len(datasets) > 1 else is_unknown.all(axis=1)))
    if not is_known.any():
        raise StudyError(f"best: {metric} has no value on any data set that all methods share.")
    facts.side  # noqa: B018 (raises where the direction is not known)
    if len(datasets) > 1:
        kept = tuple(name for name, known in zip(datasets, is_known.tolist(), strict=True) if known)
        return _over_datasets(study, facts, kept, means.values[is_known], confidence)
    return _on_dataset(study, facts, datasets[0], means.values[0], confidence)


def _on_dataset(
    study: StudyValues, facts: MetricFacts, dataset: str, means: NDArray[np.float64], confidence: float
) -> BestMethod:
    """Return the method of the best mean, corrected by folds or by rows."""
    best = int(np.nanargmin(facts.losses(means)))
    about = (study.methods[best], facts.name, facts.words, dataset, len(study.methods), float(means[best]))
    if len(study.methods) == 1:
        ends = mean_interval(study, facts.name, dataset, best, about[-1], confidence)
        return BestMethod(*about, about[-1], *ends, confidence, "nothing chosen", "There is one method")
    plan = study.plans[dataset]
    values = study.done_values(facts.name, dataset)
    if plan.has_disjoint_tests and plan.n_independent > 1:
        corrected, shares = _by_folds(facts, values, plan.n_independent)
        ends = mean_interval(study, facts.name, dataset, best, corrected, confidence)
        chosen = _counted(study.methods, shares)
        return BestMethod(*about, corrected, *ends, confidence, "folds", _FOLDS, chosen)
    kept = _kept_parts(study, facts, dataset)
    if isinstance(kept, str):
        how = f"No correction is possible: {kept}. Take cross-validation or a nested plan, or keep the predictions"
        return BestMethod(*about, math.nan, confidence=confidence, correction="none", how=how)
    moved, shares = _by_rows(study, facts, dataset, kept, best)
    ends = mean_interval(study, facts.name, dataset, best, about[-1] + moved, confidence)
    return BestMethod(*about, about[-1] + moved, *ends, confidence, "rows", _ROWS, _counted(study.methods, shares))


def _by_folds(facts: MetricFacts, values: NDArray[np.float64], n_folds: int) -> tuple[float, NDArray[np.float64]]:
    """Return the corrected score and the shares of the choices: within each repeat, whose folds are disjoint."""
    repeats = [values[:, first : first + n_folds] for first in range(0, values.shape[1], n_folds)]
    found = [select_by_units(facts.losses(each), each, number) for number, each in enumerate(repeats)]
    return float(np.nanmean([each.score for each in found])), np.mean([each.shares for each in found], axis=0)


def _kept_parts(study: StudyValues, facts: MetricFacts, dataset: str) -> list[list[TestPredictions]] | str:
    """Return the predictions of every method by split, or why the choice cannot be repeated on rows."""
    plan, metric = study.plans[dataset], facts.name
    splits = "there is one split" if plan.n_splits == 1 else "the test rows of the splits overlap"
    if study.read_predictions is None:
        return f"{splits}, and no predictions were kept"
    if metric in study.own_metrics or metric not in METRICS or METRICS[metric].needs:
        return f"{splits}, and {metric} cannot be computed from kept predictions alone"
    found = []
    for method in study.methods:
        parts = sorted(each for each in study.read_predictions(dataset, method) if each[0] >= 0)
        if not parts:
            return f"{splits}, and the predictions of {method} were not kept"
        found.append([predictions_from_parquet(data) for _, data in parts])
    return found


def _by_rows(
    study: StudyValues, facts: MetricFacts, dataset: str, kept: list[list[TestPredictions]], best: int
) -> tuple[float, NDArray[np.float64]]:
    """Return by how much the choice on some rows moves the score on others, and the shares of the choices."""
    weight = None if kept[0][0].weight is None else _joined_parts(kept[0], "weight")
    options = {"labels": list(kept[0][0].classes), "pos_label": study.plans[dataset].pos_label, "sample_weight": weight}
    read = [
        read_predictions(_joined_parts(parts, "y_true"), _joined_parts(parts, "y_pred"), **options) for parts in kept
    ]
    judge = METRICS[facts.name].judge

    def score(method: int, drawn: NDArray[np.float64]) -> float:
        try:
            return float(judge(_weighted(read[method], drawn)))
        except DataError:  # such as a single class among the rows
            return math.nan

    def loss(value: float) -> float:
        return float(facts.losses(np.array(value)))

    units = np.concatenate([part.row if part.group is None else part.group for part in kept[0]])
    found = select_by_rows(score, loss, len(kept), units)
    return found.score - score(best, np.ones(len(units))), found.shares


def _weighted(read: Predictions, drawn: NDArray[np.float64]) -> Predictions:
    """Return the predictions that were drawn, with their weights: ten times as fast as validating them each time."""
    counts = drawn[read.rows]
    kept = np.flatnonzero(counts)
    weights = counts[kept] if read.weights is None else counts[kept] * read.weights[kept]
    return replace(read, label=read.label[kept], table=read.table[kept], weights=weights, kept=read.rows[kept])


def _joined_parts(parts: list[TestPredictions], name: str) -> NDArray[Any]:
    return np.concatenate([getattr(part, name) for part in parts])


def _over_datasets(
    study: StudyValues, facts: MetricFacts, datasets: tuple[str, ...], means: NDArray[np.float64], confidence: float
) -> BestMethod:
    """Return the method of the best mean rank, corrected by data sets that had no part in the choice."""
    ranks = np.stack([tied_ranks(row) for row in facts.losses(means)])
    best = int(ranks.mean(axis=0).argmin())
    about = (study.methods[best], facts.name, facts.words, None, len(study.methods), float(means[:, best].mean()))
    own_rank = float(ranks[:, best].mean())
    if len(datasets) == 1 or len(study.methods) == 1:
        how = "There is one method" if len(study.methods) == 1 else "No correction is possible: one data set has values"
        known = about[-1] if len(study.methods) == 1 else math.nan
        return BestMethod(*about, known, correction="nothing chosen" if known == known else "none", how=how)
    score, shares = select_by_units(ranks.T, means.T)
    rank = select_by_units(ranks.T, ranks.T).score
    ends = _dataset_interval(means[:, best] + (score - about[-1]), facts, confidence)
    return BestMethod(
        *(*about, score, *ends, confidence, "data sets", _SETS, _counted(study.methods, shares)),
        mean_rank=own_rank,
        corrected_mean_rank=rank,
        n_datasets=len(datasets),
    )


def _dataset_interval(values: NDArray[np.float64], facts: MetricFacts, confidence: float) -> Interval:
    """Return the interval of a mean over independent data sets: no rows are shared, so that nothing is corrected."""
    if not np.isfinite(values).all() or np.ptp(values) == 0.0:
        return NO_INTERVAL
    n = len(values)
    square = float(stdtrit(n - 1, 0.5 + 0.5 * confidence)) ** 2
    return ends_in_range(float(values.mean()), square, float(values.var(ddof=1)) / n, facts.low, facts.high, 1.0 / n)


def _nested(
    study: StudyValues, facts: MetricFacts, datasets: tuple[str, ...], means: NDArray[np.float64], confidence: float
) -> BestMethod:
    """Return the score of the choice within each split."""
    counts = Counter(choice for name in datasets for choice in study.choices.get(name, ()) if choice)
    total = sum(counts.values())
    chosen = {name: n / total for name, n in counts.most_common()}
    is_one = len(datasets) == 1
    values = means[:, 0]
    if is_one:
        ends = mean_interval(study, facts.name, datasets[0], 0, float(values[0]), confidence)
    else:
        ends = _dataset_interval(values, facts, confidence)
    return BestMethod(
        next(iter(chosen), ""),
        facts.name,
        facts.words,
        datasets[0] if is_one else None,
        len(study.candidates),
        apparent=math.nan,
        corrected=float(values.mean()),
        low=ends.low,
        high=ends.high,
        confidence=confidence,
        correction="nested",
        how=_NESTED,
        choices=chosen,
        n_datasets=len(datasets),
    )


def _counted(methods: tuple[str, ...], shares: NDArray[np.float64]) -> dict[str, float]:
    """Return the shares above 0 by method, the greatest first."""
    order = np.argsort(-shares, kind="stable")
    return {methods[i]: float(shares[i]) for i in order.tolist() if shares[i] > 0}
