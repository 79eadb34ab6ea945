"""A trial on its way through a study: planned with rows and methods, part of a job, recorded."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypedDict

from numpy.typing import NDArray

# The rows a metric is computed on. "no_information": training outcomes as if independent of the predictions (.632+).
Part = Literal["test", "training", "no_information"]


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
    def seconds(self) -> float:
        """The time of the trial, with its part of what it shares."""
        return self.fit_seconds + self.predict_seconds + self.shared_seconds / self.n_sharing


@dataclass(frozen=True)
class PlannedTrials:
    """The trials of one data set.

    Parameters
    ----------
    dataset : str
        Its name.
    families : tuple of tuples of str
        The methods, those that share grown trees together.
    splits : tuple of int
        The numbers of the splits.
    digests : dict of str to str
        What the keys of a method's trials begin with.
    """

    dataset: str
    families: tuple[tuple[str, ...], ...]
    splits: tuple[int, ...]
    digests: Mapping[str, str]

    @property
    def n_trials(self) -> int:
        """Number of trials."""
        return len(self.digests) * len(self.splits)

    def refs(self, methods: Sequence[str], split: int) -> tuple[TrialRef, ...]:
        """Return some methods on one split."""
        return tuple(TrialRef(f"{self.digests[m]}-{split}", self.dataset, m, split) for m in methods)

    def __iter__(self) -> Iterator[TrialRef]:
        for split in self.splits:
            for family in self.families:
                yield from self.refs(family, split)


@dataclass(frozen=True, eq=False)
class StudyRows:
    """The rows of a data set, read once; large, and sent to each worker once.

    Parameters
    ----------
    name : str
        The name of the data set in the study.
    fingerprint : str
        The digest of the rows: features, classes, weights, groups and times.
    X, y : frame or array, and sequence
        The features and the class of each row.
    groups, sample_weight : array or None
        The group and the weight of each row.
    pos_label : object
        The positive class, or None.
    metric_params : dict of metric to dict
        Keywords of metrics, arrays by row among them.
    times : array or None
        The time of each row.
    """

    name: str
    fingerprint: str
    X: Any
    y: Any
    groups: NDArray[Any] | None = None
    sample_weight: NDArray[Any] | None = None
    pos_label: Any = None
    metric_params: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    times: NDArray[Any] | None = None


@dataclass(frozen=True, eq=False)
class StudyWork:
    """The methods, plan and metrics for every data set; small, and sent with the jobs.

    Parameters
    ----------
    methods : dict of str to estimator
        The methods by name.
    plan : plan or splitter
        How rows are split.
    metrics : dict of str to function or None, or None
        As `estimate_performance` takes them.
    seed : int
        The seed of the study.
    choose_by : str or None
        With a nested plan, the metric that chooses.
    tests_training : bool
        Whether metrics are computed on the training rows too.
    keeps_predictions : bool
        Whether the predictions are recorded.
    """

    methods: Mapping[str, Any]
    plan: Any
    metrics: Any = None
    seed: int = 0
    choose_by: str | None = None
    tests_training: bool = False
    keeps_predictions: bool = False


class Needed(TypedDict):
    """The metrics that a finished trial has, by the rows they are computed on, and whether it has predictions."""

    needed: Mapping[Part, tuple[str, ...]]
    predictions: bool
