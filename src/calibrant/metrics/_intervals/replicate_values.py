"""How metrics are read off replicates: from means of row values, from decisions, or from the ranking."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant.metrics._classification.confusion import remember_confusion
from calibrant.metrics._intervals.replicates import RankedBy, Replicates, Resampled
from calibrant.metrics._intervals.row_values import ROW_VALUES
from calibrant.metrics._validation.prediction_rows import Predictions

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["RECIPES", "Layout", "Recipe", "Seen", "of_cells"]

_TOP_SHARE = 0.1  # the fraction that `lift` takes unless told


@dataclass(frozen=True, eq=False)
class Seen:
    """Replicates with the rows that they are of.

    Examples
    --------
    >>> from calibrant.metrics._validation.predictions import read_predictions
    >>> from calibrant.metrics._intervals.replicates import Sampling, replicate
    >>> read = read_predictions([0, 1, 1], [0.5, 0.5, 0.5])
    >>> layout = Layout.of(read, [RECIPES["mse"]])
    >>> drawn, _ = replicate(layout.rows, Sampling.of(3), np.random.SeedSequence(0), 4)
    >>> Seen(drawn, layout, read).mean("squared")
    array([0.5, 0.5, 0.5, 0.5])
    """

    replicates: Replicates
    layout: Layout
    read: Predictions

    def mean(self, name: str) -> NDArray[np.float64]:
        """Give the mean of a row value in each replicate; infinite where a row with an infinite value is drawn."""
        place = self.layout.names.index(name)
        means = self.replicates.values[:, place]
        if name not in self.layout.infinite:
            return means
        times = self.replicates.values[:, len(self.layout.names) + self.layout.infinite.index(name)]
        return np.where(times > 0.0, np.inf, means)

    def ranked(self, measure: str, of_class: int | None = None) -> NDArray[np.float64]:
        """Give a measure of the ranking by a class, by default the positive one, in each replicate."""
        which = self.read.positive if of_class is None else of_class
        return self.replicates.ranked(measure, 0 if self.layout.order is not None else which)

    def over_classes(self, measure: str) -> NDArray[np.float64]:
        """Average a measure over all classes, each ranked against the rest, by their weights in each replicate."""
        classes = range(self.read.n_classes)
        weights = np.stack([self.ranked("positive", which) for which in classes])
        values = np.stack([self.ranked(measure, which) for which in classes])
        with np.errstate(invalid="ignore"):
            return np.asarray((np.where(weights > 0.0, values, 0.0) * weights).sum(axis=0) / weights.sum(axis=0))

    def decided(self, judge: Callable[[Predictions], float]) -> NDArray[np.float64]:
        """Judge the decisions of each replicate: a row for each class and decision, weighted."""
        return np.array([judge(read) for read in self._decisions])

    @cached_property
    def _decisions(self) -> list[Predictions]:
        return [of_cells(self.read, cells) for cells in self.replicates.cells]

    @cached_property
    def total(self) -> float:
        """The weight of the rows themselves."""
        return self.read.total


@dataclass(frozen=True, eq=False)
class Recipe:
    """What a metric needs to be known of replicates, and how it is read off them.

    Examples
    --------
    >>> RECIPES["rms"].values
    ('squared',)
    """

    read_off: Callable[[Seen], NDArray[np.float64]]
    values: tuple[str, ...] = ()
    by_decision: bool = False
    by_rank: bool = False


@dataclass(frozen=True, eq=False)
class Layout:
    """Rows as the core takes them, and what stands where.

    Two classes are laid out by rank, so that the core walks through memory in order; `order` is then the row at each
    rank, and None for more classes.
    """

    rows: Resampled
    names: tuple[str, ...]
    infinite: tuple[str, ...]
    order: NDArray[np.intp] | None

    @staticmethod
    def of(read: Predictions, recipes: Iterable[Recipe], order: NDArray[np.intp] | None = None) -> Layout:
        """Lay out what some recipes need; `order` may be told to have the rows of two models alike."""
        recipes = list(recipes)
        names = tuple(dict.fromkeys(name for recipe in recipes for name in recipe.values))
        by_rank, by_decision = (any(getattr(r, what) for r in recipes) for what in ("by_rank", "by_decision"))
        is_own_order = order is None
        if read.n_classes == 2 and is_own_order:
            order = np.argsort(-read.column(read.positive), kind="stable")
        columns = [_in_order(ROW_VALUES[name](read), order) for name in names]
        infinite = tuple(name for name, column in zip(names, columns, strict=True) if np.isinf(column).any())
        marks = [np.isinf(columns[names.index(name)]).astype(np.float64) for name in infinite]
        finite = [np.where(np.isinf(column), 0.0, column) for column in columns]
        rows = Resampled(
            read.n_rows,
            values=tuple(map(np.ascontiguousarray, (*finite, *marks))),
            cells=_in_order(_cells(read), order) if by_decision else None,
            n_cells=read.n_classes**2 if by_decision else 0,
            rankings=_rankings(read, order, is_own_order) if by_rank else (),
            top_share=_TOP_SHARE,
        )
        return Layout(rows, names, infinite, order)


def _in_order(values: NDArray[Any], order: NDArray[np.intp] | None) -> NDArray[Any]:
    return values if order is None else values[order]


def _cells(read: Predictions) -> NDArray[np.uint16]:
    return (read.label * read.n_classes + read.decided()).astype(np.uint16)


def _rankings(read: Predictions, order: NDArray[np.intp] | None, is_own_order: bool) -> tuple[RankedBy, ...]:
    if order is None:
        return tuple(RankedBy.of(read.column(which), read.label == which) for which in range(read.n_classes))
    column, positive = read.column(read.positive)[order], (read.label == read.positive)[order]
    return (RankedBy.sorted(column, positive) if is_own_order else RankedBy.of(column, positive),)


def of_cells(read: Predictions, cells: NDArray[np.float64]) -> Predictions:
    """Give rows that stand for the cells of a table of classes and decisions, with their weights."""
    found = np.flatnonzero(cells)
    label, decided = np.divmod(found, read.n_classes)
    rows = replace(
        read,
        label=label.astype(np.int32),
        table=np.eye(read.n_classes)[decided],
        weights=cells[found],
        kept=None,
        n_given=len(found),
    )
    remember_confusion(rows, cells.reshape(read.n_classes, read.n_classes))
    return rows


def _mean(name: str, then: Callable[[NDArray[np.float64], Seen], NDArray[np.float64]] | None = None) -> Recipe:
    if then is None:
        return Recipe(lambda seen: seen.mean(name), (name,))
    return Recipe(lambda seen: then(seen.mean(name), seen), (name,))


def _auc(seen: Seen) -> NDArray[np.float64]:
    return seen.ranked("auc") if seen.read.is_of_one else seen.over_classes("auc")


def _average_precision(seen: Seen) -> NDArray[np.float64]:
    return seen.ranked("average_precision") if seen.read.is_of_one else seen.over_classes("average_precision")


def _lift(seen: Seen) -> NDArray[np.float64]:
    positive = seen.ranked("positive")
    return np.asarray(seen.ranked("top_positive") / (_TOP_SHARE * np.where(positive > 0.0, positive, np.nan)))


def _aulc(seen: Seen) -> NDArray[np.float64]:
    if seen.read.n_classes > 2:
        return seen.over_classes("lift_area")
    parts = [
        np.where(seen.ranked(of) > 0.0, seen.ranked(area) * seen.ranked(of), 0.0)
        for of, area in (("positive", "lift_area"), ("negative", "lift_area_negative"))
    ]
    return np.asarray((parts[0] + parts[1]) / (seen.ranked("positive") + seen.ranked("negative")))


RECIPES: dict[str, Recipe] = {
    **dict.fromkeys(("mse", "brier", "ql"), _mean("squared")),
    "rms": _mean("squared", lambda means, seen: np.sqrt(means / max(seen.read.n_classes, 2))),
    "mse01": _mean("own_squared"),
    **dict.fromkeys(("log_loss", "mxe", "nce"), _mean("surprise")),
    "log_loss_bits": _mean("surprise", lambda means, _: means / math.log(2.0)),
    "description_length": _mean("surprise", lambda means, seen: means * (seen.total / math.log(2.0))),
    "avll": _mean("bounded_surprise", lambda means, _: means / math.log(2.0)),
    "spherical": _mean("spherical"),
    "auc": Recipe(_auc, by_rank=True),
    "gini": Recipe(lambda seen: 2.0 * _auc(seen) - 1.0, by_rank=True),
    "ks": Recipe(lambda seen: seen.ranked("ks"), by_rank=True),
    "average_precision": Recipe(_average_precision, by_rank=True),
    "lift": Recipe(_lift, by_rank=True),
    "aulc": Recipe(_aulc, by_rank=True),
}
