"""Probabilities pooled so that nothing of a single row can be read from a curve."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["FEWEST_ROWS", "pooled"]

FEWEST_ROWS = 10  # that share a probability


def pooled(proba: NDArray[np.float64], fewest: int = FEWEST_ROWS) -> NDArray[np.float64]:
    """Return the mean probability of each row's group of neighbours by probability, rounded to four decimals.

    Examples
    --------
    >>> pooled(np.array([0.1, 0.2, 0.3, 0.7, 0.9]), fewest=2)
    array([0.15 , 0.15 , 0.6333, 0.6333, 0.6333])
    """
    order = np.argsort(proba, kind="stable")
    values = proba[order]
    ends = np.append(np.flatnonzero(np.diff(values)) + 1, len(values))  # of tied rows
    starts = [0]
    for end in ends[:-1].tolist():
        if end - starts[-1] >= fewest and len(values) - end >= fewest:
            starts.append(end)
    sizes = np.diff(np.append(starts, len(values)))
    means = np.add.reduceat(values, starts) / sizes
    result = np.empty(len(values))
    result[order] = np.repeat(np.round(means, 4), sizes)
    return result
