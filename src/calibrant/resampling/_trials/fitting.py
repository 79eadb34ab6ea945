"""Methods fitted to the training rows of a split by their own `fit`; a family is grown or fitted once."""

from __future__ import annotations

import traceback
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import clone

from calibrant.calibration._internal import SharedFits
from calibrant.resampling._trials.coded_rows import fits_coded_rows
from calibrant.resampling._trials.fitted_model import fit_model, predict
from calibrant.resampling._trials.method_trial import NumberedSplit, SplitPredictions, Stopwatch, TrialSeconds
from calibrant.resampling._trials.methods import are_equal
from calibrant.resampling._trials.seeds import seeded_clone
from calibrant.resampling._trials.shared_predictions import predict_shared

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.resampling._trials.families import Family
    from calibrant.resampling._trials.trial_data import TrialData

__all__ = ["fit_predict"]


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
    >>> from calibrant.resampling._trials.families import Family
    >>> data = read_trial_data([[0.0], [1.0], [8.0], [9.0]], list("aabb"), None, None, is_regression=False)
    >>> split = NumberedSplit(0, np.arange(4), np.array([0, 3]))
    >>> fit_predict(Family((0,), (GaussianNB(),)), data, split)[0].predictions[0].argmax(axis=1)
    array([0, 1])
    """
    watch = Stopwatch()
    try:
        if len(family.members) == 1 or family.is_grown:
            return _fit_grown(family, data, split, watch)
        if _can_share(data, split.train):
            found = _fit_shared(family, data, split, watch, records_errors=records_errors)
            return _retry_readings(family, data, split, found)
    except Exception:
        if not records_errors:
            raise
        if len(family.members) == 1:
            return [SplitPredictions([], TrialSeconds(fit=watch.total), traceback.format_exc())]
    alone = (family.subset([number]) for number in range(len(family.members)))
    return [fit_predict(each, data, split, records_errors=records_errors)[0] for each in alone]


def _retry_readings(
    family: Family, data: TrialData, split: NumberedSplit, found: list[SplitPredictions]
) -> list[SplitPredictions]:
    """Fit readings that failed again, each alone: a fold of the head may fail in more rounds than they have."""
    return [
        fit_predict(family.subset([number]), data, split, records_errors=True)[0]
        if each.error and family.readings and not are_equal(family.bases[number], family.head)
        else each
        for number, each in enumerate(found)
    ]


def _can_share(data: TrialData, train: NDArray[np.intp]) -> bool:
    """Return whether all rows count: calibrated classifiers drop rows of weight 0, and other estimators may not."""
    return data.weight is None or bool((data.weight[train] > 0).all())


def _fit_shared(
    family: Family, data: TrialData, split: NumberedSplit, watch: Stopwatch, *, records_errors: bool
) -> list[SplitPredictions]:
    head = seeded_clone(family.head, family.open_seeds, split.seed)
    shared = SharedFits(clone(head), head, family.readings)
    grown, is_fitted = _fit_head(head, family, data, split.train)
    if not is_fitted:
        head._adopt(grown)
    growth = _growth_seconds(family, watch)
    return predict_shared(family, shared, data, split, growth, records_errors=records_errors)


def _fit_grown(family: Family, data: TrialData, split: NumberedSplit, watch: Stopwatch) -> list[SplitPredictions]:
    models, growth, fit = _fit_family(family, data, split, watch)
    found = []
    for model, seconds in zip(models, fit, strict=True):
        predictions = [predict(model, data, rows, split.train) for rows in split.row_sets]
        found.append(SplitPredictions(predictions, TrialSeconds.of(seconds, watch.lap(), growth, len(models))))
    return found


def _fit_family(
    family: Family, data: TrialData, split: NumberedSplit, watch: Stopwatch
) -> tuple[list[Any], float, list[float]]:
    """Return the members, fitted, the seconds that served all of them, and those of each alone."""
    head = seeded_clone(family.head, family.open_seeds, split.seed)
    grown, is_fitted = _fit_head(head, family, data, split.train)
    growth = _growth_seconds(family, watch)
    if not is_fitted:
        head._adopt(grown)
    models, fit = [head], [watch.lap()]
    for member in family.members[1:]:
        models.append(clone(member)._adopt(grown))
        fit.append(watch.lap())
    return models, growth, fit


def _growth_seconds(family: Family, watch: Stopwatch) -> float:
    return watch.lap() + (0.0 if family.rows is None else family.rows.charge())


def _fit_head(head: Any, family: Family, data: TrialData, train: NDArray[np.intp]) -> tuple[Any, bool]:
    """Fit the head, or grow what it is to adopt; return what all members adopt, and whether the head is fitted."""
    if family.rows is None or not fits_coded_rows(head) or not family.rows.can_take(train):
        fit_model(head, data, train)
    else:
        examples = family.rows.take(train, head, has_groups=data.groups is not None)
        if hasattr(head, "_grow_coded"):
            return head._grow_coded(examples), False
        head._fit_coded(examples)
    if len(family.members) == 1 or not family.is_grown:
        return None, True
    return head._grown_tree if family.is_tree else head._forest, True
