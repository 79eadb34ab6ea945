"""ARFF files: the header, then the instances."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import pairwise
from string import ascii_letters
from typing import NoReturn, cast

import numpy as np
from numpy.typing import NDArray

from calibrant.data._readers.arff_values import (
    BLANKS,
    BY_BLANKS,
    ISO_8601,
    DateColumn,
    LineError,
    PatternError,
    is_rest_empty,
    read_value,
    split_values,
)
from calibrant.data._readers.frame_builder import (
    Cell,
    ColumnConverter,
    FrameBuilder,
    NominalColumn,
    NumericColumn,
    ParsedFile,
    TextColumn,
)
from calibrant.data._readers.source import PathLike, check_width, iter_lines, normalize_text, quoted, suggestion
from calibrant.exceptions import ReadError

Lines = Iterator[tuple[int, str]]

_KEYWORD = re.compile(r"@([^ \t\f\v%{]*+)[ \t\f\v]*+")
_ATTRIBUTE_WEIGHT = re.compile(r"[ \t\f\v]*+\{[^{}'\"%]*+\}")
_TYPES = ("numeric", "real", "integer", "string", "date", "{a, b}")


@dataclass(frozen=True)
class Header:
    """The converters of the declared attributes, and notes for the user."""

    columns: tuple[ColumnConverter, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True)
class _Attribute:
    """A declared attribute, and whether it has a weight."""

    column: ColumnConverter
    weighted: bool


def read_header(path: PathLike, lines: Lines) -> Header:
    """Read the lines up to ``@data`` and return the attributes that they declare.

    Examples
    --------
    >>> lines = iter(enumerate(["@relation r", "@attribute age numeric", "@data", "31"], start=1))
    >>> [column.name for column in read_header("a.arff", lines).columns], next(lines)
    (['age'], (4, '31'))
    """
    line, reader = 0, _HeaderReader(path)
    for line, text in lines:
        try:
            if not is_rest_empty(text, 0) and reader.read_line(text.strip(BLANKS)):
                return reader.header()
        except LineError as error:
            raise error.at(path, line) from None
    hint = "Check that the file is complete."
    raise ReadError.at(path, "ends before @data", line=line, hint=hint)


class _HeaderReader:
    """Reads a header line by line."""

    def __init__(self, path: PathLike) -> None:
        self._path, self._relation = path, False
        self._attributes: dict[str, _Attribute] = {}

    def read_line(self, text: str) -> bool:
        """Read one line; return True if it is the last of the header."""
        keyword = _KEYWORD.match(text)
        if keyword is None:
            raise LineError(f"{quoted(text)} is neither @attribute nor @data", "Start comments with %.")
        rest = text[keyword.end() :]
        match keyword[1].lower():
            case "relation":
                self._read_relation(rest)
            case "attribute":
                self._read_attribute(rest)
            case "data":
                return self._read_data(rest)
            case word:
                hint = "Use @relation, @attribute or @data."
                raise LineError(f"{quoted('@' + word)} is not a keyword", hint)
        return False

    def header(self) -> Header:
        """Return the declared attributes."""
        if not self._attributes:
            raise LineError("no attributes are declared", "Write @attribute name type before @data.")
        attributes = self._attributes.values()
        notes = ("Weights of attributes are ignored.",) if any(a.weighted for a in attributes) else ()
        return Header(tuple(attribute.column for attribute in attributes), notes)

    def _read_relation(self, rest: str) -> None:
        if self._relation:
            raise LineError("a second @relation", "Write each table to a file of its own.")
        if rest[:1] in ("'", '"'):
            split_values(rest, 0, BY_BLANKS)
        self._relation = True

    def _read_attribute(self, rest: str) -> None:
        if not self._relation:
            raise LineError("@attribute before @relation", "Make '@relation name' the first line.")
        attribute = _parse_attribute(rest)
        name = attribute.column.name
        if name in self._attributes:
            raise LineError("a second attribute has this name", "Rename one of them.", column=name)
        self._attributes[name] = attribute
        check_width(self._path, len(self._attributes))

    def _read_data(self, rest: str) -> bool:
        if not is_rest_empty(rest, 0):
            raise LineError(f"{quoted(rest)} follows @data", "Start the rows on the next line.")
        return True


def _parse_attribute(text: str) -> _Attribute:
    """Return the attribute declared after ``@attribute``: a name, a type and an optional weight."""
    cell, at = read_value(text, 0, BY_BLANKS)
    if at == 0:
        raise LineError(f"no name before {quoted(text)}", "Write @attribute name type, and close quotes.")
    name = "?" if cell is None else cell
    rest = text[at:].lstrip(BLANKS)
    try:
        return _nominal_attribute(name, rest) if rest[:1] == "{" else _typed_attribute(name, rest)
    except LineError as error:
        raise LineError(error.problem, error.hint, column=name) from None


def _typed_attribute(name: str, text: str) -> _Attribute:
    rest = text.lstrip(ascii_letters)
    kind, rest = text[: len(text) - len(rest)].lower(), rest.lstrip(BLANKS)
    # Weka ignores what follows these types, and old files have ranges there: `real [0, 10]`.
    weighted = _ATTRIBUTE_WEIGHT.match(rest) is not None
    match kind:
        case "numeric" | "real" | "integer":
            return _Attribute(NumericColumn(name, integer=kind == "integer"), weighted)
        case "string":
            return _Attribute(TextColumn(name), weighted)
        case "date":
            return _date_attribute(name, rest)
        case "relational":
            raise LineError("relational attributes are not supported", "Write their rows as a table of their own.")
    raise _unknown_type(text)


def _unknown_type(text: str) -> LineError:
    if is_rest_empty(text, 0):
        return LineError("the type is missing", "Write numeric, integer, string, date or {a, b}.")
    hint = suggestion(text.partition(" ")[0].lower(), _TYPES, title="Types")
    return LineError(f"{quoted(text)} is not a type", f"{hint} A name with blanks needs quotes.")


def _date_attribute(name: str, rest: str) -> _Attribute:
    pattern, at = (ISO_8601, 0) if is_rest_empty(rest, 0) or rest[0] == "{" else read_value(rest, 0)
    try:
        return _Attribute(DateColumn(name, pattern or ""), _weight_at_end(rest, at))
    except PatternError as error:
        raise LineError(str(error), "Use the letters y M d H m s, or declare a string.") from None


def _nominal_attribute(name: str, text: str) -> _Attribute:
    values, end = _declared(text)
    if text[end : end + 1] != "}":
        raise LineError("the values have no closing }", "Write all of them on one line.")
    _check_unique(values)
    return _Attribute(NominalColumn(name, values), _weight_at_end(text, end + 1))


def _declared(text: str) -> tuple[list[str], int]:
    """Read values in braces, separated by commas and tabs, or by blanks if that gives no list."""
    cells: list[str | None] = []
    with suppress(LineError):
        cells, end = split_values(text, 1)
    if len(cells) < 2:
        cells, end = split_values(text, 1, BY_BLANKS)
    return ["?" if cell is None else cell for cell in cells], end


def _check_unique(values: list[str]) -> None:
    if not values:
        raise LineError("no values are declared", "Name them, or declare a string.")
    value, times = Counter(values).most_common(1)[0]
    if times > 1:
        raise LineError(f"the value {quoted(value)} is declared {times} times", "Name it once.")


def _weight_at_end(text: str, at: int) -> bool:
    """Return whether the text ends in a weight; raise if it ends in anything else."""
    weight = _ATTRIBUTE_WEIGHT.match(text, at)
    if not is_rest_empty(text, weight.end() if weight else at):
        raise LineError(f"{quoted(text[at:].strip(BLANKS))} follows the type", "Remove it, or quote it.")
    return weight is not None


_WEIGHT = re.compile(r"[ \t\f\v,]*+\{([^{}'\"%_]*+)\}")
_PAIRS_HINT = "Write {index value, index value}, and quote values with blanks in them."


@dataclass(frozen=True)
class DenseRow:
    """A value for each attribute."""

    cells: Sequence[Cell]
    weight: float | None = None


@dataclass(frozen=True)
class SparseRow:
    """Values for some attributes, by ascending index from 0."""

    indices: Sequence[int]
    cells: Sequence[Cell]
    weight: float | None = None


def split_simple(text: str, width: int) -> Sequence[Cell] | None:
    """Split a dense row without quotes, braces or comments; return None for any other row.

    Examples
    --------
    >>> split_simple("1, ?,no", 3)
    ['1', None, 'no']
    """
    if "'" in text or '"' in text or "{" in text or "}" in text or "%" in text:
        return None
    cells = _split(text)
    if len(cells) != width or "" in cells:
        return None
    return [None if cell == "?" else cell for cell in cells] if "?" in text else cells


def _split(text: str) -> list[str]:
    """Split a row at its only kind of separator: commas, tabs or blanks; return [] if it has two kinds."""
    if "\t" in text:
        return [] if "," in text else [cell.strip(BLANKS) for cell in text.split("\t")]
    if "," in text:
        return [cell.strip(BLANKS) for cell in text.split(",")] if " " in text else text.split(",")
    return text.split()


def parse_row(text: str, width: int) -> DenseRow | SparseRow:
    """Parse a row of any kind.

    Examples
    --------
    >>> parse_row("{1 'b c', 3 ?}, {5}", 4)
    SparseRow(indices=[1, 3], cells=['b c', None], weight=5.0)
    """
    return _sparse(text, width) if text[0] == "{" else _dense(text, width)


def _dense(text: str, width: int) -> DenseRow:
    try:
        cells, at = split_values(text)
        _check_width(len(cells), width)
    except LineError as error:
        cells, at = _split_at_blanks(text, width, error)
    return DenseRow(cells, _weight(text, at))


def _split_at_blanks(text: str, width: int, error: LineError) -> tuple[list[Cell], int]:
    """Split a row at blanks, as Weka does; raise the first error if the width is still wrong."""
    try:
        cells, at = split_values(text, 0, BY_BLANKS)
    except LineError:
        raise error from None
    if len(cells) != width:
        raise error
    return cells, at


def _check_width(found: int, width: int) -> None:
    if found < width:
        problem = f"the row ends after {found} of {width} values"
        raise LineError(problem, "Write ? for a missing value, and quote values that hold %.", position=found)
    if found > width:
        problem = f"the row has {found} values for {width} attributes"
        raise LineError(problem, "Quote values with commas in them.")


def _sparse(text: str, width: int) -> SparseRow:
    words, at = _words(text)
    if text[at : at + 1] != "}":
        raise LineError("the sparse row has no closing }", "Check that the file is complete.")
    if len(words) % 2:
        raise LineError(f"the index {quoted(words[-1] or '?')} has no value", _PAIRS_HINT)
    indices = _indices(words[::2], width)
    return SparseRow(indices, words[1::2], _weight(text, at + 1))


def _words(text: str) -> tuple[list[Cell], int]:
    """Split a sparse row at blanks and commas, without a regular expression if it holds only plain pairs."""
    end = len(text) - 1
    if "'" in text or '"' in text or "%" in text or text.rfind("{") > 0 or text.find("}") != end:
        return split_values(text, 1, BY_BLANKS)
    words = text[1:end].replace(",", " ").split()
    return [None if word == "?" else word for word in words], end


def _indices(words: Sequence[Cell], width: int) -> list[int]:
    for word in words:
        if word is None or not word.isascii() or not word.isdecimal() or len(word) > 9:
            raise LineError(f"{quoted(word or '?')} is not an index", _PAIRS_HINT)
    indices = [int(cast("str", word)) for word in words]
    if indices != sorted(set(indices)):
        _raise_unsorted(indices)
    if indices and indices[-1] >= width:
        hint = f"Indices run from 0 to {width - 1}."
        raise LineError(f"the index {indices[-1]} has no attribute", hint)
    return indices


def _raise_unsorted(indices: Sequence[int]) -> NoReturn:
    before, index = next((a, b) for a, b in pairwise(indices) if a >= b)
    if index == before:
        raise LineError(f"the index {index} occurs twice", "Write each value once.", position=index)
    raise LineError(f"the index {index} comes after {before}", "Sort the indices.")


def _weight(text: str, at: int) -> float | None:
    """Return the weight at the end of a row; raise if anything else is there."""
    if is_rest_empty(text, at):
        return None
    match = _WEIGHT.match(text, at)
    if match is None or not is_rest_empty(text, match.end()):
        raise LineError(f"{quoted(text[at:].lstrip(BLANKS))} follows the row", "Only a weight may: {5}.")
    try:
        weight = float(match[1])
    except ValueError:
        weight = math.nan
    if not 0 <= weight < math.inf:
        raise LineError(f"{quoted(match[1])} is not a weight", "Write a finite number, 0 or greater.")
    return weight


def read_arff(path: PathLike, text: str) -> ParsedFile:
    r"""Read the text of an ARFF file; ``path`` is for error messages.

    Numbers become float64, those declared ``integer`` int64 if all are integral and none is missing; nominal
    attributes become categorical with the declared values in declared order; dates become datetime64, strings
    ``str``. An unquoted ``?`` is a missing value, and so is the number ``NaN``; ``inf`` and ``-inf`` are numbers.

    A value that a sparse row omits is 0, the first declared value, or the start of 1970. The format defines none
    for a string (in Weka it depends on the rows before), so an omitted string is a missing value.

    Values are separated by commas and tabs, and by blanks too, as in Weka, if a row would otherwise have fewer
    values than there are attributes. A comma at the end of a row is ignored.

    Examples
    --------
    >>> header = "@relation loans\n@attribute age numeric\n@attribute y {no, yes}\n@data\n"
    >>> read_arff("a.arff", header + "31, yes\n64, ?, {2}").frame
        age    y
    0  31.0  yes
    1  64.0  NaN
    >>> read_arff("a.arff", header + "31, yse")
    Traceback (most recent call last):
    calibrant.exceptions.ReadError: a.arff, line 5, column 'y': 'yse' is not a declared value. ...
    """
    lines = iter_lines(normalize_text(path, text))
    header = read_header(path, lines)
    rows = _RowReader(path, header.columns)
    rows.read(lines)
    notes = header.notes + rows.notes()
    return ParsedFile(rows.builder.frame(), sample_weight=rows.sample_weight(), notes=notes)


class _RowReader:
    """Reads the rows below ``@data``."""

    def __init__(self, path: PathLike, columns: Sequence[ColumnConverter]) -> None:
        self._path, self._columns = path, columns
        self._weights: dict[int, float] = {}
        self._sparse = False
        self.builder = FrameBuilder(path, columns)

    def read(self, lines: Lines) -> None:
        """Read all rows."""
        line, width, add = 0, len(self._columns), self.builder.add
        for line, text in lines:
            row = text.strip(BLANKS)
            if not row or row[0] == "%":
                continue
            cells = split_simple(row, width)
            if cells is None:
                self._add_unusual_row(line, row)
            else:
                add(line, cells)
        if not self.builder.n_rows:
            hint = "Check that the file is complete."
            raise ReadError.at(self._path, "has no rows after @data", line=line or None, hint=hint)

    def _add_unusual_row(self, line: int, text: str) -> None:
        try:
            row = parse_row(text, len(self._columns))
        except LineError as error:
            if error.position is not None and error.position < len(self._columns):
                error.column = self._columns[error.position].name
            raise error.at(self._path, line) from None
        if row.weight is not None:
            self._weights[self.builder.n_rows] = row.weight
        if isinstance(row, DenseRow):
            self.builder.add(line, row.cells)
        else:
            self._sparse = True
            self.builder.add_sparse(line, row.indices, row.cells)

    def notes(self) -> tuple[str, ...]:
        """Return a note if sparse rows omit strings."""
        if not self._sparse or not any(isinstance(column, TextColumn) for column in self._columns):
            return ()
        return ("Strings that sparse rows omit are read as missing values.",)

    def sample_weight(self) -> NDArray[np.float64] | None:
        """Return the weight of each row, 1 by default; None if no row has a weight."""
        if not self._weights:
            return None
        weights = np.ones(self.builder.n_rows)
        weights[list(self._weights)] = list(self._weights.values())
        return weights
