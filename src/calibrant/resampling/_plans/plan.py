"""The base class of all plans: a scikit-learn splitter that describes itself and states when it misleads."""

from __future__ import annotations

import re
import warnings
from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import BaseCrossValidator
from sklearn.utils.multiclass import type_of_target

from calibrant._folds import count_by_group, deal_groups
from calibrant._params import Rule, check_params
from calibrant._random import SeedLike
from calibrant._sklearn import num_samples
from calibrant.data._internal import code_groups, factorize
from calibrant.exceptions import DataError, DataTypeError


@dataclass(frozen=True, eq=False)
class PlanRows:
    """Validated rows to split; ``strata`` is None where y is absent or continuous, ``arguments`` are X, y and groups.

    Classes and groups are numbered from 0; ``group_names`` holds the groups by their numbers. ``are_classes`` is False
    where the strata are equal numbers to predict; ``times`` has the rank of each row's time, where times are known.
    """

    n_rows: int
    strata: NDArray[np.intp] | None = None
    groups: NDArray[np.intp] | None = None
    group_names: tuple[Any, ...] = ()
    arguments: tuple[Any, Any, Any] = (None, None, None)
    are_classes: bool = True
    times: NDArray[np.intp] | None = None

    @property
    def n_groups(self) -> int:
        """Number of groups."""
        return len(self.group_names)

    def stratified(self, is_stratified: bool) -> NDArray[np.intp] | None:
        """Return the strata if the plan is stratified, else None."""
        return self.strata if is_stratified else None

    def rarest_class(self) -> tuple[Any, int]:
        """Return the class with the fewest rows, the first of several, and their number; without classes all rows.

        Fractional types hold numbers to predict, also where all are whole numbers.
        """
        if self.strata is None or not self.are_classes or np.asarray(self.arguments[1]).dtype.kind == "f":
            return None, self.n_rows
        _, first, n_rows = np.unique(self.strata, return_index=True, return_counts=True)
        rarest = n_rows.argmin()
        return np.asarray(self.arguments[1]).ravel()[[first[rarest]]].tolist()[0], int(n_rows[rarest])


def read_plan_rows(X: Any, y: Any = None, groups: Any = None, *, codes: NDArray[Any] | None = None) -> PlanRows:
    """Validate what a plan splits; `codes` are those of `factorize(y)` where the caller has them already.

    Examples
    --------
    >>> rows = read_plan_rows([[1], [2], [3]], ["b", "a", "b"], groups=["x", "y", "x"])
    >>> rows.n_rows, rows.strata.tolist(), rows.groups.tolist(), rows.group_names
    (3, [1, 0, 1], [0, 1, 0], ('x', 'y'))
    """
    n_rows = int(num_samples(y if X is None else X))
    strata = None if y is None else _strata(y, codes)
    if strata is not None and len(strata) != n_rows:
        raise DataError(f"y has {len(strata)} rows, X {n_rows}; pass one class for each row.")
    if groups is None:
        return PlanRows(n_rows, strata, arguments=(X, y, None))
    numbers, names = code_groups(groups, n_rows)
    return PlanRows(n_rows, strata, numbers, names, (X, y, groups))


def rank_times(times: Any, n_rows: int) -> NDArray[np.intp]:
    """Return the rank of each time, equal times alike.

    Examples
    --------
    >>> rank_times(["2024-05-01", "2023-01-31", "2024-05-01"], 3)
    array([1, 0, 1])
    """
    values = np.asarray(times)
    if values.shape != (n_rows,):
        raise DataError(f"time must have a value for each of the {n_rows} rows; got shape {values.shape}.")
    if n_missing := _count_missing(values):
        raise DataError(
            f"time must be known of every row; {n_missing:,} of {n_rows:,} have none. Leave these rows out."
        )
    if values.dtype.kind in "OUS":
        _check_sorts_as_time(values)
    try:
        return np.unique(values, return_inverse=True)[1].reshape(-1)
    except TypeError as error:
        raise DataTypeError(f"time must hold values that can be sorted: {error}.") from error


def _count_missing(values: NDArray[Any]) -> int:
    """Return the number of values that are None, NaN, NaT or pandas' NA."""
    if values.dtype.kind in "fmM":
        return int(np.isnat(values).sum() if values.dtype.kind in "mM" else np.isnan(values).sum())
    return sum(map(_is_missing, values)) if values.dtype.kind == "O" else 0


def _is_missing(time: Any) -> bool:
    """Return whether a time is None, or not equal to itself as NaN and NaT; pandas' NA raises on that question."""
    try:
        return time is None or bool(time != time)
    except TypeError:
        return True


_YEAR_FIRST = re.compile(r"\d{4}(?!\d)|\d{8}(?!\d)")


def _check_sorts_as_time(values: NDArray[Any]) -> None:
    """Raise for text whose order is not that of time: 31.01.2024 sorts after 01.02.2025."""
    if not all(isinstance(each, str) for each in values):
        return
    for text in values:
        if not _YEAR_FIRST.match(text):
            raise DataError(
                f"time as text must begin with the year, as 2024-05-31 does; got {str(text)!r}. Pass dates, or "
                "read the column as dates."
            )


def _strata(y: Any, codes: NDArray[Any] | None) -> NDArray[np.intp] | None:
    """Return the number of each row's class; None for a continuous target."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # it warns of many classes, which do no harm here
        kind = type_of_target(y)
    if kind not in ("binary", "multiclass"):
        return None
    return np.asarray(factorize(y).codes if codes is None else codes, dtype=np.intp)


def shuffle_rows(n_rows: int, strata: NDArray[np.intp] | None, random: np.random.Generator) -> NDArray[np.intp]:
    """Return the rows in random order, or class after class, the classes and the rows of each in random order.

    Examples
    --------
    >>> shuffle_rows(6, np.array([0, 1, 0, 1, 0, 1]), np.random.default_rng(0))
    array([3, 5, 1, 2, 4, 0])
    """
    order = random.permutation(n_rows)
    if strata is None:
        return order
    # In a fixed order of the classes, many classes of one row each would fall into the same folds in every repeat
    class_order = random.permutation(int(strata.max()) + 1)
    return np.asarray(order[np.argsort(class_order[strata[order]], kind="stable")])


def assign_rows(
    n_rows: int, strata: NDArray[np.intp] | None, n_folds: int, random: np.random.Generator
) -> NDArray[np.intp]:
    """Return the fold of each row: folds differ by one row at most, and so do the rows of each class in them.

    Examples
    --------
    >>> folds = assign_rows(10, np.array([0] * 7 + [1] * 3), 3, np.random.default_rng(0))
    >>> np.bincount(folds), np.bincount(folds[7:])
    (array([4, 3, 3]), array([1, 1, 1]))
    """
    fold = np.empty(n_rows, dtype=np.intp)
    fold[shuffle_rows(n_rows, strata, random)] = np.arange(n_rows) % n_folds
    return fold


def assign_groups(
    rows: PlanRows, strata: NDArray[np.intp] | None, shares: NDArray[np.float64], random: np.random.Generator
) -> NDArray[np.intp]:
    """Return the fold of each row, groups kept whole: in random order, each goes where its classes are scarcest.

    Examples
    --------
    >>> from calibrant.resampling._plans.plan import read_plan_rows
    >>> rows = read_plan_rows([[0]] * 6, groups=list("aabbcc"))
    >>> assign_groups(rows, None, np.ones(3), np.random.default_rng(0))
    array([1, 1, 2, 2, 0, 0])
    """
    classes = np.zeros(rows.n_rows, dtype=np.intp) if strata is None else strata
    counts = count_by_group(np.asarray(rows.groups), classes)
    return np.asarray(deal_groups(counts, shares, random)[rows.groups])


def choose_rows(
    rows: PlanRows, strata: NDArray[np.intp] | None, n_chosen: int, random: np.random.Generator
) -> NDArray[np.bool_]:
    """Choose `n_chosen` rows, each class in proportion to within a row; with groups, about as many, in whole groups.

    Examples
    --------
    >>> from calibrant.resampling._plans.plan import read_plan_rows
    >>> rows = read_plan_rows([[0]] * 9, [0] * 6 + [1] * 3)
    >>> chosen = choose_rows(rows, rows.strata, 3, np.random.default_rng(0))
    >>> chosen[:6].sum(), chosen[6:].sum()
    (np.int64(2), np.int64(1))
    """
    share = n_chosen / rows.n_rows
    if rows.groups is not None:
        return np.asarray(assign_groups(rows, strata, np.array([1.0 - share, share]), random) == 1)
    # Systematic sampling of the class-by-class order: evenly spaced rows from a random start, in exact integers
    steps = np.arange(rows.n_rows + 1) * n_chosen + random.integers(rows.n_rows)
    chosen = np.empty(rows.n_rows, dtype=np.bool_)
    chosen[shuffle_rows(rows.n_rows, strata, random)] = np.diff(steps // rows.n_rows) > 0
    return chosen


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
