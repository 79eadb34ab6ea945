"""Plans whose splits are fixed: nothing is drawn at random."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from calibrant._params import Choice, Int
from calibrant.exceptions import DataError, ParameterError, SchemaError, nearest
from calibrant.resampling._plans.plan import IntervalKind, Plan, PlanRows, Split, rank_times, read_plan_rows
from calibrant.resampling._plans.random_plans import SIZE, n_test_rows, size_text

_OTHERS = -1  # stands for all groups but the tested one


class AcrossGroups(Plan):
    """Train on one group and test on another, for every pair of groups.

    A bank has rows from New York and from Florida and wants to know how a model would perform in Nebraska: train in
    each state and test in the other. With the rows of both states mixed, nothing would be learned about a third.

    Parameters
    ----------
    learn_from : {"one", "others"}
        ``"one"``: each split trains on one group and tests on one other, for every ordered pair. ``"others"``: it
        trains on all groups but the one that it tests on.
    train, test : optional
        The group to train on and the group to test on, to restrict the pairs to those with one of them, or to one.

    Notes
    -----
    Groups are passed as ``groups=``, as to every splitter. Nothing is drawn at random, and classes have the
    proportions that each group has.

    When it misleads: two states are two draws from all states, and no interval over them bounds how far a third may
    deviate; none is returned. With ``"others"`` the model has seen the variety that a model of one group has not.

    Examples
    --------
    >>> state = ["New York", "New York", "Florida", "Florida"]
    >>> for train, test in AcrossGroups().split([[1], [2], [3], [4]], groups=state):
    ...     print(train, test)
    [0 1] [2 3]
    [2 3] [0 1]
    >>> AcrossGroups().describe()
    'trained on one group, tested on another'
    """

    caution: ClassVar[str] = "Each value is of one group; nothing here bounds what a further group may show."
    _interval: ClassVar[IntervalKind] = "none"
    _rules: ClassVar = {"learn_from": Choice("one", "others")}

    def __init__(self, learn_from: Literal["one", "others"] = "one", *, train: Any = None, test: Any = None) -> None:
        self.learn_from = learn_from
        self.train = train
        self.test = test

    def _describe(self) -> str:
        return f"trained on {'one group' if self.learn_from == 'one' else 'all other groups'}, tested on another"

    def _names(self, rows: PlanRows) -> list[str]:
        names = [*rows.group_names, "others"]
        return [f"{names[train]} -> {names[test]}" for train, test in self._pairs(rows)]

    def _n_splits(self, X: Any, y: Any, groups: Any) -> int:
        return len(self._pairs(read_plan_rows(groups if X is None else X, y, groups)))

    def _splits(self, rows: PlanRows) -> Iterator[Split]:
        for train, test in self._pairs(rows):
            is_test = rows.groups == test
            yield np.flatnonzero(~is_test if train == _OTHERS else rows.groups == train), np.flatnonzero(is_test)

    def _pairs(self, rows: PlanRows) -> list[tuple[int, int]]:
        """Return the numbers of the group to train on and of the group to test on, for each split."""
        if rows.n_groups < 2:
            raise DataError(f"AcrossGroups needs groups= with at least 2 groups; got {rows.n_groups}.")
        if self.learn_from == "others" and self.train is not None:
            raise ParameterError(
                "train is for learn_from='one'; with 'others' all groups but the tested one are trained on."
            )
        trained, tested = (_numbers(name, each, rows) for name, each in (("train", self.train), ("test", self.test)))
        if self.train is not None and self.test is not None and trained == tested:
            raise ParameterError(f"train and test must be two groups; both are {self.train!r}.")
        if self.learn_from == "others":
            return [(_OTHERS, test) for test in tested]
        return [(train, test) for test in tested for train in trained if train != test]


def _numbers(name: str, group: Any, rows: PlanRows) -> list[int]:
    """Return the number of a group, or of all groups where it is None."""
    if group is None:
        return list(range(rows.n_groups))
    if isinstance(group, list | tuple | np.ndarray) or group not in rows.group_names:
        raise DataError(f"{name}={group!r} is not among the groups.{nearest(group, rows.group_names)}")
    return [rows.group_names.index(group)]


class PredefinedSplits(Plan):
    """Split rows into predefined pairs of training rows and test rows.

    Parameters
    ----------
    pairs : iterable of (train, test)
        Positions of rows, or a boolean for each row.

    Examples
    --------
    >>> plan = PredefinedSplits([([0, 1], [2]), ([True, False, True], [False, True, False])])
    >>> [(train.tolist(), test.tolist()) for train, test in plan.split([[5], [6], [7]])]
    [([0, 1], [2]), ([0, 2], [1])]
    >>> PredefinedSplits([([0], [1])]).describe()
    '1 predefined split'
    """

    def __init__(self, pairs: Iterable[Any]) -> None:
        self.pairs = [_pair(each) for each in pairs]
        if not self.pairs:
            raise ParameterError("plan has no splits; pass at least one pair of (train, test).")

    def _describe(self) -> str:
        return f"{len(self.pairs)} predefined splits" if len(self.pairs) > 1 else "1 predefined split"

    def _n_splits(self, X: Any, y: Any, groups: Any) -> int:  # noqa: ARG002
        return len(self.pairs)

    def _splits(self, rows: PlanRows) -> Iterator[Split]:
        for train, test in self.pairs:
            yield _positions(train, rows.n_rows), _positions(test, rows.n_rows)

    def _for_rows(self, kept: NDArray[np.intp], n_rows: int) -> PredefinedSplits:
        position = np.full(n_rows, -1)
        position[kept] = np.arange(len(kept))
        parts = [[position[_positions(part, n_rows)] for part in pair] for pair in self.pairs]
        return PredefinedSplits([(train[train >= 0], test[test >= 0]) for train, test in parts])


def _pair(pair: Any) -> tuple[NDArray[Any], NDArray[Any]]:
    try:
        train, test = (np.asarray(part) for part in pair)
    except (TypeError, ValueError) as error:
        raise ParameterError(
            f"plan must be pairs of (train, test), two sequences of rows each; got one of type {type(pair).__name__}."
        ) from error
    return train, test


def _positions(part: NDArray[Any], n_rows: int) -> NDArray[np.intp]:
    if part.dtype == bool and part.shape == (n_rows,):
        return np.flatnonzero(part)
    if part.size == 0:
        return np.empty(0, dtype=np.intp)
    if part.ndim != 1 or part.dtype.kind not in "iu" or part.min() < -n_rows or part.max() >= n_rows:
        raise DataError(
            f"plan: a split must hold positions of rows, 0 to {n_rows - 1}, or {n_rows} booleans; got {part!r}."
        )
    return np.asarray(part, dtype=np.intp) % n_rows


class Resubstitution(Plan):
    """Train on all rows and test on the same rows.

    Notes
    -----
    When it misleads: always, if it is taken for the error on new rows. It is optimistic, hopelessly so for a learner
    that memorises, which makes no error at all. It is useful next to an estimate on held-out rows: the gap between the
    two is how much the learner overfits. No interval holds for it, and nothing is drawn at random.

    Examples
    --------
    >>> next(Resubstitution().split([[1], [2], [3]]))
    (array([0, 1, 2]), array([0, 1, 2]))
    >>> Resubstitution().describe()
    'resubstitution (tested on the training rows)'
    """

    caution: ClassVar[str] = "Tested on the training rows: too good, and no estimate of the error on new rows."
    _interval: ClassVar[IntervalKind] = "none"

    def _describe(self) -> str:
        return "resubstitution (tested on the training rows)"

    def _splits(self, rows: PlanRows) -> Iterator[Split]:
        yield np.arange(rows.n_rows), np.arange(rows.n_rows)


class TimeOrderedPlan(Plan):
    """A plan that trains on the past and tests on what follows; rows of one time are never on both sides of a cut."""

    time: Any
    gap: int
    _is_lenient = False  # whether splits may be fewer than requested

    def _describe_times(self) -> str:
        """Return the gap in words."""
        return f", {self.gap:,} rows before it left out" if self.gap else ""

    def _order(self, rows: PlanRows) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Return the rows in order of time, and the rank of each one's time in that order."""
        rank = self._rank(rows)
        order = np.argsort(rank, kind="stable")
        return order, rank[order]

    def _cut(self, rows: PlanRows, order: NDArray[np.intp], first: int, last: int) -> Split:
        """Return the rows before a cut, less the gap and groups that are tested, and those up to the next cut."""
        train, test = order[: max(0, first - self.gap)], order[first:last]
        if rows.groups is not None:
            train = train[~np.isin(rows.groups[train], rows.groups[test])]
        return train, test

    def _rank(self, rows: PlanRows) -> NDArray[np.intp]:
        """Return the rank of each row's time."""
        if self.time is None:
            return np.arange(rows.n_rows) if rows.times is None else rows.times
        found = _column(rows.arguments[0], self.time) if isinstance(self.time, str) else self.time
        return rank_times(found, rows.n_rows)

    def _for_rows(self, kept: NDArray[np.intp], n_rows: int) -> TimeOrderedPlan:
        if self.time is None or isinstance(self.time, str) or len(self.time) != n_rows:
            return self
        made = copy.copy(self)
        made.time = np.asarray(self.time)[kept]
        return made

    def _at(self, times: Any, kept: NDArray[np.intp] | None = None) -> TimeOrderedPlan:
        """Return the plan for a classifier's `fit`: these times where it has none, fewer splits where times are few.

        Of its own times, one for each row passed, it has those of the rows that were kept.
        """
        made = copy.copy(self if kept is None or self.time is None else self._for_rows(kept, len(self.time)))
        made.time = times if self.time is None else made.time
        made._is_lenient = True
        return made


class TimeOrderedHoldout(TimeOrderedPlan):
    """Test on the latest third of the rows and train on the earlier ones.

    Parameters
    ----------
    test_size : float or int
        The share of test rows, or their number; more where rows of one time would be split.
    time : sequence of length n_rows or str, optional
        The time of each row, anything that can be sorted, or the name of its column in X; None: the times that come
        with the rows, else the rows are in order of time.
    gap : int
        Number of rows just before the test rows that are not trained on, because their outcomes would not have been
        known yet.

    Notes
    -----
    With groups, rows of a group that is tested are not trained on. Nothing is drawn at random, and classes have the
    proportions that their times have.

    When it misleads: it is one split, at one moment, and estimates the performance just after it. Where the
    world changes, a random split of the same rows looks better than the model will be in use; this does not, but
    its model has not seen the latest rows, and the one in use will have.

    Examples
    --------
    >>> next(TimeOrderedHoldout(time=[3, 1, 2, 4]).split([[0]] * 4))
    (array([1, 2, 0]), array([3]))
    >>> TimeOrderedHoldout().describe()
    'holdout of the latest 33 % of the rows'
    """

    caution: ClassVar[str] = "One split at one moment: it estimates the performance just after it."
    _rules: ClassVar = {"test_size": SIZE, "gap": Int(0)}

    def __init__(self, test_size: float = 1 / 3, *, time: Any = None, gap: int = 0) -> None:
        self.test_size = test_size
        self.time = time
        self.gap = gap

    def _describe(self) -> str:
        return f"holdout of the latest {size_text(self.test_size)}{self._describe_times()}"

    def _splits(self, rows: PlanRows) -> Iterator[Split]:
        order, rank = self._order(rows)
        first = rows.n_rows - n_test_rows(self.test_size, rows.n_rows)
        yield self._cut(rows, order, int(np.searchsorted(rank, rank[first])), rows.n_rows)


class RollingOrigin(TimeOrderedPlan):
    """Train on the past and test on the part that follows, again and again with a later origin.

    The rows in order of time are cut into one part more than there are splits. Each part but the first is tested once,
    by a model of all rows before it; the last part is the latest the table has to say. Without equal times the splits
    are those of scikit-learn's ``TimeSeriesSplit``.

    Parameters
    ----------
    n_splits : int
        Number of origins.
    time : sequence of length n_rows or str, optional
        The time of each row, anything that can be sorted, or the name of its column in X; None: the times that come
        with the rows, else the rows are in order of time.
    gap : int
        Number of rows just before the test rows that are not trained on, because their outcomes would not have been
        known yet.

    Notes
    -----
    A cut that would fall among rows of one time is moved to the first of them. With groups, rows of a group that is
    tested are not trained on. Nothing is drawn at random, and classes have the proportions that their times have.

    When it misleads: early origins have few rows to learn from, and their models are worse than the one in use will
    be. Values of later parts depend on the same past, so that they are not independent.

    References
    ----------
    L. J. Tashman, "Out-of-sample tests of forecasting accuracy: an analysis and review", 2000.

    Examples
    --------
    >>> for train, test in RollingOrigin(2, time=[3, 1, 2, 4, 5, 6]).split([[0]] * 6):
    ...     print(train, test)
    [1 2] [0 3]
    [1 2 0 3] [4 5]
    >>> RollingOrigin().describe()
    'trained on the past, tested on what follows, at 5 moments'
    """

    caution: ClassVar[str] = "The models of early moments learned from few rows; the latest part is nearest to use."
    _split_word: ClassVar[str] = "part"
    _rules: ClassVar = {"n_splits": Int(1), "gap": Int(0)}

    def __init__(self, n_splits: int = 5, *, time: Any = None, gap: int = 0) -> None:
        self.n_splits = n_splits
        self.time = time
        self.gap = gap

    def _describe(self) -> str:
        moments = f"{self.n_splits} moments" if self.n_splits > 1 else "1 moment"
        return f"trained on the past, tested on what follows, at {moments}{self._describe_times()}"

    def _n_splits(self, X: Any, y: Any, groups: Any) -> int:  # noqa: ARG002
        return self.n_splits

    def _splits(self, rows: PlanRows) -> Iterator[Split]:
        order, rank = self._order(rows)
        size = rows.n_rows // (self.n_splits + 1)
        cuts = [rows.n_rows - number * size for number in range(self.n_splits, 0, -1)] if size else []
        cuts = [int(np.searchsorted(rank, rank[cut])) for cut in cuts]
        if self._is_lenient:
            cuts = sorted(cut for cut in set(cuts) if cut > self.gap)
        if not cuts or cuts[0] <= self.gap or len(set(cuts)) < len(cuts):
            n_times = len(np.unique(rank))
            raise DataError(
                f"RollingOrigin: n_splits={self.n_splits} needs {self.n_splits + 1} parts of different times; got "
                f"{rows.n_rows:,} rows of {n_times:,} times{f' and gap={self.gap}' if self.gap else ''}. Take fewer "
                "splits."
            )
        for first, last in zip(cuts, [*cuts[1:], rows.n_rows], strict=True):
            yield self._cut(rows, order, first, last)


def _column(X: Any, name: str) -> Any:
    columns = [str(each) for each in getattr(X, "column_names", getattr(X, "columns", []))]
    if name not in columns:
        raise SchemaError(f"time={name!r} is not a column of X.{nearest(name, columns)}")
    return X[name]
