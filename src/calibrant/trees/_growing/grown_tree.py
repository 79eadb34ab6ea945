"""A grown tree with the rows and parameters it was grown from: all that predictions read later."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from calibrant import _core
from calibrant.estimates import HeldOutLeaves
from calibrant.trees._growing.examples import Examples
from calibrant.trees._growing.grow import grow, grow_unpruned, tie_seed
from calibrant.trees._growing.memory import MemoryBudget
from calibrant.trees._growing.row_subsets import RowSubsets, draw_row_subsets
from calibrant.trees._growing.rows_left_out import ExamplesWithoutRows, missing_rows
from calibrant.trees._prediction.held_out_folds import held_out_folds
from calibrant.trees._pruning.cross_validated import choose_alpha
from calibrant.trees._tree import Tree
from calibrant.trees._tree_params import RULES, TreeParams

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.trees._growing.rows_left_out import ExamplesWithoutRows
    from calibrant.trees._growing.training_data import TrainingData

__all__ = ["GrownTree"]


@dataclass(frozen=True, eq=False)
class GrownTree:
    """A tree, its coded rows and the subsets of them set aside, the parameters and the seed that it was grown with."""

    tree: Tree
    examples: Examples
    subsets: RowSubsets
    params: TreeParams
    seed: np.random.SeedSequence

    @classmethod
    def fit(cls, training: TrainingData, params: TreeParams, seed: np.random.SeedSequence) -> GrownTree:
        """Code a training set and grow a tree on it.

        Examples
        --------
        >>> from calibrant.trees import ProbabilityTreeClassifier
        >>> from calibrant.trees._growing.training_data import read_training
        >>> training = read_training([[1], [2], [3], [4]], ["a", "a", "b", "b"])
        >>> GrownTree.fit(training, ProbabilityTreeClassifier(), np.random.SeedSequence(0)).tree
        <Tree: 3 nodes, 2 leaves, depth 1, 2 classes>
        """
        return cls.fit_coded(Examples.code(training, n_jobs=params.n_jobs, max_bins=params.max_bins), params, seed)

    @classmethod
    def fit_coded(cls, examples: Examples, params: TreeParams, seed: np.random.SeedSequence) -> GrownTree:
        """Grow a tree on coded rows, its alpha chosen by cross-validation where `params` request that."""
        params = _snapshot(params)
        return cls.grow(examples, choose_alpha(examples, _subsets(examples, params, seed, None), params, seed), seed)

    @classmethod
    def grow(
        cls,
        examples: Examples,
        params: TreeParams,
        seed: np.random.SeedSequence,
        *,
        rows: NDArray[np.bool_] | None = None,
        max_features: int = 0,
        n_concurrent: int = 1,
        held_bytes: int = 0,
    ) -> GrownTree:
        """Grow a tree on coded rows, or on some of them, sharing the memory with concurrent and earlier trees."""
        subsets, budget = _subsets(examples, params, seed, rows), MemoryBudget(n_concurrent, held_bytes)
        return cls(grow(examples, subsets, params, seed, max_features, budget), examples, subsets, params, seed)

    @classmethod
    def grow_many(
        cls,
        examples: Examples,
        row_counts: NDArray[np.uint16],
        params: TreeParams,
        seeds: Sequence[np.random.SeedSequence],
        *,
        n_jobs: int | None,
    ) -> list[GrownTree]:
        """Grow a tree for each line of row counts (trees x rows), each on the rows that occur so often."""
        each_tree = [(_repeat(examples, counts), counts > 0) for counts in row_counts]
        if params.prune is not None or params.collapse or params.honest:
            return [
                cls.grow(repeated, params, seed, rows=rows)
                for (repeated, rows), seed in zip(each_tree, seeds, strict=True)
            ]
        bags = _core.bags_from_counts(row_counts)
        trees = grow_unpruned(examples, bags, params, [tie_seed(seed) for seed in seeds], n_jobs=n_jobs)
        return [
            cls.of(tree, repeated, params, seed, rows)
            for tree, (repeated, rows), seed in zip(trees, each_tree, seeds, strict=True)
        ]

    @classmethod
    def of(
        cls,
        tree: Tree,
        examples: Examples,
        params: TreeParams,
        seed: np.random.SeedSequence,
        rows: NDArray[np.bool_] | None = None,
    ) -> GrownTree:
        """Put a tree that is already grown together with its rows."""
        return cls(tree, examples, _subsets(examples, params, seed, rows), params, seed)

    def with_tree(self, tree: Tree, params: TreeParams) -> GrownTree:
        """Return another tree of the same rows, with the parameters that produce it."""
        other = copy.copy(self)
        vars(other).update(tree=tree, params=_snapshot(params))
        return other

    @cached_property
    def folds(self) -> tuple[HeldOutLeaves, ...]:
        """Trees of the same kind, each grown without a fifth of the rows, and the leaves that those rows reach."""
        return held_out_folds(self.examples, self.subsets, self.params, self.seed)

    @property
    def counted_rows(self) -> tuple[list[NDArray[Any]], NDArray[np.intp], NDArray[np.float64]]:
        """The rows counted in the tree: the columns that it tests, their classes and their weights."""
        subset = self.subsets.grow if self.subsets.count is None else self.subsets.count
        rows = np.arange(self.examples.n_rows) if subset is None else np.flatnonzero(subset)
        is_tested = np.zeros(self.tree.n_features, dtype=np.bool_)
        is_tested[self.tree.feature[~self.tree.is_leaf]] = True
        columns = [self.examples.column(j, rows) if is_tested[j] else np.empty(0) for j in range(len(is_tested))]
        weights = np.ones(len(rows)) if self.examples.weights is None else self.examples.weights[rows]
        return columns, self.examples.sorted_labels[rows], weights

    @property
    def cut_values(self) -> tuple[NDArray[np.float64] | None, ...]:
        """The values of each column next to the cuts of the tree, by which cuts are written with few digits."""
        table = self.examples.table
        return tuple(_values_at_cuts(self.tree, j, table.known_values(j)) for j in range(self.tree.n_features))

    def without_rows(self) -> GrownTree:
        """Return the tree without the rows that it was grown from; what needs them raises `NotSavedError`."""
        return GrownTree.of_source(self.tree, self.examples.without_rows(self.cut_values), self.params, self.seed)

    @classmethod
    def of_source(
        cls, tree: Tree, examples: ExamplesWithoutRows, params: TreeParams, seed: np.random.SeedSequence
    ) -> GrownTree:
        """Return a tree whose rows are not kept."""
        grown: GrownTree = object.__new__(GrownTree)
        vars(grown).update(tree=tree, examples=examples, params=params, seed=seed)
        return grown

    @property
    def n_bytes(self) -> int:
        """Memory that rows and tree take."""
        arrays = cast("tuple[NDArray[Any], ...]", self.tree.core.state)
        return self.examples.n_bytes + sum(array.nbytes for array in arrays)

    def __getattr__(self, name: str) -> Any:
        if name == "subsets":  # which a file need not hold
            missing_rows(name, from_source=getattr(self.examples, "from_source", False))
        raise AttributeError(f"'GrownTree' object has no attribute {name!r}")

    def __getstate__(self) -> dict[str, Any]:
        names = [field.name for field in fields(self) if field.name in self.__dict__]
        return {name: getattr(self, name) for name in names}  # the folds can be grown again

    def __deepcopy__(self, memo: dict[int, Any]) -> GrownTree:
        return self  # it is immutable


def _values_at_cuts(tree: Tree, column: int, values: NDArray[np.float64] | None) -> NDArray[np.float64] | None:
    if values is None or len(values) == 0:
        return None
    cuts = np.unique(tree.threshold[tree.is_numeric & (tree.feature == column)])
    above = np.searchsorted(values, cuts, side="right")
    near = np.concatenate([above - 1, above, [0, len(values) - 1] if len(cuts) else []]).astype(np.intp)
    return values[np.unique(near[(near >= 0) & (near < len(values))])]


def _subsets(
    examples: Examples, params: TreeParams, seed: np.random.SeedSequence, rows: NDArray[np.bool_] | None
) -> RowSubsets:
    subsets = draw_row_subsets(examples, params, seed)
    return subsets if rows is None else subsets.within(rows)


def _repeat(examples: Examples, row_counts: NDArray[np.uint16]) -> Examples:
    """Return the rows, weighted where some occur several times."""
    if int(row_counts.max()) <= 1:
        return examples
    return examples.repeated(row_counts)


def _snapshot(params: TreeParams) -> TreeParams:
    """Copy the parameters, which `set_params` may change on their estimator later."""
    return cast("TreeParams", SimpleNamespace(**{name: getattr(params, name) for name in RULES}))
