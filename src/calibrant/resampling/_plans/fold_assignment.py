"""Rows assigned to folds at random, each class and each group spread as evenly as possible."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from calibrant._folds import count_by_group, deal_groups

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.resampling._plans.plan_rows import PlanRows

__all__ = ["assign_groups", "assign_rows", "choose_rows", "shuffle_rows"]


def shuffle_rows(n_rows: int, strata: NDArray[np.intp] | None, random: np.random.Generator) -> NDArray[np.intp]:
    """Return the rows in random order, or class after class, the classes and the rows of each in random order.

    Examples
    --------
    >>> shuffle_rows(6, np.array([0, 1, 0, 1, 0, 1]), np.random.default_rng(0))
    array([3, 5, 1, 2, 4, 0])
    """
    order = random.permutation(n_rows)
    if strata is None:
        return order
    # In a fixed order of the classes, many classes of one row each would fall into the same folds in every repeat
    class_order = random.permutation(int(strata.max()) + 1)
    return np.asarray(order[np.argsort(class_order[strata[order]], kind="stable")])


def assign_rows(
    n_rows: int, strata: NDArray[np.intp] | None, n_folds: int, random: np.random.Generator
) -> NDArray[np.intp]:
    """Return the fold of each row: folds differ by one row at most, and so do the rows of each class in them.

    Examples
    --------
    >>> folds = assign_rows(10, np.array([0] * 7 + [1] * 3), 3, np.random.default_rng(0))
    >>> np.bincount(folds), np.bincount(folds[7:])
    (array([4, 3, 3]), array([1, 1, 1]))
    """
    fold = np.empty(n_rows, dtype=np.intp)
    fold[shuffle_rows(n_rows, strata, random)] = np.arange(n_rows) % n_folds
    return fold


def assign_groups(
    rows: PlanRows, strata: NDArray[np.intp] | None, shares: NDArray[np.float64], random: np.random.Generator
) -> NDArray[np.intp]:
    """Return the fold of each row, groups kept whole: in random order, each goes where its classes are scarcest.

    Examples
    --------
    >>> from calibrant.resampling._plans.plan_rows import read_plan_rows
    >>> rows = read_plan_rows([[0]] * 6, groups=list("aabbcc"))
    >>> assign_groups(rows, None, np.ones(3), np.random.default_rng(0))
    array([1, 1, 2, 2, 0, 0])
    """
    classes = np.zeros(rows.n_rows, dtype=np.intp) if strata is None else strata
    counts = count_by_group(np.asarray(rows.groups), classes)
    return np.asarray(deal_groups(counts, shares, random)[rows.groups])


def choose_rows(
    rows: PlanRows, strata: NDArray[np.intp] | None, n_chosen: int, random: np.random.Generator
) -> NDArray[np.bool_]:
    """Choose `n_chosen` rows, each class in proportion to within a row; with groups, about as many, in whole groups.

    Examples
    --------
    >>> from calibrant.resampling._plans.plan_rows import read_plan_rows
    >>> rows = read_plan_rows([[0]] * 9, [0] * 6 + [1] * 3)
    >>> chosen = choose_rows(rows, rows.strata, 3, np.random.default_rng(0))
    >>> chosen[:6].sum(), chosen[6:].sum()
    (np.int64(2), np.int64(1))
    """
    share = n_chosen / rows.n_rows
    if rows.groups is not None:
        return np.asarray(assign_groups(rows, strata, np.array([1.0 - share, share]), random) == 1)
    # Systematic sampling of the class-by-class order: evenly spaced rows from a random start, in exact integers
    steps = np.arange(rows.n_rows + 1) * n_chosen + random.integers(rows.n_rows)
    chosen = np.empty(rows.n_rows, dtype=np.bool_)
    chosen[shuffle_rows(rows.n_rows, strata, random)] = np.diff(steps // rows.n_rows) > 0
    return chosen
