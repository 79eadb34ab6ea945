"""What queries need to know of the plan of a data set: its words, its splits and what intervals hold for them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant.resampling import CrossValidation, LeaveOneOut, Nested, SmallerTraining
from calibrant.resampling._internal import splitters

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.resampling._internal import BootstrapKind, IntervalKind

__all__ = ["DatasetPlan", "read_dataset_plan"]

# Splitters of scikit-learn whose test sets are disjoint, within each repeat where they repeat.
_DISJOINT = {
    *("GroupKFold", "KFold", "LeaveOneGroupOut", "LeaveOneOut", "PredefinedSplit", "RepeatedKFold"),
    *("RepeatedStratifiedKFold", "StratifiedGroupKFold", "StratifiedKFold", "TimeSeriesSplit"),
}


@dataclass(frozen=True, eq=False)
class DatasetPlan:
    """The plan of a study on one of its data sets.

    Parameters
    ----------
    words : str
        The description of the plan.
    split_names : tuple of str
        The names of the splits.
    n_train, n_test : arrays of shape (n_splits,)
        Numbers of different training rows and of test rows; 0 where no trial of the split has run.
    n_independent : int
        Number of splits of one repeat.
    interval_kind : {"rows", "none"}
        What intervals are computed from: the tested rows, or nothing.
    bootstrap : {".632", ".632+"} or None
        How the metrics on training rows and on test rows are combined.
    has_disjoint_tests : bool
        Whether the test rows of two splits of one repeat are different rows.
    is_nested : bool
        Whether a method is chosen within each split.
    caution : str
        When the estimate of the plan misleads.
    pos_label : object
        The positive class, if it was specified.
    numbers : tuple of int
        The numbers of the splits in the plan of the study; empty where they are all of them.
    """

    words: str
    split_names: tuple[str, ...]
    n_train: NDArray[np.intp]
    n_test: NDArray[np.intp]
    n_independent: int
    interval_kind: IntervalKind = "rows"
    bootstrap: BootstrapKind = None
    has_disjoint_tests: bool = False
    is_nested: bool = False
    caution: str = ""
    pos_label: Any = None
    numbers: tuple[int, ...] = ()

    @property
    def split_numbers(self) -> tuple[int, ...]:
        """The number of each split in the plan of the study, by which trials are recorded."""
        return self.numbers or tuple(range(self.n_splits))

    @property
    def n_splits(self) -> int:
        """Number of splits."""
        return len(self.split_names)

    @property
    def is_five_by_two(self) -> bool:
        """Whether the plan is five replications of twofold cross-validation."""
        return self.n_splits == 10 and self.n_independent == 2 and self.has_disjoint_tests


def read_dataset_plan(
    plan: Any, split_names: Sequence[str], n_train: Any, n_test: Any, *, is_disjoint: bool = True, pos_label: Any = None
) -> DatasetPlan:
    """Return what queries need to know of a plan.

    Parameters
    ----------
    plan : plan or splitter
        The plan.
    split_names : sequence of str
        The names of its splits of this data set.
    n_train, n_test : sequence of int
        Numbers of training rows and of test rows of each split; 0 where they are not known.
    is_disjoint : bool
        Whether no test row of a split is one of its training rows.
    pos_label : object
        The positive class, if it was specified.

    Examples
    --------
    >>> found = read_dataset_plan(CrossValidation(2, 5), [str(i) for i in range(10)], [50] * 10, [50] * 10)
    >>> found.words, found.n_independent, found.is_five_by_two
    ('5 times 2-fold cross-validation, stratified', 2, True)
    """
    kind, n_splits = splitters.interval_kind(plan), len(split_names)
    bootstrap = splitters.bootstrap_kind(plan)
    if n_splits == 1 and not (is_disjoint and bootstrap is None):
        kind = "none"
    return DatasetPlan(
        splitters.describe(plan),
        tuple(split_names),
        np.asarray(n_train, dtype=np.intp),
        np.asarray(n_test, dtype=np.intp),
        splitters.n_independent(plan, n_splits),
        kind,
        bootstrap,
        _has_disjoint_tests(plan),
        isinstance(plan, Nested),
        splitters.caution(plan),
        pos_label,
    )


def _has_disjoint_tests(plan: Any) -> bool:
    """Return whether the test sets of one repeat are disjoint; False where that is not known."""
    if isinstance(plan, Nested):
        return _has_disjoint_tests(plan.outer_)
    if isinstance(plan, SmallerTraining):
        return _has_disjoint_tests(plan.plan)
    if isinstance(plan, CrossValidation | LeaveOneOut):
        return True
    return type(plan).__module__.startswith("sklearn.") and type(plan).__name__ in _DISJOINT
