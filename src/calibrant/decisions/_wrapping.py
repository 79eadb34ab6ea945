"""Base class of the cost-sensitive classifiers: a wrapped classifier with rows that count as errors on them cost.

The importance of training rows follows Ting (2002) and Zadrozny, Langford & Abe (2003).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from calibrant._docstrings import fill_docstring
from calibrant._estimator import EstimatorMixin
from calibrant.calibration._internal import WrapperMixin
from calibrant.decisions._cost_matrix import CostMatrix
from calibrant.exceptions import DataError, ParameterError


def _has_proba(self: Any) -> bool:
    return hasattr(self.estimator, "predict_proba")


class WrappingClassifier(WrapperMixin, ClassifierMixin, MetaEstimatorMixin, EstimatorMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier that wraps models fitted to classes of ``classes_``."""

    @available_if(_has_proba)  # type: ignore[untyped-decorator]
    @fill_docstring()
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the probability of each class, averaged over the models where there are several.

        %(wrapped_predict_proba_sections)s
        """
        check_is_fitted(self, "estimators_")
        tables = [class_probabilities(model, X, self.classes_) for model in self.estimators_]
        return tables[0] if len(tables) == 1 else np.asarray(np.mean(tables, axis=0))


def check_has_predict_proba(estimator: Any, why: str) -> None:
    """Raise if a classifier has no `predict_proba`."""
    if not hasattr(estimator, "predict_proba"):
        raise ParameterError(
            f"estimator must be a classifier with predict_proba {why}; got {type(estimator).__name__}. Wrap it in "
            "calibrant.calibration.CalibratedClassifier."
        )


def class_probabilities(model: Any, X: Any, classes: NDArray[Any]) -> NDArray[np.float64]:
    """Return a fitted model's probabilities of all classes; a class that it was not fitted to has probability 0.

    Examples
    --------
    >>> from calibrant.bayes import ConstantClassifier
    >>> model = ConstantClassifier().fit([[1], [2]], ["a", "c"])
    >>> class_probabilities(model, [[3]], np.array(["a", "b", "c"]))
    array([[0.5, 0. , 0.5]])
    """
    table = np.asarray(model.predict_proba(X), dtype=np.float64)
    own, wanted = np.asarray(model.classes_).tolist(), classes.tolist()
    if any(label not in wanted for label in own) or table.shape[1] != len(own):
        raise DataError(f"{type(model).__name__} must be fitted to classes of {wanted}; got {own}.")
    if own == wanted:
        return table
    full = np.zeros((len(table), len(classes)))
    full[:, [wanted.index(label) for label in own]] = table
    return full


def class_costs(costs: CostMatrix) -> NDArray[np.float64]:
    """Return the cost of errors on each class: summed over the other classes, net of the correct decision (Ting).

    For two classes these are the costs of the two kinds of error. Actions that are not classes are ignored.

    Examples
    --------
    >>> class_costs(CostMatrix([[0, 1, 2], [3, 0, 4], [5, 5, 0]], labels="abc"))
    array([ 3.,  7., 10.])
    """
    actions, labels = list(costs.actions or ()), list(costs.labels or ())
    missing = [label for label in labels if label not in actions]
    if missing:
        raise ParameterError(f"costs: training by costs needs an action for every class; {missing[0]!r} has none.")
    square = costs.matrix[:, [actions.index(label) for label in labels]]
    net = square - np.diag(square)[:, None]
    total = np.asarray(net.sum(axis=1))
    if (net < 0).any() or not (total > 0).all():
        raise ParameterError(
            "costs: for training, no error may cost less than the correct decision, and some error on each class must "
            f"cost more; got {costs.matrix.tolist()}."
        )
    return total


def normalized_importance(importance: NDArray[np.float64], weight: NDArray[np.float64] | None) -> NDArray[np.float64]:
    """Return the importance of rows scaled so that the sum of all weights stays the same.

    Examples
    --------
    >>> normalized_importance(np.array([1.0, 1.0, 4.0]), None)
    array([0.5, 0.5, 2. ])
    """
    share = np.ones(len(importance)) if weight is None else weight
    if (importance == importance[0]).all():
        return np.ones(len(importance))
    return np.asarray(importance * (share.sum() / (share * importance).sum()))


def resample_by_weight(weight: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.intp]:
    """Draw rows so that each occurs as often as its weight, rounded up or down at random, in their order.

    Examples
    --------
    >>> resample_by_weight(np.array([1.0, 1.0, 2.0, 0.0]), np.random.default_rng(0))
    array([0, 1, 2, 2])
    """
    # One random offset on the cumulative weights (systematic sampling) keeps the total within 1 of its expectation.
    order = rng.permutation(len(weight))
    ends = np.floor(np.cumsum(weight[order]) + rng.random())
    times = np.empty(len(weight), dtype=np.intp)
    times[order] = np.diff(ends, prepend=0.0)
    return np.repeat(np.arange(len(weight)), times)


def accepted_rows(importance: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.intp]:
    """Accept each row with probability importance / greatest importance: costing by rejection sampling.

    Examples
    --------
    >>> accepted_rows(np.array([3.0, 0.0, 3.0]), np.random.default_rng(0))
    array([0, 2])
    """
    return np.flatnonzero(rng.random(len(importance)) * importance.max() < importance)
