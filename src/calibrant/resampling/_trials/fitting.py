"""Methods fitted to the training rows of a split by their own `fit`; a family of forests is grown once."""

from __future__ import annotations

import traceback
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn import get_config
from sklearn.base import clone
from sklearn.utils.metadata_routing import get_routing_for_object
from sklearn.utils.validation import has_fit_parameter

from calibrant.calibration._internal import is_pairwise, take_rows, take_square
from calibrant.exceptions import DataError
from calibrant.metrics._internal import check_probabilities
from calibrant.resampling._trials.method_trial import NumberedSplit, SplitPredictions, Stopwatch, TrialSeconds
from calibrant.resampling._trials.methods import is_calibrated_by
from calibrant.resampling._trials.seeds import open_seeds, seeded_clone

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.resampling._trials.methods import Family
    from calibrant.resampling._trials.trial_data import TrialData

__all__ = ["fit_predict", "takes_weights"]


def fit_predict(
    family: Family, data: TrialData, split: NumberedSplit, *, records_errors: bool = False
) -> list[SplitPredictions]:
    """Fit a family to the training rows of a split and return the predictions of each member.

    With `records_errors` a member that fails has a traceback instead of predictions, and the others those that they
    would have alone.

    Examples
    --------
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from calibrant.resampling._trials.trial_data import read_trial_data
    >>> from calibrant.resampling._trials.methods import Family
    >>> data = read_trial_data([[0.0], [1.0], [8.0], [9.0]], list("aabb"), None, None, is_regression=False)
    >>> split = NumberedSplit(0, np.arange(4), np.array([0, 3]))
    >>> fit_predict(Family((0,), (GaussianNB(),)), data, split)[0].predictions[0].argmax(axis=1)
    array([0, 1])
    """
    watch = Stopwatch()
    try:
        return _fit_predict(family, data, split, watch)
    except Exception:
        if not records_errors:
            raise
        if len(family.members) == 1:
            return [SplitPredictions([], TrialSeconds(fit=watch.total), traceback.format_exc())]
    alone = (family.subset([number]) for number in range(len(family.members)))
    return [fit_predict(each, data, split, records_errors=True)[0] for each in alone]


def _fit_predict(family: Family, data: TrialData, split: NumberedSplit, watch: Stopwatch) -> list[SplitPredictions]:
    models, growth, fit = _fit_family(family, data, split, watch)
    found = []
    for model, seconds in zip(models, fit, strict=True):
        predictions = [_predict(model, data, rows, split.train) for rows in split.row_sets]
        found.append(SplitPredictions(predictions, TrialSeconds.of(seconds, watch.lap(), growth, len(models))))
    return found


def _fit_family(
    family: Family, data: TrialData, split: NumberedSplit, watch: Stopwatch
) -> tuple[list[Any], float, list[float]]:
    """Return the members, fitted, the seconds that served all of them, and those of each alone."""
    head = seeded_clone(family.head, family.open_seeds, split.seed)
    grown, is_fitted = _fit_head(head, family, data, split.train)
    growth = watch.lap() + (0.0 if family.rows is None else family.rows.charge())
    if not is_fitted:
        head._adopt(grown)
    models, fit = [head], [watch.lap()]
    for member in family.members[1:]:
        if family.is_calibrated:
            fitted = head if is_calibrated_by(family.head, member) else None
            models.append(_fit_calibrated(member, fitted, data, split))
        else:
            models.append(clone(member)._adopt(grown))
        fit.append(watch.lap())
    return models, growth, fit


def _fit_head(head: Any, family: Family, data: TrialData, train: NDArray[np.intp]) -> tuple[Any, bool]:
    """Fit the head, or grow what it is to adopt; return what all members adopt, and whether the head is fitted."""
    if family.rows is None or not family.rows.can_take(train):
        _fit(head, data, train)
    else:
        examples = family.rows.take(train, head, has_groups=data.groups is not None)
        if hasattr(head, "_grow_coded"):
            return head._grow_coded(examples), False
        head._fit_coded(examples)
    if len(family.members) == 1 or family.is_calibrated:
        return None, True
    return head._grown_tree if family.is_tree else head._forest, True


def _fit_calibrated(member: Any, fitted: Any, data: TrialData, split: NumberedSplit) -> Any:
    """Return a calibrated classifier, which adopts the estimator that it would fit to all rows, if that is fitted."""
    model = seeded_clone(member, open_seeds(member), split.seed)
    return model._fit_map(fitted, *_fit_arguments(model, data, split.train))


def _fit(model: Any, data: TrialData, train: NDArray[np.intp]) -> None:
    X, y, weight, groups = _fit_arguments(model, data, train)
    keywords = {"sample_weight": weight, "groups": groups}
    model.fit(X, y, **{name: value for name, value in keywords.items() if value is not None})


def _fit_arguments(model: Any, data: TrialData, train: NDArray[np.intp]) -> tuple[Any, Any, Any, Any]:
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


def _predict(model: Any, data: TrialData, rows: NDArray[np.intp], train: NDArray[np.intp]) -> NDArray[np.float64]:
    X = take_square(data.X, rows, train) if is_pairwise(model) else take_rows(data.X, rows)
    if data.classes is None:
        return np.asarray(model.predict(X), dtype=np.float64)
    if not hasattr(model, "predict_proba"):
        return _certain_probabilities(np.asarray(model.predict(X)), data.classes)
    learned = np.asarray(getattr(model, "classes_", data.classes))
    probabilities = np.asarray(model.predict_proba(X), dtype=np.float64)
    if probabilities.shape != (len(rows), len(learned)):
        raise DataError(
            f"{type(model).__name__}.predict_proba must return a column for each of {len(learned)} classes; got shape "
            f"{probabilities.shape} for {len(rows)} rows."
        )
    check_probabilities(probabilities)
    if len(learned) == len(data.classes):
        return probabilities
    table = np.zeros((len(rows), len(data.classes)))
    table[:, np.searchsorted(data.classes, learned)] = probabilities
    return table


def _certain_probabilities(predicted: NDArray[Any], classes: NDArray[Any]) -> NDArray[np.float64]:
    """Return probability 1 for the predicted class of each row."""
    return np.asarray(np.eye(len(classes))[np.searchsorted(classes, predicted)])
