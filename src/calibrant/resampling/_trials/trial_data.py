"""The data of trials: the rows that methods are tried on, their splits, predictions with values."""

from __future__ import annotations

from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import indexable

from calibrant._numbers import as_floats
from calibrant._sklearn import num_samples
from calibrant.calibration._internal import take_rows
from calibrant.data._internal import Labels, check_weights, code_labels
from calibrant.exceptions import DataError, DataTypeError
from calibrant.resampling._plans import splitters
from calibrant.resampling._plans.plan import PlanRows, rank_times, read_plan_rows
from calibrant.resampling._trials.scoring import TrainingSummary


@dataclass(frozen=True, eq=False)
class TrialData:
    """Rows of weight above 0 with their outcomes; `X`, `y` and `groups` as they were passed."""

    X: Any
    y: Any
    outcome: NDArray[Any]  # the number of each row's class in `classes`, or the number to predict
    labels: Labels | None  # None for regression
    weight: NDArray[np.float64] | None  # None where all weights are 1
    groups: Any
    rows: NDArray[np.intp]  # the position of each row among all rows passed
    n_passed: int
    times: NDArray[np.intp] | None = None  # the rank of each row's time

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.outcome)

    @property
    def classes(self) -> NDArray[Any] | None:
        """The classes, sorted; None for regression."""
        return None if self.labels is None else self.labels.classes

    def plan_rows(self) -> PlanRows:
        """Return the rows as plans split them, without coding the classes again where the codes are the same."""
        rows = read_plan_rows(self.X, self.y, self.groups, codes=self._codes())
        return replace(rows, are_classes=self.labels is not None, times=self.times)

    def _codes(self) -> NDArray[Any] | None:
        """Return the classes numbered as declared, or None where that has gaps which `labels` does not show."""
        labels = self.labels
        if labels is None or self.n_passed > self.n_rows or labels.n_declared > len(labels.classes):
            return None
        return np.asarray(np.argsort(labels.declared)[labels.codes])


def read_trial_data(
    X: Any, y: Any, sample_weight: Any, groups: Any, times: Any = None, *, is_regression: bool
) -> TrialData:
    """Validate outcomes and weights; each method validates the table itself.

    Examples
    --------
    >>> data = read_trial_data([[1], [2], [3]], ["b", "a", "b"], [1, 0, 2], None, is_regression=False)
    >>> data.X, data.outcome.tolist(), data.classes.tolist(), data.rows.tolist()
    ([[1], [3]], [0, 0], ['b'], [0, 2])
    """
    X = indexable(X)[0]
    n_rows = int(num_samples(X))
    weight = check_weights(sample_weight, n_rows)
    kept = np.arange(n_rows) if weight is None or weight.all() else np.flatnonzero(weight)
    labels = None if is_regression else code_labels(y, n_rows, None if len(kept) == n_rows else kept)
    outcome = _read_numbers(y, n_rows)[kept] if labels is None else labels.codes
    if groups is not None and num_samples(groups) != n_rows:
        raise DataError(f"groups has {num_samples(groups)} rows, X {n_rows}; pass one group for each row.")
    ranks = None if times is None else rank_times(times, n_rows)[kept]
    if len(kept) < n_rows:
        X, y = take_rows(X, kept), take_rows(y, kept)
        groups = None if groups is None else take_rows(groups, kept)
    weight = None if weight is None or (weight[kept] == 1).all() else weight[kept]
    return TrialData(X, y, outcome, labels, weight, groups, kept, n_rows, ranks)


def _read_numbers(y: Any, n_rows: int) -> NDArray[np.float64]:
    try:
        numbers = as_floats(y)
    except (TypeError, ValueError) as error:
        raise DataTypeError("y must hold the numbers to predict, one for each row.") from error
    if numbers.shape != (n_rows,) or not np.isfinite(numbers).all():
        raise DataError(f"y must hold {n_rows} finite numbers, one for each row of X; got shape {numbers.shape}.")
    return numbers


class TrialSeconds(NamedTuple):
    """Seconds of one trial alone, and those of growing and coding that served `n_sharing` trials."""

    fit: float = 0.0
    predict: float = 0.0
    shared: float = 0.0
    n_sharing: int = 1

    @classmethod
    def of(cls, fit: float, predict: float, shared: float, n_sharing: int) -> TrialSeconds:
        """Return the seconds of a trial; what no other trial shares counts as its own."""
        return cls(fit, predict, shared, n_sharing) if n_sharing > 1 else cls(fit + shared, predict)


_NO_TIME = TrialSeconds()


@dataclass(frozen=True, eq=False)
class NumberedSplit:
    """Training rows and test rows, the number of the split in its plan, and the seed of methods that have none."""

    number: int
    train: NDArray[np.intp]
    test: NDArray[np.intp]
    seed: int | None = None
    tests_training: bool = False

    @property
    def row_sets(self) -> list[NDArray[np.intp]]:
        """The rows to predict: test rows and, where requested, training rows, last."""
        return [self.test, self.train] if self.tests_training and self.number != splitters.ALL_ROWS else [self.test]


@dataclass(frozen=True, eq=False)
class SplitPredictions:
    """The predictions of a method for each set of rows of a split, or the traceback of its error."""

    predictions: list[NDArray[np.float64]]
    seconds: TrialSeconds
    error: str = ""


@dataclass(frozen=True, eq=False)
class MethodTrial:
    """One method on one split.

    Parameters
    ----------
    split : int
        The number of the split in the plan, from 0; `ALL_ROWS`: trained and tested on all training rows.
    method : int
        The position of the method; 0 with a nested plan, whose only method is the choice among all.
    test : array of int
        The test rows.
    n_train : int
        Number of different training rows.
    training : TrainingSummary
        What metrics need to know about the training rows.
    is_disjoint : bool
        Whether no test row is a training row.
    values : array of shape (n_metrics,) or None
        The metrics on the test rows; None where the trial failed.
    training_values, no_information : arrays of shape (n_metrics,) or None
        The metrics on the training rows where requested; those of predictions independent of the outcomes, for
        `ALL_ROWS` alone.
    predictions : array or None
        The predictions for the test rows.
    train, training_predictions : arrays or None
        The training rows and the predictions for them, where their metrics were requested.
    seconds : TrialSeconds
        How long it took.
    seed : int or None
        What `random_state` was set to where the method left it open.
    choice : str
        With a nested plan, the name of the chosen method.
    error : str
        The traceback of a trial that failed; else empty.
    """

    split: int
    method: int
    test: NDArray[np.intp]
    n_train: int
    training: TrainingSummary
    is_disjoint: bool
    values: NDArray[np.float64] | None = None
    training_values: NDArray[np.float64] | None = None
    no_information: NDArray[np.float64] | None = None
    predictions: NDArray[np.float64] | None = None
    train: NDArray[np.intp] | None = None
    training_predictions: NDArray[np.float64] | None = None
    seconds: TrialSeconds = _NO_TIME
    seed: int | None = None
    choice: str = ""
    error: str = ""


class Stopwatch:
    """Measures the seconds since it was started, in laps."""

    def __init__(self) -> None:
        self._first = self._last = perf_counter()

    @property
    def total(self) -> float:
        """The seconds since the start."""
        return perf_counter() - self._first

    def lap(self) -> float:
        """Return the seconds since the last lap."""
        now = perf_counter()
        seconds, self._last = now - self._last, now
        return seconds
