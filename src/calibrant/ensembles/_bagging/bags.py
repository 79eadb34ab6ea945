"""Which rows each tree of a forest is grown from: how often each is in its bag."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from calibrant._random import stream

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Bootstrap", "draw_bags"]

Bootstrap: TypeAlias = Literal["uniform", "by_class", "subsample"]

_BAG = 0  # where the stream of a tree is used


def draw_bags(
    kind: Bootstrap | None,
    labels: NDArray[np.uint16],
    trees: range,
    seed: np.random.SeedSequence,
    max_samples: float = 0.632,
) -> NDArray[np.uint16]:
    """Give how often each row (columns) is in the bag of each tree (rows): the same bag whenever it is asked for.

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
    groups = _groups(labels) if kind == "by_class" else [np.arange(len(labels))]
    for place, tree in enumerate(trees):
        random = stream(seed, tree, _BAG)
        if kind == "subsample":
            bags[place, _left_out(len(labels), max_samples, random)] = 0
            continue
        for rows in groups:
            drawn = random.integers(0, len(rows), len(rows))
            bags[place, rows] = np.bincount(drawn, minlength=len(rows))
    return bags


def _groups(labels: NDArray[np.uint16]) -> list[NDArray[np.intp]]:
    """Give the rows of each class."""
    order = np.argsort(labels, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(labels[order])) + 1)


def _left_out(n_rows: int, fraction: float, random: np.random.Generator) -> NDArray[np.intp]:
    n_drawn = max(1, round(fraction * n_rows))
    return random.permutation(n_rows)[n_drawn:]
