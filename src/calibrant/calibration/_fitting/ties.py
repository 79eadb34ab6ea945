"""Class counts at each distinct score."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from calibrant import _core
from calibrant._threads import n_threads

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.calibration._validation import BinaryScores

__all__ = ["DistinctScores", "pool_ties"]


@dataclass(frozen=True, slots=True, eq=False)
class DistinctScores:
    """Distinct scores in ascending order, with the weights of the rows and of the positive rows at each."""

    scores: NDArray[np.float64]
    weight: NDArray[np.float64]
    positive: NDArray[np.float64]


def pool_ties(sample: BinaryScores) -> DistinctScores:
    """Sort rows by score and pool those of equal scores.

    Parameters
    ----------
    sample : BinaryScores
        Scores, classes and weights.

    Returns
    -------
    DistinctScores
        The distinct scores.

    Examples
    --------
    >>> from calibrant.calibration._validation import BinaryScores
    >>> pooled = pool_ties(BinaryScores(np.array([0.7, 0.2, 0.7]), np.array([True, False, False])))
    >>> pooled.scores, pooled.weight, pooled.positive
    (array([0.2, 0.7]), array([1., 2.]), array([0., 1.]))
    """
    return DistinctScores(*_core.pool_ties(sample.scores, sample.positive, sample.weight, n_threads(None)))
