"""A frame built from rows of text cells, dense or sparse, converted block by block."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from calibrant._optional import optional_import
from calibrant.data._readers.column_converters import Cell, CellError, ColumnConverter
from calibrant.data._readers.file_text import PathLike
from calibrant.exceptions import ReadError

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["FrameBuilder"]

# Text cells take about ten times the memory of numbers, so blocks of this many cells (some 15 MB) are converted.
_BLOCK_CELLS = 2**18
_MIN_BLOCK_ROWS = 16
# A small sparse file may describe a large table: 2**28 cells are 2 GB.
_MAX_SPARSE_CELLS = 2**28

_Rows = slice | NDArray[np.intp]


class FrameBuilder:
    """Collects the rows of a file and returns them as a frame.

    A block of rows is converted column by column, so that little text is held at a time. Sparse rows take memory for
    the cells that they have; omitted cells are filled in at the end.

    Parameters
    ----------
    path : path
        The file, for error messages.
    columns : sequence of ColumnConverter
        One converter for each column.

    Examples
    --------
    >>> from calibrant.data._readers.column_converters import NominalColumn, NumericColumn
    >>> builder = FrameBuilder("a.arff", [NumericColumn("age"), NominalColumn("class", ["no", "yes"])])
    >>> builder.add(4, ["31", "yes"])
    >>> builder.add_sparse(5, [0], ["64"])
    >>> builder.frame().values.tolist()
    [[31.0, 'yes'], [64.0, 'no']]
    """

    def __init__(self, path: PathLike, columns: Sequence[ColumnConverter]) -> None:
        self._path, self._columns = path, columns
        self._lines = array("q")
        self._parts: list[list[tuple[_Rows, NDArray[Any]]]] = [[] for _ in columns]
        self._dense: tuple[list[int], list[Sequence[Cell]]] = ([], [])
        self._sparse: dict[int, tuple[list[int], list[Cell]]] = {}
        self._n_sparse_cells = 0
        self._dense_block = max(_MIN_BLOCK_ROWS, _BLOCK_CELLS // len(columns))
        self._sparse_block = max(_BLOCK_CELLS, 4 * len(columns))

    @property
    def n_rows(self) -> int:
        """Number of rows so far."""
        return len(self._lines)

    def add(self, line: int, cells: Sequence[Cell]) -> None:
        """Add a row that has a cell for every column."""
        rows, pending = self._dense
        rows.append(self.n_rows)
        pending.append(cells)
        self._lines.append(line)
        if len(rows) >= self._dense_block:
            self._convert_dense()

    def add_sparse(self, line: int, indices: Sequence[int], cells: Sequence[Cell]) -> None:
        """Add a row that has cells for some columns."""
        self._check_size(line)
        for index, cell in zip(indices, cells, strict=True):
            rows, pending = self._sparse.setdefault(index, ([], []))
            rows.append(self.n_rows)
            pending.append(cell)
        self._lines.append(line)
        self._n_sparse_cells += len(indices)
        if self._n_sparse_cells >= self._sparse_block:
            self._convert_sparse()

    def frame(self) -> pd.DataFrame:
        """Return all rows as a frame."""
        self._convert_dense()
        self._convert_sparse()
        pandas = optional_import("pandas", extra="data", purpose="read tables")
        columns = {column.name: self._finish(index, column) for index, column in enumerate(self._columns)}
        frame: pd.DataFrame = pandas.DataFrame(columns)
        return frame

    def _finish(self, index: int, column: ColumnConverter) -> Any:
        parts, self._parts[index] = self._parts[index], []
        values = np.full(self.n_rows, column.omitted, dtype=column.convert([]).dtype)
        for rows, part in parts:
            values[rows] = part
        return column.finish(values)

    def _convert_dense(self) -> None:
        rows, pending = self._dense
        for index, cells in enumerate(zip(*pending, strict=True)):
            self._convert(index, rows, cells)
        self._dense = ([], [])

    def _convert_sparse(self) -> None:
        for index, (rows, cells) in self._sparse.items():
            self._convert(index, rows, cells)
        self._sparse, self._n_sparse_cells = {}, 0

    def _convert(self, index: int, rows: Sequence[int], cells: Sequence[Cell]) -> None:
        try:
            values = self._columns[index].convert(cells)
        except CellError as error:
            line, name = self._lines[rows[error.index]], self._columns[index].name
            raise ReadError.at(self._path, error.problem, line=line, column=name, hint=error.hint) from None
        self._parts[index].append((_as_index(rows), values))

    def _check_size(self, line: int) -> None:
        n_rows, n_columns = self.n_rows + 1, len(self._columns)
        if n_rows * n_columns > _MAX_SPARSE_CELLS:
            problem = f"{n_rows} sparse rows x {n_columns} attributes are too many to fill in"
            raise ReadError.at(self._path, problem, line=line, hint="Select rows or attributes first.")


def _as_index(rows: Sequence[int]) -> _Rows:
    start, stop = rows[0], rows[-1] + 1
    return slice(start, stop) if stop - start == len(rows) else np.array(rows, dtype=np.intp)
