"""Training, validation and test rows: a method chosen within each split (Witten, Frank & Hall 2011, section 5.1)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from calibrant._params import Int, Nothing
from calibrant.calibration._internal import take_rows
from calibrant.resampling._plans import splitters
from calibrant.resampling._plans.cross_validation import CrossValidation
from calibrant.resampling._plans.delegated_splits import DelegatedSplitsMixin
from calibrant.resampling._plans.holdout import Holdout
from calibrant.resampling._plans.plan import Plan, Split

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.resampling._plans.plan_rows import PlanRows

__all__ = ["Nested"]

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
