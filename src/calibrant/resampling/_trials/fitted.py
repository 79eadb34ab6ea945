"""Methods fitted to the rows of one split in the ordinary way; what one growth serves is grown once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn import get_config
from sklearn.base import clone
from sklearn.utils.metadata_routing import get_routing_for_object
from sklearn.utils.validation import has_fit_parameter

from calibrant._params import check_params
from calibrant.calibration._internal import is_pairwise, take_rows, take_square
from calibrant.ensembles._internal import RULES as FOREST_RULES
from calibrant.trees._internal import RULES as TREE_RULES

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.resampling._trials.methods import Family
    from calibrant.resampling._trials.trial_data import Case

__all__ = ["fitted_answers", "takes_weights"]


def fitted_answers(
    family: Family, case: Case, train: NDArray[np.intp], asked: list[NDArray[np.intp]]
) -> list[list[NDArray[np.float64]]]:
    """Fit a family to some rows and give what each member says of others: for each set of rows, for each member.

    Examples
    --------
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from calibrant.resampling._trials.trial_data import read_case
    >>> from calibrant.resampling._trials.methods import Family
    >>> case = read_case([[0.0], [1.0], [8.0], [9.0]], list("aabb"), None, None, is_regression=False)
    >>> found = fitted_answers(Family((0,), (GaussianNB(),)), case, np.arange(4), [np.array([0, 3])])
    >>> found[0][0].argmax(axis=1)
    array([0, 1])
    """
    models = _models(family, case, train)
    return [[_answer(model, case, rows, train) for model in models] for rows in asked]


def _models(family: Family, case: Case, train: NDArray[np.intp]) -> list[Any]:
    head = _fit(family.head, case, train)
    others = [clone(member) for member in family.members[1:]]
    if not others:
        return [head]
    grown = head._growth if family.is_tree else head._forest
    for other in others:
        check_params(other, TREE_RULES if family.is_tree else FOREST_RULES)
        if not family.is_tree:
            other._how().check()
        other._store(grown)
    return [head, *others]


def _fit(estimator: Any, case: Case, train: NDArray[np.intp]) -> Any:
    X = take_square(case.X, train, train) if is_pairwise(estimator) else take_rows(case.X, train)
    takes_weight = case.weight is not None and takes_weights(estimator)
    more = {"sample_weight": case.weight[train]} if takes_weight and case.weight is not None else {}
    return clone(estimator).fit(X, take_rows(case.y, train), **more)


def takes_weights(estimator: Any) -> bool:
    """Say whether the `fit` of an estimator takes weights, by itself or by metadata routing.

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


def _answer(model: Any, case: Case, rows: NDArray[np.intp], train: NDArray[np.intp]) -> NDArray[np.float64]:
    X = take_square(case.X, rows, train) if is_pairwise(model) else take_rows(case.X, rows)
    if case.classes is None:
        return np.asarray(model.predict(X), dtype=np.float64)
    if not hasattr(model, "predict_proba"):
        return _certain(np.asarray(model.predict(X)), case.classes)
    found = np.asarray(model.predict_proba(X), dtype=np.float64)
    learnt = np.asarray(getattr(model, "classes_", case.classes))
    if len(learnt) == len(case.classes):
        return found
    table = np.zeros((len(found), len(case.classes)))
    table[:, np.searchsorted(case.classes, learnt)] = found
    return table


def _certain(predicted: NDArray[Any], classes: NDArray[Any]) -> NDArray[np.float64]:
    """Give all probability to the class that is predicted."""
    return np.asarray(np.eye(len(classes))[np.searchsorted(classes, predicted)])
