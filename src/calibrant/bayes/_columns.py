"""Which distribution each column of a table has in naive Bayes, by its kind and by what was asked for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from calibrant.bayes._counted import Counted, Cut, Smoothing
from calibrant.bayes._gaussian import Gaussian
from calibrant.bayes._kernel import Kernel
from calibrant.bayes._value_grid import Seen
from calibrant.data._internal import mdl_cuts

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.bayes._column import Batch, Column, Dialect

__all__ = ["NUMERIC", "Numeric", "Wanted", "start_columns"]

Numeric = Literal["mdl", "gaussian", "kernel", "equal_width"]


@dataclass(frozen=True)
class Wanted:
    """How columns are to be described."""

    numeric: Numeric
    n_bins: int
    smoothing: Smoothing
    dialect: Dialect


def start_columns(batch: Batch, wanted: Wanted) -> list[Column]:
    """Make the distributions of all columns, still without rows; a batch says where intervals end."""
    numeric = iter(NUMERIC[wanted.numeric](batch, wanted))
    features = batch.columns.schema.features
    empty = Counted.empty(batch.n_classes, wanted.smoothing)
    return [next(numeric) if feature.kind == "numeric" else empty for feature in features]


def _mdl(batch: Batch, wanted: Wanted) -> list[Column]:
    cuts = mdl_cuts(batch.table, batch.labels, batch.n_classes, batch.weights)
    return [_cut(cuts[place], batch, wanted) for place in _numeric_places(batch)]


def _equal_width(batch: Batch, wanted: Wanted) -> list[Column]:
    arrays = (batch.columns.arrays[place] for place in _numeric_places(batch))
    return [_cut(equal_width_cuts(array, wanted.n_bins), batch, wanted) for array in arrays]


def _gaussian(batch: Batch, wanted: Wanted) -> list[Column]:
    return [Gaussian(Seen.empty(batch.n_classes), wanted.dialect) for _ in _numeric_places(batch)]


def _kernel(batch: Batch, wanted: Wanted) -> list[Column]:
    return [Kernel(Seen.empty(batch.n_classes), wanted.dialect) for _ in _numeric_places(batch)]


NUMERIC: dict[Numeric, Callable[[Batch, Wanted], list[Column]]] = {
    "mdl": _mdl,
    "gaussian": _gaussian,
    "kernel": _kernel,
    "equal_width": _equal_width,
}


def equal_width_cuts(values: NDArray[Any], n_bins: int) -> NDArray[np.float64]:
    """Cut the range of the finite values into equal parts; those that no number parts are one.

    Examples
    --------
    >>> equal_width_cuts(np.array([0.0, 8.0, np.nan]), 4)
    array([2., 4., 6.])
    """
    finite = values[np.isfinite(values)].astype(np.float64)
    if len(finite) == 0 or finite.min() == finite.max():
        return np.empty(0)
    shares = np.arange(1, n_bins) / n_bins
    return np.unique((1 - shares) * finite.min() + shares * finite.max())


def _cut(cuts: NDArray[np.float64], batch: Batch, wanted: Wanted) -> Cut:
    return Cut(cuts, Counted.empty(batch.n_classes, wanted.smoothing, len(cuts) + 1))


def _numeric_places(batch: Batch) -> list[int]:
    return [place for place, feature in enumerate(batch.columns.schema.features) if feature.kind == "numeric"]
