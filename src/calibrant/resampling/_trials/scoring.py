"""Metrics of a split: of probabilities by `METRICS`, of predicted numbers by `calibrant.metrics.numeric`."""

from __future__ import annotations

import inspect
import math
import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from calibrant._params import choose
from calibrant._repr import short_repr
from calibrant.exceptions import DataError, ParameterError
from calibrant.metrics import METRICS, numeric
from calibrant.metrics._internal import (
    CALIBRATION_ERRORS,
    Predictions,
    RowValues,
    check_options,
    row_values_of,
    values_without_blocks,
)

if TYPE_CHECKING:
    from calibrant.resampling._trials.trial_data import MethodTrial, TrialData

_CLASS_METRICS = ("error", "mse", "log_loss", "auc")
_NUMBER_METRICS = ("mean_absolute_error", "root_mean_squared_error", "relative_root_mean_squared_error", "correlation")
# All pairs of n outcomes and n predictions take memory n squared; 100 shifts of one against the other stay linear
_MAX_SHIFTS = 100
_AREAS = ("auc", "gini")
_BY_ROW = {"amount", "cost", "vote"}  # keywords that may have a value for each row

MetricFunction = Callable[..., float]
Array = Any


class TrainingSummary(NamedTuple):
    """The facts of the training rows that metrics need: the share of each class, or the mean of the outcomes."""

    prior: NDArray[np.float64] | None = None
    mean: float | None = None


@dataclass(frozen=True, eq=False)
class Scorer:
    """Computes the requested metrics of predictions for some of the rows."""

    data: TrialData
    metrics: Mapping[str, MetricFunction | None]  # of outcomes and predictions; None: the metric of that name
    params: Mapping[str, Mapping[str, Any]]  # keywords; values for each row are cut to the rows that are scored
    positive: int = 0  # the column of the positive class
    has_pos_label: bool = False  # whether the positive class was specified

    @property
    def pos_label(self) -> Any:
        """The positive class, if it was specified."""
        return self.data.classes[self.positive] if self.has_pos_label and self.data.classes is not None else None

    def summarize(self, train: NDArray[np.intp]) -> TrainingSummary:
        """Return the facts of the training rows that metrics need."""
        outcome, weight = self.data.outcome[train], self._weight(train)
        if self.data.classes is None:
            return TrainingSummary(mean=float(np.average(outcome, weights=weight)))
        counts = np.bincount(outcome, weight, len(self.data.classes))
        return TrainingSummary(prior=np.asarray(counts / counts.sum()))

    def scores(
        self, predictions: NDArray[np.float64], rows: NDArray[np.intp], training: TrainingSummary
    ) -> list[float]:
        """Return the metrics of predictions for some rows; NaN where a metric is undefined."""
        return self._scores(self.data.outcome[rows], predictions, self._weight(rows), rows, training, self.metrics)

    def score(
        self, name: str, predictions: NDArray[np.float64], rows: NDArray[np.intp], training: TrainingSummary
    ) -> float:
        """Return one metric of predictions for some rows; NaN where it is undefined."""
        return self._scores(self.data.outcome[rows], predictions, self._weight(rows), rows, training, [name])[0]

    def read(self, predictions: NDArray[np.float64], rows: NDArray[np.intp]) -> Predictions:
        """Return predictions of classes for some rows as metrics take them."""
        return self._read(self.data.outcome[rows], predictions, self._weight(rows))

    def row_values(
        self, name: str, predictions: NDArray[np.float64], rows: NDArray[np.intp], training: TrainingSummary
    ) -> RowValues | None:
        """Return the values of rows that a metric is the mean or the sum of; None for a metric that is neither."""
        if self.metrics[name] is not None or self.data.classes is None or name in self._with_prior:
            return None
        keywords = self._keywords(name, rows, training)
        return row_values_of(METRICS[name], self.read(predictions, rows), keywords)

    def scores_without(
        self,
        name: str,
        predictions: NDArray[np.float64],
        rows: NDArray[np.intp],
        training: TrainingSummary,
        block: NDArray[np.intp],
    ) -> NDArray[np.float64] | None:
        """Return a measure of the confusion matrix without each block of the rows; None for any other metric.

        All matrices are counted at once: one by one, a jackknife of 2,000 rows takes six times as long.
        """
        if self.metrics[name] is not None or self.data.classes is None:
            return None
        keywords = self._keywords(name, rows, training)
        try:
            return values_without_blocks(METRICS[name], self.read(predictions, rows), block, keywords)
        except DataError:  # such as several classes where a metric is of one
            return None

    def no_information_scores(
        self, predictions: NDArray[np.float64], rows: NDArray[np.intp], training: TrainingSummary
    ) -> list[float]:
        """Return the metrics of each prediction with each outcome of the rows, as if the two were independent.

        Of the error this is the no-information error rate of Efron & Tibshirani (1997).
        """
        outcome, weight = self.data.outcome[rows], self._weight(rows)
        if self.data.classes is None:
            return self._shifted_scores(outcome, predictions, weight, rows, training)
        counts = np.bincount(outcome, weight, len(self.data.classes))
        occurring = np.flatnonzero(counts)
        every = np.repeat(np.arange(len(rows)), len(occurring))
        label = np.tile(occurring, len(rows)).astype(np.int32)
        pair_weight = counts[label] * (1.0 if weight is None else weight[every])
        return self._scores(label, predictions[every], pair_weight, rows[every], training, self.metrics)

    def range_of(self, name: str) -> tuple[float, float]:
        """Return the least and the greatest value of a metric; infinite where it is not known."""
        if self.metrics[name] is not None:
            return -math.inf, math.inf
        if self.data.classes is not None:
            return METRICS[name].low, METRICS[name].high
        return (-1.0, 1.0) if name == "correlation" else (0.0, math.inf)

    def is_calibration_error(self, name: str) -> bool:
        """Return whether a metric of ours is a calibration error, which is above 0 by chance alone."""
        return self.metrics[name] is None and self.data.classes is not None and name in CALIBRATION_ERRORS

    def is_proportion(self, name: str) -> bool:
        """Return whether a metric of ours is a proportion of rows that the actual classes determine."""
        if self.data.classes is None or self.metrics[name] is not None or METRICS[name].hits is None:
            return False
        return "average" not in self.params.get(name, {})

    def is_area(self, name: str) -> bool:
        """Return whether a metric of ours is the area under the ROC curve of one class, or Gini's coefficient."""
        classes = self.data.classes
        if classes is None or self.metrics[name] is not None or self.params.get(name):
            return False
        return name in _AREAS and (len(classes) == 2 or self.has_pos_label)

    def n_counted(self, name: str, predictions: NDArray[np.float64], rows: NDArray[np.intp]) -> float | None:
        """Return the number of rows that a proportion is of; of an area, that with as many rows of either class."""
        if self.metrics[name] is not None or self.data.classes is None or "average" in self.params.get(name, {}):
            return None
        read = self._read(self.data.outcome[rows], predictions, None)
        if (hits := METRICS[name].hits) is not None:
            return float(np.count_nonzero(~np.isnan(hits(read))))
        if name not in _AREAS or not read.is_binary:
            return None
        n_positive = int(np.count_nonzero(read.label == read.positive))
        return 4.0 * n_positive * (read.n_rows - n_positive) / read.n_rows

    def split_counts(self, name: str, trials: Sequence[MethodTrial]) -> NDArray[np.float64] | None:
        """Return `n_counted` of each trial's test rows; the classes alone determine it, whatever the method."""
        found = [self.n_counted(name, np.asarray(trial.predictions), trial.test) for trial in trials]
        return None if None in found else np.array(found, dtype=np.float64)

    def _weight(self, rows: NDArray[np.intp]) -> NDArray[np.float64] | None:
        return None if self.data.weight is None else self.data.weight[rows]

    def _scores(
        self,
        outcome: Array,
        predictions: Array,
        weight: Array,
        rows: NDArray[np.intp],
        training: TrainingSummary,
        names: Iterable[str],
    ) -> list[float]:
        """Return metrics of predictions for outcomes of some rows."""
        keywords = {name: self._keywords(name, rows, training) for name in names}
        if self.data.classes is None:
            return [self._number_score(name, outcome, predictions, weight, own) for name, own in keywords.items()]
        read = self._read(outcome, predictions, weight)
        return [self._class_score(name, read, own) for name, own in keywords.items()]

    def _read(self, outcome: Array, predictions: Array, weight: Array) -> Predictions:
        table = np.clip(predictions, 0.0, 1.0)  # checked where they were made, up to rounding
        classes = np.asarray(self.data.classes)
        return Predictions(classes, outcome, table, weight, self.positive, self.has_pos_label, None, len(outcome))

    def _class_score(self, name: str, read: Predictions, keywords: Mapping[str, Any]) -> float:
        if self.metrics[name] is not None:
            return self._own_score(name, read.classes[read.label], read.proba, read.weights, keywords)
        labels = {"labels": read.classes} if name in self._with_prior else {}
        try:
            return float(METRICS[name].judge(read, **labels, **keywords))
        except DataError:  # such as a single class among the rows
            return math.nan

    def _number_score(
        self, name: str, outcome: Array, predictions: Array, weight: Array, keywords: Mapping[str, Any]
    ) -> float:
        if self.metrics[name] is not None:
            return self._own_score(name, outcome, predictions, weight, keywords)
        try:
            return float(self._functions[name](outcome, predictions, sample_weight=weight, **keywords))
        except DataError:
            return math.nan

    def _own_score(
        self, name: str, outcome: Array, predictions: Array, weight: Array, keywords: Mapping[str, Any]
    ) -> float:
        """Return the value of a function of the user's; raise if it is no number."""
        own: Any = self.metrics[name]
        weights = {"sample_weight": weight} if weight is not None and _takes(own, "sample_weight") else {}
        value = own(outcome, predictions, **weights, **keywords)
        try:
            if not isinstance(value, (str, bytes)):
                return float(value)
        except (TypeError, ValueError):
            pass
        raise ParameterError(f"metric {name!r} must return a number; got {short_repr(value)}.")

    def _shifted_scores(
        self, outcome: Array, predictions: Array, weight: Array, rows: NDArray[np.intp], training: TrainingSummary
    ) -> list[float]:
        """Return the metrics of outcomes with the predictions of other rows, shifted by up to `_MAX_SHIFTS` amounts."""
        n_rows = len(rows)
        shifts = np.unique(np.linspace(0, n_rows - 1, min(n_rows, _MAX_SHIFTS)).round().astype(np.intp))
        every = np.repeat(np.arange(n_rows), len(shifts))
        other = (np.arange(n_rows)[:, np.newaxis] + shifts).ravel() % n_rows
        pair_weight = None if weight is None else weight[every] * weight[other]
        return self._scores(outcome[every], predictions[other], pair_weight, rows[every], training, self.metrics)

    def _keywords(self, name: str, rows: NDArray[np.intp], training: TrainingSummary) -> dict[str, Any]:
        """Return the keywords of a metric: those passed, and what the training rows show where it needs that."""
        keywords = _take_rows(self.params.get(name, {}), rows, self.data.n_rows)
        if name in self._with_prior:
            keywords.setdefault("prior", training.prior)
        if name in self._with_mean:
            keywords.setdefault("training_mean", training.mean)
        return keywords

    @cached_property
    def _functions(self) -> dict[str, MetricFunction]:
        """The functions of the metrics that are ours."""
        if self.data.classes is None:
            return {name: getattr(numeric, name) for name, own in self.metrics.items() if own is None}
        return {name: METRICS[name].function for name, own in self.metrics.items() if own is None}

    @cached_property
    def _with_prior(self) -> set[str]:
        return {name for name, function in self._functions.items() if _takes(function, "prior")}

    @cached_property
    def _with_mean(self) -> set[str]:
        return {name for name, function in self._functions.items() if _takes(function, "training_mean")}


def better_of(name: str) -> Callable[[float, float], bool] | None:
    """Return the function that decides whether one value of a metric is better than another; None if it is not known.

    Examples
    --------
    >>> better_of("correlation")(0.9, 0.5), better_of("mse")(0.9, 0.5), better_of("a function of mine")
    (True, False, None)
    """
    if name in METRICS:
        return METRICS[name].is_better
    if name not in numeric.__all__:
        return None
    return operator.gt if name == "correlation" else operator.lt


def _takes(function: MetricFunction, keyword: str) -> bool:
    try:
        return keyword in inspect.signature(function).parameters
    except (TypeError, ValueError):  # some built-in functions have no signature
        return False


def read_scorer(
    data: TrialData, metrics: Any, params: Mapping[str, Mapping[str, Any]] | None, pos_label: Any
) -> Scorer:
    """Validate the requested metrics and their keywords.

    Examples
    --------
    >>> from calibrant.resampling._trials.trial_data import read_trial_data
    >>> data = read_trial_data([[1], [2]], ["a", "b"], None, None, is_regression=False)
    >>> list(read_scorer(data, None, None, None).metrics)
    ['error', 'mse', 'log_loss', 'auc']
    """
    params = {} if params is None else params
    requested = _read_metrics(metrics, data.classes is None)
    if not requested:
        raise ParameterError("metrics is empty; name at least one, or pass None for the default ones.")
    for name, own in requested.items():
        if own is None:
            _check_metric(name, data, params.get(name, {}), pos_label)
    unknown = [name for name in params if name not in requested]
    if unknown:
        raise ParameterError(f"metric_params names {unknown[0]!r}, which is not in metrics: {', '.join(requested)}.")
    kept = {name: _take_rows(keywords, data.rows, data.n_passed) for name, keywords in params.items()}
    return Scorer(data, requested, kept, _positive(data, pos_label), pos_label is not None)


def _take_rows(keywords: Mapping[str, Any], rows: NDArray[np.intp], n_rows: int) -> dict[str, Any]:
    """Return the keywords of a metric for some of the rows: arrays with a value for each row are cut."""
    return {
        key: np.asarray(value)[rows] if np.ndim(value) == 1 and len(value) == n_rows else value
        for key, value in keywords.items()
    }


def _read_metrics(metrics: Any, is_regression: bool) -> dict[str, MetricFunction | None]:
    if metrics is None:
        return dict.fromkeys(_NUMBER_METRICS if is_regression else _CLASS_METRICS)
    if isinstance(metrics, str):
        return {metrics: None}
    if isinstance(metrics, Mapping):
        return {str(name): each if callable(each) else None for name, each in metrics.items()}
    if not isinstance(metrics, Iterable):
        raise ParameterError(f"metrics must be a list of ids, or a dict of name to function; got {metrics!r}.")
    return {getattr(each, "__name__", str(each)): each if callable(each) else None for each in metrics}


def _check_metric(name: str, data: TrialData, keywords: Mapping[str, Any], pos_label: Any) -> None:
    if data.classes is None:
        choose("a metric of numbers", name, dict.fromkeys(numeric.__all__))
        return
    metric = choose("a metric", name, METRICS)
    check_options(name, **keywords)
    missing = [need for need in metric.needs if need not in keywords and need != "prior"]
    if missing:
        raise ParameterError(f"metrics: {name!r} needs {', '.join(missing)}; pass metric_params={{{name!r}: ...}}.")
    for need in _BY_ROW.intersection(metric.needs):
        n_values = len(keywords[need]) if np.ndim(keywords[need]) == 1 else data.n_passed
        if n_values != data.n_passed:
            raise DataError(f"metric_params: {need} of {name!r} has {n_values} values for {data.n_passed} rows.")
    if metric.classes == "two" and len(data.classes) > 2 and pos_label is None:
        raise ParameterError(f"metrics: {name!r} is of two classes and y has {len(data.classes)}; pass pos_label=.")


def _positive(data: TrialData, pos_label: Any) -> int:
    if data.classes is None:
        return 0
    names = data.classes.tolist()
    if pos_label is None:
        return len(names) - 1
    if pos_label not in names:
        raise ParameterError(f"pos_label is {pos_label!r}, which is not a class ({names[:5]}).")
    return int(names.index(pos_label))
