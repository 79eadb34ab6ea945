"""Lines of ARFF cut into values: quotes, escapes, commas, tabs and comments.

After the tokenizer that Weka's own reader is built on, in time linear in the line.
"""

from __future__ import annotations

import re
from typing import NoReturn, cast

from calibrant.data._readers.cells import Cell
from calibrant.data._readers.file_text import PathLike, shown
from calibrant.exceptions import ReadError

__all__ = ["BLANKS", "BY_BLANKS", "BY_COMMAS", "LineError", "is_over", "one_value", "split_values", "unquote"]

BLANKS = " \t\f\v"

# Each match begins where the one before ended and gives nothing back, so no character is looked at twice.
_QUOTED = r"""'(?P<single>[^'\\]*+(?:\\.[^'\\]*+)*)'|"(?P<double>[^"\\]*+(?:\\.[^"\\]*+)*)\""""
_STOP = re.compile(r"[ \t\f\v]*+(?=[{}%]|\Z)")
_OVER = re.compile(r"[ \t\f\v]*+(?:%|\Z)")
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))", re.DOTALL)
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r"}

# Weka ends a value at any blank. People write `New York, 3` too, so blanks end values only where commas and
# tabs do not give the number of values that is declared.
BY_COMMAS = re.compile(
    rf"""[ \t\f\v]*+(?:{_QUOTED}|(?P<bare>[^,\t'"{{}}%]*+))"""
    r"(?P<separator>[ \t\f\v]*+,|[ \f\v]*+\t[ \t\f\v]*+|)"
)
BY_BLANKS = re.compile(
    rf"""[ \t\f\v]*+(?:{_QUOTED}|(?P<bare>[^, \t\f\v'"{{}}%]*+))(?P<separator>[ \t\f\v]*+,|[ \t\f\v]*+)"""
)


class LineError(Exception):
    """A line that cannot be understood: what is wrong, what to do, and the column where it is known."""

    def __init__(self, problem: str, hint: str, *, column: str | None = None, place: int | None = None) -> None:
        super().__init__(problem)
        self.problem, self.hint, self.column, self.place = problem, hint, column, place

    def at(self, path: PathLike, line: int) -> ReadError:
        """Give the error that a person sees."""
        return ReadError.at(path, self.problem, line=line, column=self.column, hint=self.hint)


def split_values(text: str, at: int = 0, grammar: re.Pattern[str] = BY_COMMAS) -> tuple[list[Cell], int]:
    r"""Read values up to a brace, a comment or the end; give them and the place of the stop.

    An unquoted ``?`` is a hole. A separator before the stop counts for nothing.

    Examples
    --------
    >>> split_values(r"1, 'it\'s', ?, '?' % four")
    (['1', "it's", None, '?'], 19)
    """
    cells: list[Cell] = []
    while True:
        match = _value_at(text, at, grammar)
        separator = match["separator"]
        if match["bare"] == "":
            if separator:
                hint = "Write ? for a hole, '' for an empty string."
                raise LineError(f"value {len(cells) + 1} is empty", hint, place=len(cells))
            break
        cells.append(_cell(match))
        at = match.end()
        if not separator:
            break
    return cells, _stop(text, at)


def one_value(text: str, at: int, grammar: re.Pattern[str] = BY_COMMAS) -> tuple[Cell, int]:
    """Read one value; give it and the place after it.

    Examples
    --------
    >>> one_value("'b c' numeric", 0)
    ('b c', 5)
    """
    match = _value_at(text, at, grammar)
    return _cell(match), match.start("separator")


def _value_at(text: str, at: int, grammar: re.Pattern[str]) -> re.Match[str]:
    return cast(re.Match[str], grammar.match(text, at))  # all parts may be empty: there always is a match


def _cell(match: re.Match[str]) -> Cell:
    single, double, bare, _ = match.groups()
    if bare is None:
        return unquote(double if single is None else single)
    bare = bare.rstrip(BLANKS)
    return None if bare == "?" else bare


def _stop(text: str, at: int) -> int:
    stop = _STOP.match(text, at)
    return stop.end() if stop else _refuse(text[at:].lstrip(BLANKS))


def _refuse(rest: str) -> NoReturn:
    if rest[0] in "'\"":
        hint = "Close it, or quote the whole value and write \\' inside."
        raise LineError(f"a quote is not closed or stands inside a value: {shown(rest)}", hint)
    raise LineError(f"{shown(rest)} follows a closing quote", "Put a comma between values.")


def is_over(text: str, at: int) -> bool:
    """Tell whether nothing but blanks and a comment is left.

    Examples
    --------
    >>> is_over("1, 2 % two", 4), is_over("1, 2 % two", 2)
    (True, False)
    """
    return _OVER.match(text, at) is not None


def unquote(text: str) -> str:
    r"""Undo the escapes of a quoted value.

    Examples
    --------
    >>> unquote(r"a\tb\\c\u0041")
    'a\tb\\cA'
    """
    return _whole_characters(_ESCAPE.sub(_unescape, text)) if "\\" in text else text


def _unescape(match: re.Match[str]) -> str:
    return chr(int(match[1], 16)) if match[1] else _ESCAPED.get(match[2], match[2])


def _whole_characters(text: str) -> str:
    # Java writes a character beyond 16 bits as two escapes, which stand for one only together.
    try:
        return text.encode("utf-16", "surrogatepass").decode("utf-16")
    except UnicodeDecodeError:
        raise LineError("an escape \\uXXXX is half of a character", "Write both halves.") from None
