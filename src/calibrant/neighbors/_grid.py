"""The grid of numbers of neighbours of Caruana & Niculescu-Mizil (2005)."""

from __future__ import annotations

import numpy as np

from calibrant._params import Int, check_param

__all__ = ["grid_of_k"]


def grid_of_k(n_rows: int, size: int = 26) -> list[int]:
    """Return numbers of neighbours from 1 to all rows in about geometric progression.

    Parameters
    ----------
    n_rows : int
        Number of training rows; in cross-validation that of a split.
    size : int
        Number of values, evenly spaced in their logarithms and rounded, small ones to numbers that differ; all numbers
        where there are fewer rows.

    Returns
    -------
    list of int
        Ascending, without repetitions; the first is 1 and the last `n_rows`.

    References
    ----------
    R. Caruana and A. Niculescu-Mizil, "Predicting good probabilities with supervised learning", 2005, who take 26
    numbers between 1 and the number of rows, but do not print them.

    Examples
    --------
    >>> grid_of_k(4000)[:12], len(grid_of_k(4000))
    ([1, 2, 3, 4, 5, 6, 7, 10, 14, 20, 28, 38], 26)
    """
    check_param("n_rows", n_rows, Int(1))
    check_param("size", size, Int(2))
    size = min(size, n_rows)
    rounded = np.round(np.geomspace(1, n_rows, size)).astype(np.int64)
    positions = np.arange(size)
    differing = np.maximum.accumulate(rounded - positions) + positions  # each more than the one before
    return [int(k) for k in np.minimum(differing, n_rows - positions[::-1])]
