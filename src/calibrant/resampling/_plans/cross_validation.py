"""Every row tested once by a model that did not see it: folds, and rows one by one (WFH 2011, sections 5.3, 5.4)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from calibrant._params import Bool, Int, Seed
from calibrant._random import SeedLike, seed_sequence, stream
from calibrant.exceptions import DataError
from calibrant.resampling._plans.dealing import deal_groups, deal_rows
from calibrant.resampling._plans.plan import Plan, Split
from calibrant.resampling._plans.plan_rows import PlanRows, read_plan_rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["CrossValidation", "LeaveOneOut"]


class CrossValidation(Plan):
    """Divide the rows into folds; test on each in turn and learn from the others.

    Stratified tenfold cross-validation is the standard where data are limited, and ten times that for a figure to
    rely on. Folds differ by one row at most, and so do the rows of each class in them. With groups, folds are whole
    groups, sizes and classes as even as whole groups allow.

    Parameters
    ----------
    n_folds : int
        Number of folds.
    n_repeats : int
        How often the rows are divided anew.
    stratified : bool
        Whether each class is spread evenly over the folds.
    random_state : int, numpy Generator, RandomState, SeedSequence or None
        Seeds the division.

    Notes
    -----
    When it misleads: the training sets of two folds share most rows, so that the standard error of the folds' values
    is too small; intervals of `estimate_performance` are corrected for that (Nadeau & Bengio 2003). Repeating removes
    the luck of the division but not that of the rows. What was chosen by looking at all rows (features, parameters, a
    calibrator) is not tested by it: choose inside each fold, by a pipeline or by `Nested`. Rows that belong together
    need ``groups``, rows in order of time `TimeOrderedHoldout`.

    Examples
    --------
    >>> plan = CrossValidation(3)
    >>> [test.tolist() for _, test in plan.split([[i] for i in range(6)], ["a", "b"] * 3)]
    [[0, 5], [2, 3], [1, 4]]
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

    def describe(self) -> str:
        """Say in words what the plan does.

        Examples
        --------
        >>> CrossValidation().describe()
        '10-fold cross-validation, stratified'
        """
        times = f"{self.n_repeats} times " if self.n_repeats > 1 else ""
        return f"{times}{self.n_folds}-fold cross-validation{', stratified' if self.stratified else ''}"

    def split_names(self, X: Any, y: Any = None, groups: Any = None) -> list[str]:  # noqa: ARG002
        """Name the splits, in their order.

        Examples
        --------
        >>> CrossValidation(2).split_names([[1], [2]])
        ['repeat 1 fold 1', 'repeat 1 fold 2']
        """
        places = [(repeat, fold) for repeat in range(self.n_repeats) for fold in range(self.n_folds)]
        return [f"repeat {repeat + 1} fold {fold + 1}" for repeat, fold in places]

    def _count(self, X: Any, y: Any, groups: Any) -> int:  # noqa: ARG002
        return self.n_folds * self.n_repeats

    def _n_apart(self, n_splits: int) -> int:  # noqa: ARG002
        return self.n_folds

    def _divide(self, rows: PlanRows) -> Iterator[Split]:
        seed, strata = seed_sequence(self.random_state), rows.stratified(self.stratified)
        there, what = (rows.n_rows, "rows") if rows.groups is None else (rows.n_groups, "groups")
        if there < self.n_folds:
            raise DataError(f"n_folds={self.n_folds} is more than the {there} {what} there are; take fewer folds.")
        for repeat in range(self.n_repeats):
            yield from _by_part(self._parts(rows, strata, stream(seed, repeat)), self.n_folds)

    def _parts(self, rows: PlanRows, strata: NDArray[np.intp] | None, random: np.random.Generator) -> NDArray[np.intp]:
        if rows.groups is None:
            return deal_rows(rows.n_rows, strata, self.n_folds, random)
        return deal_groups(rows, strata, np.ones(self.n_folds), random)


class LeaveOneOut(Plan):
    """Test on each row by a model learnt from all others; with groups, on each group by one learnt from all others.

    Notes
    -----
    When it misleads: it cannot be stratified; worse, it guarantees the opposite. Where a row is left out its class has
    one row less than its share in the training set. On random data with as many rows of one class as of the other,
    a learner that predicts the majority is wrong on every row: an estimated error of 100 %, where the true one is
    50 %. A rank measure such as the AUC of pooled predictions is harmed in the same way. Each split tests one row, so
    that measures of many rows, such as the AUC, have no value in a split: take those of the pooled predictions.

    It draws nothing, so that repeating it is of no use, and takes no seed.

    Examples
    --------
    >>> [test.tolist() for _, test in LeaveOneOut().split([[1], [2], [3]])]
    [[0], [1], [2]]
    """

    caution: ClassVar[str] = (
        "It cannot be stratified: the class of the row left out is always rarer in training than in truth, which on "
        "balanced random data makes the error of a majority rule 100 %. Each split tests one row: what is no mean over "
        "rows, such as the AUC, a correlation or a root, is to be had of the pooled predictions alone."
    )

    def describe(self) -> str:
        """Say in words what the plan does.

        Examples
        --------
        >>> LeaveOneOut().describe()
        'leave-one-out cross-validation'
        """
        return "leave-one-out cross-validation"

    def _count(self, X: Any, y: Any, groups: Any) -> int:
        if X is None and y is None:
            raise DataError("LeaveOneOut.get_n_splits needs X: there is a split for each row, or for each group.")
        rows = read_plan_rows(X, y, groups)
        return rows.n_rows if rows.groups is None else rows.n_groups

    def _divide(self, rows: PlanRows) -> Iterator[Split]:
        if rows.groups is None:
            return _by_part(np.arange(rows.n_rows), rows.n_rows)
        return _by_part(rows.groups, rows.n_groups)


def _by_part(part: NDArray[np.intp], n_parts: int) -> Iterator[Split]:
    for number in range(n_parts):
        is_test = part == number
        yield np.flatnonzero(~is_test), np.flatnonzero(is_test)
