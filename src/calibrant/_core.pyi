"""
The native core of calibrant; private, its interface may change at any time.
"""

from collections.abc import Sequence
from typing import Annotated

import numpy
from numpy.typing import NDArray


class CodedTable:
    """Columns as small integers; immutable."""

    @property
    def n_rows(self) -> int: ...

    @property
    def n_columns(self) -> int: ...

    @property
    def n_bytes(self) -> int: ...

    def codes(self, index: int) -> object:
        """
        The codes of a column: uint16 or uint32, the greatest for missing; a view.
        """

    def values(self, index: int) -> object:
        """
        The distinct values of a numeric column, ascending; None for a nominal one.
        """

    def n_values(self, index: int) -> int: ...

    def n_missing(self, index: int) -> int: ...

def read_descriptor(descriptor: int, size: int) -> bytes:
    """Read at most size bytes of an open file, fast where they are many."""

def code_table(n_rows: int, columns: Sequence[Annotated[NDArray[numpy.float32], dict(shape=(None,), device='cpu', writable=False)] | Annotated[NDArray[numpy.float64], dict(shape=(None,), device='cpu', writable=False)] | tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,), device='cpu', writable=False)], int]], n_threads: int) -> CodedTable:
    """
    Code columns: float32 or float64 arrays for numbers, (int32 codes, n_categories) for nominal ones.
    """

def restore_table(n_rows: int, columns: Sequence[tuple[Annotated[NDArray[numpy.uint16], dict(shape=(None,), device='cpu', writable=False)] | Annotated[NDArray[numpy.uint32], dict(shape=(None,), device='cpu', writable=False)], int, Annotated[NDArray[numpy.float64], dict(shape=(None,), device='cpu', writable=False)] | None]]) -> CodedTable:
    """
    Make a table again from (codes, n_values, values or None) for each column.
    """
