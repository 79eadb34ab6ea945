"""Training on one group and testing on another: how a model carries over (Witten, Frank & Hall 2011, section 5.1)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar, Literal

import numpy as np

from calibrant._params import Choice
from calibrant.exceptions import DataError, ParameterError, nearest
from calibrant.resampling._plans.plan import IntervalKind, Plan, Split
from calibrant.resampling._plans.plan_rows import PlanRows, read_plan_rows

__all__ = ["AcrossGroups"]

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
