"""Columns of cells, converted to those of a frame."""

from __future__ import annotations

import re
from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from calibrant._optional import optional_import
from calibrant.data._readers.reading import Reading
from calibrant.data._readers.source import PathLike, quoted, suggestion
from calibrant.exceptions import ReadError

if TYPE_CHECKING:
    import pandas as pd


Cell = str | None  # None: a missing value

_NUMBER = re.compile(
    r"\s*[+-]?(?:(?:[0-9]++(?:\.[0-9]*+)?|\.[0-9]++)(?:e[+-]?[0-9]++)?|inf|infinity|nan)\s*", re.ASCII | re.I
)
_MISSING_HINT = "Write ? for a missing value."


class CellError(Exception):
    """A cell that cannot be converted: its index in the sequence, the problem and a hint."""

    def __init__(self, index: int, problem: str, hint: str) -> None:
        super().__init__(problem)
        self.index, self.problem, self.hint = index, problem, hint


class ColumnConverter(Protocol):
    """Converts the cells of one column, block by block, and makes a column of a frame from all of them."""

    @property
    def name(self) -> str:
        """The name of the column."""

    @property
    def omitted(self) -> Any:
        """The converted value of a cell that a sparse row omits."""

    def convert(self, cells: Sequence[Cell]) -> NDArray[Any]:
        """Convert cells; raise a `CellError` for the first that cannot be converted."""

    def finish(self, values: NDArray[Any]) -> Any:
        """Return the column of a frame from all converted values."""


class NumericColumn:
    """Numbers as float64, or as int64 if ``integer`` is set and all values are integral.

    ``inf``, ``-inf`` and ``infinity`` in any case are ordinary values; ``nan`` is a missing value. Underscores and
    non-ASCII digits, which `float` accepts, are errors.

    Examples
    --------
    >>> NumericColumn("age").convert(["31", None, "-1e3"])
    array([   31.,    nan, -1000.])
    """

    omitted = 0.0

    def __init__(self, name: str, *, integer: bool = False) -> None:
        self.name, self.integer = name, integer

    def convert(self, cells: Sequence[Cell]) -> NDArray[np.float64]:
        """Convert cells to float64, each distinct text once, because columns tend to repeat values."""
        texts = [cell for cell in dict.fromkeys(cells) if cell is not None]
        try:
            numbers: dict[Cell, float] = dict(zip(texts, map(float, texts), strict=True))
        except ValueError:
            _raise_not_a_number(texts, cells)
        if _has_python_spelling("".join(texts)):
            _raise_not_a_number(texts, cells)
        numbers[None] = np.nan
        return np.fromiter(map(numbers.__getitem__, cells), np.float64, len(cells))

    def finish(self, values: NDArray[Any]) -> Any:
        """Return int64 for integers if requested; beyond 2**53 floats are not exact."""
        if self.integer and bool(np.all((np.abs(values) <= 2**53) & (values == np.rint(values)))):
            return values.astype(np.int64)
        return values


def _raise_not_a_number(texts: list[str], cells: Sequence[Cell]) -> NoReturn:
    text = next(text for text in texts if not _NUMBER.fullmatch(text))
    raise CellError(cells.index(text), *_not_a_number(text))


def _has_python_spelling(text: str) -> bool:
    return "_" in text or not text.isascii()


def _not_a_number(cell: str) -> tuple[str, str]:
    if not cell.strip():
        return "is empty where a number is expected", _MISSING_HINT
    comma = "Write the decimal point as '.'. " if "," in cell else ""
    return f"{quoted(cell)} is not a number", f"{comma}{_MISSING_HINT}"


class _CodedColumn:
    """Codes of values, with -1 for a missing value."""

    omitted = 0

    def __init__(self, name: str) -> None:
        self.name = name
        self._codes: dict[Cell, int] = {None: -1}

    @property
    def values(self) -> list[str]:
        """The values in the order of their codes."""
        return cast("list[str]", list(self._codes)[1:])

    def finish(self, values: NDArray[Any]) -> Any:
        """Return a pandas Categorical with all values in order, including those without rows."""
        pd = optional_import("pandas", extra="data", purpose="read nominal columns")
        return pd.Categorical.from_codes(values, categories=pd.Index(self.values, dtype=_text_dtype(pd)))

    def _look_up(self, cells: Sequence[Cell]) -> NDArray[np.int32]:
        return np.fromiter(map(self._codes.__getitem__, cells), np.int32, len(cells))


class NominalColumn(_CodedColumn):
    """Values that the file declares, coded in declared order.

    Examples
    --------
    >>> NominalColumn("colour", ["red", "blue"]).convert(["blue", None, "red"])
    array([ 1, -1,  0], dtype=int32)
    """

    def __init__(self, name: str, values: Sequence[str]) -> None:
        super().__init__(name)
        self._codes.update({value: code for code, value in enumerate(values)})

    def convert(self, cells: Sequence[Cell]) -> NDArray[np.int32]:
        """Convert cells to codes."""
        try:
            return self._look_up(cells)
        except KeyError:
            index = next(i for i, cell in enumerate(cells) if cell not in self._codes)
            raise CellError(index, *self._undeclared(cast("str", cells[index]))) from None

    def _undeclared(self, cell: str) -> tuple[str, str]:
        if not cell:
            return "is empty", _MISSING_HINT
        return f"{quoted(cell)} is not a declared value", suggestion(cell, self.values)


class CollectedColumn(_CodedColumn):
    """At most ``limit`` values that the file does not declare, coded in order of appearance.

    Examples
    --------
    >>> CollectedColumn("colour", 2).convert(["blue", None, "red", "blue"])
    array([ 0, -1,  1,  0], dtype=int32)
    """

    def __init__(self, name: str, limit: int) -> None:
        super().__init__(name)
        self._limit = limit

    def convert(self, cells: Sequence[Cell]) -> NDArray[np.int32]:
        """Convert cells to codes, adding the values that are new."""
        for cell in dict.fromkeys(cells):
            if cell not in self._codes:
                self._add_value(cell, cells)
        return self._look_up(cells)

    def _add_value(self, cell: Cell, cells: Sequence[Cell]) -> None:
        if not cell:
            raise CellError(cells.index(cell), "is empty", _MISSING_HINT)
        if len(self._codes) > self._limit:
            problem = f"{quoted(cell)} is value number {self._limit + 1} of 'discrete {self._limit}'"
            raise CellError(cells.index(cell), problem, "Increase the number in the .names file.")
        self._codes[cell] = len(self._codes) - 1


class TextColumn:
    """Free strings, unchanged.

    Examples
    --------
    >>> TextColumn("note").convert(["late", None])
    array(['late', None], dtype=object)
    """

    omitted = None

    def __init__(self, name: str) -> None:
        self.name = name

    def convert(self, cells: Sequence[Cell]) -> NDArray[np.object_]:
        """Return the cells as an array."""
        return np.array(cells, dtype=object)

    def finish(self, values: NDArray[Any]) -> Any:
        """Return a pandas array of strings."""
        pd = optional_import("pandas", extra="data", purpose="read strings")
        return pd.array(values, dtype=_text_dtype(pd))


def _text_dtype(pd: Any) -> Any:
    # pandas 2 has no dtype of its own for str; its "str" turns missing values into the string 'None'.
    return "str" if int(pd.__version__.partition(".")[0]) >= 3 else object


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
    >>> from calibrant.data._readers.frame_builder import NominalColumn, NumericColumn
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


@dataclass(frozen=True)
class ParsedFile:
    """All columns of a file with their types, and what the format declares about them.

    Parameters
    ----------
    frame : pandas.DataFrame
        All columns in file order, the class among them, with a fresh RangeIndex. Numbers are integers or floats, dates
        datetime64, booleans bool, free strings ``str``; a nominal column whose values the file *declares* is
        categorical with the declared values in declared order, seen or not. A missing value is NaN / NaT / None.
    target : str, optional
        The class column if the format declares it (C4.5).
    sample_weight : ndarray of float64, optional
        Weights of the rows if the format has them.
    extra : tuple of str
        Columns that are declared not to be features (``ignore`` in C4.5).
    notes : tuple of str
        Decisions of the reader that the user may want to know, one short sentence each.
    reading : Reading, optional
        How the file was read.
    """

    frame: pd.DataFrame
    target: str | None = None
    sample_weight: NDArray[np.float64] | None = None
    extra: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    reading: Reading | None = None
