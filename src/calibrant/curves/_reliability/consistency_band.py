"""Consistency bands: where the reliability curve of calibrated probabilities would lie (Bröcker & Smith 2007)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from calibrant._random import SeedLike, seed_sequence, stream

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["consistency_band"]

Ends: TypeAlias = "tuple[NDArray[np.float64], NDArray[np.float64]]"


def consistency_band(
    score: NDArray[np.float64],
    weight: NDArray[np.float64],
    curve: Callable[[NDArray[np.float64]], NDArray[np.float64]],
    *,
    confidence: float,
    n_resamples: int,
    random_state: SeedLike,
) -> tuple[Ends, Ends]:
    """Return the pointwise and the simultaneous band of a curve over classes drawn from the predicted probabilities.

    Parameters
    ----------
    score : array of shape (n_groups,)
        Distinct probabilities.
    weight : array of shape (n_groups,)
        The number of rows of each; for a fractional number the next integer is drawn and scaled.
    curve : callable
        Returns the values of the curve from the weight of the positives of each group.
    confidence : float
        The probability that one value of a drawn curve lies inside the pointwise band, and that all of them lie inside
        the simultaneous one.
    n_resamples : int
        Number of draws.
    random_state : int, numpy Generator or None
        Seed of the draws.

    Returns
    -------
    tuple of two pairs of arrays
        The lower and upper ends of the pointwise and of the simultaneous band.

    Examples
    --------
    >>> (low, high), _ = consistency_band(
    ...     np.array([0.5]), np.array([100.0]), lambda positive: positive / 100, confidence=0.95, n_resamples=2000,
    ...     random_state=0,
    ... )
    >>> low.round(2), high.round(2)
    (array([0.4]), array([0.6]))
    """
    random = stream(seed_sequence(random_state))
    curves = np.stack([curve(_draw_positives(random, score, weight)) for _ in range(n_resamples)])
    low, high = np.quantile(curves, [(1.0 - confidence) / 2.0, (1.0 + confidence) / 2.0], axis=0)
    return (np.asarray(low), np.asarray(high)), _simultaneous(curves, confidence)


def _simultaneous(curves: NDArray[np.float64], confidence: float) -> Ends:
    """Return the band around the mean, as wide as the draws spread above and below it, that contains whole curves.

    Its factor is the quantile, over the draws, of a curve's largest distance from the mean in units of the spread. The
    quantile is that of one more draw, the observed curve, so that its error rate is at most that stated.
    """
    mean = curves.mean(axis=0)
    above, below = np.maximum(curves - mean, 0.0), np.maximum(mean - curves, 0.0)
    up, down = (np.sqrt(np.mean(each**2, axis=0)) for each in (above, below))
    distance = np.maximum(_ratio(above, up).max(axis=1), _ratio(below, down).max(axis=1))
    rank = min(int(np.ceil(confidence * (len(curves) + 1))), len(curves))
    factor = np.sort(distance)[rank - 1]
    return np.maximum(mean - factor * down, 0.0), np.minimum(mean + factor * up, 1.0)


def _ratio(values: NDArray[np.float64], scale: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.divide(values, scale, out=np.zeros_like(values), where=scale > 0)


def _draw_positives(
    random: np.random.Generator, score: NDArray[np.float64], weight: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Draw the weight of the positives of each group; groups of one row need no binomial draw, which is slower."""
    whole = np.ceil(weight)
    positive = (random.random(len(score)) < score).astype(np.float64)
    several = np.flatnonzero(whole > 1)
    positive[several] = random.binomial(whole[several].astype(np.int64), score[several])
    return positive * (weight / whole)
