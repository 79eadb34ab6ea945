"""The bags of a forest: the number of times that each row is drawn for each tree."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal, Self, TypeAlias

import numpy as np

from calibrant._random import stream
from calibrant.exceptions import DataError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.trees._internal import Examples

__all__ = ["BAG_GROUPS", "BAG_SAMPLE_WEIGHT", "BagSampling", "Bootstrap", "draw_bags"]

Bootstrap: TypeAlias = Literal["uniform", "by_class", "by_group", "subsample"]

BAG_SAMPLE_WEIGHT = """\
sample_weight : sequence of length n_rows, optional
    The weight of each row in every bag that it is in; a row of weight 0 is absent."""
BAG_GROUPS = """\
groups : sequence of length n_rows, optional
    The group of each row, such as the patient or the session of several rows. Bags are then drawn group by group,
    whatever `bootstrap` draws otherwise: a row is out-of-bag only where no row of its group is in the bag, and folds
    keep groups whole too."""

_BAG = 0  # key of the random stream of a tree


@dataclass(frozen=True, eq=False)
class BagSampling:
    """How bags are drawn: the units that are drawn, whole (a row each or a group), class by class or all together."""

    kind: Bootstrap | None
    labels: NDArray[np.uint16]
    groups: NDArray[np.intp] | None = None
    max_samples: float = 0.632

    @classmethod
    def of(cls, kind: Bootstrap | None, examples: Examples, max_samples: float) -> Self:
        """Return how the bags of a training set are drawn; raise if there must be groups and there are none."""
        if kind == "by_group" and examples.groups is None:
            raise DataError("bootstrap='by_group' draws whole groups; pass fit the group of each row as groups=.")
        return cls(kind, examples.labels, examples.groups, max_samples)

    @property
    def n_units(self) -> int:
        """Number of rows, or of groups."""
        return len(self.labels) if self.groups is None else int(self.groups.max()) + 1

    @cached_property
    def _rows_by_class(self) -> list[NDArray[np.intp]]:
        """The rows of each class."""
        order = np.argsort(self.labels, kind="stable")
        return np.split(order, np.flatnonzero(np.diff(self.labels[order])) + 1)

    def draw(self, random: np.random.Generator) -> NDArray[np.intp]:
        """Return the number of times each row is in one bag."""
        drawn = self._draw_units(random)
        return drawn if self.groups is None else drawn[self.groups]

    def _draw_units(self, random: np.random.Generator) -> NDArray[np.intp]:
        drawn = np.ones(self.n_units, dtype=np.intp)
        if self.kind == "subsample":
            drawn[_left_out(self.n_units, self.max_samples, random)] = 0
        elif self.kind == "by_class" and self.groups is None:
            for rows in self._rows_by_class:
                drawn[rows] = _draw(len(rows), random)
        elif self.kind is not None:
            drawn = _draw(self.n_units, random)
        return drawn


def draw_bags(sampling: BagSampling, trees: range, seed: np.random.SeedSequence) -> NDArray[np.uint16]:
    """Return the number of times each row (columns) is in the bag of each tree (rows), the same at every call.

    Examples
    --------
    >>> labels = np.array([0, 0, 0, 1], dtype=np.uint16)
    >>> draw_bags(BagSampling("by_class", labels), range(2), np.random.SeedSequence(1))
    array([[1, 0, 2, 1],
           [1, 0, 2, 1]], dtype=uint16)
    >>> draw_bags(BagSampling("subsample", labels, max_samples=0.5), range(1), np.random.SeedSequence(1)).sum()
    np.uint64(2)
    >>> draw_bags(BagSampling("by_group", labels, np.array([0, 0, 1, 2])), range(2), np.random.SeedSequence(2))
    array([[2, 2, 0, 1],
           [1, 1, 0, 2]], dtype=uint16)
    """
    bags = np.ones((len(trees), len(sampling.labels)), dtype=np.uint16)
    if sampling.kind is not None:
        for i, tree in enumerate(trees):  # a stream for each tree: a warm start adds trees and changes no bag
            bags[i] = sampling.draw(stream(seed, tree, _BAG))
    return bags


def _draw(n_units: int, random: np.random.Generator) -> NDArray[np.intp]:
    """Return the number of times each unit is drawn with replacement, as many draws as units."""
    return np.bincount(random.integers(0, n_units, n_units), minlength=n_units)


def _left_out(n_rows: int, fraction: float, random: np.random.Generator) -> NDArray[np.intp]:
    n_drawn = max(1, round(fraction * n_rows))
    return random.permutation(n_rows)[n_drawn:]
