"""Training rows of which no two have an equal value, so that a tree can cut between values that were equal."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin

from calibrant._random import SeedLike

__all__ = ["EqualValuesApart"]


class EqualValuesApart(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Add to each value of the training rows up to a tenth of the least gap in its column; new rows stay as they are.

    A tree then grows as if its program cut between equal values: training rows of one value end on either side, new
    rows of that value always on the lower one.

    Examples
    --------
    >>> X = [[1.0], [1.0], [2.0]]
    >>> apart = EqualValuesApart(random_state=0)
    >>> len({value for row in apart.fit_transform(X) for value in row}), apart.transform(X)[:, 0].tolist()
    (3, [1.0, 1.0, 2.0])
    """

    def __init__(self, *, random_state: SeedLike = None) -> None:
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: ARG002
        """Store the least gap of each column."""
        table = np.asarray(X, dtype=np.float64)
        gaps = [np.diff(np.unique(column)) for column in table.T]
        self.gaps_ = np.array([each.min() if len(each) else 1.0 for each in gaps])
        return self

    def fit_transform(self, X: Any, y: Any = None) -> NDArray[np.float64]:
        """Return the training rows, their equal values apart."""
        table = np.asarray(X, dtype=np.float64)
        draws = np.random.default_rng(self.random_state).uniform(0.001, 0.1, table.shape)
        return np.asarray(table + draws * self.fit(X, y).gaps_)

    def transform(self, X: Any) -> NDArray[np.float64]:
        """Return rows as they are."""
        return np.asarray(X, dtype=np.float64)
