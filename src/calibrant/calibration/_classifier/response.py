"""Scores that a classifier gives to rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import NotFittedError
from sklearn.utils import get_tags
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping
from sklearn.utils.validation import check_is_fitted

from calibrant._params import Choice
from calibrant._saved import Field, Integer, LabelArray, ListOf, Maybe, Object, need
from calibrant._saved.form import check_fitted
from calibrant.data._internal import LogProbaMixin
from calibrant.exceptions import CalibrantError, DataError, DataTypeError, ParameterError

Method: TypeAlias = Literal["auto", "predict_proba", "decision_function"]

METHOD = Choice("auto", "predict_proba", "decision_function")


def scores_of(estimator: Any, X: Any, method: Method, classes: NDArray[Any]) -> NDArray[np.float64]:
    """Return the scores of rows by a fitted classifier.

    Parameters
    ----------
    estimator : classifier
        Fitted, to rows of all the classes.
    X : frame or array
        The rows.
    method : {"auto", "predict_proba", "decision_function"}
        The method that is called.
    classes : array of shape (n_classes,)
        The classes in the order of the columns returned.

    Returns
    -------
    array of shape (n_rows, n_columns)
        The scores of the second of two classes, or of each class.

    Examples
    --------
    >>> from sklearn.svm import SVC
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], np.array(["no", "no", "yes", "yes"])
    >>> scores_of(SVC().fit(X, y), X, "auto", np.array(["no", "yes"])).shape
    (4, 1)
    """
    name = response_method(estimator, method)
    try:
        response = getattr(estimator, name)(X)
    except (CalibrantError, NotFittedError, MemoryError):
        raise
    except Exception as error:  # whatever other packages raise, of rows or of steps that do not fit each other
        kind = DataTypeError if isinstance(error, TypeError) else DataError
        raise kind(
            f"{type(estimator).__name__} cannot score these rows ({type(error).__name__}: {error!s:.500}). Pass rows "
            "like those that it was fitted to."
        ) from error
    return score_columns(estimator, name, response, classes)


def score_columns(estimator: Any, name: str, response: Any, classes: NDArray[Any]) -> NDArray[np.float64]:
    """Return the scores among what a method of a fitted classifier returned.

    Examples
    --------
    >>> from sklearn.naive_bayes import GaussianNB
    >>> bayes = GaussianNB().fit([[0.0], [1.0]], [0, 1])
    >>> score_columns(bayes, "predict_proba", [[0.2, 0.8]], np.array([0, 1]))
    array([[0.8]])
    """
    table = np.asarray(response, dtype=np.float64)
    table, columns = table.reshape(len(table), -1), _class_columns(estimator, classes)
    if name == "decision_function" and table.shape[1] == 1 and len(classes) == 2:
        return table if columns[0] == 0 else -table
    if table.shape[1] != len(classes):
        raise DataError(
            f"{name} of {type(estimator).__name__} has {table.shape[1]} columns for {len(classes)} classes; "
            "one column a class is needed (decision_function_shape='ovr' for SVC)."
        )
    table = table[:, columns]
    if len(classes) > 2:
        return table
    return table[:, 1:] if name == "predict_proba" else table[:, 1:] - table[:, :1]


def response_method(estimator: Any, method: Method) -> str:
    """Return the method that is called: probabilities where there are any, but margins of support vector machines.

    Examples
    --------
    >>> from sklearn.svm import SVC
    >>> from sklearn.naive_bayes import GaussianNB
    >>> response_method(SVC(), "auto"), response_method(GaussianNB(), "auto")
    ('decision_function', 'predict_proba')
    """
    available = [name for name in ("predict_proba", "decision_function") if hasattr(estimator, name)]
    if method == "auto" and available:
        from sklearn.svm import SVC, NuSVC

        from calibrant.svm import SVMClassifier

        # Whose probabilities would be Platt's sigmoid of the margin already, or the margin cut off
        is_machine = isinstance(final_step(estimator), SVC | NuSVC | SVMClassifier)
        return available[-1] if is_machine else available[0]
    if method not in available:
        needed = "predict_proba or decision_function" if method == "auto" else method
        raise ParameterError(
            f"estimator must be a classifier with {needed}; got {type(estimator).__name__}, which has "
            f"{' and '.join(available) or 'neither'}."
        )
    return method


def final_step(estimator: Any) -> Any:
    """Return the last step of a pipeline, or the estimator itself.

    Examples
    --------
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> final_step(make_pipeline(StandardScaler(), GaussianNB()))
    GaussianNB()
    """
    steps = getattr(estimator, "steps", None)
    return final_step(steps[-1][1]) if isinstance(steps, list) else estimator


def _class_columns(estimator: Any, classes: NDArray[Any]) -> list[int]:
    """Return the column of each class among the estimator's."""
    known = np.asarray(getattr(estimator, "classes_", classes)).tolist()
    if len(known) != len(classes) or any(value not in known for value in classes.tolist()):
        raise DataError(
            f"{type(estimator).__name__} was fitted to the classes {known}, of {classes.tolist()}: every part that a "
            "model is fitted to must have rows of every class. Stratified folds have, where each class has enough."
        )
    return [known.index(value) for value in classes.tolist()]


class WrapperMixin(LogProbaMixin):
    """A classifier with a base classifier `estimator`, fitted as one or more ``estimators_``."""

    _copied_tags: ClassVar[tuple[str, ...]] = ("sparse", "allow_nan", "string")
    _saved_fields: ClassVar[Mapping[str, Field]] = {
        "classes_": LabelArray(),
        "estimators_": ListOf(Object(), least=1),
        "estimator_": Maybe(Object()),
        "n_features_in_": Maybe(Integer(1)),
        "feature_names_in_": Maybe(LabelArray()),
    }

    estimator: Any
    classes_: NDArray[Any]
    estimators_: list[Any]

    def _store_models(self, classes: NDArray[Any], models: list[Any]) -> None:
        """Keep the fitted models, with the names of their columns where they have any."""
        self.classes_, self.estimators_ = classes, models
        for name in ("n_features_in_", "feature_names_in_"):
            self.__dict__.pop(name, None)
            if hasattr(models[0], name):
                setattr(self, name, getattr(models[0], name))

    def _check_models(self, *methods: str) -> None:
        """Raise unless the models of a file are fitted, and one of these methods can be called."""
        for model in self.estimators_:
            need(any(hasattr(model, method) for method in methods), f"has a model without {' or '.join(methods)}")
            check_fitted(model)

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """Feature importances of the base model, averaged over the models where there are several."""
        check_is_fitted(self, "estimators_")
        return np.asarray(np.mean([final_step(each).feature_importances_ for each in self.estimators_], axis=0))

    def get_metadata_routing(self) -> MetadataRouter:
        """Return the router of the metadata that `fit` passes on, for scikit-learn's metadata routing.

        Returns
        -------
        MetadataRouter
            Routing to the estimator's `fit` and, where there is a `cv`, to the splitter's `split`.
        """
        mapping = MethodMapping().add(caller="fit", callee="fit")
        router = MetadataRouter(owner=self).add_self_request(self).add(estimator=self.estimator, method_mapping=mapping)
        if hasattr(self, "cv"):
            router.add(splitter=self.cv, method_mapping=MethodMapping().add(caller="fit", callee="split"))
        return router

    def __sklearn_tags__(self) -> Any:
        tags, base = super().__sklearn_tags__(), get_tags(self.estimator)  # type: ignore[misc]
        for name in self._copied_tags:
            setattr(tags.input_tags, name, getattr(base.input_tags, name))
        tags.classifier_tags.multi_class = base.classifier_tags is None or base.classifier_tags.multi_class
        return tags
