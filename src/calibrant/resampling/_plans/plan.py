"""The base class of all plans: a scikit-learn splitter that describes itself and states when it misleads."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
from sklearn.model_selection import BaseCrossValidator

from calibrant._params import Rule, check_params
from calibrant._random import SeedLike
from calibrant.exceptions import DataError
from calibrant.resampling._plans.plan_rows import PlanRows, read_plan_rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["BootstrapKind", "IntervalKind", "Plan", "Split"]

Split = tuple["NDArray[np.intp]", "NDArray[np.intp]"]
# What the interval of a mean over splits is computed from: the rows that they test, or nothing.
IntervalKind = Literal["rows", "none"]
# How the metrics on training rows and on test rows are combined; None: the test rows alone count.
BootstrapKind = Literal[".632", ".632+"] | None


class Plan(BaseCrossValidator):  # type: ignore[misc]
    """Splits rows into training rows and test rows; every plan of `calibrant.resampling` is one.

    A plan can be passed to scikit-learn wherever it takes ``cv=``, and groups are passed to it as ``groups=``.

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
    _interval: ClassVar[IntervalKind] = "rows"
    _split_word: ClassVar[str] = "split"  # in the names of the splits, before a number
    _bootstrap: ClassVar[BootstrapKind] = None

    if TYPE_CHECKING:
        random_state: SeedLike

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterator[Split]:
        """Yield the training rows and the test rows of each split.

        Parameters
        ----------
        X : frame or array of shape (n_rows, n_columns)
            The rows.
        y : sequence of length n_rows, optional
            The class of each row; a continuous target does not stratify.
        groups : sequence of length n_rows, optional
            The group of each row: no group has both training rows and test rows.

        Yields
        ------
        train, test : arrays of int
            Positions of rows.
        """
        yield from self._split_rows(read_plan_rows(X, y, groups))

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Return the number of splits.

        Parameters
        ----------
        X, y, groups : optional
            As in `split`; used only by plans whose number of splits depends on the rows.

        Returns
        -------
        int
            The number.
        """
        check_params(self, self._rules)
        return self._n_splits(X, y, groups)

    def describe(self) -> str:
        """Describe the plan in words.

        Examples
        --------
        >>> from calibrant.resampling import CrossValidation
        >>> CrossValidation(10, 10).describe()
        '10 times 10-fold cross-validation, stratified'
        """
        return self._describe()

    def split_names(self, X: Any, y: Any = None, groups: Any = None) -> list[str]:
        """Return the names of the splits, in their order.

        Examples
        --------
        >>> from calibrant.resampling import AcrossGroups, CrossValidation
        >>> CrossValidation(2, 2).split_names([[1], [2]])
        ['repeat 1 fold 1', 'repeat 1 fold 2', 'repeat 2 fold 1', 'repeat 2 fold 2']
        >>> AcrossGroups().split_names([[1], [2]], groups=["New York", "Florida"])
        ['New York -> Florida', 'Florida -> New York']
        """
        return self._names(read_plan_rows(X, y, groups))

    def _split_rows(self, rows: PlanRows) -> Iterator[Split]:
        """Check the parameters, and return an iterator over the splits of validated rows."""
        check_params(self, self._rules)
        if rows.n_rows < 2:
            raise DataError(f"{type(self).__name__} needs at least 2 rows to split; got {rows.n_rows}.")
        return self._checked(self._splits(rows))

    def _checked(self, splits: Iterable[Split]) -> Iterator[Split]:
        for train, test in splits:
            for part, what in ((train, "training"), (test, "test")):
                if len(part) == 0:
                    raise DataError(f"{type(self).__name__}: a split has no {what} rows; there are too few rows.")
            yield train, test

    @abstractmethod
    def _describe(self) -> str:
        """Return the description of the plan."""

    @abstractmethod
    def _splits(self, rows: PlanRows) -> Iterable[Split]:
        """Yield the splits of at least two rows."""

    def _n_splits(self, X: Any, y: Any, groups: Any) -> int:  # noqa: ARG002
        return 1

    def _names(self, rows: PlanRows) -> list[str]:
        """Return a name for each split of validated rows."""
        return [f"{self._split_word} {number + 1}" for number in range(self._n_splits(*rows.arguments))]

    def _n_independent(self, n_splits: int) -> int:
        """Return the number of splits that count in an interval: those of one repeat, where the plan repeats."""
        return n_splits

    def _all_training_rows(self, rows: PlanRows) -> NDArray[np.intp]:
        """Return the training rows of a fit that leaves no row out."""
        return np.arange(rows.n_rows)

    def _for_rows(self, kept: NDArray[np.intp], n_rows: int) -> Plan:  # noqa: ARG002
        """Return the plan for some of `n_rows` rows; only a plan with parameters by row differs."""
        return self
