"""Two models on the same rows: differences of their scores, with intervals from paired rows."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant._optional import optional_import
from calibrant.exceptions import DataError, DataTypeError, ParameterError, nearest
from calibrant.metrics._intervals.bootstrap import bca_interval
from calibrant.metrics._intervals.bootstrap_plan import Judged
from calibrant.metrics._intervals.delong import area_difference
from calibrant.metrics._intervals.metric_intervals import has_replicates, recipe_of
from calibrant.metrics._intervals.proportions import Interval
from calibrant.metrics._intervals.replicate_values import Layout, Recipe, Seen
from calibrant.metrics._intervals.replicates import replicate
from calibrant.metrics._intervals.reweighted_bootstrap import by_rank, weighed_anew
from calibrant.metrics._scorecard.card_text import number_text
from calibrant.metrics._scorecard.score_card import ScoreCard

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["CardComparison", "Difference", "compare"]


@dataclass(frozen=True)
class Difference:
    """By how much one model's score differs from another's.

    Parameters
    ----------
    metric : str
        The metric.
    difference : float
        The first card's value less the second's.
    low, high : float or None
        The interval of the difference; None where there is none that holds.
    method : str
        Where the interval comes from.
    better : {"first", "second", ""}
        Which model is shown to be the better one; neither where the interval holds 0.

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

    def __repr__(self) -> str:
        sign = "+" if self.difference > 0 else ""
        ends = "" if self.low is None else f" [{number_text(self.low)}, {number_text(self.high)}]"
        told = f": the {self.better} is better" if self.better else ""
        return f"{self.metric} {sign}{number_text(self.difference)}{ends}{told}"


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
        """Give a pandas frame with a row for each metric.

        Examples
        --------
        >>> from calibrant.metrics import evaluate
        >>> one = evaluate([0, 1, 0, 1], [0.1, 0.8, 0.4, 0.3], metrics=["mse"])
        >>> compare(one, one).to_frame()["difference"].tolist()
        [0.0]
        """
        pandas = optional_import("pandas", extra="data", purpose="make a frame of differences")
        columns = ["difference", "low", "high", "method", "better"]
        rows = [[getattr(found, column) for column in columns] for found in self.differences.values()]
        return pandas.DataFrame(rows, index=list(self.differences), columns=columns)

    def __repr__(self) -> str:
        title = f"Differences of two cards: {self.n_rows:,} rows, intervals at {100 * self.confidence:g} %"
        bare = ", ".join(name for name, found in self.differences.items() if found.low is None)
        told = [f"{bare}: no interval that holds"] if bare else []
        return "\n".join([title, *(f"  {found!r}" for found in self.differences.values()), *told])


def compare(card_a: ScoreCard, card_b: ScoreCard) -> CardComparison:
    """Give the differences of two models' scores on the same rows, each with an interval.

    Rows are drawn in pairs, the same ones for both models, so that what is hard for both cancels. The area under the
    ROC curve has DeLong's paired interval. Calibration errors have no interval, since none is proved.

    Parameters
    ----------
    card_a, card_b : ScoreCard
        Cards of `evaluate`, for the same classes in the same order of rows.

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
    ends = _paired_replicates(one, other, found, confidence) | _paired_areas(one, other, found, confidence)
    differences = {name: _difference(name, found[name], ends.get(name)) for name in shared}
    return CardComparison(differences, one.read.n_rows, confidence)


def _same_rows(card_a: ScoreCard, card_b: ScoreCard) -> tuple[Judged, Judged]:
    for card in (card_a, card_b):
        if not isinstance(card, ScoreCard):
            raise DataTypeError(f"compare needs two cards of evaluate; got {type(card).__name__}.")
    one, other = card_a.judged, card_b.judged
    if one is None or other is None:
        raise DataError("compare needs cards of evaluate, which keep their rows; those of evaluate_table do not.")
    same = [
        one.read.n_given == other.read.n_given,
        np.array_equal(one.read.classes, other.read.classes),
        np.array_equal(one.read.rows, other.read.rows),
        np.array_equal(one.read.label, other.read.label),
        np.array_equal(one.read.weight, other.read.weight),
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
    from calibrant.metrics import METRICS  # it holds every metric, compare's neighbours

    if found is None or math.isnan(found[0].low):
        return Difference(name, value)
    (low, high), method = found
    way = METRICS[name].better
    if low <= 0.0 <= high or way == "nearer":
        return Difference(name, value, low, high, method)
    return Difference(name, value, low, high, method, "first" if (value > 0) == (way == "higher") else "second")


def _paired_areas(
    one: Judged, other: Judged, found: Mapping[str, float], confidence: float
) -> dict[str, tuple[Interval, str]]:
    areas = [name for name in ("auc", "gini") if not math.isnan(found.get(name, math.nan))]
    if not areas or one.read.n_classes != 2 or not one.is_simple or one.read.weights is not None:
        return {}
    rows = one.read.two_class()
    _, ends, error = area_difference(rows.proba, other.read.two_class().proba, rows.positive, confidence)
    if math.isnan(error):
        return {}
    times = {"auc": 1.0, "gini": 2.0}
    return {name: (Interval(times[name] * ends.low, times[name] * ends.high), "DeLong") for name in areas}


def _paired_replicates(
    one: Judged, other: Judged, found: Mapping[str, float], confidence: float
) -> dict[str, tuple[Interval, str]]:
    from calibrant.metrics import METRICS

    recipes = {name: recipe_of(METRICS[name], one.read.n_classes) for name in found}
    known = {name: recipe for name, recipe in recipes.items() if recipe is not None}
    mine, theirs = _known_to_the_core(one, other, known) if known else ({}, {})
    unknown = {name: METRICS[name] for name in found if name not in known and has_replicates(METRICS[name], one)}
    if unknown:
        order = by_rank(one.read)
        mine |= weighed_anew(one, unknown, order)
        theirs |= weighed_anew(replace(one, read=other.read), unknown, order)
    return {name: (bca_interval(found[name], *_less(mine[name], theirs[name]), confidence), "BCa") for name in mine}


Drawn = tuple["NDArray[np.float64]", "NDArray[np.float64] | None"]


def _known_to_the_core(
    one: Judged, other: Judged, known: Mapping[str, Recipe]
) -> tuple[dict[str, Drawn], dict[str, Drawn]]:
    first = Layout.of(one.read, known.values())
    second = Layout.of(other.read, known.values(), order=first.order)
    return _read_off(one, one, first, known), _read_off(one, other, second, known)


def _read_off(plan: Judged, judged: Judged, layout: Layout, recipes: Mapping[str, Recipe]) -> dict[str, Drawn]:
    drawn, left_out = replicate(
        layout.rows, plan.sampling(layout.order), plan.seed, plan.n_boot, n_threads=plan.n_threads
    )
    seen, without = Seen(drawn, layout, judged.read), None if left_out is None else Seen(left_out, layout, judged.read)
    return {
        name: (recipe.read_off(seen), None if without is None else recipe.read_off(without))
        for name, recipe in recipes.items()
    }


def _less(mine: Drawn, theirs: Drawn) -> Drawn:
    with np.errstate(invalid="ignore"):
        left_out = None if mine[1] is None or theirs[1] is None else mine[1] - theirs[1]
        return mine[0] - theirs[0], left_out
