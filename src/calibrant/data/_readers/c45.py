r"""The files of C4.5: rows, read by what their ``.names`` file declares.

Follows J. R. Quinlan, *C4.5: Programs for Machine Learning* (1993), and the behaviour of the program, release 8:
``|`` starts a comment, ``\`` escapes the next character, a name ends at a comma, a colon, the end of
the line, a comment, or a period before white space, a comment or the end; white space around a name is
dropped, and inside it becomes one blank. Of See5, its successor, the name of an attribute
as the class and ``label`` for ``ignore`` are supported.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, cast

from calibrant.data._readers.frame_builder import (
    CollectedColumn,
    ColumnConverter,
    FrameBuilder,
    NominalColumn,
    NumericColumn,
    ParsedFile,
    TextColumn,
)
from calibrant.data._readers.source import PathLike, check_width, normalize_text, quoted, suggestion
from calibrant.exceptions import ReadError, nearest

_SPACE = " \t\n\f\v"
# Groups repeat greedily, not possessively: the `re` of Python 3.11.0 to 3.11.3 gets possessive groups wrong.
_SKIP = re.compile(r"(?:[ \t\n\f\v]++|\|[^\n]*+)*")
_END = r"(\.|[:,\n]|\|[^\n]*+|\Z)"
_NAME = re.compile(rf"((?:[^:,\n|.\\]++|\\.|\\\Z|\.(?![ \t\n\f\v|]|\Z))*){_END}", re.DOTALL)
_FIELD = re.compile(rf"((?:[^,\n|.\\]++|\\.|\\\Z|\.(?![ \t\n\f\v|]|\Z))*){_END}", re.DOTALL)
_ESCAPE_OR_SPACE = re.compile(r"\\(.?)|[ \t\n\f\v]+", re.DOTALL)
_PERIOD_INSIDE = re.compile(r"\.[ \t\f\v]")


class Name(NamedTuple):
    """A name, the character that ended it, and the line it began on."""

    text: str
    end: str
    line: int


class Lexer:
    r"""Reads names from a text one by one.

    Parameters
    ----------
    text : str
        The text of a file.
    colons : bool
        Whether names end at colons, as in ``.names``. In data a colon is part of a value such as 10:30,
        as in See5, the successor of C4.5.

    Examples
    --------
    >>> lexer = Lexer("outlook:  very   sunny, rain.  | weather\nwind: 1.5, 2.", colons=True)
    >>> lexer.next_name(), lexer.next_name()
    (Name(text='outlook', end=':', line=1), Name(text='very sunny', end=',', line=1))
    >>> [name.text for name in lexer.list_of_names()]
    ['rain']
    """

    def __init__(self, text: str, *, colons: bool) -> None:
        self._text, self._at, self._line = text, 0, 1
        self._pattern = _NAME if colons else _FIELD

    @property
    def line(self) -> int:
        """The current line number."""
        return self._line

    def next_name(self) -> Name | None:
        """Return the next name, or None at the end of the text."""
        self._move(_must_match(_SKIP, self._text, self._at).end())
        if self._at == len(self._text):
            return None
        line, match = self._line, _must_match(self._pattern, self._text, self._at)
        self._move(match.end())
        return Name(_clean(match[1]), match[2][:1], line)

    def list_of_names(self) -> list[Name]:
        """Return the names up to the first that does not end at a comma; [] at the end of the text."""
        names: list[Name] = []
        while not names or names[-1].end == ",":
            name = self.next_name()
            if name is None:
                break
            names.append(name)
        return names

    def rest_of_line(self) -> str | None:
        """Return the rest of the line without moving on, or None at the end of the text."""
        if self._at >= len(self._text):
            return None
        end = self._text.find("\n", self._at)
        return self._text[self._at :] if end < 0 else self._text[self._at : end]

    def skip(self, rest: str) -> None:
        """Move to the next line, past the rest of this one."""
        self._at += len(rest) + 1
        self._line += 1

    def _move(self, to: int) -> None:
        self._line += self._text.count("\n", self._at, to)
        self._at = to


def _must_match(pattern: re.Pattern[str], text: str, at: int) -> re.Match[str]:
    return cast("re.Match[str]", pattern.match(text, at))  # always matches, because all parts may be empty


def _clean(name: str) -> str:
    if "\\" in name:
        return _ESCAPE_OR_SPACE.sub(lambda match: " " if match[1] is None else match[1], name.strip(_SPACE))
    return _collapse_blanks(name)


def _collapse_blanks(name: str) -> str:
    name = name.strip(_SPACE)
    return _ESCAPE_OR_SPACE.sub(" ", name) if "  " in name or "\t" in name or "\n" in name else name


def rows(text: str) -> Iterator[tuple[int, list[str]]]:
    r"""Yield the rows of a data file: the line each begins on, and its fields.

    Examples
    --------
    >>> list(rows("sunny, 85,\n no.| a case\nrain,70,yes\n"))
    [(1, ['sunny', '85', 'no']), (3, ['rain', '70', 'yes'])]
    """
    lexer = Lexer(text, colons=False)
    while (rest := lexer.rest_of_line()) is not None:
        line, fields = lexer.line, split_line(rest)
        if fields is None:
            names = lexer.list_of_names()
            yield names[0].line, [name.text for name in names]
        else:
            lexer.skip(rest)
            if fields:
                yield line, fields


def split_line(text: str) -> list[str] | None:
    """Split one line at commas; return None if it needs the lexer: escapes, a row that continues or ends within it.

    Examples
    --------
    >>> split_line("sunny, 85, no. | a case"), split_line("sunny, 85,")
    (['sunny', '85', 'no'], None)
    """
    body = text.partition("|")[0].strip(_SPACE)
    if "\\" in body or body.endswith(",") or _PERIOD_INSIDE.search(body):
        return None
    fields = body.removesuffix(".").split(",") if body else []
    return [_collapse_blanks(field) for field in fields] if " " in body or "\t" in body else fields


Spec = Literal["continuous", "ignore"] | int | tuple[str, ...]

_DISCRETE = re.compile(r"discrete ?([0-9]*+)")
# A larger number of values is a mistake in the file rather than a column.
_MAX_VALUES = 1_000_000
_KINDS = ("continuous", "ignore", "discrete")
_WRITE_VALUES = "Write continuous, ignore, discrete n, or two values or more."
_SELECTIONS = ("attributes included", "attributes excluded")


@dataclass(frozen=True)
class Names:
    """The classes and attributes that a ``.names`` file declares.

    Parameters
    ----------
    classes : tuple of str
        The classes in declared order; empty if the class is a ``discrete n`` attribute.
    attributes : tuple of (str, spec)
        The attributes in the order of the data: ``"continuous"``, ``"ignore"``, an int n for ``discrete n``,
        or the tuple of the declared values.
    target : str, optional
        The attribute that is the class. None: the class follows the attributes.

    Examples
    --------
    >>> Names(("no", "yes"), (("age", "continuous"), ("class", ("a", "b")))).class_name
    'class_1'
    """

    classes: tuple[str, ...]
    attributes: tuple[tuple[str, Spec], ...]
    target: str | None = None

    @property
    def class_name(self) -> str:
        """The name of the class column: ``class``, or ``class_1`` and so on if that is taken."""
        if self.target is not None:
            return self.target
        taken = {name for name, _ in self.attributes}
        options = ("class", *(f"class_{number}" for number in range(1, len(taken) + 1)))
        return next(option for option in options if option not in taken)


def read_names(path: PathLike, text: str) -> Names:
    r"""Read the text of a ``.names`` file; ``path`` is for error messages.

    Examples
    --------
    >>> names = read_names("golf.names", "play, don't play.\nsky: sunny, rain.\nwind: continuous.")
    >>> names.classes, names.attributes
    (('play', "don't play"), (('sky', ('sunny', 'rain')), ('wind', 'continuous')))
    """
    return _NamesReader(path, Lexer(normalize_text(path, text), colons=True)).read()


class _NamesReader:
    """Reads a ``.names`` file entry by entry."""

    def __init__(self, path: PathLike, lexer: Lexer) -> None:
        self._path, self._lexer = path, lexer
        self._attributes: dict[str, Spec] = {}

    def read(self) -> Names:
        """Read all entries."""
        classes = self._classes()
        while (name := self._lexer.next_name()) is not None:
            self._read_attribute(name)
        if not self._attributes:
            raise self._error(self._lexer.line, "no attributes follow the classes", "Write 'name: values.' lines.")
        attributes = tuple(self._attributes.items())
        if len(classes) > 1:
            return Names(tuple(name.text for name in classes), attributes)
        return Names(self._classes_of(classes[0]), attributes, classes[0].text)

    def _classes(self) -> list[Name]:
        names = self._lexer.list_of_names()
        if not names or names[-1].end == ":":
            raise self._error(self._lexer.line, "the classes are missing", "Write them first: no, yes.")
        self._check_list(names)
        return names

    def _classes_of(self, target: Name) -> tuple[str, ...]:
        """Return the classes if the first entry is the name of an attribute instead of a list of classes."""
        if target.text not in self._attributes:
            hint = suggestion(target.text, self._attributes, title="Attributes")
            problem = f"{quoted(target.text)} is the only class, and no attribute has that name"
            raise self._error(target.line, problem, hint)
        spec = self._attributes[target.text]
        if isinstance(spec, str):
            raise self._error(target.line, f"the class is {spec}", "Make it nominal.", target.text)
        return spec if isinstance(spec, tuple) else ()

    def _read_attribute(self, name: Name) -> None:
        if name.end != ":":
            hint = "Write 'name: values.', and a comma where a list goes on."
            raise self._error(name.line, f"no colon follows {quoted(name.text)}", hint)
        if not name.text:
            raise self._error(name.line, "an attribute has no name", "Write it before the colon.")
        if name.text in self._attributes:
            problem = "a second attribute has this name"
            raise self._error(name.line, problem, "Rename one of them.", name.text)
        if name.text in _SELECTIONS:
            hint = "Declare the attributes to exclude as ignore."
            raise self._error(name.line, f"{quoted(name.text)} of See5 is not supported", hint)
        self._attributes[name.text] = self._spec(name)
        check_width(self._path, len(self._attributes))

    def _spec(self, attribute: Name) -> Spec:
        names = self._lexer.list_of_names()
        if not names or not names[0].text:
            raise self._error(attribute.line, "no values are declared", _WRITE_VALUES, attribute.text)
        if names[-1].end == ":":
            problem = f"a colon follows the value {quoted(names[-1].text)}"
            hint = "Declare values for each attribute; write \\: inside a value."
            raise self._error(names[-1].line, problem, hint, attribute.text)
        if len(names) == 1:
            return self._kind(names[0], attribute.text)
        self._check_list(names, attribute.text)
        return tuple(name.text for name in names)

    def _kind(self, name: Name, attribute: str) -> Spec:
        match name.text.lower():
            case "continuous":
                return "continuous"
            case "ignore" | "label":
                return "ignore"
            case text if match := _DISCRETE.fullmatch(text):
                return self._discrete(match[1], name.line, attribute)
        near = nearest(name.text[:40].lower(), _KINDS).strip()
        problem = f"{quoted(name.text)} is the only value"
        raise self._error(name.line, problem, near or _WRITE_VALUES, attribute)

    def _discrete(self, digits: str, line: int, attribute: str) -> int:
        number = int(digits[:9] or 0)
        if not 2 <= number <= _MAX_VALUES:
            problem = f"the number of discrete values is {digits or 'missing'}"
            raise self._error(line, problem, f"Write discrete 2 to discrete {_MAX_VALUES}.", attribute)
        return number

    def _check_list(self, names: Sequence[Name], column: str | None = None) -> None:
        counts = Counter(name.text for name in names)
        for name in names:
            if not name.text:
                raise self._error(name.line, "a name in the list is empty", "Remove a comma.", column)
            if counts[name.text] > 1:
                problem = f"{quoted(name.text)} is declared {counts[name.text]} times"
                raise self._error(name.line, problem, "Name it once.", column)
        if names[-1].end == ",":
            raise self._error(names[-1].line, "the list ends in a comma", "Complete it.", column)

    def _error(self, line: int, problem: str, hint: str, column: str | None = None) -> ReadError:
        return ReadError.at(self._path, problem, line=line, column=column, hint=hint)


def read_c45(path: PathLike, text: str, names: Names) -> ParsedFile:
    r"""Read the text of a ``.data`` or ``.test`` file; ``path`` is for error messages.

    Continuous attributes become float64; those with declared values become categorical with these values in
    declared order, and so does the class. The values of ``discrete n`` are those of this file, in order of
    first appearance. Ignored attributes become ``str`` and are listed in ``extra``. ``?`` is a missing value, also in
    the class.

    The class follows the attributes and is named ``class``, or ``class_1`` and so on if an attribute has that name.

    Examples
    --------
    >>> names = Names(("play", "don't"), (("sky", ("sunny", "rain")), ("wind", "continuous")))
    >>> read_c45("golf.data", "rain, 3, don't.\n?, 1, play.", names).frame
        sky  wind  class
    0  rain   3.0  don't
    1   NaN   1.0   play
    """
    columns = _columns(names)
    builder = FrameBuilder(path, columns)
    for line, fields in rows(normalize_text(path, text)):
        _check_width(path, line, len(fields), columns)
        builder.add(line, [None if field == "?" else field for field in fields] if "?" in fields else fields)
    if not builder.n_rows:
        raise ReadError.at(path, "has no rows", hint="Check that the file is complete.")
    ignored = tuple(name for name, spec in names.attributes if spec == "ignore")
    return ParsedFile(builder.frame(), target=names.class_name, extra=ignored)


def _columns(names: Names) -> list[ColumnConverter]:
    columns = [_column(name, spec) for name, spec in names.attributes]
    return columns if names.target is not None else [*columns, NominalColumn(names.class_name, names.classes)]


def _column(name: str, spec: Spec) -> ColumnConverter:
    if isinstance(spec, tuple):
        return NominalColumn(name, spec)
    if isinstance(spec, int):
        return CollectedColumn(name, spec)
    return NumericColumn(name) if spec == "continuous" else TextColumn(name)


def _check_width(path: PathLike, line: int, found: int, columns: Sequence[ColumnConverter]) -> None:
    width = len(columns)
    if found < width:
        problem, hint = f"the row ends after {found} of {width} fields", "Write ? for a missing value."
        raise ReadError.at(path, problem, line=line, column=columns[found].name, hint=hint)
    if found > width:
        problem, hint = (
            f"the row has {found} fields for {width} columns",
            "Write \\, for a comma inside a value.",
        )
        raise ReadError.at(path, problem, line=line, hint=hint)
