"""The same test sets, but fewer rows to learn from: what learning curves are made of."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np

from calibrant._params import Bool, HasMethods, Int, Real, Seed
from calibrant._random import SeedLike, seed_sequence, stream
from calibrant.exceptions import DataError
from calibrant.resampling._plans.dealing import shuffled
from calibrant.resampling._plans.plan import IntervalKind, Plan, Split, Weighing
from calibrant.resampling._plans.plan_rows import PlanRows

__all__ = ["SmallerTraining"]


class SmallerTraining(Plan):
    """Divide rows as another plan does, but learn from some of the training rows only.

    The rows of a smaller size are among those of a larger one, so that sizes can be compared, and each class keeps
    its share of them to within a row or two.

    Parameters
    ----------
    plan : a plan or any scikit-learn splitter
        What divides the rows.
    train_size : float or int
        The share of the training rows to learn from, or their number.
    stratified : bool
        Whether each class keeps its share.
    random_state : int, numpy Generator, RandomState, SeedSequence or None
        Seeds the choice.

    Notes
    -----
    When it misleads: as `plan` does. The values of several sizes come from the same test rows and so go up and down
    together.

    Examples
    --------
    >>> from calibrant.resampling import CrossValidation
    >>> plan = SmallerTraining(CrossValidation(2), 0.5)
    >>> [len(train) for train, _ in plan.split([[i] for i in range(16)])]
    [4, 4]
    """

    _rules: ClassVar = {
        "plan": HasMethods("split", "get_n_splits", words="a plan or scikit-learn splitter"),
        "train_size": Real(0, 1, closed="neither") | Int(1),
        "stratified": Bool(),
        "random_state": Seed(),
    }

    def __init__(
        self, plan: Any, train_size: float = 0.5, *, stratified: bool = True, random_state: SeedLike = 0
    ) -> None:
        self.plan = plan
        self.train_size = train_size
        self.stratified = stratified
        self.random_state = random_state

    def describe(self) -> str:
        """Say in words what the plan does.

        Examples
        --------
        >>> from calibrant.resampling import Holdout
        >>> SmallerTraining(Holdout(), 100).describe()
        'holdout of 33 % of the rows, stratified, learning from 100 rows'
        """
        size = f"{100 * self.train_size:g} % of the rows" if self.train_size < 1 else f"{self.train_size:,} rows"
        return f"{plan_text(self.plan)}, learning from {size}"

    @property
    def caution(self) -> str:  # type: ignore[override]
        """When the estimate misleads."""
        return str(getattr(self.plan, "caution", ""))

    @property
    def _interval(self) -> IntervalKind:  # type: ignore[override]
        kind: IntervalKind = getattr(self.plan, "_interval", "splits")
        return kind

    @property
    def _weighing(self) -> Weighing:  # type: ignore[override]
        weighing: Weighing = getattr(self.plan, "_weighing", None)
        return weighing

    def split_names(self, X: Any, y: Any = None, groups: Any = None) -> list[str]:
        """Name the splits as the plan within does.

        Examples
        --------
        >>> from calibrant.resampling import Holdout
        >>> SmallerTraining(Holdout()).split_names([[1], [2]])
        ['split 1']
        """
        return names_of(self.plan, X, y, groups)

    def _count(self, X: Any, y: Any, groups: Any) -> int:
        return int(self.plan.get_n_splits(X, y, groups))

    def _n_apart(self, n_splits: int) -> int:
        return n_apart(self.plan, n_splits)

    def _only(self, kept: Any, n_rows: int) -> SmallerTraining:
        plan = plan_only(self.plan, kept, n_rows)
        return SmallerTraining(plan, self.train_size, stratified=self.stratified, random_state=self.random_state)

    def _divide(self, rows: PlanRows) -> Iterator[Split]:
        seed = seed_sequence(self.random_state)
        for number, (train, test) in enumerate(self.plan.split(*rows.given)):
            yield self._fewer(np.asarray(train), rows, stream(seed, number)), test

    def _fewer(self, train: Any, rows: PlanRows, random: np.random.Generator) -> Any:
        size = round(self.train_size * len(train)) if self.train_size < 1 else int(self.train_size)
        if size > len(train):
            raise DataError(f"train_size={self.train_size} is more than the {len(train)} rows of a training set.")
        strata = rows.stratified(self.stratified)
        order = shuffled(len(train), None if strata is None else strata[train], random)
        return train[np.sort(_spread(order)[: max(1, size)])]


def _spread(order: Any) -> Any:
    """Lay rows out so that every beginning of them is spread evenly over the order: by the bits of their places."""
    bits = max(1, int(len(order) - 1).bit_length())
    places = np.arange(2**bits)
    reversed_bits = np.zeros_like(places)
    for bit in range(bits):
        reversed_bits |= ((places >> bit) & 1) << (bits - 1 - bit)
    return order[reversed_bits[reversed_bits < len(order)]]


def plan_text(plan: Any) -> str:
    """Say in words what a plan, or any splitter, does."""
    return str(plan.describe()) if isinstance(plan, Plan) else repr(plan)


def n_apart(plan: Any, n_splits: int) -> int:
    """Give the number of splits that tell something new: those of one repeat, where a splitter divides anew."""
    if isinstance(plan, Plan):
        return plan._n_apart(n_splits)
    return n_splits // int(getattr(plan, "n_repeats", 1))


def plan_only(plan: Any, kept: Any, n_rows: int) -> Any:
    """Give a plan, or any splitter, for some of the rows."""
    return plan._only(kept, n_rows) if isinstance(plan, Plan) else plan


def names_of(plan: Any, X: Any, y: Any, groups: Any) -> list[str]:
    """Name the splits of a plan, or of any splitter."""
    if isinstance(plan, Plan):
        return plan.split_names(X, y, groups)
    return [f"split {number + 1}" for number in range(plan.get_n_splits(X, y, groups))]
