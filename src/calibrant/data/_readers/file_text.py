"""Text of a file: line ends, lines, and values quoted in error messages."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from itertools import islice

from calibrant._repr import listed
from calibrant.exceptions import ReadError, nearest

PathLike = str | os.PathLike[str]

# A wider table is a transposed or damaged file, which would only fill the memory.
MAX_COLUMNS = 100_000

# Searching for a similar name takes time quadratic in the lengths, so long names are skipped.
_MAX_COMPARED_LENGTH = 60
_MAX_COMPARED = 5_000
_CHUNK = 2**20


def check_width(path: PathLike, n_columns: int) -> None:
    """Raise if a table has more columns than the maximum."""
    if n_columns > MAX_COLUMNS:
        hint = f"calibrant reads at most {MAX_COLUMNS:,}; is the table transposed?"
        raise ReadError.at(path, f"has {n_columns:,} columns", hint=hint)


def normalize_text(path: PathLike, text: str) -> str:
    r"""Return the text with ``\n`` at all line ends and without a byte order mark; raise if it is empty or not text.

    Examples
    --------
    >>> normalize_text("a.arff", "\ufeff@data\r\n1,2\r3,4")
    '@data\n1,2\n3,4'
    """
    if not text.isascii():
        _check_surrogates(path, text)
    text = text.removeprefix("\ufeff")
    if not text or text.isspace():
        raise ReadError.at(path, "is empty", hint="Check that the file is complete.")
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def iter_lines(text: str) -> Iterator[tuple[int, str]]:
    r"""Yield the lines and their numbers from 1; the text is split chunk by chunk, so that an early error costs little.

    Examples
    --------
    >>> list(iter_lines("a\nb"))
    [(1, 'a'), (2, 'b')]
    """
    return enumerate(_lines(text), start=1)


def _lines(text: str) -> Iterator[str]:
    at = 0
    while (end := text.find("\n", at + _CHUNK)) >= 0:
        yield from text[at:end].split("\n")
        at = end + 1
    yield from text[at:].split("\n")


def _check_surrogates(path: PathLike, text: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError as error:
        line = text.count("\n", 0, error.start) + 1
        hint = "Save the file as UTF-8."
        raise ReadError.at(path, "holds bytes that are not characters", line=line, hint=hint) from None


def quoted(value: str) -> str:
    """Return a value quoted for an error message, truncated if it is long.

    Examples
    --------
    >>> quoted("blue"), quoted("x" * 1_000)
    ("'blue'", "'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…'")
    """
    return repr(value if len(value) <= 40 else value[:40] + "…")


def suggestion(value: str, options: Iterable[str], *, title: str = "Declared") -> str:
    """Return a hint that names the most similar option, or else lists the options.

    Examples
    --------
    >>> suggestion("blu", ["blue", "red"]), suggestion("9", ["blue", "red"])
    ("Did you mean 'blue'?", "Declared: 'blue' and 'red'.")
    """
    options = list(islice(options, _MAX_COMPARED))
    short = [option for option in options if len(option) <= _MAX_COMPARED_LENGTH]
    near = nearest(value, short).strip() if len(value) <= _MAX_COMPARED_LENGTH else ""
    return near or f"{title}: {listed(map(quoted, options), 6)}."
