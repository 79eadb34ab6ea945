"""Base class of the cost-sensitive classifiers: a wrapped classifier and its probabilities."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from calibrant._docstrings import fill_docstring
from calibrant._estimator import EstimatorMixin
from calibrant.calibration._internal import WrapperMixin
from calibrant.exceptions import DataError, ParameterError

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["WrappingClassifier", "check_has_predict_proba", "class_probabilities"]


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
