"""Numbers as the sections of a report write them: percentages, money, intervals and lists in one way throughout."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from calibrant._repr import number_text
from calibrant.decisions import Money
from calibrant.report._predictions.pooled_rows import FEWEST_ROWS

if TYPE_CHECKING:
    from calibrant.report._predictions.report_data import ReportData

__all__ = [
    "cell_text",
    "confidence_text",
    "ends_text",
    "few_rows_text",
    "model_of",
    "money_text",
    "pvalue_text",
    "pvalue_words",
    "rows_text",
    "subject",
    "upper_first",
]

_SMALL = 0.001  # numbers below need more than four decimals
_ROUNDING = 1e-6  # a number below is the rounding of 0


def money_text(value: float) -> str:
    """Return a sum to the cent.

    Examples
    --------
    >>> money_text(1234.5), money_text(-0.001)
    ('1,234.50', '0.00')
    """
    return repr(Money(value))


def cell_text(value: float | None) -> str:
    """Return a number for a table: four decimals, more where it is small; a dash where it is not defined.

    Examples
    --------
    >>> cell_text(0.5), cell_text(4e-11), cell_text(0.00012345), cell_text(float("inf")), cell_text(float("nan"))
    ('0.5000', '0.0000', '0.0001234', '∞', '–')
    """
    if value is None or math.isnan(value):
        return "–"
    if math.isinf(value):
        return "∞" if value > 0 else "-∞"
    return "0.0000" if abs(value) < _ROUNDING else number_text(value)


def ends_text(low: float | None, high: float | None) -> str:
    """Return the ends of an interval, or an upper bound alone; empty where there is none.

    Examples
    --------
    >>> ends_text(0.25, 0.5), ends_text(None, None), ends_text(None, 0.5)
    ('0.2500 to 0.5000', '', 'at most 0.5000')
    >>> ends_text(-0.00012345, 0.5), ends_text(-0.00012345, 0.0005)
    ('-0.0001 to 0.5000', '-0.0001234 to 0.0005')
    """
    if high is None or (low is not None and math.isnan(low)):
        return ""
    if low is None:
        return f"at most {cell_text(high)}"
    is_small = max(abs(low), abs(high)) < _SMALL
    return " to ".join(cell_text(end if is_small or abs(end) >= _SMALL else round(end, 4)) for end in (low, high))


def pvalue_text(pvalue: float) -> str:
    """Return a p-value with two significant digits; empty where it is NaN.

    Examples
    --------
    >>> pvalue_text(0.0321), pvalue_text(2e-9), pvalue_text(1.0)
    ('0.032', '< 0.0001', '1')
    """
    if math.isnan(pvalue):
        return ""
    return "< 0.0001" if pvalue < 1e-4 else f"{pvalue:.2g}"


def pvalue_words(pvalue: float) -> str:
    """Return a p-value as it stands in a sentence.

    Examples
    --------
    >>> pvalue_words(0.0321), pvalue_words(2e-9)
    ('p = 0.032', 'p < 0.0001')
    """
    return "p < 0.0001" if pvalue < 1e-4 else f"p = {pvalue_text(pvalue)}"


def confidence_text(confidence: float) -> str:
    """Return a confidence as percent.

    Examples
    --------
    >>> confidence_text(0.95)
    '95 %'
    """
    return f"{100 * confidence:g} %"


def rows_text(n_rows: float, noun: str = "row") -> str:
    """Return a number of rows, or of something else.

    Examples
    --------
    >>> rows_text(1), rows_text(12000), rows_text(2, "group")
    ('1 row', '12,000 rows', '2 groups')
    """
    return f"{n_rows:,.0f} {noun}{'' if n_rows == 1 else 's'}"


def few_rows_text(data: ReportData, label: object) -> str:
    """Return the number of rows of a class; only that they are few where nothing of single rows may be shown."""
    which = data.y_true == label
    is_hidden = not data.rows and which.sum() < FEWEST_ROWS
    return f"fewer than {FEWEST_ROWS} rows" if is_hidden else rows_text(data.count(which))


def upper_first(sentence: str) -> str:
    """Return a sentence that starts with a capital letter and ends with a full stop.

    Examples
    --------
    >>> upper_first("calibrated within ±0.02")
    'Calibrated within ±0.02.'
    """
    return sentence[:1].upper() + sentence[1:].removesuffix(".") + "."


def subject(data: ReportData, name: str) -> str:
    """Return what a sentence is about: with several models, whose probabilities."""
    return "the probabilities" if len(data.names) == 1 else f"the probabilities of {name}"


def model_of(data: ReportData, name: str) -> str:
    """Return the model that a block is hidden with: none where there is one model."""
    return name if len(data.names) > 1 else ""
