"""The interface of a column's distributions in naive Bayes: one for each class, to which rows can be added."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, Protocol, Self

import numpy as np

from calibrant.data import CodedTable

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.data._internal import Columns

__all__ = ["LOG_FLOOR", "MOST_WEIGHT", "Batch", "ColumnDistribution", "Dialect"]

Dialect = Literal["exact", "weka"]

# The least probability of a value, as in Weka: no single column can rule a class out.
LOG_FLOOR = float(np.log(1e-75))
MOST_WEIGHT = 1e150  # in a model file: sums of such weights are finite


@dataclass(frozen=True)
class Batch:
    """Validated training rows; ``labels`` are positions among ``n_classes`` classes."""

    columns: Columns
    labels: NDArray[np.intp]
    n_classes: int
    weights: NDArray[np.float64] | None

    @cached_property
    def table(self) -> CodedTable:
        """The columns coded, with sorted values."""
        return CodedTable.from_columns(self.columns, n_jobs=1)


class ColumnDistribution(Protocol):
    """The distribution of a column in each class; immutable."""

    @property
    def n_classes(self) -> int:
        """The number of classes."""
        ...

    def add(self, batch: Batch, column: int) -> Self:
        """Return the distribution updated with column number ``column`` of a batch."""
        ...

    def log_likelihood(self, values: NDArray[Any]) -> NDArray[np.float64]:
        """Return the log-probability of each value in each class (classes x values), 0 where it is missing."""
        ...
