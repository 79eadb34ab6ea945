"""Converters of the text cells of a column to numbers, category codes or strings."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NoReturn, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from calibrant._optional import optional_import
from calibrant.data._readers.file_text import quoted, suggestion

__all__ = ["Cell", "CellError", "CollectedColumn", "ColumnConverter", "NominalColumn", "NumericColumn", "TextColumn"]

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
        return cast(list[str], list(self._codes)[1:])

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
            raise CellError(index, *self._undeclared(cast(str, cells[index]))) from None

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
