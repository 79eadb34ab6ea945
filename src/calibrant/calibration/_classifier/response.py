"""The scores that a fitted classifier gives to rows: one column for two classes, else one for each class."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from calibrant._params import Choice
from calibrant.exceptions import DataError, ParameterError

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["METHOD", "Method", "final_step", "scores_of"]

Method: TypeAlias = Literal["auto", "predict_proba", "decision_function"]

METHOD = Choice("auto", "predict_proba", "decision_function")


def scores_of(estimator: Any, X: Any, method: Method, classes: NDArray[Any]) -> NDArray[np.float64]:
    """Ask a fitted classifier about rows.

    Parameters
    ----------
    estimator : classifier
        Fitted, to rows of all the classes.
    X : frame or array
        The rows.
    method : {"auto", "predict_proba", "decision_function"}
        Which method is asked.
    classes : array of shape (n_classes,)
        The classes in the order of the columns wanted.

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
    asked = settled_method(estimator, method)
    table = np.asarray(getattr(estimator, asked)(X), dtype=np.float64)
    table, places = table.reshape(len(table), -1), _places(estimator, classes)
    if asked == "decision_function" and table.shape[1] == 1 and len(classes) == 2:
        return table if places[0] == 0 else -table
    if table.shape[1] != len(classes):
        raise DataError(
            f"{asked} of {type(estimator).__name__} has {table.shape[1]} columns for {len(classes)} classes; "
            "one column a class is needed (decision_function_shape='ovr' for SVC)."
        )
    table = table[:, places]
    if len(classes) > 2:
        return table
    return table[:, 1:] if asked == "predict_proba" else table[:, 1:] - table[:, :1]


def settled_method(estimator: Any, method: Method) -> str:
    """Say which method is asked: probabilities where there are any, but margins of support vector machines.

    Examples
    --------
    >>> from sklearn.svm import SVC
    >>> from sklearn.naive_bayes import GaussianNB
    >>> settled_method(SVC(), "auto"), settled_method(GaussianNB(), "auto")
    ('decision_function', 'predict_proba')
    """
    there = [name for name in ("predict_proba", "decision_function") if hasattr(estimator, name)]
    if method == "auto" and there:
        return there[-1] if _is_support_vector_machine(estimator) else there[0]
    if method not in there:
        wanted = "predict_proba or decision_function" if method == "auto" else method
        raise ParameterError(
            f"estimator must be a classifier with {wanted}; got {type(estimator).__name__}, which has "
            f"{' and '.join(there) or 'neither'}."
        )
    return method


def final_step(estimator: Any) -> Any:
    """Give the last step of a pipeline, or the estimator itself.

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


def _is_support_vector_machine(estimator: Any) -> bool:
    """Tell whether probabilities would be a sigmoid of the margin already."""
    from sklearn.svm import SVC, NuSVC

    return isinstance(final_step(estimator), SVC | NuSVC)


def _places(estimator: Any, classes: NDArray[Any]) -> list[int]:
    """Give the column of each class among the estimator's."""
    there = np.asarray(getattr(estimator, "classes_", classes)).tolist()
    if len(there) != len(classes) or any(value not in there for value in classes.tolist()):
        raise DataError(
            f"{type(estimator).__name__} was fitted to the classes {there}, of {classes.tolist()}: every part that a "
            "model is fitted to must have rows of every class. Stratified folds have, where each class has enough."
        )
    return [there.index(value) for value in classes.tolist()]
