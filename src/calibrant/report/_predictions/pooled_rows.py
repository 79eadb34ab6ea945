"""Probabilities pooled so that nothing of a single row can be read from a curve."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["FEWEST_ROWS", "pooled"]

FEWEST_ROWS = 10  # that share a probability


def pooled(
    proba: NDArray[np.float64], fewest: int = FEWEST_ROWS, is_positive: NDArray[np.bool_] | None = None
) -> NDArray[np.float64]:
    """Return the mean probability of each row's group of neighbours by probability, rounded to four decimals.

    Where rows have weights, pass their classes: a step of few positive rows would show the weight of one of them.

    Examples
    --------
    >>> pooled(np.array([0.1, 0.2, 0.3, 0.7, 0.9]), fewest=2)
    array([0.15 , 0.15 , 0.6333, 0.6333, 0.6333])
    """
    order = np.argsort(proba, kind="stable")
    values = proba[order]
    ends = np.append(np.flatnonzero(np.diff(values)) + 1, len(values))  # of tied rows
    positive = np.zeros(len(values), dtype=bool) if is_positive is None else is_positive[order]
    counted = [np.ones(len(values), dtype=bool)] if is_positive is None else [positive, ~positive]
    starts = spaced(ends, counted, fewest)
    sizes = np.diff(np.append(starts, len(values)))
    means = np.add.reduceat(values, starts) / sizes
    result = np.empty(len(values))
    result[order] = np.repeat(np.round(means, 4), sizes)
    return result


def spaced(ends: NDArray[np.intp], counted: list[NDArray[np.bool_]], fewest: int) -> list[int]:
    """Return 0 and those of the ends, but the last, that have so many rows of each kind on both sides.

    Examples
    --------
    >>> spaced(np.array([1, 2, 4, 5]), [np.ones(5, dtype=bool)], 2)
    [0, 2]
    """
    sums = [np.append(0, np.cumsum(kind)) for kind in counted]
    starts = [0]
    for end in ends[:-1].tolist():
        if all(total[end] - total[starts[-1]] >= fewest and total[-1] - total[end] >= fewest for total in sums):
            starts.append(end)
    return starts
