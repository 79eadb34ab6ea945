"""Short texts of values: in error messages, in tables and in sentences."""

from __future__ import annotations

import inspect
import math
import reprlib
from collections.abc import Container, Iterable, Sequence

_WIDTH = 80
_REPR = reprlib.Repr()
_REPR.maxstring = _REPR.maxother = _WIDTH


def short_repr(value: object) -> str:
    """Return the repr of a value on one line of at most 80 characters; a class goes by its name.

    Examples
    --------
    >>> short_repr(dict)
    'the class dict'
    >>> short_repr("x" * 1000)
    "'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx'"
    """
    if isinstance(value, type):
        return f"the class {value.__name__}"
    try:
        text = " ".join(_REPR.repr(value).split())
    except ValueError:  # Python raises for an int of more than 4,300 digits
        text = f"an {type(value).__name__} too long to show"
    return text if len(text) <= _WIDTH else f"{text[:60]}...{text[-17:]}"


def listed(items: Iterable[object], most: int | None = None, last: str = " and ") -> str:
    """Return items as a list in words, of which at most ``most`` are named; ``last`` stands before the last one.

    Examples
    --------
    >>> listed(["a"]), listed(["a", "b", "c"]), listed(["a", "b", "c", "d"], most=2)
    ('a', 'a, b and c', 'a, b and 2 more')
    """
    texts = [str(item) for item in items]
    if most is not None and len(texts) > most:
        texts[most:] = [f"{len(texts) - most:,} more"]
    *rest, end = texts
    return f"{', '.join(rest)}{last}{end}" if rest else end


def instance_hint(value: object) -> str:
    """Return the advice to pass an instance instead of its class; an empty string where the value is not a class.

    Examples
    --------
    >>> from calibrant.calibration import Chain, Platt
    >>> instance_hint(Platt), instance_hint(Chain), instance_hint(Platt())
    (' Pass an instance: write Platt().', ' Pass an instance: write Chain(...).', '')
    """
    if not isinstance(value, type):
        return ""
    return f" Pass an instance: write {value.__name__}({'...' if _needs_arguments(value) else ''})."


def _needs_arguments(kind: type) -> bool:
    try:
        parameters = inspect.signature(kind).parameters.values()
    except (TypeError, ValueError):  # of a class written in C
        return False
    variable = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return any(each.default is each.empty and each.kind not in variable for each in parameters)


def points(fraction: float) -> str:
    """Return a bound in percentage points, rounded up to two significant digits.

    Examples
    --------
    >>> points(0.0296), points(0.1234), points(0.00081), points(0.99)
    ('3.0 points', '13 points', '0.081 points', '99 points')
    """
    value = round_up(100.0 * fraction)
    decimals = max(1 - math.floor(math.log10(value)), 0) if value > 0.0 else 0
    return f"{value:.{decimals}f} points"


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


def aligned_lines(rows: Iterable[Sequence[str]], left: Container[int] = (0,)) -> list[str]:
    """Return the rows of a table as indented lines of text; columns stand at the right apart from those in `left`.

    Examples
    --------
    >>> aligned_lines([["", "n"], ["iris", "150"]])
    ['          n', '  iris  150']
    """
    columns = []
    for number, column in enumerate(zip(*rows, strict=True)):
        align, width = str.ljust if number in left else str.rjust, max(map(len, column))
        columns.append([align(cell, width) for cell in column])
    return ["  ".join(["", *row]).rstrip() for row in zip(*columns, strict=True)]


def number_text(value: float | None) -> str:
    """Return a number with four decimals, or with four significant digits where it is small, as text.

    Examples
    --------
    >>> number_text(0.51234), number_text(0.000123456), number_text(123456.0), number_text(None)
    ('0.5123', '0.0001235', '123,456', '')
    """
    if value is None:
        return ""
    if not math.isfinite(value) or value == 0.0:
        return f"{value:g}"
    if abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.4f}" if abs(value) >= 0.001 else f"{value:.4g}"
