"""The header of an ARFF file: ``@relation``, ``@attribute`` and ``@data``."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from string import ascii_letters

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
from calibrant.data._readers.file_text import PathLike, check_width, quoted, suggestion
from calibrant.data._readers.frame_builder import ColumnConverter, NominalColumn, NumericColumn, TextColumn
from calibrant.exceptions import ReadError

Lines = Iterator[tuple[int, str]]

_KEYWORD = re.compile(r"@([^ \t\f\v%{]*+)[ \t\f\v]*+")
_WEIGHT = re.compile(r"[ \t\f\v]*+\{[^{}'\"%]*+\}")
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
    weighted = _WEIGHT.match(rest) is not None
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
    weight = _WEIGHT.match(text, at)
    if not is_rest_empty(text, weight.end() if weight else at):
        raise LineError(f"{quoted(text[at:].strip(BLANKS))} follows the type", "Remove it, or quote it.")
    return weight is not None
