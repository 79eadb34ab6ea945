"""A grown tree with what it was grown from: whatever is read from the tree later needs no more than this."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from calibrant.estimates import HeldOut
from calibrant.trees._growing.examples import Examples
from calibrant.trees._growing.grow import grow
from calibrant.trees._growing.row_subsets import Parts, set_aside
from calibrant.trees._reading.folds import held_out_folds
from calibrant.trees._tree import Tree
from calibrant.trees._tree_params import RULES, TreeParams, kept_params

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.trees._growing.training_data import Training

__all__ = ["Growth"]


@dataclass(frozen=True, eq=False)
class Growth:
    """A tree, its coded rows and the parts of them set aside, the parameters and the seed that it was grown with."""

    tree: Tree
    examples: Examples
    parts: Parts
    params: TreeParams
    seed: np.random.SeedSequence

    @classmethod
    def of(cls, training: Training, params: TreeParams, seed: np.random.SeedSequence) -> Growth:
        """Code a training set and grow a tree on it.

        Examples
        --------
        >>> from calibrant.trees import ProbabilityTreeClassifier
        >>> from calibrant.trees._growing.training_data import read_training
        >>> training = read_training([[1], [2], [3], [4]], ["a", "a", "b", "b"])
        >>> Growth.of(training, ProbabilityTreeClassifier(), np.random.SeedSequence(0)).tree
        <Tree: 3 nodes, 2 leaves, depth 1, 2 classes>
        """
        params = _kept(params)
        examples = Examples.code(training, n_jobs=params.n_jobs)
        parts = set_aside(examples, params, seed)
        return cls(grow(examples, parts, params, seed), examples, parts, params, seed)

    def with_tree(self, tree: Tree, params: TreeParams) -> Growth:
        """Give another tree of the same rows, with the parameters that make it."""
        return replace(self, tree=tree, params=_kept(params))

    @cached_property
    def folds(self) -> tuple[HeldOut, ...]:
        """Trees of the same kind, each grown without a fifth of the rows, and the leaves that those rows reach."""
        return held_out_folds(self.examples, self.parts, self.params, self.seed)

    @property
    def counted_rows(self) -> tuple[list[NDArray[Any]], NDArray[np.intp], NDArray[np.float64]]:
        """The rows that the tree counts: the columns it tests, as they passed the door, their classes and weights."""
        part = self.parts.grow if self.parts.count is None else self.parts.count
        rows = np.arange(self.examples.n_rows) if part is None else np.flatnonzero(part)
        tested = np.zeros(self.tree.n_features, dtype=np.bool_)
        tested[self.tree.feature[~self.tree.is_leaf]] = True
        columns = [self.examples.column(j, rows) if tested[j] else np.empty(0) for j in range(len(tested))]
        weights = np.ones(len(rows)) if self.examples.weights is None else self.examples.weights[rows]
        return columns, self.examples.sorted_labels[rows], weights

    @property
    def n_bytes(self) -> int:
        """Memory that rows and tree take."""
        arrays = cast("tuple[NDArray[Any], ...]", self.tree.core.state)
        return self.examples.n_bytes + sum(array.nbytes for array in arrays)

    def __getstate__(self) -> dict[str, Any]:
        return {field.name: getattr(self, field.name) for field in fields(self)}  # the folds can be grown again

    def __deepcopy__(self, memo: dict[int, Any]) -> Growth:
        return self  # nothing in it can change


def _kept(params: TreeParams) -> TreeParams:
    return cast("TreeParams", kept_params(params, RULES))
