"""Test rows held out at random, once or repeatedly (Witten, Frank & Hall 2011, section 5.3)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np

from calibrant._docstrings import fill_docstring
from calibrant._params import Bool, Int, Real, Seed
from calibrant._random import SeedLike, seed_sequence, stream
from calibrant.exceptions import DataError
from calibrant.resampling._plans.plan import Plan, PlanRows, Split, choose_rows

SIZE = Real(0, 1, closed="neither") | Int(1)


def n_test_rows(test_size: float, n_rows: int) -> int:
    """Return the number of test rows: a share of all rows, or the number itself.

    Examples
    --------
    >>> n_test_rows(1 / 3, 300), n_test_rows(25, 300)
    (100, 25)
    """
    if test_size >= n_rows:
        raise DataError(f"test_size={test_size} leaves no training row of {n_rows} rows; pass a smaller one.")
    n_test = round(test_size * n_rows) if test_size < 1 else int(test_size)
    return min(max(1, n_test), n_rows - 1)


def size_text(size: float, digits: str = ".0f") -> str:
    """Return a share of the rows in percent, or a number of rows, as text.

    Examples
    --------
    >>> size_text(1 / 3), size_text(1500)
    ('33 % of the rows', '1,500 rows')
    """
    return f"{100 * size:{digits}} % of the rows" if size < 1 else f"{size:,} rows"


_PARAMETERS = """\
test_size : float or int
    The share of test rows, or their number. With groups, about as many, in whole groups.
stratified : bool
    Whether training rows and test rows have each class in proportion, to within a row.
random_state : int, numpy Generator, RandomState, SeedSequence or None
    Seeds the choice of the test rows."""


@fill_docstring(holdout_parameters=_PARAMETERS)
class Holdout(Plan):
    """Hold out a third of the rows to test on, and train on the others.

    Parameters
    ----------
    %(holdout_parameters)s

    Notes
    -----
    When it misleads: one split is one draw, and its test rows may be unlike the others by chance. The interval by the
    test rows covers the one model that was fitted, not what another training set would have led to. And the model
    was trained on two thirds of the rows only, so it looks a little worse than one trained on all.

    Examples
    --------
    >>> train, test = next(Holdout().split([[i] for i in range(9)], ["a"] * 6 + ["b"] * 3))
    >>> len(train), test
    (6, array([2, 3, 8]))
    >>> Holdout().describe()
    'holdout of 33 % of the rows, stratified'
    """

    caution: ClassVar[str] = "One split is one draw: another would have had another value."
    _rules: ClassVar = {"test_size": SIZE, "stratified": Bool(), "random_state": Seed()}

    def __init__(self, test_size: float = 1 / 3, *, stratified: bool = True, random_state: SeedLike = 0) -> None:
        self.test_size = test_size
        self.stratified = stratified
        self.random_state = random_state

    def _describe(self) -> str:
        return _holdout_text(self)

    def _splits(self, rows: PlanRows) -> Iterator[Split]:
        yield from _held_out(self, rows, n_repeats=1)


@fill_docstring(holdout_parameters=_PARAMETERS)
class RepeatedHoldout(Plan):
    """Hold out a third of the rows repeatedly, other rows each time, and average.

    Parameters
    ----------
    n_repeats : int
        Number of repeats.
    %(holdout_parameters)s

    Notes
    -----
    When it misleads: the test sets overlap and so do the training sets, so the values of the repeats are far
    from independent, and the standard error of their mean is not their standard deviation divided by the root of
    their number. The intervals of `estimate_performance` are corrected for that (Nadeau & Bengio 2003). The models are
    trained on two thirds of the rows, so they look a little worse than one trained on all.

    Examples
    --------
    >>> [test.tolist() for _, test in RepeatedHoldout(3).split([[i] for i in range(6)])]
    [[1, 5], [0, 3], [1, 4]]
    >>> RepeatedHoldout(100, stratified=False).describe()
    '100 times holdout of 33 % of the rows'
    """

    caution: ClassVar[str] = "The test sets of the repeats overlap: more repeats do not make more data."
    _split_word: ClassVar[str] = "repeat"
    _rules: ClassVar = {"n_repeats": Int(1), **Holdout._rules}

    def __init__(
        self, n_repeats: int = 10, test_size: float = 1 / 3, *, stratified: bool = True, random_state: SeedLike = 0
    ) -> None:
        self.n_repeats = n_repeats
        self.test_size = test_size
        self.stratified = stratified
        self.random_state = random_state

    def _describe(self) -> str:
        return f"{self.n_repeats} times {_holdout_text(self)}"

    def _n_splits(self, X: Any, y: Any, groups: Any) -> int:  # noqa: ARG002
        return self.n_repeats

    def _splits(self, rows: PlanRows) -> Iterator[Split]:
        yield from _held_out(self, rows, self.n_repeats)


def _holdout_text(plan: Holdout | RepeatedHoldout) -> str:
    return f"holdout of {size_text(plan.test_size)}{', stratified' if plan.stratified else ''}"


def _held_out(plan: Holdout | RepeatedHoldout, rows: PlanRows, n_repeats: int) -> Iterator[Split]:
    seed, strata = seed_sequence(plan.random_state), rows.stratified(plan.stratified)
    n_test = n_test_rows(plan.test_size, rows.n_rows)
    # A stream for each repeat: the first repeats are the same however many follow
    for repeat in range(n_repeats):
        is_test = choose_rows(rows, strata, n_test, stream(seed, repeat))
        yield np.flatnonzero(~is_test), np.flatnonzero(is_test)
