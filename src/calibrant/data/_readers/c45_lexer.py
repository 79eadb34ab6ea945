r"""The lexer of C4.5 files, which splits them into names.

Follows J. R. Quinlan, *C4.5: Programs for Machine Learning* (1993), and the behaviour of the program, release 8:
``|`` starts a comment, ``\`` escapes the next character, a name ends at a comma, a colon, the end of
the line, a comment, or a period before white space, a comment or the end; white space around a name is
dropped, and inside it becomes one blank.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple, cast

__all__ = ["Lexer", "Name", "rows", "split_line"]

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
    return cast(re.Match[str], pattern.match(text, at))  # always matches, because all parts may be empty


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
