"""The bags of a forest: the number of times that each row is drawn for each tree."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from calibrant._random import stream

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["BAG_SAMPLE_WEIGHT", "Bootstrap", "draw_bags"]

Bootstrap: TypeAlias = Literal["uniform", "by_class", "subsample"]

BAG_SAMPLE_WEIGHT = """\
sample_weight : sequence of length n_rows, optional
    The weight of each row in every bag that it is in; a row of weight 0 is absent."""

_BAG = 0  # key of the random stream of a tree


def draw_bags(
    kind: Bootstrap | None,
    labels: NDArray[np.uint16],
    trees: range,
    seed: np.random.SeedSequence,
    max_samples: float = 0.632,
) -> NDArray[np.uint16]:
    """Return the number of times each row (columns) is in the bag of each tree (rows), the same at every call.

    Examples
    --------
    >>> labels = np.array([0, 0, 0, 1], dtype=np.uint16)
    >>> draw_bags("by_class", labels, range(2), np.random.SeedSequence(1))
    array([[1, 0, 2, 1],
           [1, 0, 2, 1]], dtype=uint16)
    >>> draw_bags("subsample", labels, range(1), np.random.SeedSequence(1), 0.5).sum()
    np.uint64(2)
    """
    bags = np.ones((len(trees), len(labels)), dtype=np.uint16)
    if kind is None:
        return bags
    groups = _rows_by_class(labels) if kind == "by_class" else [np.arange(len(labels))]
    for i, tree in enumerate(trees):
        random = stream(seed, tree, _BAG)  # one for each tree: a warm start adds trees and changes no bag
        if kind == "subsample":
            bags[i, _left_out(len(labels), max_samples, random)] = 0
            continue
        for rows in groups:
            drawn = random.integers(0, len(rows), len(rows))
            bags[i, rows] = np.bincount(drawn, minlength=len(rows))
    return bags


def _rows_by_class(labels: NDArray[np.uint16]) -> list[NDArray[np.intp]]:
    """Return the rows of each class."""
    order = np.argsort(labels, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(labels[order])) + 1)


def _left_out(n_rows: int, fraction: float, random: np.random.Generator) -> NDArray[np.intp]:
    n_drawn = max(1, round(fraction * n_rows))
    return random.permutation(n_rows)[n_drawn:]
