"""Folds that depend on nothing but the weighted empirical distribution: a row of weight 2 counts as two rows.

Rows are sorted and equal ones pooled. Each class is then cut into units of weight 1, and the units are assigned to
the folds at random by a fixed seed. Assigning them in turn along the scores would make all folds alike,
and a map that overfits would look good on every one of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from calibrant.calibration._validation import ScoredRows

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Pieces", "pool_equal_rows", "unit_folds"]

_SEED = 20_010_628  # arbitrary and fixed: the same rows have the same folds in every fit
_MOST_UNITS = 1_000_000  # beyond, a unit is more than a weight of 1: bounds the memory
_ENOUGH_UNITS = 10_000  # beyond, as many are drawn: the choice hardly changes, and the time stays that of 10,000 rows
_SLIVER = 1e-9  # shorter pieces come from rounding where a row ends at a whole number


@dataclass(frozen=True, slots=True, eq=False)
class Pieces:
    """Pieces of rows: the row, the weight and the fold of each piece."""

    rows: NDArray[np.intp]
    weight: NDArray[np.float64]
    fold: NDArray[np.intp]

    def take(self, scored: ScoredRows, chosen: NDArray[np.bool_]) -> ScoredRows:
        """Return some pieces as rows."""
        rows = self.rows[chosen]
        return ScoredRows(scored.scores[rows], scored.codes[rows], scored.classes, self.weight[chosen])


def pool_equal_rows(scored: ScoredRows) -> ScoredRows:
    """Sort rows by class and scores, and sum the weights of equal ones.

    Examples
    --------
    >>> from calibrant.calibration._validation import read_scored
    >>> pooled = pool_equal_rows(read_scored([0.7, 0.2, 0.7, 0.7], [1, 0, 1, 0]))
    >>> pooled.scores.ravel(), pooled.codes, pooled.weight
    (array([0.2, 0.7, 0.7]), array([0, 0, 1], dtype=int32), array([1., 1., 2.]))
    """
    order = np.lexsort([*scored.scores.T[::-1], scored.codes])
    scores, codes = scored.scores[order], scored.codes[order]
    weight = scored.weights()[order]
    is_new = np.r_[True, (codes[1:] != codes[:-1]) | (scores[1:] != scores[:-1]).any(axis=1)]
    starts = np.flatnonzero(is_new)
    return ScoredRows(scores[starts], codes[starts], scored.classes, np.add.reduceat(weight, starts))


def unit_folds(pooled: ScoredRows, n_folds: int) -> Pieces:
    """Assign pooled rows to folds, class by class.

    Examples
    --------
    >>> from calibrant.calibration._validation import read_scored
    >>> pieces = unit_folds(pool_equal_rows(read_scored([0.7, 0.2, 0.7, 0.6], [1, 0, 1, 0])), 2)
    >>> pieces.rows, pieces.weight, np.bincount(pieces.fold)
    (array([0, 1, 2, 2]), array([1., 1., 1., 1.]), array([2, 2]))
    """
    weight = pooled.weights()
    total = float(weight.sum())
    unit = max(1.0, total / _MOST_UNITS)
    share = min(1.0, _ENOUGH_UNITS * unit / total)
    rng, found, first = np.random.default_rng(_SEED), [], 0
    for code in np.unique(pooled.codes):
        rows = np.flatnonzero(pooled.codes == code)
        pieces = _cut_into_units(rows, weight[rows] / unit)
        n_units = int(pieces.fold.max()) + 1
        fold = _assign(rng, n_units, n_folds, share, first)
        first += n_units
        kept = fold[pieces.fold] >= 0
        found.append(Pieces(pieces.rows[kept], unit * pieces.weight[kept], fold[pieces.fold][kept]))
    return Pieces(
        np.concatenate([each.rows for each in found]),
        np.concatenate([each.weight for each in found]),
        np.concatenate([each.fold for each in found]),
    )


def _cut_into_units(rows: NDArray[np.intp], weight: NDArray[np.float64]) -> Pieces:
    """Return the pieces of rows laid end to end and cut at every whole number; ``fold`` is the unit."""
    if (weight == np.rint(weight)).all():
        each = np.repeat(rows, weight.astype(np.intp))
        return Pieces(each, np.ones(len(each)), np.arange(len(each)))
    ends = np.cumsum(weight)
    cuts = np.union1d(ends, np.arange(1.0, ends[-1]))
    starts = np.r_[0.0, cuts[:-1]]
    long = cuts - starts > _SLIVER
    starts, sizes = starts[long], (cuts - starts)[long]
    middles = starts + sizes / 2
    return Pieces(rows[np.searchsorted(ends, middles)], sizes, np.floor(middles).astype(np.intp))


def _assign(rng: np.random.Generator, n_units: int, n_folds: int, share: float, first: int) -> NDArray[np.intp]:
    """Return the fold of each unit, -1 for those left out; each class starts where the last ended, to balance folds."""
    order = rng.permutation(n_units)
    fold = np.full(n_units, -1, dtype=np.intp)
    kept = order[: max(min(n_units, n_folds), round(share * n_units))]
    fold[kept] = (first + np.arange(len(kept))) % n_folds
    return fold
