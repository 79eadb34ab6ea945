"""Folds of calibration rows that depend on nothing but the weighted empirical distribution, or keep groups whole.

Rows are sorted and equal ones pooled, so that a row of weight 2 counts as two rows; the seed is fixed.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

import numpy as np

from calibrant._folds import Pieces, count_by_group, deal_groups, unit_folds
from calibrant.calibration._fitting.ties import pool_ties
from calibrant.calibration._validation import BinaryScores, ScoredRows
from calibrant.data._internal import caller_level
from calibrant.exceptions import LittleDataWarning

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["assign_folds", "has_few_groups", "pool_equal_rows", "take_pieces"]

_SEED = 20_010_628  # arbitrary and fixed: the same rows have the same folds in every fit
_MIN_GROUPS = 5  # below, the variance between groups is unknown
_ENOUGH_UNITS = 10_000  # beyond, as many are drawn: the choice hardly changes, and the time stays that of 10,000 rows


def take_pieces(scored: ScoredRows, pieces: Pieces, chosen: NDArray[np.bool_]) -> ScoredRows:
    """Return some pieces as rows."""
    rows = pieces.rows[chosen]
    groups = None if scored.groups is None else scored.groups[rows]
    return ScoredRows(scored.scores[rows], scored.codes[rows], scored.classes, pieces.weight[chosen], groups)


def pool_equal_rows(scored: ScoredRows) -> ScoredRows:
    """Sort rows by class and scores, and sum the weights of equal ones of the same group.

    Examples
    --------
    >>> from calibrant.calibration._validation import read_scored
    >>> pooled = pool_equal_rows(read_scored([0.7, 0.2, 0.7, 0.7], [1, 0, 1, 0]))
    >>> pooled.scores.ravel(), pooled.codes, pooled.weight
    (array([0.2, 0.7, 0.7]), array([0, 0, 1], dtype=int32), array([1., 1., 2.]))
    """
    if scored.groups is None and scored.weight is None and scored.scores.shape[1] == 1 and len(scored.classes) == 2:
        return _pool_binary(scored)
    keys = [] if scored.groups is None else [scored.groups]
    order = np.lexsort([*keys, *scored.scores.T[::-1], scored.codes])
    scores, codes = scored.scores[order], scored.codes[order]
    weight = scored.weights()[order]
    is_new = np.r_[True, (codes[1:] != codes[:-1]) | (scores[1:] != scores[:-1]).any(axis=1)]
    if scored.groups is not None:
        is_new[1:] |= np.diff(scored.groups[order]) != 0
    starts = np.flatnonzero(is_new)
    groups = None if scored.groups is None else scored.groups[order][starts]
    return ScoredRows(scores[starts], codes[starts], scored.classes, np.add.reduceat(weight, starts), groups)


def _pool_binary(scored: ScoredRows) -> ScoredRows:
    """Sort and pool rows of two classes that count once: one sort of the scores in the core, not one by class too."""
    scores = np.ascontiguousarray(scored.scores[:, 0])
    ties = pool_ties(BinaryScores(scores, scored.codes == 1))
    by_class = [ties.weight - ties.positive, ties.positive]
    kept = [np.flatnonzero(weight) for weight in by_class]
    codes = np.repeat(np.arange(2, dtype=scored.codes.dtype), [len(rows) for rows in kept])
    weight = np.concatenate([weight[rows] for weight, rows in zip(by_class, kept, strict=True)])
    return ScoredRows(ties.scores[np.concatenate(kept)].reshape(-1, 1), codes, scored.classes, weight)


def assign_folds(pooled: ScoredRows, n_folds: int) -> Pieces:
    """Assign pooled rows to folds, class by class, or group by group.

    Examples
    --------
    >>> from calibrant.calibration._validation import read_scored
    >>> pieces = assign_folds(pool_equal_rows(read_scored([0.7, 0.2, 0.7, 0.6], [1, 0, 1, 0])), 2)
    >>> pieces.rows, pieces.weight, np.bincount(pieces.fold)
    (array([0, 1, 2, 2]), array([1., 1., 1., 1.]), array([2, 2]))
    """
    random = np.random.default_rng(_SEED)
    if pooled.groups is None:
        return unit_folds(pooled.codes, pooled.weights(), n_folds, random, enough=_ENOUGH_UNITS)
    groups, weight = pooled.groups, pooled.weights()
    if int(groups.max()) + 1 == len(groups):  # whole rows: a unit each, whatever they weigh
        units = unit_folds(pooled.codes, np.ones(len(groups)), n_folds, random, enough=_ENOUGH_UNITS)
        return Pieces(units.rows, weight[units.rows], units.fold)
    kept = np.flatnonzero(_drawn_groups(np.bincount(groups, weight).astype(np.float64), n_folds, random)[groups])
    numbers = np.unique(groups[kept], return_inverse=True)[1]
    counts = count_by_group(numbers, pooled.codes[kept], weight[kept])
    return Pieces(kept, weight[kept], deal_groups(counts, np.ones(n_folds), random)[numbers])


def has_few_groups(scored: ScoredRows) -> bool:
    """Return whether there are too few groups to hold any out, with a warning.

    Examples
    --------
    >>> from calibrant.calibration._validation import read_scored
    >>> has_few_groups(read_scored([0.2, 0.7, 0.9], [0, 1, 1]))
    False
    """
    n_groups = _MIN_GROUPS if scored.groups is None else len(np.unique(scored.groups))
    if n_groups >= _MIN_GROUPS:
        return False
    warnings.warn(
        f"{n_groups} group(s) of calibration rows are too few to hold any out: {_MIN_GROUPS} are the minimum, so no "
        "map is tried. Use rows of more groups.",
        LittleDataWarning,
        stacklevel=caller_level(),
    )
    return True


def _drawn_groups(sizes: NDArray[np.float64], n_folds: int, random: np.random.Generator) -> NDArray[np.bool_]:
    """Return which groups are used: all, or as many at random as make up enough weight."""
    drawn = np.ones(len(sizes), dtype=np.bool_)
    if sizes.sum() > _ENOUGH_UNITS:
        order = random.permutation(len(sizes))
        is_beyond = np.cumsum(sizes[order]) - sizes[order] >= _ENOUGH_UNITS
        is_beyond[:n_folds] = False
        drawn[order[is_beyond]] = False
    return drawn
