"""Numbers and lists as the captions of a report write them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from calibrant._repr import listed

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.report._predictions.report_data import ReportData

__all__ = ["by_model", "capital", "fewest_selected", "finite", "percent", "percent_format", "probability"]

_MOST_LISTED = 4  # models: of more, a caption names the best and the worst


def percent(share: float) -> str:
    """Return a share as a percentage with two digits or more, never as 0 % or 100 % unless it is exactly that.

    Examples
    --------
    >>> percent(0.614), percent(0.0123), percent(0.00004), percent(0.9996), percent(0.95), percent(1.0)
    ('61 %', '1.2 %', '0.004 %', '99.96 %', '95 %', '100 %')
    """
    value = 100.0 * share
    distance = min(abs(value), abs(100.0 - value))
    if distance == 0.0 or distance >= 9.95:
        return f"{value:.0f} %"
    digits = min(int(np.ceil(-np.log10(distance))) + 1, 6)
    return f"{f'{value:.{digits}f}'.rstrip('0').rstrip('.')} %"


def percent_format(top: float) -> str:
    """Return the format of an axis of shares from 0 to `top`, in d3's notation.

    Examples
    --------
    >>> percent_format(1.0), percent_format(0.04)
    ('.0%', '.1%')
    """
    return f".{max(0, int(np.ceil(-np.log10(max(top, 1e-9)))) - 1)}%"


def capital(text: str) -> str:
    """Return a text that begins with a capital letter.

    Examples
    --------
    >>> capital("class A found")
    'Class A found'
    """
    return text[:1].upper() + text[1:]


def probability(value: float) -> str:
    """Return a probability or threshold with three significant digits.

    Examples
    --------
    >>> probability(0.12345), probability(0.5), probability(0.00012)
    ('0.123', '0.5', '0.00012')
    """
    return f"{value:.3g}" if value >= 1e-4 or value == 0.0 else f"{value:.1e}"


def by_model(values: dict[str, float], texts: dict[str, str], *, less_is_better: bool = False) -> str:
    """Return a text for each model; of more than four those of the best and of the worst. A single one has no name.

    Examples
    --------
    >>> by_model({"a": 0.5, "b": 0.7}, {"a": "50 %", "b": "70 %"})
    '50 % with a and 70 % with b'
    >>> by_model({"a": 0.5}, {"a": "50 %"})
    '50 %'
    """
    if len(values) == 1:
        return next(iter(texts.values()))
    order = sorted(values, key=lambda name: values[name] if less_is_better else -values[name])
    shown = list(values) if len(values) <= _MOST_LISTED else [order[0], order[-1]]
    text = listed([f"{texts[name]} with {name}" for name in shown])
    return text if len(values) <= _MOST_LISTED else f"from {text} (best and worst of {len(values)} models)"


def finite(threshold: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return thresholds with NaN for the infinite ones, which select no row or all of them.

    Examples
    --------
    >>> finite(np.array([np.inf, 0.5]))
    array([nan, 0.5])
    """
    return np.where(np.isfinite(threshold), threshold, np.nan)


def fewest_selected(data: ReportData) -> float:
    """Return the least share of the rows whose precision and lift are shown: ten rows, or 1 % of fewer than 1,000."""
    return min(10.0 / data.n_rows, 0.01)
