"""The bags of a forest: the number of times that each row is drawn for each tree."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from calibrant import _core
from calibrant._random import stream_seed
from calibrant.exceptions import DataError

if TYPE_CHECKING:
    from calibrant.trees._internal import TrainingSet

Bootstrap: TypeAlias = Literal["uniform", "by_class", "by_group", "subsample"]

BAG_SAMPLE_WEIGHT = """\
sample_weight : sequence of length n_rows, optional
    The weight of each row in every bag that it is in; a row of weight 0 is absent."""
BAG_GROUPS = """\
groups : sequence of length n_rows, optional
    The group of each row, such as the patient or the session of several rows. Bags are then drawn group by group,
    whatever `bootstrap` draws otherwise: a row is out-of-bag only where no row of its group is in the bag, and folds
    keep groups whole too."""

_BAGS = 2  # key of the random stream of all bags; those of a tree have two keys


@dataclass(frozen=True, eq=False)
class ForestBags:
    """The bags of a forest: drawn whenever they are counted, the same at every call, or `drawn` by somebody else.

    Units (a row each or a group) are drawn whole, class by class or all together. Where the rows are some of those of a
    larger source, `n_units` is the number of units of the whole, of each class with kind ``"by_class"``, and
    `first_units` the number of those before the first row here. `drawn` are counts of trees x rows.

    Examples
    --------
    >>> labels = np.array([0, 0, 0, 1], dtype=np.uint16)
    >>> ForestBags("by_class", labels, np.random.SeedSequence(1)).matrix(2)
    array([[2, 1, 0, 1],
           [1, 1, 1, 1]], dtype=uint16)
    >>> ForestBags("subsample", labels, np.random.SeedSequence(1), max_samples=0.5).count(0).sum()
    np.uint64(2)
    >>> ForestBags("by_group", labels, np.random.SeedSequence(2), np.array([0, 0, 1, 2])).matrix(2)
    array([[2, 2, 1, 0],
           [3, 3, 0, 0]], dtype=uint16)
    >>> ForestBags(drawn=np.array([[0, 2], [1, 1], [0, 2]], dtype=np.uint16)).n_out_of_bag(3)
    array([2, 0])
    """

    kind: Bootstrap | None = None
    labels: NDArray[np.uint16] | None = None
    seed: np.random.SeedSequence | None = None
    groups: NDArray[np.intp] | None = None
    max_samples: float = 0.632
    n_units: tuple[int, ...] | None = None
    first_units: tuple[int, ...] | None = None
    drawn: NDArray[np.uint16] | None = None

    @classmethod
    def of(
        cls, kind: Bootstrap | None, examples: TrainingSet, max_samples: float, seed: np.random.SeedSequence
    ) -> Self:
        """Return the bags of a training set; raise if there must be groups and there are none."""
        labels = examples.labels
        if kind == "by_group" and examples.groups is None:
            raise DataError("bootstrap='by_group' draws whole groups; pass fit the group of each row as groups=.")
        return cls(kind, labels, seed, examples.groups, max_samples)

    @cached_property
    def core(self) -> _core.Bags:
        """The bags of the core, each drawn when it is counted.

        Examples
        --------
        >>> labels, seed = np.zeros(10_000, dtype=np.uint16), np.random.SeedSequence(0)
        >>> bags = ForestBags("uniform", labels, seed).core
        >>> part = ForestBags("uniform", labels[9_000:], seed, n_units=(10_000,), first_units=(9_000,)).core
        >>> np.array_equal(part.count(7, 0, 1_000), bags.count(7, 9_000, 10_000))
        True
        """
        if self.labels is None or self.seed is None:
            return _core.bags_from_counts(np.ascontiguousarray(self.drawn, dtype=np.uint16))
        n_rows, key, is_by_class = len(self.labels), stream_seed(self.seed, _BAGS), self.kind == "by_class"
        if self.kind is None:
            return _core.bags_of_all_rows(n_rows)
        n_units: tuple[int, ...] = self.n_units or (n_rows,)
        if self.groups is not None:
            # Whole groups are drawn, so that no row of a group is out of a bag that holds another.
            is_by_class, n_units = False, self.n_units or (int(self.groups.max()) + 1,)
        elif is_by_class:
            n_units = self.n_units or tuple(np.bincount(self.labels).tolist())
        first_units = self.first_units or (0,) * len(n_units)
        groups = None if self.groups is None else np.ascontiguousarray(self.groups, dtype=np.int64)
        if self.kind == "subsample":
            # Of the units, which are groups where there are any, not of the rows.
            n_drawn = max(1, round(self.max_samples * n_units[0]))
            return _core.subsample_bags(key, n_rows, n_units[0], n_drawn, first_units[0], groups)
        labels = np.ascontiguousarray(self.labels) if is_by_class else None
        return _core.bootstrap_bags(key, n_rows, n_units, first_units, labels, groups)

    def count(self, tree: int) -> NDArray[np.uint16]:
        """Return the number of times each row is in the bag of a tree."""
        return np.asarray(self.core.count(tree, 0, self.core.n_rows))

    def matrix(self, n_trees: int) -> NDArray[np.uint16]:
        """Return the number of times each row (columns) is in the bag of each of the first trees (rows)."""
        counts = np.empty((n_trees, self.core.n_rows), dtype=np.uint16)
        for tree in range(n_trees):
            counts[tree] = self.count(tree)
        return counts

    def n_out_of_bag(self, n_trees: int) -> NDArray[np.intp]:
        """Return the number of trees, of the first ones, whose bag does not hold each row."""
        n_found = np.zeros(self.core.n_rows, dtype=np.intp)
        for tree in range(n_trees):
            n_found += self.count(tree) == 0
        return n_found

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "core"}
