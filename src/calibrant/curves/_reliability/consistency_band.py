"""Consistency bands: where a curve of reliability would lie if the probabilities were right, by resampling."""

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
    """Return the quantiles of a curve, place by place, over classes drawn as the probabilities say.

    Parameters
    ----------
    score : array of shape (n_groups,)
        Probabilities.
    weight : array of shape (n_groups,)
        How many rows have each; of one that is not whole the next greater number is drawn and scaled.
    curve : callable
        Gives the heights of the curve for the weight of the positives of each group.
    confidence : float
        How much lies between the quantiles.
    n_resamples : int
        Number of draws.
    random_state : int, numpy Generator or None
        What the draws come from.

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
    drawn = np.stack([curve(_drawn(random, score, weight)) for _ in range(n_resamples)])
    low, high = np.quantile(drawn, [(1.0 - confidence) / 2.0, (1.0 + confidence) / 2.0], axis=0)
    return np.asarray(low), np.asarray(high)


def _drawn(random: np.random.Generator, score: NDArray[np.float64], weight: NDArray[np.float64]) -> NDArray[np.float64]:
    """Draw the weight of the positives of each group; single rows by the shorter way."""
    whole = np.ceil(weight)
    positive = (random.random(len(score)) < score).astype(np.float64)
    several = np.flatnonzero(whole > 1)
    positive[several] = random.binomial(whole[several].astype(np.int64), score[several])
    return positive * (weight / whole)
