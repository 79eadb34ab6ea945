"""Rows assigned to folds: weighted rows in units, rows of a group together.

A weight is a frequency, so the units of a weighted row are rows of their own, and each goes to a fold at random: a row
of weight 3 is in up to three folds, as its three copies would be. A weight that is not a whole number makes as many
units as the nearest one, at least one, of equal weight; so a row of less than 1.5 stays whole. Assigning units in turn
along sorted rows would make all folds alike, and what overfits would look good on every one of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

_MOST_UNITS = 1_000_000  # beyond, a unit is more than a weight of 1: bounds the memory


@dataclass(frozen=True, slots=True, eq=False)
class Pieces:
    """Pieces of rows: the row, the weight and the fold (or unit) of each piece."""

    rows: NDArray[np.intp]
    weight: NDArray[np.float64]
    fold: NDArray[np.intp]


def unit_folds(
    strata: NDArray[np.integer[Any]],
    weight: NDArray[np.float64],
    n_folds: int,
    random: np.random.Generator,
    *,
    enough: float = np.inf,
) -> Pieces:
    """Assign the units of rows to folds at random, class by class; of more than `enough` units as many are drawn.

    Examples
    --------
    >>> pieces = unit_folds(np.array([0, 0, 1]), np.array([1.0, 1.0, 2.0]), 2, np.random.default_rng(0))
    >>> pieces.rows, pieces.weight, np.bincount(pieces.fold)
    (array([0, 1, 2, 2]), array([1., 1., 1., 1.]), array([2, 2]))
    """
    unit = unit_weight(weight)
    share = min(1.0, enough * unit / float(weight.sum()))
    found, first = [], 0
    for code in np.unique(strata):
        rows = np.flatnonzero(strata == code)
        pieces = cut_into_units(rows, weight[rows] / unit)
        fold = _deal_units(random, len(pieces.rows), n_folds, share, first)
        first += len(fold)
        kept = fold >= 0
        found.append(Pieces(pieces.rows[kept], unit * pieces.weight[kept], fold[kept]))
    return Pieces(
        np.concatenate([each.rows for each in found]),
        np.concatenate([each.weight for each in found]),
        np.concatenate([each.fold for each in found]),
    )


def unit_weight(weight: NDArray[np.float64]) -> float:
    """Return the weight of a unit: 1, or more where there would be too many.

    Examples
    --------
    >>> unit_weight(np.array([2.0, 3.0])), unit_weight(np.array([4e6]))
    (1.0, 4.0)
    """
    return max(1.0, float(weight.sum()) / _MOST_UNITS)


def cut_into_units(rows: NDArray[np.intp], weight: NDArray[np.float64]) -> Pieces:
    """Return the units of rows, of weight 1 where the weight of the row is a whole number; ``fold`` is the unit.

    Examples
    --------
    >>> pieces = cut_into_units(np.array([4, 7]), np.array([2.5, 0.5]))
    >>> pieces.rows, pieces.weight, pieces.fold
    (array([4, 4, 7]), array([1.25, 1.25, 0.5 ]), array([0, 1, 2]))
    """
    n_units = np.maximum(np.rint(weight), 1.0)
    each = np.repeat(np.arange(len(rows)), n_units.astype(np.intp))
    return Pieces(rows[each], (weight / n_units)[each], np.arange(len(each)))


def _deal_units(random: np.random.Generator, n_units: int, n_folds: int, share: float, first: int) -> NDArray[np.intp]:
    """Return the fold of each unit, -1 for those left out; each class starts where the last ended, to balance folds."""
    order = random.permutation(n_units)
    fold = np.full(n_units, -1, dtype=np.intp)
    kept = order[: max(min(n_units, n_folds), round(share * n_units))]
    fold[kept] = (first + np.arange(len(kept))) % n_folds
    return fold


def deal_groups(
    counts: NDArray[np.float64], shares: NDArray[np.float64], random: np.random.Generator
) -> NDArray[np.intp]:
    """Return the fold of each group: in random order, each goes where its classes are scarcest.

    Parameters
    ----------
    counts : array of shape (n_groups, n_classes)
        The rows of each class in each group, or their weight.
    shares : array of shape (n_folds,)
        The relative sizes of the folds.
    random : numpy.random.Generator
        The source of the order.

    Examples
    --------
    >>> deal_groups(np.full((3, 1), 2.0), np.ones(3), np.random.default_rng(0))
    array([1, 2, 0])
    """
    # Divided by the class size once for the group and once for the fold, so that rare classes count as much as others
    rarity = np.maximum(counts.sum(axis=0), 1.0) ** -2.0
    fold, load = np.empty(len(counts), dtype=np.intp), np.zeros((len(shares), counts.shape[1]))
    for group in random.permutation(len(counts)):
        fold[group] = np.argmin(load @ (counts[group] * rarity) / shares)
        load[fold[group]] += counts[group]
    return fold


def count_by_group(
    groups: NDArray[np.intp], strata: NDArray[np.integer[Any]], weight: NDArray[np.float64] | None = None
) -> NDArray[np.float64]:
    """Return the weight of each class (columns) in each group (rows).

    Examples
    --------
    >>> count_by_group(np.array([0, 1, 1]), np.array([0, 0, 1]))
    array([[1., 0.],
           [1., 1.]])
    """
    shape = (int(groups.max()) + 1, int(strata.max()) + 1)
    cells = groups * shape[1] + strata
    return np.bincount(cells, weight, shape[0] * shape[1]).reshape(shape).astype(np.float64)
