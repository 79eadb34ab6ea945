"""What every plan is: a scikit-learn splitter that says in words what it does and when it misleads."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
from sklearn.model_selection import BaseCrossValidator

from calibrant._params import Rule, check_params
from calibrant._random import SeedLike
from calibrant.exceptions import DataError
from calibrant.resampling._plans.plan_rows import PlanRows, read_plan_rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["IntervalKind", "Plan", "Split", "Weighing", "n_tested"]

Split = tuple["NDArray[np.intp]", "NDArray[np.intp]"]
# By what the interval of a mean over splits can be had: their spread, the rows of the one test set, or not at all.
IntervalKind = Literal["splits", "rows", "none"]
# How the error on training rows is weighed in; None: not at all.
Weighing = Literal[".632", ".632+"] | None


class Plan(BaseCrossValidator):  # type: ignore[misc]
    """Divides rows into those to learn from and those to test on; every plan of `calibrant.resampling` is one.

    A plan can be given to scikit-learn wherever it takes ``cv=``, and groups reach it by ``groups=``.

    Attributes
    ----------
    caution : str
        When its estimate misleads, in a sentence.

    Examples
    --------
    >>> from calibrant.resampling import CrossValidation
    >>> isinstance(CrossValidation(), Plan)
    True
    """

    __metadata_request__split: ClassVar = {"groups": True}

    caution: ClassVar[str] = ""
    _rules: ClassVar[Mapping[str, Rule]] = {}
    _interval: ClassVar[IntervalKind] = "splits"
    _weighing: ClassVar[Weighing] = None

    if TYPE_CHECKING:
        random_state: SeedLike

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterator[Split]:
        """Give the rows to learn from and the rows to test on, split after split.

        Parameters
        ----------
        X : frame or array of shape (n_rows, n_columns)
            The rows.
        y : sequence of length n_rows, optional
            The class of each row; numbers that are measured do not stratify.
        groups : sequence of length n_rows, optional
            The group of each row: rows of one group never stand on both sides.

        Yields
        ------
        train, test : arrays of int
            Positions of rows.
        """
        check_params(self, self._rules)
        rows = read_plan_rows(X, y, groups)
        if rows.n_rows < 2:
            raise DataError(f"{type(self).__name__} needs at least 2 rows to divide; got {rows.n_rows}.")
        for train, test in self._divide(rows):
            self._check(train, test)
            yield train, test

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Give the number of splits.

        Parameters
        ----------
        X, y, groups : optional
            As in `split`; only plans whose number of splits hangs on the rows look at them.

        Returns
        -------
        int
            The number.
        """
        check_params(self, self._rules)
        return self._count(X, y, groups)

    @abstractmethod
    def describe(self) -> str:
        """Say in words what the plan does.

        Examples
        --------
        >>> from calibrant.resampling import CrossValidation
        >>> CrossValidation(10, 10).describe()
        '10 times 10-fold cross-validation, stratified'
        """

    def split_names(self, X: Any, y: Any = None, groups: Any = None) -> list[str]:
        """Name the splits, in their order.

        Examples
        --------
        >>> from calibrant.resampling import CrossValidation
        >>> CrossValidation(2, 2).split_names([[1], [2]])
        ['repeat 1 fold 1', 'repeat 1 fold 2', 'repeat 2 fold 1', 'repeat 2 fold 2']
        """
        return [f"split {number + 1}" for number in range(self.get_n_splits(X, y, groups))]

    @abstractmethod
    def _divide(self, rows: PlanRows) -> Iterator[Split]:
        """Give the splits of rows past the door."""

    def _count(self, X: Any, y: Any, groups: Any) -> int:  # noqa: ARG002
        return 1

    def _n_apart(self, n_splits: int) -> int:
        """Give the number of splits that tell something new, for intervals."""
        return n_splits

    def _only(self, kept: NDArray[np.intp], n_rows: int) -> Plan:  # noqa: ARG002
        """Give the plan for some rows of those that it was made for, where it knows of single rows."""
        return self

    def _check(self, train: NDArray[np.intp], test: NDArray[np.intp]) -> None:
        for part, what in ((train, "learn from"), (test, "test on")):
            if len(part) == 0:
                raise DataError(f"{type(self).__name__}: a split has no rows to {what}; there are too few of them.")


def n_tested(test_size: float, n_rows: int) -> int:
    """Give the number of rows to test on: a share of all, or so many.

    Examples
    --------
    >>> n_tested(1 / 3, 300), n_tested(25, 300)
    (100, 25)
    """
    if test_size >= n_rows:
        raise DataError(f"test_size={test_size} leaves no row of {n_rows} to learn from; take a smaller one.")
    n_test = round(test_size * n_rows) if test_size < 1 else int(test_size)
    return min(max(1, n_test), n_rows - 1)
