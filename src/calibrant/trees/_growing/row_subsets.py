"""Rows set aside before growing: half to count the leaves on (honest trees), a third to prune on (reduced error)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from calibrant._folds import count_by_group, deal_groups
from calibrant._random import stream
from calibrant.exceptions import DataError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.trees._growing.examples import Examples
    from calibrant.trees._tree_params import TreeParams

__all__ = ["RowSubsets", "draw_row_subsets"]

# Keys of the random streams of one fit.
_HONEST, _HOLDOUT = 1, 2


@dataclass(frozen=True)
class RowSubsets:
    """The rows that grow the tree, those that prune it and those counted in its leaves; None where not set aside."""

    grow: NDArray[np.bool_] | None = None
    prune: NDArray[np.bool_] | None = None
    count: NDArray[np.bool_] | None = None

    def within(self, rows: NDArray[np.bool_]) -> RowSubsets:
        """Return the subsets restricted to some of the rows."""
        return RowSubsets(
            rows if self.grow is None else self.grow & rows,
            None if self.prune is None else self.prune & rows,
            None if self.count is None else self.count & rows,
        )

    @property
    def any_is_empty(self) -> bool:
        """Whether one of the subsets has no rows."""
        return any(subset is not None and not subset.any() for subset in (self.grow, self.prune, self.count))


def draw_row_subsets(examples: Examples, params: TreeParams, seed: np.random.SeedSequence) -> RowSubsets:
    """Draw the rows that do not grow the tree, stratified by class."""
    if not params.honest and params.prune != "reduced_error":
        return RowSubsets()
    grow, prune, count = np.ones(examples.n_rows, dtype=np.bool_), None, None
    if params.honest:
        count = _one_in(2, grow, examples, stream(seed, _HONEST))
        _require_rows(count, "honest=True grows on one half of the rows and counts on the other", 2)
        grow = grow & ~count
    if params.prune == "reduced_error":
        prune = _one_in(3, grow, examples, stream(seed, _HOLDOUT))
        _require_rows(prune, "prune='reduced_error' sets a third of the growing rows aside", 5 if params.honest else 3)
        grow = grow & ~prune
    return RowSubsets(grow, prune, count)


def _one_in(n: int, rows: NDArray[np.bool_], examples: Examples, random: np.random.Generator) -> NDArray[np.bool_]:
    """Draw one in n of the rows: shuffled, sorted by class, then every n-th; or about as many in whole groups."""
    if examples.groups is not None:
        counts = count_by_group(examples.groups, examples.labels, rows.astype(np.float64))
        return np.asarray(rows & (deal_groups(counts, np.array([n - 1.0, 1.0]), random)[examples.groups] == 1))
    shuffled = random.permutation(np.flatnonzero(rows))
    by_class = shuffled[np.argsort(examples.labels[shuffled], kind="stable")]
    chosen = np.zeros_like(rows)
    chosen[by_class[n - 1 :: n]] = True
    return chosen


def _require_rows(chosen: NDArray[np.bool_], why: str, minimum: int) -> None:
    if not chosen.any():
        raise DataError(f"X has {len(chosen)} row(s) of weight > 0; {why} and needs at least {minimum}.")
