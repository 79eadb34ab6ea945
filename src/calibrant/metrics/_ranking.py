"""Rows ranked once by the probability of a class, those of equal probability together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from calibrant.metrics._predictions import Predictions

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Ranking", "rank_by_class"]


@dataclass(frozen=True, slots=True, eq=False)
class Ranking:
    """Groups of rows that share a probability, the highest first.

    Parameters
    ----------
    weight : array of shape (n_groups,)
        The weight of the rows of each group.
    positive : array of shape (n_groups,)
        The weight of those among them that are of the class.

    Examples
    --------
    >>> from calibrant.metrics._predictions import read_predictions
    >>> rank_by_class(read_predictions([0, 1, 1, 0], [0.2, 0.9, 0.2, 0.1]), 1)
    Ranking(weight=array([1., 2., 1.]), positive=array([1., 1., 0.]))
    """

    weight: NDArray[np.float64]
    positive: NDArray[np.float64]


def rank_by_class(read: Predictions, column: int) -> Ranking:
    """Rank the rows by the probability of a class."""
    _, group = np.unique(read.proba[:, column], return_inverse=True)
    positive = np.where(read.label == column, read.weight, 0.0)
    sums = [np.bincount(group, weight)[::-1].astype(np.float64) for weight in (read.weight, positive)]
    return Ranking(*sums)
