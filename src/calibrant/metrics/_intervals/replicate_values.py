"""Values of metrics in replicates: from means of row values, from confusion matrices, or from rankings."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant.metrics._classification.confusion import Confusions
from calibrant.metrics._intervals.bootstrap_plan import BootstrapPlan
from calibrant.metrics._intervals.replicates import Draws, RankedRows, Replicates, Resampled, replicate
from calibrant.metrics._intervals.row_values import ROW_VALUES
from calibrant.metrics._losses.squared_errors import brier_divisor
from calibrant.metrics._ranking.lift import LIFT_FRACTION
from calibrant.metrics._validation.predictions import Predictions

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["RECIPES", "Layout", "Recipe", "ReplicateValues", "recipe_values", "sum_recipe"]


@dataclass(frozen=True, eq=False)
class ReplicateValues:
    """Replicates together with the predictions that they resample.

    Examples
    --------
    >>> from calibrant.metrics._validation.read_predictions import read_predictions
    >>> from calibrant.metrics._intervals.replicates import Sampling, replicate
    >>> predictions = read_predictions([0, 1, 1], [0.5, 0.5, 0.5])
    >>> layout = Layout.of(predictions, [RECIPES["mse"]])
    >>> drawn, _ = replicate(layout.rows, Sampling.of(3), np.random.SeedSequence(0), 4)
    >>> ReplicateValues(drawn, layout, predictions).mean("squared")
    array([0.5, 0.5, 0.5, 0.5])
    """

    replicates: Replicates
    layout: Layout
    predictions: Predictions

    def mean(self, name: str) -> NDArray[np.float64]:
        """Return the mean of a row value in each replicate; infinite where a row with an infinite value is drawn."""
        means = self.replicates.values[:, self.layout.names.index(name)]
        if name not in self.layout.infinite:
            return means
        n_infinite = self.replicates.values[:, len(self.layout.names) + self.layout.infinite.index(name)]
        return np.where(n_infinite > 0.0, np.inf, means)

    def ranked(self, measure: str, of_class: int | None = None) -> NDArray[np.float64]:
        """Return a measure of the ranking by a class, by default the positive one, in each replicate."""
        which = self.predictions.positive if of_class is None else of_class
        return self.replicates.ranked(measure, 0 if self.layout.order is not None else which)

    def over_classes(self, measure: str) -> NDArray[np.float64]:
        """Return the mean of a measure over classes, each against all others, by their weights in each replicate."""
        classes = range(self.predictions.n_classes)
        weights = np.stack([self.ranked("positive", which) for which in classes])
        values = np.stack([self.ranked(measure, which) for which in classes])
        with np.errstate(invalid="ignore"):
            return np.asarray((np.where(weights > 0.0, values, 0.0) * weights).sum(axis=0) / weights.sum(axis=0))

    def of_confusion(self, measure: Callable[[Confusions], NDArray[np.float64]]) -> NDArray[np.float64]:
        """Return a measure of the confusion matrix of each replicate."""
        n_classes = self.predictions.n_classes
        return measure(Confusions(self.replicates.cells.reshape(-1, n_classes, n_classes), self.predictions))

    @cached_property
    def total(self) -> float:
        """The weight of the original rows."""
        return self.predictions.total


@dataclass(frozen=True, eq=False)
class Recipe:
    """What a metric needs from replicates, and how it is computed from that.

    Examples
    --------
    >>> RECIPES["rms"].values
    ('squared',)
    """

    compute: Callable[[ReplicateValues], NDArray[np.float64]]
    values: tuple[str, ...] = ()
    needs_confusion: bool = False
    needs_ranking: bool = False
    own_values: Mapping[str, Callable[[Predictions], NDArray[np.float64]]] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Layout:
    """Rows arranged for the core, and the names of their values.

    Rows of two classes are arranged by rank, so that the core reads memory in order; `order` is then the row at each
    rank, and None for more classes.
    """

    rows: Resampled
    names: tuple[str, ...]
    infinite: tuple[str, ...]
    order: NDArray[np.intp] | None

    @staticmethod
    def of(predictions: Predictions, recipes: Iterable[Recipe], order: NDArray[np.intp] | None = None) -> Layout:
        """Arrange what some recipes need; pass `order` to arrange the rows of two models alike."""
        recipes = list(recipes)
        names = tuple(dict.fromkeys(name for recipe in recipes for name in recipe.values))
        needs_ranking = any(recipe.needs_ranking for recipe in recipes)
        needs_confusion = any(recipe.needs_confusion for recipe in recipes)
        is_own_order = order is None
        if predictions.n_classes == 2 and is_own_order:
            order = predictions.rank_order
        functions = ROW_VALUES | {name: f for recipe in recipes for name, f in recipe.own_values.items()}
        columns = [_in_order(functions[name](predictions), order) for name in names]
        infinite = tuple(name for name, column in zip(names, columns, strict=True) if np.isinf(column).any())
        marks = [np.isinf(columns[names.index(name)]).astype(np.float64) for name in infinite]
        finite = [np.where(np.isinf(column), 0.0, column) for column in columns]
        rows = Resampled(
            predictions.n_rows,
            values=tuple(map(np.ascontiguousarray, (*finite, *marks))),
            cells=_in_order(_cells(predictions), order) if needs_confusion else None,
            n_cells=predictions.n_classes**2 if needs_confusion else 0,
            rankings=_rankings(predictions, order, is_own_order) if needs_ranking else (),
            top_share=LIFT_FRACTION,
        )
        return Layout(rows, names, infinite, order)


def recipe_values(
    plan: BootstrapPlan, predictions: Predictions, layout: Layout, recipes: Mapping[str, Recipe]
) -> dict[str, Draws]:
    """Return the values of metrics in the replicates of a plan, for predictions of the plan's rows."""
    drawn, left_out = replicate(
        layout.rows, plan.sampling(layout.order), plan.seed, plan.n_boot, n_threads=plan.n_threads
    )
    values = ReplicateValues(drawn, layout, predictions)
    without = None if left_out is None else ReplicateValues(left_out, layout, predictions)
    return {
        name: (recipe.compute(values), None if without is None else recipe.compute(without))
        for name, recipe in recipes.items()
    }


def _in_order(values: NDArray[Any], order: NDArray[np.intp] | None) -> NDArray[Any]:
    return values if order is None else values[order]


def _cells(predictions: Predictions) -> NDArray[np.uint16]:
    return (predictions.label * predictions.n_classes + predictions.predicted_class()).astype(np.uint16)


def _rankings(predictions: Predictions, order: NDArray[np.intp] | None, is_own_order: bool) -> tuple[RankedRows, ...]:
    if order is None:
        return tuple(
            RankedRows.of(predictions.column(which), predictions.label == which)
            for which in range(predictions.n_classes)
        )
    rows = predictions.binary_rows()
    column, positive = rows.proba[order], rows.positive[order]
    return (RankedRows.sorted(column, positive) if is_own_order else RankedRows.of(column, positive),)


def _mean(
    name: str, then: Callable[[NDArray[np.float64], ReplicateValues], NDArray[np.float64]] | None = None
) -> Recipe:
    if then is None:
        return Recipe(lambda values: values.mean(name), (name,))
    return Recipe(lambda values: then(values.mean(name), values), (name,))


def _auc(values: ReplicateValues) -> NDArray[np.float64]:
    return values.ranked("auc") if values.predictions.is_binary else values.over_classes("auc")


def _average_precision(values: ReplicateValues) -> NDArray[np.float64]:
    measure = "average_precision"
    return values.ranked(measure) if values.predictions.is_binary else values.over_classes(measure)


def _lift(values: ReplicateValues) -> NDArray[np.float64]:
    positive = values.ranked("positive")
    return np.asarray(values.ranked("top_positive") / (LIFT_FRACTION * np.where(positive > 0.0, positive, np.nan)))


def _aulc(values: ReplicateValues) -> NDArray[np.float64]:
    if values.predictions.n_classes > 2:
        return values.over_classes("lift_area")
    parts = [
        np.where(values.ranked(of) > 0.0, values.ranked(area) * values.ranked(of), 0.0)
        for of, area in (("positive", "lift_area"), ("negative", "lift_area_negative"))
    ]
    return np.asarray((parts[0] + parts[1]) / (values.ranked("positive") + values.ranked("negative")))


def sum_recipe(name: str, row_values: Callable[[Predictions], NDArray[np.float64]], *, is_mean: bool) -> Recipe:
    """Return how to compute the sum, or the mean, of a value of each row that depends on options of a metric."""
    if is_mean:
        return Recipe(lambda values: values.mean(name), (name,), own_values={name: row_values})
    return Recipe(lambda values: values.mean(name) * values.total, (name,), own_values={name: row_values})


RECIPES: dict[str, Recipe] = {
    **dict.fromkeys(("mse", "ql"), _mean("squared")),
    "brier": _mean("squared", lambda means, values: means / brier_divisor(values.predictions.n_classes)),
    "rms": _mean("squared", lambda means, values: np.sqrt(means / max(values.predictions.n_classes, 2))),
    "mse01": _mean("own_squared"),
    **dict.fromkeys(("log_loss", "mxe", "nce"), _mean("log_loss")),
    "log_loss_bits": _mean("log_loss", lambda means, _: means / math.log(2.0)),
    "description_length": _mean("log_loss", lambda means, values: means * (values.total / math.log(2.0))),
    "avll": _mean("bounded_log_loss", lambda means, _: means / math.log(2.0)),
    "spherical": _mean("spherical"),
    "auc": Recipe(_auc, needs_ranking=True),
    "gini": Recipe(lambda values: 2.0 * _auc(values) - 1.0, needs_ranking=True),
    "ks": Recipe(lambda values: values.ranked("ks"), needs_ranking=True),
    "average_precision": Recipe(_average_precision, needs_ranking=True),
    "lift": Recipe(_lift, needs_ranking=True),
    "aulc": Recipe(_aulc, needs_ranking=True),
}
