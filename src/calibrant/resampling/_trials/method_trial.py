"""One method on one split: what was tested, how well, how long it took, or why it failed."""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.resampling._trials.scoring import TrainingSummary

__all__ = ["ALL_ROWS", "MethodTrial", "NumberedSplit", "SplitPredictions", "Stopwatch", "TrialSeconds"]

ALL_ROWS = -1  # the number of the split that trains and tests on all training rows


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
        return [self.test, self.train] if self.tests_training and self.number != ALL_ROWS else [self.test]


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
