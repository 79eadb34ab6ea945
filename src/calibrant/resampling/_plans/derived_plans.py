"""Plans that take their splits from another splitter."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from calibrant._params import Bool, Int, Nothing, Seed
from calibrant._random import SeedLike, seed_sequence, stream
from calibrant.calibration._internal import take_rows
from calibrant.exceptions import DataError
from calibrant.resampling._plans import splitters
from calibrant.resampling._plans.plan import BootstrapKind, IntervalKind, Plan, PlanRows, Split, shuffle_rows
from calibrant.resampling._plans.random_plans import SIZE, CrossValidation, Holdout, size_text


class DelegatedSplitsMixin(Plan):
    """Names, number and reliability of the splits as those of ``_splitter``, a plan or another splitter."""

    @property
    @abstractmethod
    def _splitter(self) -> Any:
        """The splitter."""

    @property
    def caution(self) -> str:  # type: ignore[override]
        """When the estimate misleads."""
        return splitters.caution(self._splitter)

    @property
    def _interval(self) -> IntervalKind:  # type: ignore[override]
        return splitters.interval_kind(self._splitter)

    @property
    def _bootstrap(self) -> BootstrapKind:  # type: ignore[override]
        return splitters.bootstrap_kind(self._splitter)

    def _names(self, rows: PlanRows) -> list[str]:
        return splitters.names(self._splitter, rows)

    def _n_splits(self, X: Any, y: Any, groups: Any) -> int:
        return int(self._splitter.get_n_splits(X, y, groups))

    def _n_independent(self, n_splits: int) -> int:
        return splitters.n_independent(self._splitter, n_splits)


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
        # Class after class in one order for all sizes: a smaller size is then among a larger, with the same shares
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


_PLAN = splitters.SPLITTER | Int(2) | Nothing()


class Nested(DelegatedSplitsMixin, Plan):
    """Choose among methods on validation rows, then test the chosen one on rows that had no part in the choice.

    Passed to `estimate_performance` with several methods, each split of `outer` is one experiment: every method is
    scored by `inner` within the training rows, the best one is fitted to all of them (validation rows included),
    and only that one is tested on the test rows. The estimate is that of the whole procedure, choice included.

    As a splitter it yields the splits of `outer`; `split_three` yields all three sets of rows.

    Parameters
    ----------
    outer : a plan, any scikit-learn splitter or int, optional
        Splits test rows from the others; None: tenfold cross-validation, an int: that number of folds; both
        stratified.
    inner : a plan, any scikit-learn splitter or int, optional
        Splits validation rows from training rows; None: a third of them held out, an int: that number of folds;
        both stratified.

    Notes
    -----
    When it misleads: not by the choice, which is what it is for; otherwise as `outer` does. The best value that any
    method has on the validation rows is too good, the more so the more methods were tried, and is not an estimate.

    Examples
    --------
    >>> plan = Nested(Holdout(), Holdout())
    >>> [len(part) for part in next(plan.split_three([[i] for i in range(90)]))]
    [40, 20, 30]
    >>> Nested().describe()
    '10-fold cross-validation, stratified; chosen within by holdout of 33 % of the rows, stratified'
    """

    _rules: ClassVar = {"outer": _PLAN, "inner": _PLAN}

    def __init__(self, outer: Any = None, inner: Any = None) -> None:
        self.outer = outer
        self.inner = inner

    @property
    def outer_(self) -> Any:
        """The plan that splits test rows from the others."""
        return _plan(self.outer, CrossValidation())

    @property
    def inner_(self) -> Any:
        """The plan that splits validation rows from training rows."""
        return _plan(self.inner, Holdout())

    @property
    def _splitter(self) -> Any:
        return self.outer_

    def split_three(
        self, X: Any, y: Any = None, groups: Any = None
    ) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.intp]]]:
        """Yield the training, validation and test rows of each inner split of each outer one.

        Parameters
        ----------
        X, y, groups
            As in `Plan.split`.

        Yields
        ------
        train, validation, test : arrays of int
            Positions of rows, no row in two of them.

        Examples
        --------
        >>> plan = Nested(CrossValidation(3), CrossValidation(2))
        >>> len(list(plan.split_three([[i] for i in range(12)])))
        6
        """
        for rest, test in self.split(X, y, groups):
            for train, validation in self.inner_split(rest, X, y, groups):
                yield rest[train], rest[validation], test

    def inner_split(self, rest: NDArray[np.intp], X: Any, y: Any, groups: Any) -> list[Split]:
        """Split the rows that are not tested, and return positions among these."""
        taken = [None if each is None else take_rows(each, rest) for each in (X, y, groups)]
        return list(self.inner_.split(*taken))

    def _describe(self) -> str:
        return f"{splitters.describe(self.outer_)}; chosen within by {splitters.describe(self.inner_)}"

    def _for_rows(self, kept: NDArray[np.intp], n_rows: int) -> Nested:
        return Nested(splitters.for_rows(self.outer_, kept, n_rows), self.inner)

    def _splits(self, rows: PlanRows) -> Iterable[Split]:
        return splitters.split(self.outer_, rows)


def _plan(plan: Any, default: Plan) -> Any:
    if plan is None:
        return default
    return CrossValidation(int(plan)) if isinstance(plan, int | np.integer) else plan
