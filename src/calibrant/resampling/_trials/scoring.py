"""Metrics on the test rows of a split: of probabilities by `METRICS`, of numbers by `calibrant.metrics.numeric`."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from calibrant._params import choose
from calibrant.exceptions import DataError, ParameterError
from calibrant.metrics import METRICS, numeric
from calibrant.metrics._internal import Predictions, read_predictions

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.resampling._trials.trial_data import Case

__all__ = ["Judge", "Learnt", "better_of", "cut_params", "read_judge"]

OF_CLASSES = ("error", "mse", "log_loss", "auc")
OF_NUMBERS = ("mean_absolute_error", "root_mean_squared_error", "root_relative_squared_error", "correlation")
_MOST_SHIFTS = 100  # pairs of numbers and predictions in the rate of guessing, for each row
_BY_ROW = {"amount", "cost", "vote"}  # keywords that may have a value for each row

MetricFunction = Callable[..., float]


class Learnt(NamedTuple):
    """What metrics ask about the rows learnt from: the share of each class, or the mean of the numbers."""

    prior: NDArray[np.float64] | None = None
    mean: float | None = None


@dataclass(frozen=True, eq=False)
class Judge:
    """The metrics asked for, and what they need to know of the rows besides predictions.

    Parameters
    ----------
    case : Case
        The rows.
    metrics : dict of str to callable or None
        A function of classes or numbers and predictions; None: the metric of that name.
    params : dict of str to dict
        Further keywords of metrics; arrays with a value for each row are cut to the rows that are judged.
    positive : int
        The column of the positive class.
    is_told : bool
        Whether the positive class was told.
    """

    case: Case
    metrics: Mapping[str, MetricFunction | None]
    params: Mapping[str, Mapping[str, Any]]
    positive: int = 0
    is_told: bool = False

    def values(
        self, answer: NDArray[np.float64], rows: NDArray[np.intp], learnt: Learnt, *, is_ours: bool = False
    ) -> list[float]:
        """Judge what a model learnt from some rows says of others; NaN where a metric has no value."""
        weight = None if self.case.weight is None else self.case.weight[rows]
        if self.case.classes is None:
            return self._of_numbers(self.case.outcome[rows], answer, weight, rows, learnt)
        label = self.case.outcome[rows]
        if is_ours:
            read = self._read(label, answer, weight)
        else:
            names = self.case.classes
            read = read_predictions(names[label], answer, sample_weight=weight, labels=names, pos_label=self._told)
        return [self._of_classes(name, read, rows, learnt) for name in self.metrics]

    def guessing(self, answer: NDArray[np.float64], rows: NDArray[np.intp], learnt: Learnt) -> list[float]:
        """Judge predictions that have nothing to do with the outcomes: every one with every outcome of the rows."""
        weight = None if self.case.weight is None else self.case.weight[rows]
        outcome = self.case.outcome[rows]
        if self.case.classes is None:
            return self._guessed_numbers(outcome, answer, weight, rows, learnt)
        n_classes = len(self.case.classes)
        share = np.bincount(outcome, weight, n_classes)
        there = np.flatnonzero(share)
        label = np.tile(there, len(rows)).astype(np.int32)
        each = np.repeat(np.ones(len(rows)) if weight is None else weight, len(there))
        read = self._read(label, np.repeat(answer, len(there), axis=0), each * share[label])
        return [self._of_classes(name, read, np.repeat(rows, len(there)), learnt) for name in self.metrics]

    @property
    def _told(self) -> Any:
        return self.case.classes[self.positive] if self.is_told and self.case.classes is not None else None

    def _read(self, label: NDArray[Any], table: NDArray[np.float64], weight: NDArray[np.float64] | None) -> Predictions:
        """Give predictions that need no checks, because our own trees made them."""
        classes = self.case.classes
        assert classes is not None  # noqa: S101
        return Predictions(classes, label, table, weight, self.positive, self.is_told, None, len(label))

    def _of_classes(self, name: str, read: Predictions, rows: NDArray[np.intp], learnt: Learnt) -> float:
        own, more = self.metrics[name], self._more(name, rows, learnt)
        if own is not None:
            return float(own(read.classes[read.label], read.proba, **self._weighed(name, read.weights), **more))
        takes_labels = {"labels": read.classes} if name in self._take_prior else {}
        try:
            return float(METRICS[name].judge(read, **takes_labels, **more))
        except DataError:  # such as one class alone among the rows
            return math.nan

    def _of_numbers(
        self,
        outcome: NDArray[np.float64],
        answer: NDArray[np.float64],
        weight: NDArray[np.float64] | None,
        rows: NDArray[np.intp],
        learnt: Learnt,
    ) -> list[float]:
        return [
            self._of_number(name, (outcome, answer), weight, self._more(name, rows, learnt)) for name in self.metrics
        ]

    def _of_number(
        self, name: str, pair: tuple[Any, Any], weight: NDArray[np.float64] | None, more: Mapping[str, Any]
    ) -> float:
        own = self.metrics[name]
        if own is not None:
            return float(own(*pair, **self._weighed(name, weight), **more))
        try:
            return float(getattr(numeric, name)(*pair, sample_weight=weight, **more))
        except DataError:
            return math.nan

    def _guessed_numbers(
        self,
        outcome: NDArray[np.float64],
        answer: NDArray[np.float64],
        weight: NDArray[np.float64] | None,
        rows: NDArray[np.intp],
        learnt: Learnt,
    ) -> list[float]:
        n_rows = len(rows)
        shifts = np.unique(np.linspace(0, n_rows - 1, min(n_rows, _MOST_SHIFTS)).round().astype(np.intp))
        place = (np.arange(n_rows)[:, np.newaxis] + shifts).ravel()
        other = place % n_rows
        given, said = np.repeat(outcome, len(shifts)), answer[other]
        both = None if weight is None else np.repeat(weight, len(shifts)) * weight[other]
        return self._of_numbers(given, said, both, np.repeat(rows, len(shifts)), learnt)

    def _more(self, name: str, rows: NDArray[np.intp], learnt: Learnt) -> dict[str, Any]:
        """Give further keywords: told ones, and what the training rows say where a metric asks for that."""
        more = _cut(self.params.get(name, {}), rows, self.case.n_rows)
        if name in self._take_prior:
            more.setdefault("prior", learnt.prior)
        if name in self._take_mean:
            more.setdefault("training_mean", learnt.mean)
        return more

    def learnt(self, train: NDArray[np.intp]) -> Learnt:
        """Sum up the rows learnt from."""
        outcome, weight = self.case.outcome[train], None if self.case.weight is None else self.case.weight[train]
        if self.case.classes is None:
            return Learnt(mean=float(np.average(outcome, weights=weight)))
        share = np.bincount(outcome, weight, len(self.case.classes))
        return Learnt(prior=np.asarray(share / share.sum()))

    @cached_property
    def _take_prior(self) -> set[str]:
        return self._that_take("prior")

    @cached_property
    def _take_mean(self) -> set[str]:
        return self._that_take("training_mean")

    @cached_property
    def _take_weights(self) -> set[str]:
        return {name for name, own in self.metrics.items() if own is not None and _takes(own, "sample_weight")}

    def _weighed(self, name: str, weight: NDArray[np.float64] | None) -> dict[str, Any]:
        """Give the weights to a function that takes them."""
        return {"sample_weight": weight} if weight is not None and name in self._take_weights else {}

    def _that_take(self, keyword: str) -> set[str]:
        functions = {
            name: _function(name, self.case.classes is None) for name, own in self.metrics.items() if own is None
        }
        return {name for name, each in functions.items() if _takes(each, keyword)}


def _takes(function: MetricFunction, keyword: str) -> bool:
    try:
        return keyword in inspect.signature(function).parameters
    except (TypeError, ValueError):  # some built-in functions do not say what they take
        return False


def read_judge(case: Case, metrics: Any, params: Mapping[str, Mapping[str, Any]] | None, pos_label: Any) -> Judge:
    """Look the metrics up.

    Examples
    --------
    >>> from calibrant.resampling._trials.trial_data import read_case
    >>> case = read_case([[1], [2]], ["a", "b"], None, None, is_regression=False)
    >>> list(read_judge(case, None, None, None).metrics)
    ['error', 'mse', 'log_loss', 'auc']
    """
    of_numbers = case.classes is None
    params = {} if params is None else params
    wanted = _wanted(metrics, of_numbers)
    if not wanted:
        raise ParameterError("metrics is empty; name at least one, or pass None for the usual ones.")
    for name in wanted:
        if wanted[name] is None:
            _check(name, case, params.get(name, {}), pos_label)
    unknown = [name for name in params if name not in wanted]
    if unknown:
        raise ParameterError(f"metric_params names {unknown[0]!r}, which is not among metrics: {', '.join(wanted)}.")
    told = cut_params(params, case.rows, case.n_given) if case.n_given > case.n_rows else params
    return Judge(case, wanted, told, _positive(case, pos_label), pos_label is not None)


def cut_params(
    params: Mapping[str, Mapping[str, Any]], rows: NDArray[np.intp], n_rows: int
) -> dict[str, Mapping[str, Any]]:
    """Give the keywords of metrics for some of the rows.

    Examples
    --------
    >>> cut_params({"profit": {"amount": [1, 2, 3], "cost": 0.5}}, np.array([0, 2]), 3)
    {'profit': {'amount': array([1, 3]), 'cost': 0.5}}
    """
    return {name: _cut(told, rows, n_rows) for name, told in params.items()}


def _cut(told: Mapping[str, Any], rows: NDArray[np.intp], n_rows: int) -> dict[str, Any]:
    return {
        key: np.asarray(value)[rows] if np.ndim(value) == 1 and len(value) == n_rows else value
        for key, value in told.items()
    }


def _wanted(metrics: Any, of_numbers: bool) -> dict[str, MetricFunction | None]:
    if metrics is None:
        return dict.fromkeys(OF_NUMBERS if of_numbers else OF_CLASSES)
    if isinstance(metrics, str):
        return {metrics: None}
    if isinstance(metrics, Mapping):
        return {str(name): each if callable(each) else None for name, each in metrics.items()}
    if not isinstance(metrics, Iterable):
        raise ParameterError(f"metrics must be a list of ids, or a dict of name to function; got {metrics!r}.")
    return {getattr(each, "__name__", str(each)): each if callable(each) else None for each in metrics}


def _check(name: str, case: Case, told: Mapping[str, Any], pos_label: Any) -> None:
    if case.classes is None:
        _function(name, True)
        return
    metric = choose("a metric", name, METRICS)
    missing = [need for need in metric.needs if need not in told and need != "prior"]
    if missing:
        raise ParameterError(f"metrics: {name!r} needs {', '.join(missing)}; pass metric_params={{{name!r}: ...}}.")
    for need in _BY_ROW.intersection(metric.needs):
        if np.ndim(told[need]) == 1 and len(told[need]) != case.n_given:
            raise DataError(f"metric_params: {need} of {name!r} has {len(told[need])} values for {case.n_given} rows.")
    if metric.classes == "two" and len(case.classes) > 2 and pos_label is None:
        raise ParameterError(f"metrics: {name!r} judges two classes and y has {len(case.classes)}; pass pos_label=.")


def _function(name: str, of_numbers: bool) -> MetricFunction:
    if not of_numbers:
        return METRICS[name].function
    known: dict[str, MetricFunction] = {each: getattr(numeric, each) for each in numeric.__all__}
    return choose("a metric of numbers", name, known)


def _positive(case: Case, pos_label: Any) -> int:
    if case.classes is None:
        return 0
    names = case.classes.tolist()
    if pos_label is None:
        return len(names) - 1
    if pos_label not in names:
        raise ParameterError(f"pos_label is {pos_label!r}, which is not a class ({names[:5]}).")
    return int(names.index(pos_label))


def better_of(name: str, of_numbers: bool) -> Callable[[float, float], bool]:
    """Give the function that says whether one value of a metric is better than another.

    Examples
    --------
    >>> better_of("auc", False)(0.9, 0.8), better_of("mean_absolute_error", True)(0.9, 0.8)
    (True, False)
    """
    if not of_numbers:
        return choose("a metric", name, METRICS).is_better
    _function(name, True)
    return (lambda one, other: one > other) if name == "correlation" else (lambda one, other: one < other)
