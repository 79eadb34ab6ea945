"""What passes between the parts of a study: planned trials, jobs, recorded trials."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

__all__ = ["BY_CLASS", "Job", "Part", "TrialRecord", "TrialRef"]

# The rows a metric is computed on. "no_information": training outcomes as if independent of the predictions (.632+).
# "counted": no values of the metric, but the numbers of test rows that it counts, which its intervals need.
Part = Literal["test", "training", "no_information", "counted"]

# The metrics whose intervals need to know how many rows of each class there are: areas, and proportions of a class.
BY_CLASS = ("auc", "gini", "recall", "sensitivity", "specificity")


@dataclass(frozen=True)
class TrialRef:
    """A planned trial: one method on one split of one data set.

    Parameters
    ----------
    key : str
        The digest of everything that its result depends on but the metrics and the versions of libraries.
    dataset, method : str
        Their names in the study.
    split : int
        The number of the split, from 0; -1: trained and tested on all rows, as the .632+ bootstrap needs once.
    """

    key: str
    dataset: str
    method: str
    split: int


@dataclass(frozen=True)
class Job:
    """Trials of one data set that share grown trees and so run together.

    Parameters
    ----------
    number : int
        The number of the job in this run.
    dataset : str
        The name of the data set.
    refs : tuple of TrialRef
        The trials: the same methods on every split of the job, split by split.
    """

    number: int
    dataset: str
    refs: tuple[TrialRef, ...]

    @property
    def methods(self) -> tuple[str, ...]:
        """The methods, in the order of the study."""
        return tuple(dict.fromkeys(ref.method for ref in self.refs))

    @property
    def splits(self) -> tuple[int, ...]:
        """The numbers of the splits."""
        return tuple(dict.fromkeys(ref.split for ref in self.refs))


@dataclass(frozen=True)
class TrialRecord:
    """A trial that has run, as the store keeps it.

    Parameters
    ----------
    ref : TrialRef
        The trial.
    token : str
        Identifies this computation of the trial: a record sent again after a lost connection is known by it.
    split_name : str
        The name of the split, such as ``"repeat 1, fold 3"``.
    seed : int or None
        What `random_state` was set to where the method left it open.
    versions : dict of str to str
        The versions of calibrant, Python and the libraries that the method uses.
    data_fingerprint : str
        The digest of the rows.
    n_train, n_test : int
        Numbers of different training rows and of test rows.
    fit_seconds, predict_seconds : float
        The time of this trial alone.
    shared_seconds : float
        The time of growing and coding that served `n_sharing` trials, this one among them.
    scores : dict of part to dict of metric to value
        NaN where a metric is undefined; empty where the trial failed.
    choice : str
        With a nested plan, the method that was chosen.
    error : str
        The traceback of a trial that failed; else empty.
    predictions : bytes or None
        The predictions for the test rows as a Parquet file, where they are kept.
    """

    ref: TrialRef
    token: str
    split_name: str = ""
    seed: int | None = None
    versions: Mapping[str, str] = field(default_factory=dict)
    data_fingerprint: str = ""
    n_train: int = 0
    n_test: int = 0
    fit_seconds: float = 0.0
    predict_seconds: float = 0.0
    shared_seconds: float = 0.0
    n_sharing: int = 1
    scores: Mapping[Part, Mapping[str, float]] = field(default_factory=dict)
    choice: str = ""
    error: str = ""
    predictions: bytes | None = None

    @property
    def is_failed(self) -> bool:
        """Whether the trial has no result."""
        return bool(self.error)
