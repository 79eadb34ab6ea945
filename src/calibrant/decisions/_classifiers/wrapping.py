"""What cost-sensitive classifiers share: a base classifier of any kind, its probabilities, its tags and its routing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin
from sklearn.utils import get_tags
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from calibrant.calibration._internal import final_step
from calibrant.exceptions import DataError, ParameterError

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["WrappingClassifier", "check_gives_proba", "proba_of"]


def _has_proba(self: Any) -> bool:
    return hasattr(self.estimator, "predict_proba")


class WrappingClassifier(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier made of others, which were fitted to classes of ``classes_``."""

    estimator: Any
    classes_: NDArray[Any]
    estimators_: list[Any]

    def _store(self, classes: NDArray[Any], models: list[Any]) -> None:
        for name in ("n_features_in_", "feature_names_in_"):
            self.__dict__.pop(name, None)
            if hasattr(models[0], name):
                setattr(self, name, getattr(models[0], name))
        self.classes_, self.estimators_ = classes, models

    @available_if(_has_proba)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Give the probability of each class, the mean over models where there are several.

        Parameters
        ----------
        X : frame or array of shape (n_rows, n_columns)
            Whatever the estimator takes.

        Returns
        -------
        array of shape (n_rows, n_classes)
            Probabilities in the order of ``classes_``.
        """
        check_is_fitted(self, "estimators_")
        tables = [proba_of(model, X, self.classes_) for model in self.estimators_]
        return tables[0] if len(tables) == 1 else np.asarray(np.mean(tables, axis=0))

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """Those of the base model, or their mean over several."""
        check_is_fitted(self, "estimators_")
        return np.asarray(np.mean([final_step(each).feature_importances_ for each in self.estimators_], axis=0))

    def get_metadata_routing(self) -> MetadataRouter:
        """Say what `fit` passes on, for scikit-learn's metadata routing.

        Returns
        -------
        MetadataRouter
            To the estimator's `fit`.
        """
        mapping = MethodMapping().add(caller="fit", callee="fit")
        return MetadataRouter(owner=self).add_self_request(self).add(estimator=self.estimator, method_mapping=mapping)

    def __sklearn_tags__(self) -> Any:
        tags, base = super().__sklearn_tags__(), get_tags(self.estimator)
        for name in ("sparse", "allow_nan", "string"):
            setattr(tags.input_tags, name, getattr(base.input_tags, name))
        tags.classifier_tags.multi_class = base.classifier_tags is None or base.classifier_tags.multi_class
        return tags


def check_gives_proba(estimator: Any, why: str) -> None:
    """Refuse a classifier without probabilities."""
    if not hasattr(estimator, "predict_proba"):
        raise ParameterError(
            f"estimator must be a classifier with predict_proba {why}; got {type(estimator).__name__}. Calibrate it: "
            "calibrant.calibration.CalibratedClassifier."
        )


def proba_of(model: Any, X: Any, classes: NDArray[Any]) -> NDArray[np.float64]:
    """Ask a fitted model for probabilities of all classes; one that it never saw has probability 0.

    Examples
    --------
    >>> from calibrant.bayes import ConstantClassifier
    >>> model = ConstantClassifier().fit([[1], [2]], ["a", "c"])
    >>> proba_of(model, [[3]], np.array(["a", "b", "c"]))
    array([[0.5, 0. , 0.5]])
    """
    table = np.asarray(model.predict_proba(X), dtype=np.float64)
    there = np.asarray(model.classes_).tolist()
    if any(name not in classes.tolist() for name in there) or table.shape[1] != len(there):
        raise DataError(f"{type(model).__name__} knows the classes {there}, of {classes.tolist()}.")
    if there == classes.tolist():
        return table
    full = np.zeros((len(table), len(classes)))
    full[:, [classes.tolist().index(name) for name in there]] = table
    return full
