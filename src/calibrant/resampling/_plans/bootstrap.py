"""Bootstrap replicates to train on, out-of-bag rows to test on: the .632 bootstrap and .632+ (Efron & Tibshirani)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from calibrant._params import Bool, Int, Seed
from calibrant._random import SeedLike, seed_sequence, stream
from calibrant.exceptions import DataError
from calibrant.resampling._plans.plan import BootstrapKind, Plan, PlanRows, Split

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
