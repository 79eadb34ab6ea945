"""The sentences of verdicts on calibration."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from calibrant.metrics._verdict.pattern import OffRange, Pattern
    from calibrant.metrics._verdict.tolerance import Tolerance

__all__ = ["pattern_words", "percent", "round_up", "rows_words", "within_words"]

_FEW = 0.05  # of the rows on one side of a range: then the range has no end there


def pattern_words(pattern: Pattern) -> str:
    """Return what is wrong, and where.

    Examples
    --------
    >>> from calibrant.metrics._verdict.pattern import OffRange, Pattern
    >>> pattern_words(Pattern("too low", (OffRange(0.01, 0.3, "too low", 1.0, 0.0, 0.08, 0.12),)))
    'probabilities are too low: 12 % came true where 8 % were given'
    """
    if pattern.kind == "falls":
        where = "" if pattern.falls is None else f" between {_number(pattern.falls[0])} and {_number(pattern.falls[1])}"
        return f"the curve falls: higher scores come true less often{where}"
    if len(pattern.off) == 1 and pattern.kind == pattern.off[0].how:
        only = pattern.off[0]
        where = "" if only.share >= 1.0 - 2.0 * _FEW else f" {_range(only)}"
        return f"probabilities are {pattern.kind}{where}: {_rates(only)}"
    parts = "; ".join(f"{_range(part)} {_rates(part)}" for part in pattern.off)
    return f"probabilities are {pattern.kind}: {parts}"


def within_words(reach: float, tolerance: Tolerance) -> str:
    """Return how far nine rows in ten can be off, on both scales.

    Examples
    --------
    >>> from calibrant.metrics._verdict.tolerance import Tolerance
    >>> within_words(0.0123, Tolerance(0.05, 0.1))
    '±0.013 (13 % of the base rate)'
    """
    return f"±{round_up(reach):g} ({percent(round_up(reach / tolerance.base_rate))} of {tolerance.base_words})"


def rows_words(more_rows: int | None) -> str:
    """Return how many further rows settle the question."""
    if more_rows is None:
        return "no number of rows settles this tolerance"
    return f"about {more_rows:,} more rows would settle it if the truth is as estimated"


def percent(fraction: float, decimals: int = 0) -> str:
    """Return a fraction as percent with two significant digits, or with at least some decimals.

    Examples
    --------
    >>> percent(0.08), percent(0.1234), percent(0.00125), percent(0.9987), percent(0.0), percent(0.12, 1)
    ('8 %', '12 %', '0.12 %', '99.87 %', '0 %', '12.0 %')
    """
    value = 100.0 * fraction
    edge = abs(value) if abs(value) < 50.0 or value >= 100.0 else 100.0 - value
    own = max(1 - math.floor(math.log10(edge)), 0) if 1e-9 < edge < 99.5 else 0
    text = f"{value:.{min(max(decimals, own), 9)}f}"
    return (text.rstrip("0").rstrip(".") if own > decimals else text) + " %"


def round_up(value: float) -> float:
    """Round up to two significant digits, so that a bound still holds.

    Examples
    --------
    >>> round_up(0.01923), round_up(0.5)
    (0.02, 0.5)
    """
    scale = 10.0 ** (1 - math.floor(math.log10(value))) if value > 0.0 else 1.0
    return math.ceil(value * scale - 1e-9) / scale  # 1e-9: a product such as 0.07 * 100 lies above 7


def _range(part: OffRange) -> str:
    above = 1.0 - part.below - part.share
    if part.low == part.high:
        ends = f"at {_number(part.low)}"
    elif part.below <= _FEW < above:
        ends = f"below {_number(part.high)}"
    elif above <= _FEW < part.below:
        ends = f"above {_number(part.low)}"
    else:
        ends = f"from {_number(part.low)} to {_number(part.high)}"
    return f"{ends} ({100.0 * part.share:.0f} % of the rows)"


def _rates(part: OffRange) -> str:
    """Return both rates, with enough decimals to see their difference."""
    away = 100.0 * abs(part.observed - part.predicted)
    decimals = max(-math.floor(math.log10(away)), 0) if 1e-9 < away < 1.0 else 0
    return f"{percent(part.observed, decimals)} came true where {percent(part.predicted, decimals)} were given"


def _number(value: float) -> str:
    return f"{value:.2g}" if value < 0.995 or value == 1.0 else f"{value:.4g}"
