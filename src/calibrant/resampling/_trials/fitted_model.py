"""One model fitted to training rows, and its predictions: arguments that it takes, classes that it has not seen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn import get_config
from sklearn.utils.metadata_routing import get_routing_for_object
from sklearn.utils.validation import has_fit_parameter

from calibrant.calibration._internal import is_pairwise, take_rows, take_square
from calibrant.exceptions import DataError
from calibrant.metrics._internal import check_probabilities

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.resampling._trials.trial_data import TrialData

__all__ = ["fit_arguments", "fit_model", "predict", "read_probabilities", "takes_weights"]


def fit_model(model: Any, data: TrialData, train: NDArray[np.intp]) -> None:
    """Fit a model to the training rows, with weights and groups where it takes them."""
    X, y, weight, groups = fit_arguments(model, data, train)
    keywords = {"sample_weight": weight, "groups": groups}
    model.fit(X, y, **{name: value for name, value in keywords.items() if value is not None})


def fit_arguments(model: Any, data: TrialData, train: NDArray[np.intp]) -> tuple[Any, Any, Any, Any]:
    """Return features, classes, weights and groups of the training rows; None where the model takes none."""
    X = take_square(data.X, train, train) if is_pairwise(model) else take_rows(data.X, train)
    weight = data.weight[train] if data.weight is not None and takes_weights(model) else None
    has_groups = data.groups is not None and has_fit_parameter(model, "groups")
    return X, take_rows(data.y, train), weight, take_rows(data.groups, train) if has_groups else None


def takes_weights(estimator: Any) -> bool:
    """Return whether the `fit` of an estimator takes weights, by itself or by metadata routing.

    Examples
    --------
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> takes_weights(GaussianNB()), takes_weights(KNeighborsClassifier())
    (True, False)
    """
    if has_fit_parameter(estimator, "sample_weight"):
        return True
    is_routing = bool(get_config()["enable_metadata_routing"])
    return is_routing and bool(get_routing_for_object(estimator).consumes("fit", ["sample_weight"]))


def predict(model: Any, data: TrialData, rows: NDArray[np.intp], train: NDArray[np.intp]) -> NDArray[np.float64]:
    """Return a fitted model's probabilities of all classes, or its numbers; certain ones where it has classes only."""
    X = take_square(data.X, rows, train) if is_pairwise(model) else take_rows(data.X, rows)
    if data.classes is None:
        return np.asarray(model.predict(X), dtype=np.float64)
    if not hasattr(model, "predict_proba"):
        return _certain_probabilities(np.asarray(model.predict(X)), data.classes)
    return read_probabilities(model, model.predict_proba(X), len(rows), data.classes)


def read_probabilities(model: Any, predicted: Any, n_rows: int, classes: NDArray[Any]) -> NDArray[np.float64]:
    """Check what `predict_proba` of a model returned, and return a column for each of the classes.

    Examples
    --------
    >>> from sklearn.naive_bayes import GaussianNB
    >>> bayes = GaussianNB().fit([[0.0], [1.0]], [0, 2])
    >>> read_probabilities(bayes, [[0.2, 0.8]], 1, np.array([0, 1, 2]))
    array([[0.2, 0. , 0.8]])
    """
    learned = np.asarray(getattr(model, "classes_", classes))
    probabilities = np.asarray(predicted, dtype=np.float64)
    if probabilities.shape != (n_rows, len(learned)):
        raise DataError(
            f"{type(model).__name__}.predict_proba must return a column for each of {len(learned)} classes; got shape "
            f"{probabilities.shape} for {n_rows} rows."
        )
    check_probabilities(probabilities)
    if len(learned) == len(classes):
        return probabilities
    table = np.zeros((n_rows, len(classes)))
    table[:, np.searchsorted(classes, learned)] = probabilities
    return table


def _certain_probabilities(predicted: NDArray[Any], classes: NDArray[Any]) -> NDArray[np.float64]:
    """Return probability 1 for the predicted class of each row."""
    return np.asarray(np.eye(len(classes))[np.searchsorted(classes, predicted)])
