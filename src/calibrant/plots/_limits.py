"""Limits of axes that follow the data: a rare class fills the picture."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from calibrant.curves import ReliabilityCurve, ScoreHistogram

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["n_histogram_bins", "probability_limits", "reliability_limits", "round_up", "score_limits"]

_STEPS = (1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0)
_MARGIN = 1.05  # room for a marker
_FEW = 0.005  # share of the rows at either end that may lie outside: a few stray rows do not set the scale
_FEW_OF_CLASS = 0.05  # share of the rows of a class that may lie outside: those of a rare one are few of all rows


def round_up(value: float) -> float:
    """Return the next round number above a probability, at most 1, with a margin; 1 for 0.

    Examples
    --------
    >>> round_up(0.0123), round_up(0.19), round_up(0.97)
    (0.015, 0.2, 1.0)
    """
    if value <= 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(_MARGIN * value))
    return min(1.0, next(round(step * power, 15) for step in _STEPS if step * power >= _MARGIN * value * (1 - 1e-12)))


def probability_limits(low: float, high: float, *, zoom: bool | None = None) -> tuple[float, float]:
    """Return the limits of an axis of probabilities from `low` to `high`.

    Parameters
    ----------
    low, high : float
        The least and the greatest probability to show.
    zoom : bool, optional
        Whether the limits follow the data; None: only where they fill less than half of the range from 0 to 1.

    Returns
    -------
    tuple of two floats
        From 0, or up to 1.

    Examples
    --------
    >>> probability_limits(0.001, 0.03), probability_limits(0.1, 0.7), probability_limits(0.93, 1.0)
    ((0.0, 0.04), (0.0, 1.0), (0.92, 1.0))
    >>> probability_limits(0.1, 0.7, zoom=True), probability_limits(0.001, 0.03, zoom=False)
    ((0.0, 0.8), (0.0, 1.0))
    """
    if zoom is False:
        return 0.0, 1.0
    if low >= 0.5:
        return 1.0 - round_up(1.0 - low) if low < 1.0 else 0.5, 1.0
    top = round_up(high)
    return 0.0, top if zoom or top <= 0.5 else 1.0


def n_histogram_bins(n_rows: float) -> int:
    """Return the number of bins of a histogram: the square root of the number of rows, from 5 to 20.

    Examples
    --------
    >>> n_histogram_bins(60), n_histogram_bins(1500)
    (8, 20)
    """
    return int(np.clip(math.ceil(math.sqrt(n_rows)), 5, 20))


def score_limits(histograms: Iterable[ScoreHistogram]) -> tuple[float, float]:
    """Return the range of the probabilities of all models, from fine histograms, except a few rows at either end.

    At least 95 % of each class are within it: a class of 5 in 1,000 rows would not be seen otherwise.
    """
    ends = []
    for histogram in histograms:
        both = histogram.positive + histogram.negative
        for counts, few in ((both, _FEW), (histogram.positive, _FEW_OF_CLASS), (histogram.negative, _FEW_OF_CLASS)):
            if counts.any():
                upto = np.cumsum(counts) / counts.sum()
                first, last = np.searchsorted(upto, [few, 1 - few])
                ends.append((float(histogram.low[first]), float(histogram.high[min(last, len(upto) - 1)])))
    return probability_limits(min(low for low, _ in ends), max(high for _, high in ends))


def reliability_limits(curves: Iterable[ReliabilityCurve], *, zoom: bool | None = None) -> tuple[float, float]:
    """Return the limits of both axes of a reliability diagram, from its points and the bands at its bins."""
    ends = np.array([_extent(curve) for curve in curves])
    return probability_limits(float(ends[:, 0].min()), float(ends[:, 1].max()), zoom=zoom)


def _extent(curve: ReliabilityCurve) -> tuple[float, float]:
    """Return the least and the greatest value to show; not those of a few rows at the ends."""
    upto = np.cumsum(curve.weight) / curve.weight.sum()
    shown = (upto > _FEW) & (upto - curve.weight / curve.weight.sum() < 1 - _FEW)
    shown |= _holds_positives(curve)
    values = [curve.predicted[shown], curve.observed[shown]]
    if curve.simultaneous is not None and curve.method != "corp":
        values += [curve.simultaneous.lower[shown], curve.simultaneous.upper[shown]]
    return float(min(each.min() for each in values)), float(max(each.max() for each in values))


def _holds_positives(curve: ReliabilityCurve) -> NDArray[np.bool_]:
    """Return the points below the last twentieth of the positive rows, which of a rare class are few of all rows."""
    positives = curve.weight * curve.observed
    return np.asarray((np.cumsum(positives) - positives < (1 - _FEW_OF_CLASS) * positives.sum()) & (positives > 0))
