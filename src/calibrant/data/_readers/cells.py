"""The cells of one column, text as it stood in the file, made into numbers, codes or strings."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NoReturn, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from calibrant._optional import optional_import
from calibrant.data._readers.file_text import shown, suggestion

__all__ = ["Cell", "CellError", "CollectedColumn", "Column", "NominalColumn", "NumericColumn", "TextColumn"]

Cell = str | None  # None is a hole

_NUMBER = re.compile(
    r"\s*[+-]?(?:(?:[0-9]++(?:\.[0-9]*+)?|\.[0-9]++)(?:e[+-]?[0-9]++)?|inf|infinity|nan)\s*", re.ASCII | re.I
)
_WRITE_A_HOLE = "Write ? for a hole."


class CellError(Exception):
    """A cell that its column cannot hold: the place in the sequence, what is wrong, what to do."""

    def __init__(self, at: int, problem: str, hint: str) -> None:
        super().__init__(problem)
        self.at, self.problem, self.hint = at, problem, hint


class Column(Protocol):
    """What a column must know: to convert cells, what a sparse row leaves out, and its last form."""

    @property
    def name(self) -> str:
        """The name of the column."""

    @property
    def omitted(self) -> Any:
        """The converted value that a sparse row means by leaving the column out."""

    def convert(self, cells: Sequence[Cell]) -> NDArray[Any]:
        """Convert cells, or raise a `CellError` for the first that does not fit."""

    def finish(self, values: NDArray[Any]) -> Any:
        """Make the column of a frame from all converted values."""


class NumericColumn:
    """Numbers as float64, or as int64 where ``whole`` is asked for and every value is.

    ``inf``, ``-inf`` and ``infinity`` in any case are ordinary values; ``nan`` is a hole. Python's
    underscores and digits of other scripts are refused.

    Examples
    --------
    >>> NumericColumn("age").convert(["31", None, "-1e3"])
    array([   31.,    nan, -1000.])
    """

    omitted = 0.0

    def __init__(self, name: str, *, whole: bool = False) -> None:
        self.name, self.whole = name, whole

    def convert(self, cells: Sequence[Cell]) -> NDArray[np.float64]:
        """Convert cells to float64, each distinct text once: columns tend to repeat themselves."""
        texts = [cell for cell in dict.fromkeys(cells) if cell is not None]
        try:
            numbers: dict[Cell, float] = dict(zip(texts, map(float, texts), strict=True))
        except ValueError:
            _refuse_number(texts, cells)
        if _oddly_spelt("".join(texts)):
            _refuse_number(texts, cells)
        numbers[None] = np.nan
        return np.fromiter(map(numbers.__getitem__, cells), np.float64, len(cells))

    def finish(self, values: NDArray[Any]) -> Any:
        """Give int64 for whole numbers where asked for; beyond 2**53 a float cannot tell them apart."""
        if self.whole and bool(np.all((np.abs(values) <= 2**53) & (values == np.rint(values)))):
            return values.astype(np.int64)
        return values


def _refuse_number(texts: list[str], cells: Sequence[Cell]) -> NoReturn:
    text = next(text for text in texts if not _NUMBER.fullmatch(text))
    raise CellError(cells.index(text), *_not_a_number(text))


def _oddly_spelt(text: str) -> bool:
    return "_" in text or not text.isascii()


def _not_a_number(cell: str) -> tuple[str, str]:
    if not cell.strip():
        return "is empty where a number is expected", _WRITE_A_HOLE
    comma = "Write the decimal point as '.'. " if "," in cell else ""
    return f"{shown(cell)} is not a number", f"{comma}{_WRITE_A_HOLE}"


class _CodedColumn:
    """Codes of values; a hole is -1."""

    omitted = 0

    def __init__(self, name: str) -> None:
        self.name = name
        self._codes: dict[Cell, int] = {None: -1}

    @property
    def values(self) -> list[str]:
        """The values in the order of their codes."""
        return cast(list[str], list(self._codes)[1:])

    def finish(self, values: NDArray[Any]) -> Any:
        """Give a pandas Categorical with all the values, seen or not, in their order."""
        pd = optional_import("pandas", extra="data", purpose="read nominal columns")
        return pd.Categorical.from_codes(values, categories=pd.Index(self.values, dtype=_text_dtype(pd)))

    def _look_up(self, cells: Sequence[Cell]) -> NDArray[np.int32]:
        return np.fromiter(map(self._codes.__getitem__, cells), np.int32, len(cells))


class NominalColumn(_CodedColumn):
    """Values that the file declares, each coded by its place.

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
            at = next(i for i, cell in enumerate(cells) if cell not in self._codes)
            raise CellError(at, *self._undeclared(cast(str, cells[at]))) from None

    def _undeclared(self, cell: str) -> tuple[str, str]:
        if not cell:
            return "is empty", _WRITE_A_HOLE
        return f"{shown(cell)} is not a declared value", suggestion(cell, self.values)


class CollectedColumn(_CodedColumn):
    """Values that the file does not declare, at most ``limit``, coded in order of first appearance.

    Examples
    --------
    >>> CollectedColumn("colour", 2).convert(["blue", None, "red", "blue"])
    array([ 0, -1,  1,  0], dtype=int32)
    """

    def __init__(self, name: str, limit: int) -> None:
        super().__init__(name)
        self._limit = limit

    def convert(self, cells: Sequence[Cell]) -> NDArray[np.int32]:
        """Convert cells to codes, and remember the values not met before."""
        for cell in dict.fromkeys(cells):
            if cell not in self._codes:
                self._learn(cell, cells)
        return self._look_up(cells)

    def _learn(self, cell: Cell, cells: Sequence[Cell]) -> None:
        if not cell:
            raise CellError(cells.index(cell), "is empty", _WRITE_A_HOLE)
        if len(self._codes) > self._limit:
            problem = f"{shown(cell)} is value number {self._limit + 1} of 'discrete {self._limit}'"
            raise CellError(cells.index(cell), problem, "Raise the number in the .names file.")
        self._codes[cell] = len(self._codes) - 1


class TextColumn:
    """Free strings, kept as they are.

    Examples
    --------
    >>> TextColumn("note").convert(["late", None])
    array(['late', None], dtype=object)
    """

    omitted = None

    def __init__(self, name: str) -> None:
        self.name = name

    def convert(self, cells: Sequence[Cell]) -> NDArray[np.object_]:
        """Put the cells into an array."""
        return np.array(cells, dtype=object)

    def finish(self, values: NDArray[Any]) -> Any:
        """Give a pandas array of strings."""
        pd = optional_import("pandas", extra="data", purpose="read strings")
        return pd.array(values, dtype=_text_dtype(pd))


def _text_dtype(pd: Any) -> Any:
    # pandas 2 has no dtype of its own for str; its "str" would turn holes into the word 'None'.
    return "str" if int(pd.__version__.partition(".")[0]) >= 3 else object
