"""Consistency bands: where the reliability curve of calibrated probabilities would lie (Bröcker & Smith 2007)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from calibrant._random import SeedLike, seed_sequence, stream

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["consistency_band"]


def consistency_band(
    score: NDArray[np.float64],
    weight: NDArray[np.float64],
    curve: Callable[[NDArray[np.float64]], NDArray[np.float64]],
    *,
    confidence: float,
    n_resamples: int,
    random_state: SeedLike,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the pointwise quantiles of a curve over classes drawn from the predicted probabilities.

    Parameters
    ----------
    score : array of shape (n_groups,)
        Distinct probabilities.
    weight : array of shape (n_groups,)
        The number of rows of each; for a fractional number the next integer is drawn and scaled.
    curve : callable
        Returns the values of the curve from the weight of the positives of each group.
    confidence : float
        The probability between the quantiles.
    n_resamples : int
        Number of draws.
    random_state : int, numpy Generator or None
        Seed of the draws.

    Returns
    -------
    tuple of two arrays
        The lower and the upper quantile.

    Examples
    --------
    >>> low, high = consistency_band(
    ...     np.array([0.5]), np.array([100.0]), lambda positive: positive / 100, confidence=0.95, n_resamples=2000,
    ...     random_state=0,
    ... )
    >>> low.round(2), high.round(2)
    (array([0.4]), array([0.6]))
    """
    random = stream(seed_sequence(random_state))
    curves = np.stack([curve(_draw_positives(random, score, weight)) for _ in range(n_resamples)])
    low, high = np.quantile(curves, [(1.0 - confidence) / 2.0, (1.0 + confidence) / 2.0], axis=0)
    return np.asarray(low), np.asarray(high)


def _draw_positives(
    random: np.random.Generator, score: NDArray[np.float64], weight: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Draw the weight of the positives of each group; groups of one row need no binomial draw, which is slower."""
    whole = np.ceil(weight)
    positive = (random.random(len(score)) < score).astype(np.float64)
    several = np.flatnonzero(whole > 1)
    positive[several] = random.binomial(whole[several].astype(np.int64), score[several])
    return positive * (weight / whole)
