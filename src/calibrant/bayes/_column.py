"""What naive Bayes knows of a column: a distribution for each class, to which rows can be added."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, Protocol, Self

import numpy as np

from calibrant.data import CodedTable

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.data._internal import Columns

__all__ = ["LOG_FLOOR", "Batch", "Column", "Dialect"]

Dialect = Literal["exact", "weka"]

# No value of a column makes a class less likely than this, whatever the distribution says: Weka's guard.
LOG_FLOOR = float(np.log(1e-75))


@dataclass(frozen=True)
class Batch:
    """Rows to learn from, past the door; ``labels`` are positions among ``n_classes`` classes."""

    columns: Columns
    labels: NDArray[np.intp]
    n_classes: int
    weights: NDArray[np.float64] | None

    @cached_property
    def table(self) -> CodedTable:
        """The columns coded, for those who want values sorted."""
        return CodedTable.from_columns(self.columns, n_jobs=1)


class Column(Protocol):
    """The distribution of a column in each class; immutable."""

    def add(self, batch: Batch, place: int) -> Self:
        """Give the distribution with the rows of a batch, whose column ``place`` this is, added."""
        ...

    def log_likelihood(self, values: NDArray[Any]) -> NDArray[np.float64]:
        """Give the log-probability of each value in each class (classes x values), 0 where one is missing."""
        ...
