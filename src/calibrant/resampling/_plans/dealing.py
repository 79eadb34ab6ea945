"""Rows dealt out to parts, each class and each group as evenly as it can be."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.resampling._plans.plan_rows import PlanRows

__all__ = ["choose_part", "deal_groups", "deal_rows", "shuffled"]


def shuffled(n_rows: int, strata: NDArray[np.intp] | None, random: np.random.Generator) -> NDArray[np.intp]:
    """Give the rows in random order, or class after class, the classes and the rows of each in random order.

    Examples
    --------
    >>> shuffled(6, np.array([0, 1, 0, 1, 0, 1]), np.random.default_rng(0))
    array([3, 5, 1, 2, 4, 0])
    """
    order = random.permutation(n_rows)
    if strata is None:
        return order
    place = random.permutation(int(strata.max()) + 1)  # else many classes of one row would fall alike every time
    return np.asarray(order[np.argsort(place[strata[order]], kind="stable")])


def deal_rows(
    n_rows: int, strata: NDArray[np.intp] | None, n_parts: int, random: np.random.Generator
) -> NDArray[np.intp]:
    """Give the part of each row: parts differ by one row at most, and so do the rows of each class in them.

    Examples
    --------
    >>> parts = deal_rows(10, np.array([0] * 7 + [1] * 3), 3, np.random.default_rng(0))
    >>> np.bincount(parts), np.bincount(parts[7:])
    (array([4, 3, 3]), array([1, 1, 1]))
    """
    part = np.empty(n_rows, dtype=np.intp)
    part[shuffled(n_rows, strata, random)] = np.arange(n_rows) % n_parts
    return part


def deal_groups(
    rows: PlanRows, strata: NDArray[np.intp] | None, shares: NDArray[np.float64], random: np.random.Generator
) -> NDArray[np.intp]:
    """Give the part of each row, groups kept whole: each goes where its classes are scarcest, in random order.

    Examples
    --------
    >>> from calibrant.resampling._plans.plan_rows import read_plan_rows
    >>> rows = read_plan_rows([[0]] * 6, groups=list("aabbcc"))
    >>> deal_groups(rows, None, np.ones(3), np.random.default_rng(0))
    array([1, 1, 2, 2, 0, 0])
    """
    classes = np.zeros(rows.n_rows, dtype=np.intp) if strata is None else strata
    counts = np.zeros((rows.n_groups, int(classes.max()) + 1))
    np.add.at(counts, (np.asarray(rows.groups), classes), 1.0)
    rarity = np.maximum(counts.sum(axis=0), 1.0) ** -2.0
    part, load = np.empty(rows.n_groups, dtype=np.intp), np.zeros((len(shares), counts.shape[1]))
    for group in random.permutation(rows.n_groups):
        part[group] = np.argmin(load @ (counts[group] * rarity) / shares)
        load[part[group]] += counts[group]
    return np.asarray(part[rows.groups])


def choose_part(
    rows: PlanRows, strata: NDArray[np.intp] | None, n_chosen: int, random: np.random.Generator
) -> NDArray[np.bool_]:
    """Choose so many rows, each class in proportion to within a row; with groups, about so many, in whole groups.

    Examples
    --------
    >>> from calibrant.resampling._plans.plan_rows import read_plan_rows
    >>> rows = read_plan_rows([[0]] * 9, [0] * 6 + [1] * 3)
    >>> chosen = choose_part(rows, rows.strata, 3, np.random.default_rng(0))
    >>> chosen[:6].sum(), chosen[6:].sum()
    (np.int64(2), np.int64(1))
    """
    share = n_chosen / rows.n_rows
    if rows.groups is not None:
        return np.asarray(deal_groups(rows, strata, np.array([1.0 - share, share]), random) == 1)
    places = np.arange(rows.n_rows + 1) * n_chosen + random.integers(rows.n_rows)
    chosen = np.empty(rows.n_rows, dtype=np.bool_)
    chosen[shuffled(rows.n_rows, strata, random)] = np.diff(places // rows.n_rows) > 0
    return chosen
