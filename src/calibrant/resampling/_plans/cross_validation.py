"""Cross-validation by folds, and leave-one-out (Witten, Frank & Hall 2011, sections 5.3 and 5.4)."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from calibrant._params import Bool, Int, Seed
from calibrant._random import SeedLike, seed_sequence, stream
from calibrant.exceptions import DataError, LittleDataWarning
from calibrant.resampling._plans.plan import Plan, PlanRows, Split, assign_groups, assign_rows, read_plan_rows


class CrossValidation(Plan):
    """Partition the rows into folds; test on each in turn and train on the others.

    Stratified tenfold cross-validation is the standard where data are limited, and ten repeats of it where a figure
    must be reliable. Folds differ by one row at most, and so do the rows of each class in them; a class of fewer rows
    than folds raises a `LittleDataWarning`. With groups, folds are whole groups, sizes and classes as even as whole
    groups allow.

    Parameters
    ----------
    n_folds : int
        Number of folds.
    n_repeats : int
        Number of times the rows are partitioned, each time at random.
    stratified : bool
        Whether each class is spread evenly over the folds.
    random_state : int, numpy Generator, RandomState, SeedSequence or None
        Seeds the partition.

    Notes
    -----
    When it misleads: the training sets of two folds share most rows, so the standard error of the folds' values
    is too small; intervals of `estimate_performance` are corrected for that (Nadeau & Bengio 2003). Repeats remove
    the variance of the partition but not that of the rows. What was chosen by looking at all rows (features,
    parameters, a calibrator) is not tested by it: choose within each fold, by a pipeline or by `Nested`. Rows that
    belong together need ``groups``, rows in order of time `TimeOrderedHoldout`.

    Examples
    --------
    >>> plan = CrossValidation(3)
    >>> [test.tolist() for _, test in plan.split([[i] for i in range(6)], ["a", "b"] * 3)]
    [[0, 5], [2, 3], [1, 4]]
    >>> CrossValidation().describe()
    '10-fold cross-validation, stratified'
    """

    caution: ClassVar[str] = "Whatever was chosen by looking at all rows beforehand is not tested by this."
    _rules: ClassVar = {"n_folds": Int(2), "n_repeats": Int(1), "stratified": Bool(), "random_state": Seed()}

    def __init__(
        self, n_folds: int = 10, n_repeats: int = 1, *, stratified: bool = True, random_state: SeedLike = 0
    ) -> None:
        self.n_folds = n_folds
        self.n_repeats = n_repeats
        self.stratified = stratified
        self.random_state = random_state

    def _describe(self) -> str:
        times = f"{self.n_repeats} times " if self.n_repeats > 1 else ""
        return f"{times}{self.n_folds}-fold cross-validation{', stratified' if self.stratified else ''}"

    def _names(self, rows: PlanRows) -> list[str]:  # noqa: ARG002
        numbers = [(repeat, fold) for repeat in range(self.n_repeats) for fold in range(self.n_folds)]
        return [f"repeat {repeat + 1} fold {fold + 1}" for repeat, fold in numbers]

    def _n_splits(self, X: Any, y: Any, groups: Any) -> int:  # noqa: ARG002
        return self.n_folds * self.n_repeats

    def _n_independent(self, n_splits: int) -> int:  # noqa: ARG002
        return self.n_folds

    def _splits(self, rows: PlanRows) -> Iterator[Split]:
        seed, strata = seed_sequence(self.random_state), rows.stratified(self.stratified)
        n_units, units = (rows.n_rows, "rows") if rows.groups is None else (rows.n_groups, "groups")
        if n_units < self.n_folds:
            raise DataError(f"n_folds={self.n_folds} is more than the {n_units} {units} there are; take fewer folds.")
        if self.stratified:
            _warn_of_rare_class(rows, self.n_folds)
        for repeat in range(self.n_repeats):
            yield from _each_fold(self._folds(rows, strata, stream(seed, repeat)), self.n_folds)

    def _folds(self, rows: PlanRows, strata: NDArray[np.intp] | None, random: np.random.Generator) -> NDArray[np.intp]:
        if rows.groups is None:
            return assign_rows(rows.n_rows, strata, self.n_folds, random)
        return assign_groups(rows, strata, np.ones(self.n_folds), random)


class LeaveOneOut(Plan):
    """Test on each row by a model trained on all others; with groups, on each group by one trained on all others.

    Notes
    -----
    When it misleads: it cannot be stratified; worse, it guarantees the opposite. Where a row is left out its class has
    one row less than its share in the training set. On random data with as many rows of one class as of the other,
    a learner that predicts the majority is wrong on every row: an estimated error of 100 %, where the true one is
    50 %. A rank measure such as the AUC of pooled predictions is harmed in the same way. Each split tests one row, so
    that measures of many rows, such as the AUC, have no value in a split: compute them from the pooled predictions.

    Nothing is drawn at random: repeating it would change nothing, and it takes no seed.

    Examples
    --------
    >>> [test.tolist() for _, test in LeaveOneOut().split([[1], [2], [3]])]
    [[0], [1], [2]]
    >>> LeaveOneOut().describe()
    'leave-one-out cross-validation'
    """

    caution: ClassVar[str] = (
        "It cannot be stratified: the class of the row left out is always rarer in training than in truth, which on "
        "balanced random data makes the error of a majority rule 100 %. Each split tests one row: compute what is no "
        "mean over rows, such as the AUC, a correlation or a root, from the pooled predictions."
    )

    def _describe(self) -> str:
        return "leave-one-out cross-validation"

    def _names(self, rows: PlanRows) -> list[str]:
        return [f"split {number + 1}" for number in range(_n_units(rows))]

    def _n_splits(self, X: Any, y: Any, groups: Any) -> int:
        if X is None and y is None:
            raise DataError("LeaveOneOut.get_n_splits needs X: there is a split for each row, or for each group.")
        return _n_units(read_plan_rows(X, y, groups))

    def _splits(self, rows: PlanRows) -> Iterator[Split]:
        return _each_fold(np.arange(rows.n_rows) if rows.groups is None else rows.groups, _n_units(rows))


def _warn_of_rare_class(rows: PlanRows, n_folds: int) -> None:
    """Warn where a class cannot be in every fold, as scikit-learn's StratifiedKFold does."""
    name, n_rows = rows.rarest_class()
    if n_rows < n_folds:
        counted = "1 row" if n_rows == 1 else f"{n_rows} rows"
        warnings.warn(
            f"CrossValidation: class {name!r} has {counted}, fewer than the {n_folds} folds, so that some folds test "
            "no row of it; take fewer folds, or merge classes.",
            LittleDataWarning,
            stacklevel=5,  # the caller of split
        )


def _n_units(rows: PlanRows) -> int:
    """Return the number of rows, or of groups where there are some."""
    return rows.n_rows if rows.groups is None else rows.n_groups


def _each_fold(fold: NDArray[np.intp], n_folds: int) -> Iterator[Split]:
    """Yield the rows of all other folds and those of the fold, for each fold."""
    for number in range(n_folds):
        is_test = fold == number
        yield np.flatnonzero(~is_test), np.flatnonzero(is_test)
