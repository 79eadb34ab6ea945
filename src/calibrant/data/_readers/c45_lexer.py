r"""Names and where they end, as C4.5 reads them.

After R. Quinlan, *C4.5: Programs for Machine Learning* (1993), and the behaviour of the program, release 8:
``|`` starts a comment, ``\`` takes the next character as it is, a name ends at a comma, a colon, the end of
the line, a comment, or a period before white space, a comment or the end; white space around a name is
dropped and inside it counts as one blank.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple, cast

__all__ = ["Lexer", "Name", "plain_fields", "rows"]

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
    r"""A text from which names are taken one by one.

    Parameters
    ----------
    text : str
        What a file says.
    colons : bool
        Whether names end at colons. They do in ``.names``; in data, a colon is part of a value such as 10:30,
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
        """The line that is read now."""
        return self._line

    def next_name(self) -> Name | None:
        """Take the next name; None where the text is over."""
        self._move(_must_match(_SKIP, self._text, self._at).end())
        if self._at == len(self._text):
            return None
        line, match = self._line, _must_match(self._pattern, self._text, self._at)
        self._move(match.end())
        return Name(_clean(match[1]), match[2][:1], line)

    def list_of_names(self) -> list[Name]:
        """Take names up to the first that does not end at a comma; none where the text is over."""
        names: list[Name] = []
        while not names or names[-1].end == ",":
            name = self.next_name()
            if name is None:
                break
            names.append(name)
        return names

    def rest_of_line(self) -> str | None:
        """Show what is left of the line, without taking it; None where the text is over."""
        if self._at >= len(self._text):
            return None
        end = self._text.find("\n", self._at)
        return self._text[self._at :] if end < 0 else self._text[self._at : end]

    def skip(self, rest: str) -> None:
        """Go on to the next line, past the rest of this one."""
        self._at += len(rest) + 1
        self._line += 1

    def _move(self, to: int) -> None:
        self._line += self._text.count("\n", self._at, to)
        self._at = to


def _must_match(pattern: re.Pattern[str], text: str, at: int) -> re.Match[str]:
    return cast(re.Match[str], pattern.match(text, at))  # all parts may be empty: there always is a match


def _clean(name: str) -> str:
    if "\\" in name:
        return _ESCAPE_OR_SPACE.sub(lambda match: " " if match[1] is None else match[1], name.strip(_SPACE))
    return _one_blank(name)


def _one_blank(name: str) -> str:
    name = name.strip(_SPACE)
    return _ESCAPE_OR_SPACE.sub(" ", name) if "  " in name or "\t" in name or "\n" in name else name


def rows(text: str) -> Iterator[tuple[int, list[str]]]:
    r"""Cut data into rows: the line each begins on, and its fields.

    Examples
    --------
    >>> list(rows("sunny, 85,\n no.| a case\nrain,70,yes\n"))
    [(1, ['sunny', '85', 'no']), (3, ['rain', '70', 'yes'])]
    """
    lexer = Lexer(text, colons=False)
    while (rest := lexer.rest_of_line()) is not None:
        line, fields = lexer.line, plain_fields(rest)
        if fields is None:
            names = lexer.list_of_names()
            yield names[0].line, [name.text for name in names]
        else:
            lexer.skip(rest)
            if fields:
                yield line, fields


def plain_fields(text: str) -> list[str] | None:
    """Cut one line the fast way; None where it takes the lexer: escapes, a row that goes on or ends inside.

    Examples
    --------
    >>> plain_fields("sunny, 85, no. | a case"), plain_fields("sunny, 85,")
    (['sunny', '85', 'no'], None)
    """
    body = text.partition("|")[0].strip(_SPACE)
    if "\\" in body or body.endswith(",") or _PERIOD_INSIDE.search(body):
        return None
    fields = body.removesuffix(".").split(",") if body else []
    return [_one_blank(field) for field in fields] if " " in body or "\t" in body else fields
