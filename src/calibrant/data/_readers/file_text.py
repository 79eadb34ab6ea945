"""The text of a file made plain before it is read, and pieces of it made short enough to show."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from itertools import islice

from calibrant.exceptions import ReadError, nearest

__all__ = ["MOST_COLUMNS", "PathLike", "check_width", "lines_of", "plain_text", "shown", "suggestion"]

PathLike = str | os.PathLike[str]

# A wider header is a transposed or damaged file; it would only fill the memory.
MOST_COLUMNS = 100_000

# The search for a near name takes time that grows with the square of their lengths: long ones are left out.
_LONGEST_COMPARED = 60
_MOST_COMPARED = 5_000
_PIECE = 2**20


def check_width(path: PathLike, n_columns: int) -> None:
    """Refuse a table of more columns than any table has."""
    if n_columns > MOST_COLUMNS:
        hint = f"calibrant reads at most {MOST_COLUMNS:,}; is the table transposed?"
        raise ReadError.at(path, f"has {n_columns:,} columns", hint=hint)


def plain_text(path: PathLike, text: str) -> str:
    r"""Give the text with ``\n`` at all line ends and without a byte-order mark, or refuse what is no text.

    Examples
    --------
    >>> plain_text("a.arff", "\ufeff@data\r\n1,2\r3,4")
    '@data\n1,2\n3,4'
    """
    if not text.isascii():
        _refuse_half_characters(path, text)
    text = text.removeprefix("\ufeff")
    if not text or text.isspace():
        raise ReadError.at(path, "is empty", hint="Check that the file was copied or downloaded whole.")
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def lines_of(text: str) -> Iterator[tuple[int, str]]:
    r"""Give the lines and their numbers from 1, cut piece by piece: what is refused early costs little.

    Examples
    --------
    >>> list(lines_of("a\nb"))
    [(1, 'a'), (2, 'b')]
    """
    return enumerate(_lines(text), start=1)


def _lines(text: str) -> Iterator[str]:
    at = 0
    while (end := text.find("\n", at + _PIECE)) >= 0:
        yield from text[at:end].split("\n")
        at = end + 1
    yield from text[at:].split("\n")


def _refuse_half_characters(path: PathLike, text: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError as error:
        line = text.count("\n", 0, error.start) + 1
        hint = "Save the file as UTF-8."
        raise ReadError.at(path, "holds bytes that are no characters", line=line, hint=hint) from None


def shown(value: str) -> str:
    """Quote a value for a message, and cut it where it is long.

    Examples
    --------
    >>> shown("blue"), shown("x" * 1_000)
    ("'blue'", "'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…'")
    """
    return repr(value if len(value) <= 40 else value[:40] + "…")


def suggestion(value: str, options: Iterable[str], *, title: str = "Declared") -> str:
    """Say which option a misspelt value may mean, or else which options there are.

    Examples
    --------
    >>> suggestion("blu", ["blue", "red"]), suggestion("9", ["blue", "red"])
    ("Did you mean 'blue'?", "Declared are 'blue', 'red'.")
    """
    options = list(islice(options, _MOST_COMPARED))
    short = [option for option in options if len(option) <= _LONGEST_COMPARED]
    near = nearest(value, short).strip() if len(value) <= _LONGEST_COMPARED else ""
    return near or f"{title} are {_listing(options)}."


def _listing(options: list[str]) -> str:
    return ", ".join(map(shown, options[:6])) + (", …" if len(options) > 6 else "")
