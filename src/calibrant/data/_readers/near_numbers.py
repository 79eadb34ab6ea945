"""Columns of strings that nearly are numbers or dates: what made them nominal, and what to do."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from functools import cache
from typing import Any

__all__ = ["doubt"]

_SAMPLE = 200
_FIGURE = r"[+-]?[0-9][0-9.,' \x{a0}]*"
_SIGN = r"(?:[$€£¥]|CHF|EUR|USD|GBP)"
_NUMBER = r"[+-]?(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|[iI][nN][fF](?:inity)?)"


@dataclass(frozen=True)
class _Reason:
    """A way of writing that Arrow does not take for a number: its pattern, its name and what to do."""

    pattern: str
    what: str
    remedy: str


_REASONS = (
    _Reason(
        r"[+-]?[0-9]{1,3}(?:[,.' \x{a0}][0-9]{3})+(?:[.,][0-9]+)?", "thousands separators", "Write the numbers without."
    ),
    _Reason(r"[+-]?[0-9]+,[0-9]+", "decimal commas", "Write decimal points, or part the columns with ;."),
    _Reason(rf"{_FIGURE}%", "percent signs", "Write the numbers without."),
    _Reason(rf"[+-]?{_SIGN} ?{_FIGURE}|{_FIGURE}{_SIGN}", "currency signs", "Write the numbers without."),
    _Reason(
        r"[0-9]{1,2}[./-][0-9]{1,2}[./-](?:[0-9]{4}|[0-9]{2})(?:[ T][0-9:]+)?",
        "dates of that form",
        "Write dates as 2020-12-31 to have them in order.",
    ),
)


def doubt(name: str, column: Any) -> str | None:
    """Say why a column of strings is nominal where most of its values are nearly numbers.

    Parameters
    ----------
    name : str
        The column.
    column : pyarrow.ChunkedArray
        Its strings; looked through only where the first of them look like numbers.

    Examples
    --------
    >>> import pyarrow as pa
    >>> doubt("price", pa.chunked_array([["1,234", "999", "2,500"]]))
    "'price' is nominal because of thousands separators, such as '1,234' (2 of 3 values). Write the numbers without."
    """
    sample = column.slice(0, _SAMPLE).drop_null().to_pylist()
    kinds = Counter(map(_kind, sample))
    if len(sample) < 2 or 2 * kinds[None] >= len(sample):
        return None
    odd = _odd_values(column)
    if not len(odd):
        return None
    reason = next((kind for kind, _ in kinds.most_common() if isinstance(kind, _Reason)), None)
    return _note(name, odd, reason or _kind(odd[0].as_py()), len(column) - column.null_count)


def _kind(text: str) -> _Reason | str | None:
    """Give ``"number"``, a reason why it is none though nearly, or None for a word."""
    if _compiled(_NUMBER).fullmatch(text):
        return "number"
    return next((reason for reason in _REASONS if _compiled(reason.pattern).fullmatch(text)), None)


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"\s*(?:{pattern})\s*".replace(r"\x{a0}", r"\xa0"))


def _odd_values(column: Any) -> Any:
    """Give the values that are no numbers."""
    import pyarrow.compute as pc

    return column.filter(pc.invert(_matches(column, _NUMBER)))


def _matches(column: Any, pattern: str) -> Any:
    import pyarrow.compute as pc

    return pc.match_substring_regex(column, rf"^\s*(?:{pattern})\s*$")


def _note(name: str, odd: Any, reason: _Reason | str | None, total: int) -> str | None:
    if isinstance(reason, _Reason):
        return _note_of_reason(name, odd, reason, total)
    if 2 * len(odd) >= total:
        return None
    return (
        f"{name!r} is nominal because of values such as {odd[0].as_py()!r:.40} ({len(odd):,} of {total:,}); "
        "the others are numbers. Mend them, or write ? for a hole."
    )


def _note_of_reason(name: str, odd: Any, reason: _Reason, total: int) -> str | None:
    fitting = odd.filter(_matches(odd, reason.pattern))
    if 2 * (len(odd) - len(fitting)) >= total or not len(fitting):
        return None
    shown = f"{fitting[0].as_py()!r:.40} ({len(fitting):,} of {total:,} values)"
    return f"{name!r} is nominal because of {reason.what}, such as {shown}. {reason.remedy}"
