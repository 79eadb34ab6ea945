"""Plans that draw rows at random: holdout, cross-validation by folds, the bootstrap.

Holdout, cross-validation and leave-one-out, which draws nothing, are those of Witten, Frank & Hall 2011, sections 5.3
and 5.4; the .632 bootstrap and .632+ those of Efron & Tibshirani 1997.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from calibrant._docstrings import fill_docstring
from calibrant._params import Bool, Int, Real, Seed
from calibrant._random import SeedLike, seed_sequence, stream
from calibrant.exceptions import DataError, LittleDataWarning
from calibrant.resampling._plans.plan import (
    BootstrapKind,
    Plan,
    PlanRows,
    Split,
    assign_groups,
    assign_rows,
    choose_rows,
    read_plan_rows,
)

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


class CrossValidation(Plan):
    """Partition the rows into folds; test on each in turn and train on the others.

    Stratified tenfold cross-validation is the standard where data are limited, and ten repeats of it where a figure
    must be reliable. Folds differ by one row at most, and so do the rows of each class in them; a class of fewer rows
    than folds raises a `LittleDataWarning`. With groups, folds are whole groups, sizes and classes as even as whole
    groups allow.

    Parameters
    ----------
    n_folds : int
        Number of folds.
    n_repeats : int
        Number of times the rows are partitioned, each time at random.
    stratified : bool
        Whether each class is spread evenly over the folds.
    random_state : int, numpy Generator, RandomState, SeedSequence or None
        Seeds the partition.

    Notes
    -----
    When it misleads: the training sets of two folds share most rows, so the standard error of the folds' values
    is too small; intervals of `estimate_performance` are corrected for that (Nadeau & Bengio 2003). Repeats remove
    the variance of the partition but not that of the rows. What was chosen by looking at all rows (features,
    parameters, a calibrator) is not tested by it: choose within each fold, by a pipeline or by `Nested`. Rows that
    belong together need ``groups``, rows in order of time `TimeOrderedHoldout`.

    Examples
    --------
    >>> plan = CrossValidation(3)
    >>> [test.tolist() for _, test in plan.split([[i] for i in range(6)], ["a", "b"] * 3)]
    [[0, 5], [2, 3], [1, 4]]
    >>> CrossValidation().describe()
    '10-fold cross-validation, stratified'
    """

    caution: ClassVar[str] = "Whatever was chosen by looking at all rows beforehand is not tested by this."
    _rules: ClassVar = {"n_folds": Int(2), "n_repeats": Int(1), "stratified": Bool(), "random_state": Seed()}

    def __init__(
        self, n_folds: int = 10, n_repeats: int = 1, *, stratified: bool = True, random_state: SeedLike = 0
    ) -> None:
        self.n_folds = n_folds
        self.n_repeats = n_repeats
        self.stratified = stratified
        self.random_state = random_state

    def _describe(self) -> str:
        times = f"{self.n_repeats} times " if self.n_repeats > 1 else ""
        return f"{times}{self.n_folds}-fold cross-validation{', stratified' if self.stratified else ''}"

    def _names(self, rows: PlanRows) -> list[str]:  # noqa: ARG002
        numbers = [(repeat, fold) for repeat in range(self.n_repeats) for fold in range(self.n_folds)]
        return [f"repeat {repeat + 1} fold {fold + 1}" for repeat, fold in numbers]

    def _n_splits(self, X: Any, y: Any, groups: Any) -> int:  # noqa: ARG002
        return self.n_folds * self.n_repeats

    def _n_independent(self, n_splits: int) -> int:  # noqa: ARG002
        return self.n_folds

    def _splits(self, rows: PlanRows) -> Iterator[Split]:
        seed, strata = seed_sequence(self.random_state), rows.stratified(self.stratified)
        n_units, units = (rows.n_rows, "rows") if rows.groups is None else (rows.n_groups, "groups")
        if n_units < self.n_folds:
            raise DataError(f"n_folds={self.n_folds} is more than the {n_units} {units} there are; take fewer folds.")
        if self.stratified:
            _warn_of_rare_class(rows, self.n_folds)
        for repeat in range(self.n_repeats):
            random = stream(seed, repeat)
            if rows.groups is None:
                fold = assign_rows(rows.n_rows, strata, self.n_folds, random)
            else:
                fold = assign_groups(rows, strata, np.ones(self.n_folds), random)
            yield from _each_fold(fold, self.n_folds)


class LeaveOneOut(Plan):
    """Test on each row by a model trained on all others; with groups, on each group by one trained on all others.

    Notes
    -----
    When it misleads: it cannot be stratified; worse, it guarantees the opposite. Where a row is left out its class has
    one row less than its share in the training set. On random data with as many rows of one class as of the other,
    a learner that predicts the majority is wrong on every row: an estimated error of 100 %, where the true one is
    50 %. A rank measure such as the AUC of pooled predictions is harmed in the same way. Each split tests one row, so
    that measures of many rows, such as the AUC, have no value in a split: compute them from the pooled predictions.

    Nothing is drawn at random: repeating it would change nothing, and it takes no seed.

    Examples
    --------
    >>> [test.tolist() for _, test in LeaveOneOut().split([[1], [2], [3]])]
    [[0], [1], [2]]
    >>> LeaveOneOut().describe()
    'leave-one-out cross-validation'
    """

    caution: ClassVar[str] = (
        "It cannot be stratified: the class of the row left out is always rarer in training than in truth, which on "
        "balanced random data makes the error of a majority rule 100 %. Each split tests one row: compute what is no "
        "mean over rows, such as the AUC, a correlation or a root, from the pooled predictions."
    )

    def _describe(self) -> str:
        return "leave-one-out cross-validation"

    def _names(self, rows: PlanRows) -> list[str]:
        return [f"split {number + 1}" for number in range(_n_units(rows))]

    def _n_splits(self, X: Any, y: Any, groups: Any) -> int:
        if X is None and y is None:
            raise DataError("LeaveOneOut.get_n_splits needs X: there is a split for each row, or for each group.")
        return _n_units(read_plan_rows(X, y, groups))

    def _splits(self, rows: PlanRows) -> Iterator[Split]:
        return _each_fold(np.arange(rows.n_rows) if rows.groups is None else rows.groups, _n_units(rows))


def _warn_of_rare_class(rows: PlanRows, n_folds: int) -> None:
    """Warn where a class cannot be in every fold, as scikit-learn's StratifiedKFold does."""
    name, n_rows = rows.rarest_class()
    if n_rows < n_folds:
        counted = "1 row" if n_rows == 1 else f"{n_rows} rows"
        warnings.warn(
            f"CrossValidation: class {name!r} has {counted}, fewer than the {n_folds} folds, so that some folds test "
            "no row of it; take fewer folds, or merge classes.",
            LittleDataWarning,
            stacklevel=5,  # the caller of split
        )


def _n_units(rows: PlanRows) -> int:
    """Return the number of rows, or of groups where there are some."""
    return rows.n_rows if rows.groups is None else rows.n_groups


def _each_fold(fold: NDArray[np.intp], n_folds: int) -> Iterator[Split]:
    """Yield the rows of all other folds and those of the fold, for each fold."""
    for number in range(n_folds):
        is_test = fold == number
        yield np.flatnonzero(~is_test), np.flatnonzero(is_test)


_MAX_DRAWS = 1000  # of two rows, half of the replicates leave no row out: 1000 in succession have chance 2 ** -1000

_CAUTION = (
    "A learner that memorises, as full trees, forests and neighbours do, looks too good by .632: 31.6 % error on "
    "random data of two equal classes, where the truth is 50 %. Take plus=True for it."
)
_CAUTION_PLUS = "With few rows, even .632+ is too good for a learner that memorises, as full trees and neighbours do."


class Bootstrap632(Plan):
    """Draw as many rows as there are, with replacement; train on them, and test on the out-of-bag rows.

    A row is not drawn with probability ``(1 - 1/n) ** n``, about 0.368. As a splitter it yields the rows drawn, some
    of them several times, and the out-of-bag rows. `estimate_performance` then combines the error on out-of-bag rows
    with that on training rows, weighted 0.632 and 0.368.

    Whose: without `plus`, the bootstrap of Witten, Frank & Hall (2011, section 5.4), where each replicate combines its
    own out-of-bag error with the error on its own training rows, and the mean over replicates is the estimate. With
    ``plus=True``, .632+ of Efron & Tibshirani (1997): the mean out-of-bag error is combined with the training error and
    the no-information error rate of one fit on all rows; the more that fit overfits, the greater the weight of the
    out-of-bag rows, up to 1 where their error is that of guessing. Efron & Tibshirani's own .632 takes the training
    error from the fit on all rows too, unlike the chapter's.

    Parameters
    ----------
    n_repeats : int
        Number of bootstrap replicates.
    plus : bool
        Whether to choose the weights by overfitting.
    stratified : bool
        Whether to draw within each class, so that each keeps its share of the rows drawn.
    random_state : int, numpy Generator, RandomState, SeedSequence or None
        Seeds the draws.

    Notes
    -----
    When it misleads: a learner that memorises has no error on training rows, and its weight of 0.368 makes the
    estimate too good: 31.6 % on random data with two classes of equal size, where the true error is 50 %. Fully grown
    trees, nearest neighbours and forests are such learners; use ``plus=True`` or cross-validation for them. Even
    .632+ is too good for them with few rows.

    With groups, whole groups are drawn. The no-information error rate is that of all rows: each of their predictions
    with each of their classes.

    References
    ----------
    B. Efron and R. Tibshirani, "Improvements on cross-validation: the .632+ bootstrap method", 1997.

    Examples
    --------
    >>> train, test = next(Bootstrap632().split([[i] for i in range(8)]))
    >>> train, test
    (array([0, 1, 1, 2, 5, 6, 6, 7]), array([3, 4]))
    >>> Bootstrap632(plus=True).describe()
    '.632+ bootstrap, 50 draws'
    """

    _split_word: ClassVar[str] = "draw"
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
    def _bootstrap(self) -> BootstrapKind:  # type: ignore[override]
        return ".632+" if self.plus else ".632"

    def _describe(self) -> str:
        draws = f"{self.n_repeats} draws" if self.n_repeats > 1 else "1 draw"
        return f"{self._bootstrap} bootstrap, {draws}{', stratified' if self.stratified else ''}"

    def _n_splits(self, X: Any, y: Any, groups: Any) -> int:  # noqa: ARG002
        return self.n_repeats

    def _splits(self, rows: PlanRows) -> Iterator[Split]:
        seed, strata = seed_sequence(self.random_state), rows.stratified(self.stratified)
        for repeat in range(self.n_repeats):
            yield _draw(rows, strata, stream(seed, repeat))


def _draw(rows: PlanRows, strata: NDArray[np.intp] | None, random: np.random.Generator) -> Split:
    """Draw a replicate, again where it leaves no row to test on."""
    for _ in range(_MAX_DRAWS):
        counts = _row_counts(rows, strata, random)
        if not counts.all():
            return np.repeat(np.arange(rows.n_rows), counts), np.flatnonzero(counts == 0)
    raise DataError(
        f"Bootstrap632: {_MAX_DRAWS} draws of {rows.n_rows} rows left none to test on; there are too few rows, "
        "groups, or rows of each class."
    )


def _row_counts(rows: PlanRows, strata: NDArray[np.intp] | None, random: np.random.Generator) -> NDArray[np.intp]:
    """Draw with replacement, whole groups or within strata, and return how often each row was drawn."""
    if rows.groups is not None:
        drawn = random.integers(0, rows.n_groups, rows.n_groups)
        return np.asarray(np.bincount(drawn, minlength=rows.n_groups)[rows.groups])
    classes = np.zeros(rows.n_rows, dtype=np.intp) if strata is None else strata
    # The rows of each class stand together in `order`, so that one draw of offsets serves all classes
    order = np.argsort(classes, kind="stable")
    sizes = np.bincount(classes)
    first, n_rows = (np.repeat(each, sizes) for each in (np.cumsum(sizes) - sizes, sizes))
    return np.bincount(order[first + random.integers(0, n_rows)], minlength=rows.n_rows)
