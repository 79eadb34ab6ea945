"""Values of metrics in replicates: from means of row values, from confusion matrices, or from rankings."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from calibrant._random import stream
from calibrant.metrics._classification.confusion import Confusions
from calibrant.metrics._classification.costs import least_costs, row_costs, row_profits
from calibrant.metrics._intervals.bootstrap_plan import BootstrapPlan
from calibrant.metrics._intervals.class_rankings import (
    MOST_RANKED,
    RankedClass,
    Values,
    area_values,
    class_values,
    lift_values,
    precision_values,
)
from calibrant.metrics._intervals.replicates import (
    Draws,
    RankedRows,
    Replicates,
    Resampled,
    Sampling,
    left_out_blocks,
    replicate_in_parts,
)
from calibrant.metrics._losses.log_losses import avll_epsilon
from calibrant.metrics._losses.squared_errors import brier_divisor
from calibrant.metrics._metric import Metric, bound_hits
from calibrant.metrics._ranking.precision import LIFT_FRACTION
from calibrant.metrics._validation.predictions import Predictions
from calibrant.metrics._validation.read_predictions import read_prior

_MOST_CELLS = 2**20  # of the confusion matrices that are held at a time: 8 MB


def _squared(predictions: Predictions) -> NDArray[np.float64]:
    if predictions.is_one_column:
        return np.asarray(2.0 * _own_squared(predictions))
    return np.asarray(
        np.einsum("ij,ij->i", predictions.table, predictions.table) - 2.0 * predictions.true_class_proba() + 1.0
    )


def _own_squared(predictions: Predictions) -> NDArray[np.float64]:
    return np.asarray((1.0 - predictions.true_class_proba()) ** 2)


def _log_loss(predictions: Predictions) -> NDArray[np.float64]:
    with np.errstate(divide="ignore"):
        # 0 - log: -0.0 would print as a loss of -0 for a certain and right row.
        return np.asarray(0.0 - np.log(predictions.true_class_proba()))


def _spherical(predictions: Predictions) -> NDArray[np.float64]:
    return np.asarray(
        predictions.true_class_proba() / np.sqrt(np.einsum("ij,ij->i", predictions.proba, predictions.proba))
    )


def _bounded_log_loss(predictions: Predictions) -> NDArray[np.float64]:
    """Return -ln p with 0 and 1 replaced as `avll` does, by the class frequencies of all rows in every replicate."""
    epsilon, own = avll_epsilon(read_prior(None, predictions, None)), predictions.true_class_proba()
    return np.asarray(-np.log(np.where((own > 0.0) & (own < 1.0), own, np.clip(own, epsilon, 1.0 - epsilon))))


ROW_VALUES: dict[str, Callable[[Predictions], NDArray[np.float64]]] = {
    "squared": _squared,
    "own_squared": _own_squared,
    "log_loss": _log_loss,
    "spherical": _spherical,
    "bounded_log_loss": _bounded_log_loss,
}


# The row value that each metric is the mean of, and its factor.
_MEANS = {
    **dict.fromkeys(("mse", "ql"), ("squared", 1.0)),
    "mse01": ("own_squared", 1.0),
    **dict.fromkeys(("log_loss", "mxe", "nce"), ("log_loss", 1.0)),
    "log_loss_bits": ("log_loss", 1.0 / math.log(2.0)),
    "spherical": ("spherical", 1.0),
}


class RowValues(NamedTuple):
    """The value of each row, NaN where a row does not count, and whether the metric is their sum, not their mean."""

    values: NDArray[np.float64]
    is_sum: bool = False


def row_values_of(metric: Metric, predictions: Predictions, options: Mapping[str, Any]) -> RowValues | None:
    """Return the values that a metric is the weighted mean, or sum, of; None for a metric that is neither.

    Examples
    --------
    >>> from calibrant.metrics import METRICS
    >>> from calibrant.metrics._validation.read_predictions import read_predictions
    >>> rows = read_predictions([0, 1, 1], [0.2, 0.7, 0.4])
    >>> row_values_of(METRICS["recall"], rows, {}).values, row_values_of(METRICS["auc"], rows, {})
    (array([nan,  1.,  0.]), None)
    """
    if metric.id == "profit":
        return RowValues(row_profits(predictions, **options), is_sum=True)
    if metric.id == "cost":
        given = dict(options)
        costs = least_costs if given.pop("decide", "likeliest") == "cheapest" else row_costs
        return RowValues(costs(predictions, **given))
    if metric.hits is not None:
        hits = bound_hits(metric, options)
        return None if hits is None else RowValues(hits(predictions))
    if options:
        return None
    if metric.id == "brier":
        return RowValues(ROW_VALUES["squared"](predictions) / brier_divisor(predictions.n_classes))
    if metric.id not in _MEANS:
        return None
    name, factor = _MEANS[metric.id]
    return RowValues(factor * ROW_VALUES[name](predictions))


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
        # The core sums finite values; a mark beside them says whether an infinite one was drawn.
        return np.where(n_infinite > 0.0, np.inf, means)

    def ranked(self, measure: str, of_class: int | None = None) -> NDArray[np.float64]:
        """Return a measure of the ranking by a class, by default the positive one, in each replicate."""
        which = self.predictions.positive if of_class is None else of_class
        return self.replicates.ranked(measure, self.layout.ranked.index(which))

    def over_classes(self, measure: str) -> NDArray[np.float64]:
        """Return the mean of a measure over classes, each against all others, by their weights in each replicate."""
        classes = range(self.predictions.n_classes)
        weights = np.stack([self.ranked("positive", which) for which in classes])
        values = np.stack([self.ranked(measure, which) for which in classes])
        with np.errstate(invalid="ignore"):
            # Classes absent from a replicate have no area and no weight: 0 times NaN must not spoil the sum.
            return np.asarray((np.where(weights > 0.0, values, 0.0) * weights).sum(axis=0) / weights.sum(axis=0))

    def of_confusion(self, measure: Callable[[Confusions], NDArray[np.float64]]) -> NDArray[np.float64]:
        """Return a measure of the confusion matrix of each replicate."""
        n_classes, weights, values = self.predictions.n_classes, self.replicates.cells, []
        size = max(1, _MOST_CELLS // n_classes**2)
        for first in range(0, len(weights), size):
            counts = np.zeros((len(weights[first : first + size]), n_classes**2))
            counts[:, self.layout.cells] = weights[first : first + size]
            values.append(measure(Confusions(counts.reshape(-1, n_classes, n_classes), self.predictions)))
        return np.concatenate(values)


@dataclass(frozen=True, eq=False)
class Recipe:
    """The aggregates of replicates that a metric needs, with the function that computes it from them.

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
    has_center: bool = False  # whether values of rows have another mean than the metric, which has a bias


@dataclass(frozen=True, eq=False)
class Layout:
    """Rows arranged for the core, the names of their values, the classes ranked and the cells that have rows.

    Rows of two classes are arranged by rank, so that the core reads memory in order; `order` is then the row at each
    rank, and None for more classes.
    """

    rows: Resampled
    names: tuple[str, ...]
    infinite: tuple[str, ...]
    order: NDArray[np.intp] | None
    ranked: tuple[int, ...]
    cells: NDArray[np.intp]

    @staticmethod
    def of(predictions: Predictions, recipes: Iterable[Recipe], order: NDArray[np.intp] | None = None) -> Layout:
        """Arrange what some recipes need; pass `order` to arrange the rows of two models alike."""
        recipes = list(recipes)
        names = tuple(dict.fromkeys(name for recipe in recipes for name in recipe.values))
        needs_ranking = any(recipe.needs_ranking for recipe in recipes)
        is_own_order = order is None
        # The core walks rows in memory order; in rank order its rankings need no indices at all.
        if predictions.n_classes > 2:
            order = None
        elif is_own_order:
            order = predictions.rank_order
        functions = ROW_VALUES | {name: f for recipe in recipes for name, f in recipe.own_values.items()}
        columns = [_in_order(functions[name](predictions), order) for name in names]
        # An infinite value times a count of 0 would be NaN in every replicate: infinities are counted apart.
        infinite = tuple(name for name, column in zip(names, columns, strict=True) if np.isinf(column).any())
        marks = [np.isinf(columns[names.index(name)]).astype(np.float64) for name in infinite]
        cells, found = None, np.empty(0, dtype=np.intp)
        if any(recipe.needs_confusion for recipe in recipes):
            # Rows are in few of the cells of many classes, and the core counts those alone.
            every = predictions.label * np.intp(predictions.n_classes) + predictions.predicted_class()
            found, cells = np.unique(every, return_inverse=True)
        ranked = tuple(range(predictions.n_classes)) if 2 < predictions.n_classes <= MOST_RANKED else ()
        ranked = ranked or (predictions.positive,)
        finite = [np.where(np.isinf(column), 0.0, column) for column in columns]
        rows = Resampled(
            predictions.n_rows,
            values=tuple(map(np.ascontiguousarray, (*finite, *marks))),
            cells=None if cells is None else _in_order(cells.astype(np.uint32), order),
            n_cells=len(found),
            rankings=_rankings(predictions, ranked, order, is_own_order) if needs_ranking else (),
            top_share=LIFT_FRACTION,
        )
        return Layout(rows, names, infinite, order, ranked, found)

    def means(self, predictions: Predictions) -> Replicates:
        """Return the means of the values of the rows themselves, like a replicate that draws every row once."""
        weight = predictions.weight if self.order is None else predictions.weight[self.order]
        means = [[float(weight @ column) / predictions.total for column in self.rows.values]]
        nothing = np.empty((1, 0))
        return Replicates(np.array([predictions.total]), np.array(means), nothing, nothing[:, :, None])


def recipe_values(
    plan: BootstrapPlan, recipes: Mapping[str, Recipe], order: NDArray[np.intp] | None = None
) -> dict[str, Draws]:
    """Return the values of metrics in the replicates of a plan; pass `order` to arrange rows of two models alike."""
    layout = Layout.of(plan.predictions, recipes.values(), order)
    sampling = plan.sampling(layout.order)
    parts = replicate_in_parts(layout.rows, sampling, plan.seed, plan.n_boot, n_threads=plan.n_threads)
    drawn: dict[str, list[NDArray[np.float64]]] = {name: [] for name in recipes}
    left_out: dict[str, list[NDArray[np.float64]]] = {name: [] for name in recipes}
    # Part by part: many classes have many cells, and what metrics compute of them is one number a replicate.
    for is_left_out, part in parts:
        values = ReplicateValues(part, layout, plan.predictions)
        for name, recipe in recipes.items():
            (left_out if is_left_out else drawn)[name].append(recipe.compute(values))
    rows = ReplicateValues(layout.means(plan.predictions), layout, plan.predictions)
    found = {}
    for name, recipe in recipes.items():
        without = np.concatenate(left_out[name]) if left_out[name] else None
        center = float(recipe.compute(rows)[0]) if recipe.has_center else None
        found[name] = Draws(np.concatenate(drawn[name]), without, center)
    return found


def _in_order(values: NDArray[Any], order: NDArray[np.intp] | None) -> NDArray[Any]:
    return values if order is None else values[order]


def _rankings(
    predictions: Predictions, ranked: Iterable[int], order: NDArray[np.intp] | None, is_own_order: bool
) -> tuple[RankedRows, ...]:
    if order is None:
        return tuple(RankedRows.of(predictions.column(which), predictions.label == which) for which in ranked)
    rows = predictions.binary_rows()
    column, positive = rows.proba[order], rows.positive[order]
    return (RankedRows.sorted(column, positive) if is_own_order else RankedRows.of(column, positive),)


def _one_or_all_classes(values: ReplicateValues, measure: str) -> NDArray[np.float64]:
    return values.ranked(measure) if values.predictions.is_binary else values.over_classes(measure)


def _lift(values: ReplicateValues) -> NDArray[np.float64]:
    positive = values.ranked("positive")
    return np.asarray(values.ranked("top_positive") / (LIFT_FRACTION * np.where(positive > 0.0, positive, np.nan)))


def _aulc(values: ReplicateValues) -> NDArray[np.float64]:
    if values.predictions.n_classes > 2:
        return values.over_classes("lift_area")
    # The area of both classes by their weights, the mean that `aulc` of two columns is.
    parts = [
        np.where(values.ranked(of) > 0.0, values.ranked(area) * values.ranked(of), 0.0)
        for of, area in (("positive", "lift_area"), ("negative", "lift_area_negative"))
    ]
    return np.asarray((parts[0] + parts[1]) / (values.ranked("positive") + values.ranked("negative")))


def sum_recipe(name: str, row_values: Callable[[Predictions], NDArray[np.float64]], *, is_mean: bool) -> Recipe:
    """Return the recipe of the sum, or the mean, of a value of each row that depends on options of a metric."""
    if is_mean:
        return Recipe(lambda values: values.mean(name), (name,), own_values={name: row_values})
    return Recipe(lambda values: values.mean(name) * values.predictions.total, (name,), own_values={name: row_values})


def _of_mean(name: str, then: Callable[[Any, int], Any]) -> Recipe:
    return Recipe(lambda values: np.asarray(then(values.mean(name), values.predictions.n_classes)), (name,))


# The row value whose mean decides a metric, and how: from the mean, or those of replicates, and the number of classes.
MEANS: dict[str, tuple[str, Callable[[Any, int], Any]]] = {
    **dict.fromkeys(("mse", "ql"), ("squared", lambda mean, _: mean)),
    "brier": ("squared", lambda mean, n_classes: mean / brier_divisor(n_classes)),
    "rms": ("squared", lambda mean, n_classes: np.sqrt(mean / max(n_classes, 2))),
    "mse01": ("own_squared", lambda mean, _: mean),
    **dict.fromkeys(("log_loss", "mxe", "nce"), ("log_loss", lambda mean, _: mean)),
    "log_loss_bits": ("log_loss", lambda mean, _: mean / math.log(2.0)),
    "spherical": ("spherical", lambda mean, _: mean),
}
RECIPES: dict[str, Recipe] = {
    **{name: _of_mean(*of_mean) for name, of_mean in MEANS.items()},
    "avll": _of_mean("bounded_log_loss", MEANS["log_loss_bits"][1]),
    "description_length": Recipe(
        lambda values: values.mean("log_loss") * (values.predictions.total / math.log(2.0)), ("log_loss",)
    ),
    "auc": Recipe(lambda values: _one_or_all_classes(values, "auc"), needs_ranking=True),
    "gini": Recipe(lambda values: 2.0 * _one_or_all_classes(values, "auc") - 1.0, needs_ranking=True),
    "ks": Recipe(lambda values: values.ranked("ks"), needs_ranking=True),
    "average_precision": Recipe(lambda values: _one_or_all_classes(values, "average_precision"), needs_ranking=True),
    "lift": Recipe(_lift, needs_ranking=True),
    "aulc": Recipe(_aulc, needs_ranking=True),
}


_CLASS_VALUES: dict[str, tuple[str, Callable[[RankedClass], Values], Callable[[Any], Any]]] = {
    "auc": ("area", area_values, lambda mean: mean),
    "gini": ("area", area_values, lambda mean: 2.0 * mean - 1.0),
    "average_precision": ("precision", precision_values, lambda mean: mean),
    "aulc": ("lift_area", lift_values, lambda mean: mean),
}


def class_recipe(name: str, plan: BootstrapPlan) -> Recipe | None:
    """Return the recipe of a mean over the rankings of many classes; None for other metrics and for few classes.

    Examples
    --------
    >>> from calibrant.metrics._validation.read_predictions import read_predictions
    >>> class_recipe("auc", BootstrapPlan(read_predictions([0, 1, 2], np.eye(3)))) is None
    True
    """
    is_one_ranking = plan.predictions.is_binary and name != "aulc"
    if name not in _CLASS_VALUES or plan.predictions.n_classes <= MOST_RANKED or is_one_ranking:
        return None
    column, measure, then = _CLASS_VALUES[name]
    values = partial(class_values, measure=measure, unit=plan.clusters())
    return Recipe(lambda found: then(found.mean(column)), (column,), own_values={column: values}, has_center=True)


_STREAM = 3  # of the random streams; 0 and 1 are the core's replicates, 2 consistency resampling


def reweighted_bootstrap(
    plan: BootstrapPlan, metrics: Mapping[str, Metric], order: NDArray[np.intp] | None = None
) -> dict[str, Draws]:
    """Return metrics of the rows weighted by how often they are drawn, and with blocks of them left out.

    Rows are arranged by `order`, by default from the most to the least likely, so that each replicate is sorted
    already; it is passed to resample the same rows for two models.

    Examples
    --------
    >>> from calibrant.metrics import METRICS
    >>> from calibrant.metrics._validation.read_predictions import read_predictions
    >>> plan = BootstrapPlan(read_predictions([0, 1, 1], [0.5, 0.5, 0.5]), n_boot=4)
    >>> reweighted_bootstrap(plan, {"mse": METRICS["mse"]})["mse"]
    Draws(drawn=array([0.5, 0.5, 0.5, 0.5]), left_out=array([0.5, 0.5, 0.5]), center=None)
    """
    # By rank: rows drawn again stay neighbors, and each metric's sort finds them sorted.
    order = plan.predictions.rank_order if order is None else order
    sampling, arranged = plan.sampling(order), plan.predictions.take(order)
    values: dict[str, list[float]] = {name: [] for name in metrics}
    for counts in _counts(sampling, plan):
        weights = counts if sampling.unit is None else counts[sampling.unit]
        weights = weights if sampling.row_weight is None else weights * sampling.row_weight
        # Rows drawn no times leave, as their weight of 0 would still count in metrics of ranks.
        kept = np.flatnonzero(weights)
        predictions = arranged.take(kept, weights[kept])
        for name, metric in metrics.items():
            values[name].append(metric.judge(predictions))
    found = {name: np.split(np.array(of_metric), [plan.n_boot]) for name, of_metric in values.items()}
    return {name: Draws(drawn, left_out if len(left_out) else None) for name, (drawn, left_out) in found.items()}


def _counts(sampling: Sampling, plan: BootstrapPlan) -> Iterator[NDArray[np.float64]]:
    """Yield the weight of each unit: in each replicate, then with each block of units left out."""
    for number in range(plan.n_boot):
        yield _draw_counts(sampling, stream(plan.seed, _STREAM, number))
    # The blocks come after the replicates, so results split at `n_boot`.
    blocks = left_out_blocks(sampling, plan.seed)
    for block in () if blocks is None else np.unique(blocks):
        yield np.where(blocks == block, 0.0, 1.0)


def _draw_counts(sampling: Sampling, rng: np.random.Generator) -> NDArray[np.float64]:
    counts = np.zeros(sampling.n_units)
    begin = 0
    for end in sampling.stratum_ends.astype(np.int64).tolist():
        copies = None if sampling.unit_weight is None else sampling.unit_weight[begin:end]
        n_drawn = end - begin if copies is None else max(1, round(float(copies.sum())))
        chances = None if copies is None else copies / copies.sum()
        drawn = rng.choice(end - begin, n_drawn, p=chances) if end > begin else np.empty(0, dtype=np.int64)
        counts[begin:end] = np.bincount(drawn, minlength=end - begin)
        begin = end
    return counts
