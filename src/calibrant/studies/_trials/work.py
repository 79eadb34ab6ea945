"""What a worker needs to run the trials of a study: the rows of a data set, and the methods, plan and metrics."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["StudyRows", "StudyWork"]


@dataclass(frozen=True, eq=False)
class StudyRows:
    """The rows of a data set, read once; large, and sent to each worker once.

    Parameters
    ----------
    name : str
        The name of the data set in the study.
    fingerprint : str
        The digest of the rows: features, classes, weights and groups.
    X, y : frame or array, and sequence
        The features and the class of each row.
    groups, sample_weight : array or None
        The group and the weight of each row.
    pos_label : object
        The positive class, or None.
    metric_params : dict of metric to dict
        Keywords of metrics, arrays by row among them.
    """

    name: str
    fingerprint: str
    X: Any
    y: Any
    groups: NDArray[Any] | None = None
    sample_weight: NDArray[Any] | None = None
    pos_label: Any = None
    metric_params: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class StudyWork:
    """What is done with every data set; small, and sent with the jobs.

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
