"""The test sets of another plan with fewer training rows: the points of a learning curve."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from calibrant._params import Bool, Seed
from calibrant._random import SeedLike, seed_sequence, stream
from calibrant.exceptions import DataError
from calibrant.resampling._plans import splitters
from calibrant.resampling._plans.delegated_splits import DelegatedSplitsMixin
from calibrant.resampling._plans.fold_assignment import shuffle_rows
from calibrant.resampling._plans.held_out_size import SIZE, size_text
from calibrant.resampling._plans.plan import Plan, Split

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.resampling._plans.plan_rows import PlanRows

__all__ = ["SmallerTraining"]


class SmallerTraining(DelegatedSplitsMixin, Plan):
    """Split rows as another plan does, but train on some of its training rows only.

    The rows of a smaller size are among those of a larger one, so that sizes can be compared, and each class keeps
    its share of them to within a row or two.

    Parameters
    ----------
    plan : a plan or any scikit-learn splitter
        Splits the rows.
    train_size : float or int
        The share of the training rows to train on, or their number.
    stratified : bool
        Whether each class keeps its share.
    random_state : int, numpy Generator, RandomState, SeedSequence or None
        Seeds the choice of the training rows.

    Notes
    -----
    When it misleads: as `plan` does. The values of several sizes come from the same test rows and are therefore
    correlated.

    Examples
    --------
    >>> from calibrant.resampling import CrossValidation
    >>> plan = SmallerTraining(CrossValidation(2), 0.5)
    >>> [len(train) for train, _ in plan.split([[i] for i in range(16)])]
    [4, 4]
    >>> from calibrant.resampling import Holdout
    >>> SmallerTraining(Holdout(), 100).describe()
    'holdout of 33 % of the rows, stratified, learning from 100 rows'
    """

    _rules: ClassVar = {"plan": splitters.SPLITTER, "train_size": SIZE, "stratified": Bool(), "random_state": Seed()}

    def __init__(
        self, plan: Any, train_size: float = 0.5, *, stratified: bool = True, random_state: SeedLike = 0
    ) -> None:
        self.plan = plan
        self.train_size = train_size
        self.stratified = stratified
        self.random_state = random_state

    def _describe(self) -> str:
        return f"{splitters.describe(self.plan)}, learning from {size_text(self.train_size, 'g')}"

    @property
    def _splitter(self) -> Any:
        return self.plan

    def _for_rows(self, kept: NDArray[np.intp], n_rows: int) -> SmallerTraining:
        plan = splitters.for_rows(self.plan, kept, n_rows)
        return SmallerTraining(plan, self.train_size, stratified=self.stratified, random_state=self.random_state)

    def _splits(self, rows: PlanRows) -> Iterator[Split]:
        seed = seed_sequence(self.random_state)
        for number, (train, test) in enumerate(splitters.split(self.plan, rows)):
            yield self._fewer(np.asarray(train), rows, stream(seed, number)), test

    def _all_training_rows(self, rows: PlanRows) -> NDArray[np.intp]:
        whole = splitters.all_training_rows(self.plan, rows)
        return self._fewer(whole, rows, stream(seed_sequence(self.random_state), 0))

    def _fewer(self, train: NDArray[np.intp], rows: PlanRows, random: np.random.Generator) -> NDArray[np.intp]:
        size = round(self.train_size * len(train)) if self.train_size < 1 else int(self.train_size)
        if size > len(train):
            raise DataError(f"train_size={self.train_size} is more than the {len(train)} rows of a training set.")
        strata = rows.stratified(self.stratified)
        order = shuffle_rows(len(train), None if strata is None else strata[train], random)
        return np.asarray(train[np.sort(_spread(order)[: max(1, size)])])


def _spread(order: NDArray[np.intp]) -> NDArray[np.intp]:
    """Reorder rows so that every prefix is spread evenly over the order.

    Positions with their bits reversed are van der Corput's sequence, whose prefixes are evenly spaced.
    """
    n_bits = max(1, int(len(order) - 1).bit_length())
    positions = np.arange(2**n_bits)
    reversed_bits = np.zeros_like(positions)
    for bit in range(n_bits):
        reversed_bits |= ((positions >> bit) & 1) << (n_bits - 1 - bit)
    return np.asarray(order[reversed_bits[reversed_bits < len(order)]])
