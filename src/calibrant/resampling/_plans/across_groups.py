"""Learnt in New York, tested in Florida: what a model of one population knows of another (WFH 2011, section 5.1)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar, Literal

import numpy as np

from calibrant._params import Choice
from calibrant.exceptions import DataError, ParameterError, nearest
from calibrant.resampling._plans.plan import IntervalKind, Plan, Split
from calibrant.resampling._plans.plan_rows import PlanRows, read_plan_rows

__all__ = ["AcrossGroups"]


class AcrossGroups(Plan):
    """Learn from one group and test on another, for every pair of groups.

    A bank has rows from New York and from Florida and wants to know how a model would do in Nebraska: learn in each
    and test in the other. Mixed together, the two would say nothing of a third.

    Parameters
    ----------
    learn_from : {"one", "others"}
        ``"one"``: each split learns from one group and tests on one other, every ordered pair. ``"others"``: it learns
        from all groups but the one that it tests on.
    train, test : optional
        The group to learn from and the group to test on, where it is to be one pair only, or all that has one of them.

    Notes
    -----
    Groups are told by ``groups=``, as to every splitter; it draws nothing, and classes have the shares that each
    group has.

    When it misleads: two states are two draws from all states, and no interval over them says how far a third may
    lie; none is given. With ``"others"`` the model has seen the variety that a model of one group has not.

    Examples
    --------
    >>> state = ["New York", "New York", "Florida", "Florida"]
    >>> for train, test in AcrossGroups().split([[1], [2], [3], [4]], groups=state):
    ...     print(train, test)
    [0 1] [2 3]
    [2 3] [0 1]
    """

    caution: ClassVar[str] = "Each value is of one group; nothing here bounds what a further group may show."
    _interval: ClassVar[IntervalKind] = "none"
    _rules: ClassVar = {"learn_from": Choice("one", "others")}

    def __init__(self, learn_from: Literal["one", "others"] = "one", *, train: Any = None, test: Any = None) -> None:
        self.learn_from = learn_from
        self.train = train
        self.test = test

    def describe(self) -> str:
        """Say in words what the plan does.

        Examples
        --------
        >>> AcrossGroups().describe()
        'learnt from one group, tested on another'
        """
        return f"learnt from {'one group' if self.learn_from == 'one' else 'all other groups'}, tested on another"

    def split_names(self, X: Any, y: Any = None, groups: Any = None) -> list[str]:
        """Name the splits by their groups.

        Examples
        --------
        >>> AcrossGroups().split_names([[1], [2]], groups=["New York", "Florida"])
        ['New York -> Florida', 'Florida -> New York']
        """
        rows = read_plan_rows(X, y, groups)
        names = [*rows.names, "others"]
        return [f"{names[train]} -> {names[test]}" for train, test in self._pairs(rows)]

    def _count(self, X: Any, y: Any, groups: Any) -> int:
        return len(self._pairs(read_plan_rows(groups if X is None else X, y, groups)))

    def _divide(self, rows: PlanRows) -> Iterator[Split]:
        for train, test in self._pairs(rows):
            is_test = rows.groups == test
            yield np.flatnonzero(~is_test if train < 0 else rows.groups == train), np.flatnonzero(is_test)

    def _pairs(self, rows: PlanRows) -> list[tuple[int, int]]:
        """Give the numbers of the groups learnt from (-1: all others) and tested on."""
        if rows.n_groups < 2:
            raise DataError(f"AcrossGroups needs groups= with at least 2 groups; got {rows.n_groups}.")
        if self.learn_from == "others" and self.train is not None:
            raise ParameterError(
                "train is for learn_from='one'; with 'others' all groups but the tested one are learnt."
            )
        if self.train is not None and self.train == self.test:
            raise ParameterError(f"train and test must be two groups; both are {self.train!r}.")
        learnt, tested = (_numbers(name, each, rows) for name, each in (("train", self.train), ("test", self.test)))
        if self.learn_from == "others":
            return [(-1, test) for test in tested]
        return [(train, test) for test in tested for train in learnt if train != test]


def _numbers(name: str, group: Any, rows: PlanRows) -> list[int]:
    if group is None:
        return list(range(rows.n_groups))
    if group not in rows.names:
        raise DataError(f"{name}={group!r} is not among the groups.{nearest(group, rows.names)}")
    return [rows.names.index(group)]
