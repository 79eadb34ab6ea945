"""Training on a case-control sample without its weights, and shifting the base rate afterwards."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, clone

from calibrant.calibration import PriorShift
from calibrant.papers._zadrozny.methods import paper_methods

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["SHIFTED", "ShiftedClassifier", "shifted_methods"]

# Methods with m and v of 10 / b, which follows the base rate of the sample
SHIFTED = (
    "C4.5 without pruning",
    "Laplace (C4.4)",
    "Smoothing, 10/b",
    "Curtailment, 10/b",
    "Smoothed curtailment, 10/b",
    "Bagged Laplace",
    "Bagged curtailment, 10/b",
    "Kearns-Mansour",
    "Naive Bayes",
    "Binned naive Bayes",
)


class ShiftedClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier of two classes that is fitted without weights, its probabilities shifted to the weighted base rate.

    Parameters
    ----------
    estimator : classifier
        The classifier.
    """

    def __init__(self, estimator: Any) -> None:
        self.estimator = estimator

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> ShiftedClassifier:
        """Fit the classifier to the rows as they are; the weights count for the base rate alone."""
        self.estimator_ = clone(self.estimator).fit(X, y)
        self.classes_ = self.estimator_.classes_
        positive = np.asarray(y) == self.classes_[1]
        shift = PriorShift(
            train_prior=float(positive.mean()), new_prior=float(np.average(positive, weights=sample_weight))
        )
        self.shift_ = shift.fit(np.array([0.25, 0.75]), np.array([0, 1]))
        return self

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the shifted probabilities."""
        shifted = np.asarray(self.shift_.predict(self.estimator_.predict_proba(X)[:, 1]), dtype=np.float64)
        return np.column_stack([1 - shifted, shifted])

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the more likely class of each row."""
        predicted: NDArray[Any] = np.asarray(self.classes_)[self.predict_proba(X).argmax(axis=1)]
        return predicted


def shifted_methods(n_bags: int) -> dict[str, Any]:
    """Return the methods that are fitted without weights."""
    methods = paper_methods(200.0, n_bags=n_bags)
    return {name: ShiftedClassifier(methods[name]) for name in SHIFTED}
