"""Probabilities whose rows sum to 1 to the last bits, so that none exceeds 1."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_MAX_ERROR = 4 * np.finfo(np.float64).eps  # a row that is nearer to 1 keeps its bits


def normalize_rows(proba: NDArray[np.float64]) -> NDArray[np.float64]:
    """Divide rows by their sums in place, where rounding has made an entry exceed 1 or a sum differ from 1.

    A sum of numbers >= 0 is never rounded below one of them, so no quotient exceeds 1.

    Examples
    --------
    >>> normalize_rows(np.array([[1.0 + 2e-15, 0.0], [0.25, 0.75], [np.nan, np.nan]]))
    array([[1.  , 0.  ],
           [0.25, 0.75],
           [ nan,  nan]])
    """
    total = proba.sum(axis=1)
    off = np.flatnonzero((np.abs(total - 1.0) > _MAX_ERROR) | (proba > 1.0).any(axis=1))
    proba[off] /= total[off, np.newaxis]
    return proba
