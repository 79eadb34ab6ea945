"""The rows of one part of a source, coded in bytes: what a worker holds of them while a model is fitted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["CodedPart"]


@dataclass(frozen=True, eq=False)
class CodedPart:
    """The number of the first row in the whole source, and of each row its codes, class, weight and group."""

    first_row: int
    matrix: NDArray[np.uint8]
    labels: NDArray[np.uint16]
    weights: NDArray[np.float64] | None = None
    groups: NDArray[np.intp] | None = None

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.labels)

    def __sizeof__(self) -> int:
        """Return the bytes of the arrays, by which Dask accounts for the memory of workers and chooses among them."""
        arrays = (self.matrix, self.labels, self.weights, self.groups)
        return sum(each.nbytes for each in arrays if each is not None)
