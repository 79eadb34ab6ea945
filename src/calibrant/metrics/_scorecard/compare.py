"""Comparison of two models on the same rows: differences of their scores, with paired intervals."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calibrant._optional import pandas_frame
from calibrant._repr import number_text
from calibrant.exceptions import DataError, DataTypeError, ParameterError, nearest
from calibrant.metrics._intervals.bootstrap_plan import BootstrapPlan
from calibrant.metrics._intervals.delong import area_difference
from calibrant.metrics._intervals.intervals import Interval, bca_interval, hold, score_difference
from calibrant.metrics._intervals.metric_intervals import draw_values
from calibrant.metrics._metric import METRICS, Metric
from calibrant.metrics._scorecard.evaluate import same_options
from calibrant.metrics._scorecard.score_card import ScoreCard

Found = dict[str, tuple[Interval, str]]  # the interval and its method, by metric
_NO_SPREAD = 1e-12  # a standard error below this is the rounding of 0
_SCALE = {"auc": 1.0, "gini": 2.0}


def paired_proportions(
    one: BootstrapPlan, other: BootstrapPlan, metrics: Mapping[str, Metric], confidence: float
) -> Found:
    """Return the score intervals of metrics that are proportions of the same rows, where rows are counted one by one.

    Examples
    --------
    >>> from calibrant.metrics import METRICS
    >>> from calibrant.metrics._validation.read_predictions import read_predictions
    >>> plan = BootstrapPlan(read_predictions([0, 1, 1], [0.2, 0.7, 0.6]))
    >>> paired_proportions(plan, plan, {"mse": METRICS["mse"]}, 0.95)
    {}
    """
    if not one.is_simple or not one.counts_whole_rows:
        return {}
    found, weight = Found(), one.predictions.weight
    for name, metric in metrics.items():
        if metric.hits is not None:
            mine, theirs = metric.hits(one.predictions), metric.hits(other.predictions)
            is_counted = ~np.isnan(mine)
            n, more, less = (round(float(weight[rows].sum())) for rows in (is_counted, mine > theirs, mine < theirs))
            if n:
                found[name] = score_difference(more, less, n, confidence), "Tango"
    return found


def _paired_areas(
    one: BootstrapPlan, other: BootstrapPlan, differences: Mapping[str, float], confidence: float
) -> Found:
    """Return the paired intervals of areas under the ROC curve."""
    areas = [name for name in _SCALE if not math.isnan(differences.get(name, math.nan))]
    if not areas or one.predictions.n_classes != 2 or not one.is_simple:
        return {}
    mine, theirs = one.predictions.binary_rows(), other.predictions.binary_rows()
    _, ends = area_difference(mine.proba, theirs.proba, mine.positive, mine.weight, confidence)
    return {name: (Interval(*(_SCALE[name] * end for end in ends)), "DeLong") for name in areas}


def _is_constant(drawn: NDArray[np.float64]) -> bool:
    finite = drawn[np.isfinite(drawn)]
    return len(finite) > 0 and float(np.ptp(finite)) <= _NO_SPREAD


@dataclass(frozen=True)
class Difference:
    """The difference between the scores of two models.

    Parameters
    ----------
    metric : str
        The metric.
    difference : float
        The first card's value less the second's.
    low, high : float or None
        The interval of the difference; None where no valid one is known.
    method : str
        The method of the interval.
    better : {"first", "second", ""}
        Which model is better; neither where the interval contains 0.
    pvalue : float or None
        The p-value of no difference, where the method has one.

    Examples
    --------
    >>> Difference("auc", 0.02, 0.01, 0.03, "DeLong", "first")
    auc +0.0200 [0.0100, 0.0300]: the first is better
    """

    metric: str
    difference: float
    low: float | None = None
    high: float | None = None
    method: str = ""
    better: str = ""
    pvalue: float | None = None

    def __repr__(self) -> str:
        sign = "+" if self.difference > 0 else ""
        ends = "" if self.low is None else f" [{number_text(self.low)}, {number_text(self.high)}]"
        verdict = f": the {self.better} is better" if self.better else ""
        return f"{self.metric} {sign}{number_text(self.difference)}{ends}{verdict}"


@dataclass(frozen=True, eq=False)
class CardComparison(Mapping[str, Difference]):
    """Differences between two score cards of the same rows, by metric.

    Examples
    --------
    >>> from calibrant.metrics import evaluate
    >>> y = [0, 1, 0, 1, 1, 0]
    >>> one = evaluate(y, [0.1, 0.8, 0.4, 0.3, 0.9, 0.2], metrics=["mse"])
    >>> compare(one, one)
    Differences of two cards: 6 rows, intervals at 95 %
      mse 0 [0, 0]
    """

    differences: Mapping[str, Difference]
    n_rows: int
    confidence: float

    def __getitem__(self, metric: str) -> Difference:
        if metric not in self.differences:
            raise ParameterError(f"there is no {metric!r} in both cards.{nearest(metric, self.differences)}")
        return self.differences[metric]

    def __iter__(self) -> Iterator[str]:
        return iter(self.differences)

    def __len__(self) -> int:
        return len(self.differences)

    def __contains__(self, metric: object) -> bool:
        return metric in self.differences

    def to_frame(self) -> Any:
        """Return a pandas frame with a row for each metric.

        Examples
        --------
        >>> from calibrant.metrics import evaluate
        >>> one = evaluate([0, 1, 0, 1], [0.1, 0.8, 0.4, 0.3], metrics=["mse"])
        >>> compare(one, one).to_frame()["difference"].tolist()
        [0.0]
        """
        columns = ["difference", "low", "high", "method", "better"]
        rows = [[getattr(found, column) for column in columns] for found in self.differences.values()]
        return pandas_frame(rows, "make a frame of differences", index=list(self.differences), columns=columns)

    def __repr__(self) -> str:
        title = f"Differences of two cards: {self.n_rows:,} rows, intervals at {100 * self.confidence:g} %"
        without = ", ".join(name for name, found in self.differences.items() if found.low is None)
        note = [f"{without}: no valid interval is known"] if without else []
        return "\n".join([title, *(f"  {found!r}" for found in self.differences.values()), *note])


def compare(card_a: ScoreCard, card_b: ScoreCard) -> CardComparison:
    """Return the differences of two models' scores on the same rows, each with a confidence interval.

    The same rows are resampled for both models, so that what is difficult for both cancels. Accuracy, error and other
    proportions of the same rows (`Metric.hits`) have Tango's score interval (1998), as `mcnemar_test` of
    `calibrant.comparison` returns it: 0 lies outside it where McNemar's chi-squared test rejects. Two areas under the
    ROC curve have the intervals of `evaluate` combined by the square-and-add rule (Newcombe 1998) with the correlation
    of the two by DeLong's paired covariance, so that the interval holds with few rows of a class and at an area of 1
    too. Calibration errors have no interval, since none is proved, and neither have metrics whose value is the same in
    every replicate.

    Parameters
    ----------
    card_a, card_b : ScoreCard
        Cards of `evaluate`, for the same rows in the same order.

    Returns
    -------
    CardComparison
        The first card's values less the second's, for each metric that both have.

    Examples
    --------
    >>> from calibrant.metrics import evaluate
    >>> rng = np.random.default_rng(0)
    >>> proba = rng.random(400)
    >>> y = rng.random(400) < proba
    >>> sharp, blurred = (evaluate(y, p, metrics=["log_loss"]) for p in (proba, 0.25 + proba / 2))
    >>> compare(sharp, blurred)["log_loss"].better
    'first'
    """
    one, other = _same_rows(card_a, card_b)
    confidence = one.confidence or other.confidence or 0.95
    shared = [name for name in card_a if name in card_b]
    if not shared:
        raise DataError("the cards have no metric in common; pass the same metrics= to evaluate for both.")
    found = {name: card_a[name].value - card_b[name].value for name in shared}
    metrics = {name: one.bound.get(name, METRICS[name]) for name in shared}
    for name, metric in metrics.items():
        if not same_options(metric, other.bound.get(name, METRICS[name])):
            raise DataError(f"{name!r} has other options in the two cards; pass the same extras= to evaluate for both.")
    ends = paired_proportions(one, other, metrics, confidence) | _paired_areas(one, other, found, confidence)
    is_same = np.array_equal(one.predictions.table, other.predictions.table)
    if is_same:  # a model is as good as itself whatever the rows
        ends = {name: (Interval(0.0, 0.0), method) for name, (_, method) in ends.items()}
    rest = {name: metric for name, metric in metrics.items() if name not in ends}
    mine = draw_values(one, rest)
    theirs = draw_values(replace(one, predictions=other.predictions), rest, one.predictions.rank_order)
    for name, (drawn, left_out, center) in mine.items():
        other_drawn, other_left_out, other_center = theirs[name]
        if is_same or not (_is_constant(drawn) and _is_constant(other_drawn)):  # those that do not vary show nothing
            with np.errstate(invalid="ignore"):
                without = None if left_out is None or other_left_out is None else left_out - other_left_out
                middle = found[name] if center is None or other_center is None else center - other_center
                interval = bca_interval(middle, drawn - other_drawn, without, confidence)
            ends[name] = hold(interval, found[name]), "BCa"
    differences = {name: _difference(name, found[name], ends.get(name)) for name in shared}
    return CardComparison(differences, one.predictions.n_rows, confidence)


def _same_rows(card_a: ScoreCard, card_b: ScoreCard) -> tuple[BootstrapPlan, BootstrapPlan]:
    for card in (card_a, card_b):
        if not isinstance(card, ScoreCard):
            raise DataTypeError(f"compare: pass two cards of evaluate; got {type(card).__name__}.")
    one, other = card_a.judged, card_b.judged
    if one is None or other is None:
        raise DataError("compare needs cards of evaluate, which keep their rows; those of evaluate_table do not.")
    same = [
        one.predictions.n_input_rows == other.predictions.n_input_rows,
        np.array_equal(one.predictions.classes, other.predictions.classes),
        np.array_equal(one.predictions.rows, other.predictions.rows),
        np.array_equal(one.predictions.label, other.predictions.label),
        np.array_equal(one.predictions.weight, other.predictions.weight),
        (one.group is None) == (other.group is None),
        one.group is None or other.group is None or np.array_equal(one.group, other.group),
    ]
    if not all(same):
        raise DataError(
            "the cards are not of the same rows: classes, weights or groups differ. Evaluate both models on the same "
            "y_true, in the same order."
        )
    return one, other


def _difference(name: str, value: float, found: tuple[Interval, str] | None) -> Difference:
    if found is None or math.isnan(found[0].low):
        return Difference(name, value)
    (low, high), method = found
    better = METRICS[name].better
    if low <= 0.0 <= high or better == "nearer":
        return Difference(name, value, low, high, method)
    return Difference(name, value, low, high, method, "first" if (value > 0) == (better == "higher") else "second")
