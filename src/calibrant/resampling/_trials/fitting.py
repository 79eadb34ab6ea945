"""Methods fitted to the training rows of a split by their own `fit`; a family is grown or fitted once."""

from __future__ import annotations

import traceback
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn import get_config
from sklearn.base import clone
from sklearn.utils.metadata_routing import get_routing_for_object
from sklearn.utils.validation import has_fit_parameter

from calibrant.calibration._internal import (
    ReadingOfFits,
    SharedFits,
    is_pairwise,
    response_method,
    responses_of,
    score_columns,
    take_rows,
    take_square,
)
from calibrant.exceptions import DataError
from calibrant.metrics._internal import check_probabilities
from calibrant.resampling._trials.coded_rows import fits_coded_rows
from calibrant.resampling._trials.families import Family, are_equal, seeded_clone
from calibrant.resampling._trials.trial_data import NumberedSplit, SplitPredictions, Stopwatch, TrialData, TrialSeconds


def fit_arguments(model: Any, data: TrialData, train: NDArray[np.intp]) -> tuple[Any, Any, Any, Any, Any]:
    """Return features, classes, weights, groups and times of the training rows; None where the model takes none."""
    X = take_square(data.X, train, train) if is_pairwise(model) else take_rows(data.X, train)
    weight = data.weight[train] if data.weight is not None and takes_weights(model) else None
    has_groups = data.groups is not None and has_fit_parameter(model, "groups")
    groups = take_rows(data.groups, train) if has_groups else None
    times = data.times[train] if data.times is not None and has_fit_parameter(model, "times") else None
    return X, take_rows(data.y, train), weight, groups, times


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
        certain = np.eye(len(data.classes))
        return np.asarray(certain[np.searchsorted(data.classes, np.asarray(model.predict(X)))])
    return read_probabilities(model, model.predict_proba(X), len(rows), data.classes)


def read_probabilities(model: Any, predicted: Any, n_rows: int, classes: NDArray[Any]) -> NDArray[np.float64]:
    """Check the output of a model's `predict_proba`, and return it with a column for each of the classes.

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


@dataclass(eq=False)
class _SharedTrials:
    """The trials of a family on one split, from fits that all its members share."""

    family: Family
    shared: SharedFits
    data: TrialData
    split: NumberedSplit
    records_errors: bool
    _responses: dict[tuple[int, str], list[Any]] = field(default_factory=dict)
    _response_seconds: float = 0.0

    @property
    def shared_seconds(self) -> float:
        """Seconds of folds and of responses so far, which serve all members."""
        return self.shared.seconds + self._response_seconds

    def run(self, number: int) -> tuple[list[NDArray[np.float64]], tuple[float, float], str]:
        """Return the predictions of a member, the seconds of its own fit and predictions, and its error, if any."""
        watch, model, seconds = Stopwatch(), None, [0.0, 0.0]
        reading = ReadingOfFits(self.shared, number if self.family.readings else 0)
        try:
            before = self.shared_seconds
            if self.family.members[number] is not self.family.bases[number]:  # a map is all that is fitted of its own
                model = seeded_clone(self.family.members[number], self.split.seed)
                model = model._fit_map(reading, *fit_arguments(model, self.data, self.split.train))
            seconds[0] = watch.lap() - (self.shared_seconds - before)
            before = self.shared_seconds
            tables = [self._predict(model, reading.number, place) for place in range(len(self.split.row_sets))]
            seconds[1] = watch.lap() - (self.shared_seconds - before)
        except Exception:
            if not self.records_errors:
                raise
            return [], (watch.total, 0.0), traceback.format_exc()
        return tables, (seconds[0], seconds[1]), ""

    def _predict(self, calibrated: Any, reading: int, place: int) -> NDArray[np.float64]:
        """Return the predictions for one of the sets of rows of the split."""
        rows, fitted, classes = self.split.row_sets[place], self.shared.fitted, self.data.classes
        if classes is None or not (calibrated or hasattr(fitted, "predict_proba")):
            return predict(fitted, self.data, rows, self.split.train)
        if calibrated is None:
            found, model = self._responses_of(place, "predict_proba")[reading], fitted
        else:
            name, model = response_method(fitted, calibrated.method), calibrated
            scores = score_columns(fitted, name, self._responses_of(place, name)[reading], calibrated.classes_)
            found = calibrated._calibrate([scores])
        return read_probabilities(model, found, len(rows), classes)

    def _responses_of(self, place: int, name: str) -> list[Any]:
        """Return the response of the fitted estimator to a set of rows by one of its methods, once for each reading."""
        if (place, name) not in self._responses:
            start, X = perf_counter(), take_rows(self.data.X, self.split.row_sets[place])
            self._responses[place, name] = responses_of(self.shared.fitted, X, name, self.shared.readings)
            self._response_seconds += perf_counter() - start
        return self._responses[place, name]


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
        # Where all rows count: calibrated classifiers drop rows of weight 0, and other estimators may not
        if data.weight is None or bool((data.weight[split.train] > 0).all()):
            found = _fit_shared(family, data, split, watch, records_errors=records_errors)
            return _retry_readings(family, data, split, found)
    except Exception:
        if not records_errors:
            raise
        if len(family.members) == 1:
            return [SplitPredictions([], TrialSeconds(fit=watch.total), traceback.format_exc())]
    # What fails together is fitted one by one: the others have the predictions that they would have alone
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


def _fit_shared(
    family: Family, data: TrialData, split: NumberedSplit, watch: Stopwatch, *, records_errors: bool
) -> list[SplitPredictions]:
    """Return the predictions of each member from fits that all share."""
    head = seeded_clone(family.head, split.seed, family.open_seeds)
    shared = SharedFits(clone(head), head, family.readings)
    grown, is_fitted = _fit_head(head, family, data, split.train)
    if not is_fitted:
        head._adopt(grown)
    growth, trials = _growth_seconds(family, watch), _SharedTrials(family, shared, data, split, records_errors)
    found = [trials.run(number) for number in range(len(family.members))]
    seconds, n_members = growth + trials.shared_seconds, len(found)
    return [SplitPredictions(tables, TrialSeconds.of(*own, seconds, n_members), error) for tables, own, error in found]


def _fit_grown(family: Family, data: TrialData, split: NumberedSplit, watch: Stopwatch) -> list[SplitPredictions]:
    """Return the predictions of members that read what the head grows."""
    head = seeded_clone(family.head, split.seed, family.open_seeds)
    grown, is_fitted = _fit_head(head, family, data, split.train)
    growth = _growth_seconds(family, watch)
    if not is_fitted:
        head._adopt(grown)
    models, fit = [head], [watch.lap()]
    for member in family.members[1:]:
        models.append(clone(member)._adopt(grown))
        fit.append(watch.lap())
    found = []
    for model, seconds in zip(models, fit, strict=True):
        predictions = [predict(model, data, rows, split.train) for rows in split.row_sets]
        found.append(SplitPredictions(predictions, TrialSeconds.of(seconds, watch.lap(), growth, len(models))))
    return found


def _growth_seconds(family: Family, watch: Stopwatch) -> float:
    return watch.lap() + (0.0 if family.rows is None else family.rows.charge())


def _fit_head(head: Any, family: Family, data: TrialData, train: NDArray[np.intp]) -> tuple[Any, bool]:
    """Fit the head, or grow what it is to adopt; return what all members adopt, and whether the head is fitted."""
    if family.rows is None or not fits_coded_rows(head) or not family.rows.can_take(train):
        X, y, weight, groups, times = fit_arguments(head, data, train)
        keywords = {"sample_weight": weight, "groups": groups, "times": times}
        head.fit(X, y, **{name: value for name, value in keywords.items() if value is not None})
    else:
        examples = family.rows.take(train, head, has_groups=data.groups is not None)
        if hasattr(head, "_grow_coded"):
            return head._grow_coded(examples), False
        head._fit_coded(examples)
    if len(family.members) == 1 or not family.is_grown:
        return None, True
    return head._grown_tree if family.is_tree else head._forest, True
