"""Notes on columns of strings that are nearly numbers or dates: why they are nominal, and what to do."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from functools import cache
from typing import Any

_SAMPLE = 200  # the first values, by which most columns are ruled out without a search through all values
_FIGURE = r"[+-]?[0-9][0-9.,' \x{a0}]*"
_SIGN = r"(?:[$€£¥]|CHF|EUR|USD|GBP)"
_NUMBER = r"[+-]?(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|[iI][nN][fF](?:inity)?)"


@dataclass(frozen=True)
class _Notation:
    """A notation that Arrow does not read as a number: its pattern, its name and a remedy."""

    pattern: str
    what: str
    remedy: str


_NOTATIONS = (
    _Notation(
        r"[+-]?[0-9]{1,3}(?:[,.' \x{a0}][0-9]{3})+(?:[.,][0-9]+)?",
        "thousands separators",
        "Write the numbers without separators.",
    ),
    _Notation(r"[+-]?[0-9]+,[0-9]+", "decimal commas", "Write decimal points, or separate the columns with ;."),
    _Notation(rf"{_FIGURE}%", "percent signs", "Write the numbers without signs."),
    _Notation(rf"[+-]?{_SIGN} ?{_FIGURE}|{_FIGURE}{_SIGN}", "currency signs", "Write the numbers without signs."),
    _Notation(
        r"[0-9]{1,2}[./-][0-9]{1,2}[./-](?:[0-9]{4}|[0-9]{2})(?:[ T][0-9:]+)?",
        "dates of that form",
        "Write dates as 2020-12-31 to have them read as dates.",
    ),
)


def near_number_note(name: str, column: Any) -> str | None:
    """Return a note that explains why a column is nominal if most of its values are nearly numbers, else None.

    Parameters
    ----------
    name : str
        The column.
    column : pyarrow.ChunkedArray
        Its strings; all are searched only if the first ones look like numbers.

    Examples
    --------
    >>> import pyarrow as pa
    >>> near_number_note("price", pa.chunked_array([["1,234", "999", "2,500"]]))
    "'price' is nominal because of thousands separators, such as '1,234' (2 of 3 values). Write ..."
    """
    sample = column.slice(0, _SAMPLE).drop_null().to_pylist()
    kinds = Counter(map(_kind, sample))
    if len(sample) < 2 or 2 * kinds[None] >= len(sample):
        return None
    others = _other_values(column)
    if not len(others):
        return None
    notation = next((kind for kind, _ in kinds.most_common() if isinstance(kind, _Notation)), None)
    return _note(name, others, notation or _kind(others[0].as_py()), len(column) - column.null_count)


def _kind(text: str) -> _Notation | str | None:
    """Return ``"number"``, the notation of a text that is nearly a number, or None for other texts."""
    if _compiled(_NUMBER).fullmatch(text):
        return "number"
    return next((notation for notation in _NOTATIONS if _compiled(notation.pattern).fullmatch(text)), None)


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"\s*(?:{pattern})\s*".replace(r"\x{a0}", r"\xa0"))


def _other_values(column: Any) -> Any:
    """Return the values that are not numbers."""
    import pyarrow.compute as pc

    return column.filter(pc.invert(_matches(column, _NUMBER)))


def _matches(column: Any, pattern: str) -> Any:
    import pyarrow.compute as pc

    return pc.match_substring_regex(column, rf"^\s*(?:{pattern})\s*$")


def _note(name: str, others: Any, notation: _Notation | str | None, total: int) -> str | None:
    if isinstance(notation, _Notation):
        return _notation_note(name, others, notation, total)
    if 2 * len(others) >= total:
        return None
    return (
        f"{name!r} is nominal because of values such as {others[0].as_py()!r:.40} ({len(others):,} of {total:,}); "
        "the others are numbers. Correct them, or write ? for a missing value."
    )


def _notation_note(name: str, others: Any, notation: _Notation, total: int) -> str | None:
    fitting = others.filter(_matches(others, notation.pattern))
    if 2 * (len(others) - len(fitting)) >= total or not len(fitting):
        return None
    example = f"{fitting[0].as_py()!r:.40} ({len(fitting):,} of {total:,} values)"
    return f"{name!r} is nominal because of {notation.what}, such as {example}. {notation.remedy}"
