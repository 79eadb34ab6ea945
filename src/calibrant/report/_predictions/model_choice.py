"""Which model to use: the best one by profit or loss, with whether the others are shown to be worse."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from calibrant.comparison._internal import t_figures
from calibrant.decisions._internal import CostedPredictions
from calibrant.studies import PairDifference

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.metrics._internal import BootstrapPlan
    from calibrant.report._predictions.report_data import ReportData

__all__ = [
    "Measure",
    "ModelChoice",
    "choose_model",
    "measure_words",
    "paired_difference",
    "row_values",
    "variance_of_mean",
]

Measure = Literal["profit", "log_loss", "brier"]
_WORDS: dict[Measure, str] = {"profit": "profit", "log_loss": "log-loss", "brier": "Brier score"}


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
        """Return how much worse the other model is on these rows."""
        return abs(pair.difference)

    def at_least(self, pair: PairDifference) -> float:
        """Return the lower bound of how much worse the other model is; below 0 where it may be better."""
        return pair.low if self.measure == "profit" else -pair.high


def measure_words(measure: Measure) -> str:
    """Return the name of what models are compared by.

    Examples
    --------
    >>> measure_words("log_loss")
    'log-loss'
    """
    return _WORDS[measure]


def choose_model(data: ReportData) -> ModelChoice | None:
    """Return the best of several models, by profit where costs are known, else by log-loss; None for one model.

    Where a log-loss is infinite, because a probability of 0 came true, models are compared by the Brier score.
    """
    if len(data.names) == 1:
        return None
    choice: ModelChoice = data.once("model choice", lambda: _choose(data))
    return choice


def _choose(data: ReportData) -> ModelChoice:
    measure = _measure(data)
    values = {name: row_values(data, name, measure) for name in data.names}
    sign = 1.0 if measure == "profit" else -1.0
    totals = {name: sign * float((data.weight * each).sum()) for name, each in values.items()}
    best = max(totals, key=lambda name: totals[name])
    others = [name for name in data.names if name != best]
    each = 1.0 - 2.0 * (1.0 - data.confidence) / len(others)
    pairs = [paired_difference(data, (best, other), values, each) for other in others]
    found = tuple(_one_sided(pair, len(others), best, 1.0 - data.confidence) for pair in pairs)
    return ModelChoice(measure, best, found, not any(math.isnan(pair.pvalue) for pair in found))


def _one_sided(pair: PairDifference, n_pairs: int, best: str, error: float) -> PairDifference:
    """Return a pair with the one-sided p-value of the best one's being better, corrected for the number of pairs."""
    adjusted = pair.pvalue if math.isnan(pair.pvalue) else min(1.0, n_pairs * pair.pvalue / 2)
    return replace(pair, adjusted_pvalue=adjusted, better=best if adjusted <= error else "")


def _measure(data: ReportData) -> Measure:
    if data.costs is not None:
        return "profit"
    return "log_loss" if all(math.isfinite(card["log_loss"].value) for card in data.cards.values()) else "brier"


def row_values(data: ReportData, name: str, measure: Measure) -> NDArray[np.float64]:
    """Return what each row earns by the model's decisions, or its loss."""
    if measure == "profit":
        costed = CostedPredictions.read(
            data.y_true, data.probas[name], data.costs, amount=data.amount, **data.curve_options
        )
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
