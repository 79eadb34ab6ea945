"""Rows of text cells, dense or sparse, gathered block by block into the columns of a frame."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from calibrant._optional import optional_import
from calibrant.data._readers.cells import Cell, CellError, Column
from calibrant.data._readers.file_text import PathLike
from calibrant.exceptions import ReadError

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Gatherer"]

# Text cells take some ten times the room of numbers, so only this many wait for their conversion.
_CELLS_WAITING = 2**18
_FEWEST_ROWS_WAITING = 16
# A sparse file may be tiny and its table not: 2**28 cells are 2 GB.
_MOST_CELLS_OF_SPARSE_ROWS = 2**28

_Rows = slice | NDArray[np.intp]


class Gatherer:
    """Takes the rows of a file one by one and gives the frame at the end.

    A block of rows is converted column by column, so that little text is held at a time; sparse rows cost
    what they write out, and what they leave out is filled in at the end.

    Parameters
    ----------
    path : path
        The file, for messages.
    columns : sequence of Column
        One converter a column.

    Examples
    --------
    >>> from calibrant.data._readers.cells import NominalColumn, NumericColumn
    >>> gatherer = Gatherer("a.arff", [NumericColumn("age"), NominalColumn("class", ["no", "yes"])])
    >>> gatherer.add(4, ["31", "yes"])
    >>> gatherer.add_sparse(5, [0], ["64"])
    >>> gatherer.frame().values.tolist()
    [[31.0, 'yes'], [64.0, 'no']]
    """

    def __init__(self, path: PathLike, columns: Sequence[Column]) -> None:
        self._path, self._columns = path, columns
        self._lines = array("q")
        self._parts: list[list[tuple[_Rows, NDArray[Any]]]] = [[] for _ in columns]
        self._dense: tuple[list[int], list[Sequence[Cell]]] = ([], [])
        self._sparse: dict[int, tuple[list[int], list[Cell]]] = {}
        self._cells_of_sparse = 0
        self._dense_rows_waiting = max(_FEWEST_ROWS_WAITING, _CELLS_WAITING // len(columns))
        self._sparse_cells_waiting = max(_CELLS_WAITING, 4 * len(columns))

    @property
    def n_rows(self) -> int:
        """Rows taken so far."""
        return len(self._lines)

    def add(self, line: int, cells: Sequence[Cell]) -> None:
        """Take a row that has a cell for every column."""
        rows, waiting = self._dense
        rows.append(self.n_rows)
        waiting.append(cells)
        self._lines.append(line)
        if len(rows) >= self._dense_rows_waiting:
            self._convert_dense()

    def add_sparse(self, line: int, indices: Sequence[int], cells: Sequence[Cell]) -> None:
        """Take a row that has cells for some columns."""
        self._refuse_too_large(line)
        for index, cell in zip(indices, cells, strict=True):
            rows, waiting = self._sparse.setdefault(index, ([], []))
            rows.append(self.n_rows)
            waiting.append(cell)
        self._lines.append(line)
        self._cells_of_sparse += len(indices)
        if self._cells_of_sparse >= self._sparse_cells_waiting:
            self._convert_sparse()

    def frame(self) -> pd.DataFrame:
        """Give all rows as a frame."""
        self._convert_dense()
        self._convert_sparse()
        pandas = optional_import("pandas", extra="data", purpose="read tables")
        columns = {column.name: self._finish(index, column) for index, column in enumerate(self._columns)}
        frame: pd.DataFrame = pandas.DataFrame(columns)
        return frame

    def _finish(self, index: int, column: Column) -> Any:
        parts, self._parts[index] = self._parts[index], []
        values = np.full(self.n_rows, column.omitted, dtype=column.convert([]).dtype)
        for rows, part in parts:
            values[rows] = part
        return column.finish(values)

    def _convert_dense(self) -> None:
        rows, waiting = self._dense
        for index, cells in enumerate(zip(*waiting, strict=True)):
            self._convert(index, rows, cells)
        self._dense = ([], [])

    def _convert_sparse(self) -> None:
        for index, (rows, cells) in self._sparse.items():
            self._convert(index, rows, cells)
        self._sparse, self._cells_of_sparse = {}, 0

    def _convert(self, index: int, rows: Sequence[int], cells: Sequence[Cell]) -> None:
        try:
            values = self._columns[index].convert(cells)
        except CellError as error:
            line, name = self._lines[rows[error.at]], self._columns[index].name
            raise ReadError.at(self._path, error.problem, line=line, column=name, hint=error.hint) from None
        self._parts[index].append((_places(rows), values))

    def _refuse_too_large(self, line: int) -> None:
        n_rows, n_columns = self.n_rows + 1, len(self._columns)
        if n_rows * n_columns > _MOST_CELLS_OF_SPARSE_ROWS:
            problem = f"{n_rows} sparse rows x {n_columns} attributes are too many to fill in"
            raise ReadError.at(self._path, problem, line=line, hint="Select rows or attributes first.")


def _places(rows: Sequence[int]) -> _Rows:
    start, stop = rows[0], rows[-1] + 1
    return slice(start, stop) if stop - start == len(rows) else np.array(rows, dtype=np.intp)
