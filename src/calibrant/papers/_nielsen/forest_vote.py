"""The vote of a forest as a method of its own, from which the change of accuracy is measured (Nielsen 2004, eq. 14)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from calibrant.ensembles import EBPETsClassifier

__all__ = ["ForestVoteClassifier"]


class ForestVoteClassifier(EBPETsClassifier):
    """The class that most trees vote for, with probability 1.

    As a reading of a forest that others read too, it costs a study no further trees.

    Examples
    --------
    >>> X, y = [[1], [2], [3], [4]], ["a", "a", "b", "b"]
    >>> ForestVoteClassifier(n_trees=9, random_state=0).fit(X, y).predict_proba([[1], [4]])
    array([[1., 0.],
           [0., 1.]])
    """

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return probability 1 for the class that most trees vote for."""
        votes = np.searchsorted(self.classes_, self.vote(X))
        return np.asarray(np.eye(len(self.classes_))[votes])
