"""Rows drawn with replacement to learn from, those never drawn to test on: the .632 bootstrap and .632+."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from calibrant._params import Bool, Int, Seed
from calibrant._random import SeedLike, seed_sequence, stream
from calibrant.exceptions import DataError
from calibrant.resampling._plans.plan import Plan, Split, Weighing

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.resampling._plans.plan_rows import PlanRows

__all__ = ["Bootstrap632"]

_MOST_DRAWS = 1000  # of two rows, half of the draws leave none to test on

_CAUTION = (
    "A learner that memorises, as full trees, forests and neighbours do, looks too good by .632: 31.6 % error on "
    "random data of two equal classes, where the truth is 50 %. Take plus=True for it."
)
_CAUTION_PLUS = "Of few rows, even .632+ is too good for a learner that memorises, as full trees and neighbours do."


class Bootstrap632(Plan):
    """Draw as many rows as there are, with replacement; learn from them, and test on those that were not drawn.

    A row is not drawn with chance ``(1 - 1/n) ** n``, about 0.368. As a splitter it gives the rows drawn, some of them
    several times, and those left. `estimate_performance` then weighs the error on the rows left with that on the rows
    drawn: 0.632 and 0.368 (Witten, Frank & Hall 2011, section 5.4), each repeat by itself, and takes the mean.

    With ``plus=True`` it is .632+ (Efron & Tibshirani 1997): the more the model overfits, the more the rows left
    count, up to all there is between the error on the rows drawn and that of guessing.

    Parameters
    ----------
    n_repeats : int
        How often the rows are drawn.
    plus : bool
        Whether to weigh by overfitting.
    stratified : bool
        Whether to draw within each class, so that each keeps its share of the rows drawn.
    random_state : int, numpy Generator, RandomState, SeedSequence or None
        Seeds the draws.

    Notes
    -----
    When it misleads: a learner that memorises has no error on the rows drawn, and 0.368 times that nothing makes the
    estimate too good: 31.6 % on random data with two classes of equal size, where the true error is 50 %. Fully grown
    trees, nearest neighbours and forests are such learners; take ``plus=True`` or cross-validation for them. Even
    .632+ is too good for them with few rows.

    With groups, whole groups are drawn. The rate of guessing is that of the rows drawn: each prediction of theirs
    with each class of theirs.

    References
    ----------
    B. Efron and R. Tibshirani, "Improvements on cross-validation: the .632+ bootstrap method", 1997.

    Examples
    --------
    >>> train, test = next(Bootstrap632().split([[i] for i in range(8)]))
    >>> train, test
    (array([0, 1, 1, 2, 5, 6, 6, 7]), array([3, 4]))
    """

    _rules: ClassVar = {"n_repeats": Int(1), "plus": Bool(), "stratified": Bool(), "random_state": Seed()}

    def __init__(
        self, n_repeats: int = 50, *, plus: bool = False, stratified: bool = False, random_state: SeedLike = 0
    ) -> None:
        self.n_repeats = n_repeats
        self.plus = plus
        self.stratified = stratified
        self.random_state = random_state

    @property
    def caution(self) -> str:  # type: ignore[override]
        """When the estimate misleads."""
        return _CAUTION_PLUS if self.plus else _CAUTION

    @property
    def _weighing(self) -> Weighing:  # type: ignore[override]
        return ".632+" if self.plus else ".632"

    def describe(self) -> str:
        """Say in words what the plan does.

        Examples
        --------
        >>> Bootstrap632(plus=True).describe()
        '.632+ bootstrap, 50 draws'
        """
        told = ", stratified" if self.stratified else ""
        draws = f"{self.n_repeats} draws" if self.n_repeats > 1 else "1 draw"
        return f".632{'+' if self.plus else ''} bootstrap, {draws}{told}"

    def split_names(self, X: Any, y: Any = None, groups: Any = None) -> list[str]:
        """Name the splits, in their order.

        Examples
        --------
        >>> Bootstrap632(2).split_names([[1], [2]])
        ['draw 1', 'draw 2']
        """
        return [f"draw {number + 1}" for number in range(self.get_n_splits(X, y, groups))]

    def _count(self, X: Any, y: Any, groups: Any) -> int:  # noqa: ARG002
        return self.n_repeats

    def _divide(self, rows: PlanRows) -> Iterator[Split]:
        seed, strata = seed_sequence(self.random_state), rows.stratified(self.stratified)
        for repeat in range(self.n_repeats):
            random = stream(seed, repeat)
            yield next((found for found in _draws(rows, strata, random) if len(found[1])), None) or _none_left(rows)


def _draws(rows: PlanRows, strata: NDArray[np.intp] | None, random: np.random.Generator) -> Iterator[Split]:
    """Draw anew as long as no row is left to test on."""
    for _ in range(_MOST_DRAWS):
        times = _times(rows, strata, random)
        yield np.repeat(np.arange(rows.n_rows), times), np.flatnonzero(times == 0)


def _times(rows: PlanRows, strata: NDArray[np.intp] | None, random: np.random.Generator) -> NDArray[np.intp]:
    """Give how often each row is drawn."""
    if rows.groups is not None:
        drawn = random.integers(0, rows.n_groups, rows.n_groups)
        return np.asarray(np.bincount(drawn, minlength=rows.n_groups)[rows.groups])
    classes = np.zeros(rows.n_rows, dtype=np.intp) if strata is None else strata
    order = np.argsort(classes, kind="stable")
    size = np.bincount(classes)
    first, n_rows = (np.repeat(each, size) for each in (np.cumsum(size) - size, size))
    return np.bincount(order[first + random.integers(0, n_rows)], minlength=rows.n_rows)


def _none_left(rows: PlanRows) -> Split:
    raise DataError(
        f"Bootstrap632: {_MOST_DRAWS} draws of {rows.n_rows} rows left none to test on; there are too few rows, "
        "groups, or rows of each class."
    )
