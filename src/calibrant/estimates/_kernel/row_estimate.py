"""The protocols of estimates that use the training rows themselves, not only their counts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from calibrant.estimates._base import CountedTree, Estimate

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["RowEstimate", "RowReader"]


class RowReader(Protocol):
    """Predicts new rows from a tree and its training rows.

    Examples
    --------
    >>> from calibrant.estimates import KernelDensity
    >>> KernelDensity.reader.__annotations__["return"]
    'RowReader'
    """

    def predict(
        self,
        columns: Sequence[NDArray[Any]],
        row: NDArray[np.intp],
        leaf: NDArray[np.int32],
        share: NDArray[np.float64],
        n_rows: int,
    ) -> NDArray[np.float64]:
        """Return the class probabilities (columns) of each row, of which shares end at leaves."""


@runtime_checkable
class RowEstimate(Estimate, Protocol):
    """An estimate whose probabilities differ from row to row within a leaf.

    A column of rows is an array: floats with NaN where a number is missing, or the codes of categories, negative
    where one is missing. The table is its fallback.

    Examples
    --------
    >>> from calibrant.estimates import KernelDensity, Laplace
    >>> isinstance(KernelDensity(), RowEstimate), isinstance(Laplace(), RowEstimate)
    (True, False)
    """

    def reader(
        self,
        tree: CountedTree,
        columns: Sequence[NDArray[Any]],
        labels: NDArray[np.intp],
        weights: NDArray[np.float64] | None,
    ) -> RowReader:
        """Return what predicts new rows from the training rows, their classes and their weights (default 1)."""
