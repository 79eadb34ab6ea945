"""Some rows held out to test on: once, or again and again (Witten, Frank & Hall 2011, section 5.3)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from calibrant._params import Bool, Int, Real, Seed
from calibrant._random import SeedLike, seed_sequence, stream
from calibrant.resampling._plans.dealing import choose_part
from calibrant.resampling._plans.plan import IntervalKind, Plan, Split, n_tested

if TYPE_CHECKING:
    from calibrant.resampling._plans.plan_rows import PlanRows

__all__ = ["TEST_SIZE", "Holdout", "RepeatedHoldout"]

TEST_SIZE = Real(0, 1, closed="neither") | Int(1)


class Holdout(Plan):
    """Hold a third of the rows out to test on, and learn from the others.

    Parameters
    ----------
    test_size : float or int
        The share of rows to test on, or their number. With groups, about so many, in whole groups.
    stratified : bool
        Whether each class has its share of both parts, to within a row.
    random_state : int, numpy Generator, RandomState, SeedSequence or None
        Seeds the choice.

    Notes
    -----
    When it misleads: one split is one draw, and its test rows may be unlike the others by chance. The interval of the
    test rows covers the one model that was fitted, not what another training set would have given. And the model
    learnt from two thirds of the rows only, so that it looks a little worse than one learnt from all.

    Examples
    --------
    >>> train, test = next(Holdout().split([[i] for i in range(9)], ["a"] * 6 + ["b"] * 3))
    >>> len(train), test
    (6, array([2, 3, 8]))
    """

    caution: ClassVar[str] = "One split is one draw: another would have given another value."
    _interval: ClassVar[IntervalKind] = "rows"
    _rules: ClassVar = {"test_size": TEST_SIZE, "stratified": Bool(), "random_state": Seed()}

    def __init__(self, test_size: float = 1 / 3, *, stratified: bool = True, random_state: SeedLike = 0) -> None:
        self.test_size = test_size
        self.stratified = stratified
        self.random_state = random_state

    def describe(self) -> str:
        """Say in words what the plan does.

        Examples
        --------
        >>> Holdout().describe()
        'holdout of 33 % of the rows, stratified'
        """
        return f"holdout of {_size_text(self.test_size)}{', stratified' if self.stratified else ''}"

    def _divide(self, rows: PlanRows) -> Iterator[Split]:
        yield _held_out(rows, self.test_size, self.stratified, stream(seed_sequence(self.random_state), 0))


class RepeatedHoldout(Plan):
    """Hold a third of the rows out, again and again with other rows, and take the mean.

    Parameters
    ----------
    n_repeats : int
        How often.
    test_size : float or int
        The share of rows to test on, or their number. With groups, about so many, in whole groups.
    stratified : bool
        Whether each class has its share of both parts, to within a row.
    random_state : int, numpy Generator, RandomState, SeedSequence or None
        Seeds the choice.

    Notes
    -----
    When it misleads: the test sets overlap and so do the training sets, so that the values of the repeats are far
    from independent, and the spread of their mean is not their spread divided by the root of their number. The
    intervals of `estimate_performance` are corrected for that (Nadeau & Bengio 2003). The models learn from two
    thirds of the rows, so that they look a little worse than one learnt from all.

    Examples
    --------
    >>> [test.tolist() for _, test in RepeatedHoldout(3).split([[i] for i in range(6)])]
    [[1, 5], [0, 3], [1, 4]]
    """

    caution: ClassVar[str] = "The test sets of the repeats overlap: more repeats do not make more data."
    _rules: ClassVar = {"n_repeats": Int(1), **Holdout._rules}

    def __init__(
        self, n_repeats: int = 10, test_size: float = 1 / 3, *, stratified: bool = True, random_state: SeedLike = 0
    ) -> None:
        self.n_repeats = n_repeats
        self.test_size = test_size
        self.stratified = stratified
        self.random_state = random_state

    def describe(self) -> str:
        """Say in words what the plan does.

        Examples
        --------
        >>> RepeatedHoldout(100, stratified=False).describe()
        '100 times holdout of 33 % of the rows'
        """
        told = ", stratified" if self.stratified else ""
        return f"{self.n_repeats} times holdout of {_size_text(self.test_size)}{told}"

    def split_names(self, X: Any, y: Any = None, groups: Any = None) -> list[str]:
        """Name the splits, in their order.

        Examples
        --------
        >>> RepeatedHoldout(2).split_names([[1], [2]])
        ['repeat 1', 'repeat 2']
        """
        return [f"repeat {number + 1}" for number in range(self.get_n_splits(X, y, groups))]

    def _count(self, X: Any, y: Any, groups: Any) -> int:  # noqa: ARG002
        return self.n_repeats

    def _divide(self, rows: PlanRows) -> Iterator[Split]:
        seed = seed_sequence(self.random_state)
        for repeat in range(self.n_repeats):
            yield _held_out(rows, self.test_size, self.stratified, stream(seed, repeat))


def _held_out(rows: PlanRows, test_size: float, stratified: bool, random: np.random.Generator) -> Split:
    n_test = n_tested(test_size, rows.n_rows)
    is_test = choose_part(rows, rows.stratified(stratified), n_test, random)
    return np.flatnonzero(~is_test), np.flatnonzero(is_test)


def _size_text(test_size: float) -> str:
    return f"{100 * test_size:.0f} % of the rows" if test_size < 1 else f"{test_size:,} rows"
