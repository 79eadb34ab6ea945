"""Three kinds of rows: to learn from, to choose by, to test on (Witten, Frank & Hall 2011, section 5.1)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from calibrant._params import HasMethods, Int, Nothing
from calibrant.calibration._internal import take_rows
from calibrant.resampling._plans.cross_validation import CrossValidation
from calibrant.resampling._plans.holdout import Holdout
from calibrant.resampling._plans.plan import IntervalKind, Plan, Split, Weighing
from calibrant.resampling._plans.smaller_training import n_apart, names_of, plan_only, plan_text

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.resampling._plans.plan_rows import PlanRows

__all__ = ["Nested"]

_PLAN = HasMethods("split", "get_n_splits", words="a plan or scikit-learn splitter") | Int(2) | Nothing()


class Nested(Plan):
    """Choose among methods on validation rows, then test the choice on rows that had no part in it.

    Given to `estimate_performance` with several methods, each split of `outer` is one experiment: every method is
    judged by `inner` within the training rows, the best one is learnt anew from all of them (validation rows bundled
    back), and only that one meets the test rows. The figure is that of the whole procedure, choice included.

    As a splitter it gives what `outer` gives; `split_three` gives all three kinds of rows.

    Parameters
    ----------
    outer : a plan, any scikit-learn splitter or int, optional
        What parts test rows from the others; None: tenfold cross-validation, an int: so many folds; stratified both.
    inner : a plan, any scikit-learn splitter or int, optional
        What parts validation rows from training rows; None: a third of them held out, an int: so many folds;
        stratified both.

    Notes
    -----
    When it misleads: not by the choice, which is what it is for; else as `outer` does. The best value that any method
    has on the validation rows is too good, the more so the more methods were tried, and is not an estimate.

    Examples
    --------
    >>> plan = Nested(Holdout(), Holdout())
    >>> [len(part) for part in next(plan.split_three([[i] for i in range(90)]))]
    [40, 20, 30]
    """

    _rules: ClassVar = {"outer": _PLAN, "inner": _PLAN}

    def __init__(self, outer: Any = None, inner: Any = None) -> None:
        self.outer = outer
        self.inner = inner

    @property
    def outer_(self) -> Any:
        """The plan that parts test rows from the others."""
        return _plan(self.outer, CrossValidation())

    @property
    def inner_(self) -> Any:
        """The plan that parts validation rows from training rows."""
        return _plan(self.inner, Holdout())

    @property
    def caution(self) -> str:  # type: ignore[override]
        """When the estimate misleads."""
        return str(getattr(self.outer_, "caution", ""))

    @property
    def _interval(self) -> IntervalKind:  # type: ignore[override]
        kind: IntervalKind = getattr(self.outer_, "_interval", "splits")
        return kind

    @property
    def _weighing(self) -> Weighing:  # type: ignore[override]
        weighing: Weighing = getattr(self.outer_, "_weighing", None)
        return weighing

    def split_three(
        self, X: Any, y: Any = None, groups: Any = None
    ) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.intp]]]:
        """Give the rows to learn from, to choose by and to test on, for each inner split of each outer one.

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
        """Divide the rows that are not tested, by their positions among these."""
        part = [None if each is None else take_rows(each, rest) for each in (X, y, groups)]
        return list(self.inner_.split(*part))

    def describe(self) -> str:
        """Say in words what the plan does.

        Examples
        --------
        >>> Nested().describe()
        '10-fold cross-validation, stratified; chosen within by holdout of 33 % of the rows, stratified'
        """
        return f"{plan_text(self.outer_)}; chosen within by {plan_text(self.inner_)}"

    def split_names(self, X: Any, y: Any = None, groups: Any = None) -> list[str]:
        """Name the splits as the outer plan does.

        Examples
        --------
        >>> Nested(Holdout()).split_names([[1], [2]])
        ['split 1']
        """
        return names_of(self.outer_, X, y, groups)

    def _count(self, X: Any, y: Any, groups: Any) -> int:
        return int(self.outer_.get_n_splits(X, y, groups))

    def _n_apart(self, n_splits: int) -> int:
        return n_apart(self.outer_, n_splits)

    def _only(self, kept: NDArray[np.intp], n_rows: int) -> Nested:
        return Nested(plan_only(self.outer_, kept, n_rows), self.inner)

    def _divide(self, rows: PlanRows) -> Iterator[Split]:
        yield from self.outer_.split(*rows.given)


def _plan(given: Any, otherwise: Plan) -> Any:
    if given is None:
        return otherwise
    return CrossValidation(int(given)) if isinstance(given, int | np.integer) else given
