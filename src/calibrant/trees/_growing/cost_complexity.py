"""Cost-complexity pruning (Breiman, Friedman, Olshen & Stone 1984): the nested trees, the alpha chosen on folds."""

from __future__ import annotations

import copy
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, cast

import numpy as np
from numpy.typing import NDArray

from calibrant import _core
from calibrant._optional import optional_import
from calibrant._params import Real, check_param
from calibrant.estimates import Frequency, HeldOutLeaves
from calibrant.trees._growing.grow import RowSubsets, grow
from calibrant.trees._growing.training_set import TrainingSet
from calibrant.trees._prediction.held_out_folds import held_out_folds
from calibrant.trees._tree import Tree
from calibrant.trees._tree_params import TreeParamsMixin

if TYPE_CHECKING:
    from calibrant.trees._classifier import ProbabilityTreeClassifier


@dataclass(frozen=True, eq=False, repr=False)
class CostComplexityPath:
    """The nested sequence of trees that cost-complexity pruning makes of a fitted tree, the largest first.

    A leaf costs alpha. For every alpha one pruned tree is the smallest of those that minimize
    ``errors + alpha * n_leaves``. As alpha rises from 0, it changes at each of ``alphas`` to a subtree of the last one.

    Parameters
    ----------
    model : ProbabilityTreeClassifier
        The fitted classifier that is pruned.
    alphas : array of shape (n_trees,)
        The costs of a leaf at which the tree changes, in errors per row, ascending from 0.
    n_leaves : array of shape (n_trees,)
        Number of leaves of the tree from that alpha on.
    errors : array of shape (n_trees,)
        The share of the training weight that it misclassifies.

    Examples
    --------
    >>> from calibrant.trees import ProbabilityTreeClassifier
    >>> X, y = [[1], [2], [3], [4], [5], [6], [7], [8]], list("aaaabbab")
    >>> path = ProbabilityTreeClassifier(min_leaf=1, mdl_penalty=False).fit(X, y).cost_complexity_path()
    >>> path
    <CostComplexityPath: 3 trees, 4 leaves to 1, alpha 0 to 0.25>
    >>> path.to_frame()
       alpha  n_leaves  errors
    0 0.0000         4   0.000
    1 0.0625         2   0.125
    2 0.2500         1   0.375
    >>> print(path.at(0.1).export_text())
    x0 <= 4: a (p = 0.833, n = 4)
    x0 > 4: b (p = 0.667, n = 4)
    """

    model: ProbabilityTreeClassifier
    alphas: NDArray[np.float64]
    n_leaves: NDArray[np.intp]
    errors: NDArray[np.float64]

    @classmethod
    def of(cls, model: ProbabilityTreeClassifier) -> CostComplexityPath:
        """Return the sequence of a fitted classifier; fitting the classifier again does not change it."""
        sequence = _core.cost_complexity(model.tree_.core)
        n_leaves = np.asarray(sequence.n_leaves).astype(np.intp)
        n_leaves.setflags(write=False)
        return cls(copy.copy(model), np.asarray(sequence.alphas), n_leaves, np.asarray(sequence.risks))

    def at(self, alpha: float) -> ProbabilityTreeClassifier:
        """Return the classifier pruned at one alpha, without growing again.

        Parameters
        ----------
        alpha : float
            The cost of a leaf, in errors per row.

        Returns
        -------
        ProbabilityTreeClassifier
            A fitted classifier, whose parameters prune in this way.
        """
        check_param("alpha", alpha, Real(0))
        model = copy.copy(self.model)
        model.set_params(prune="cost_complexity", ccp_alpha=float(alpha))
        pruned = _core.prune_cost_complexity(self.model.tree_.core, float(alpha))
        return model._store(self.model._grown_tree.with_tree(replace(self.model.tree_, core=pruned), model))

    def to_frame(self) -> Any:
        """Return the sequence as a pandas frame with a row for each tree.

        Returns
        -------
        pandas.DataFrame
            Columns ``alpha``, ``n_leaves`` and ``errors``.
        """
        pd = optional_import("pandas", extra="data", purpose="return a path as a frame")
        return pd.DataFrame({"alpha": self.alphas, "n_leaves": self.n_leaves, "errors": self.errors})

    def __len__(self) -> int:
        return len(self.alphas)

    def __repr__(self) -> str:
        return (
            f"<CostComplexityPath: {len(self)} trees, {self.n_leaves[0]:,} leaves to {self.n_leaves[-1]:,}, "
            f"alpha 0 to {self.alphas[-1]:.4g}>"
        )


STANDARD_ERRORS: Final = {"cv": 0.0, "cv_1se": 1.0}
_MAX_FOLDS = 10  # as in CART
_SAME = 1e-12  # the core's: alphas closer than this, relatively, are equal


@dataclass(frozen=True, eq=False)
class HeldOutErrors:
    """The share of held-out rows that each tree of a path misclassifies, the largest tree first.

    ``n_rows`` is the number of independent rows that the share is of, for its standard error.

    Examples
    --------
    >>> errors = HeldOutErrors(np.array([0.0, 0.1, 0.3]), np.array([0.2, 0.22, 0.5]), 100.0)
    >>> errors.best(0.0), errors.best(1.0)
    (0.0, 0.1)
    """

    alphas: NDArray[np.float64]
    errors: NDArray[np.float64]
    n_rows: float

    def best(self, n_standard_errors: float) -> float:
        """Return the alpha of the smallest tree whose error is within some standard errors of the least."""
        least = float(self.errors.min())
        # Breiman et al. (1984): the standard error of a proportion at its minimum, within which trees count as equal.
        limit = least + n_standard_errors * math.sqrt(max(least * (1.0 - least), 0.0) / self.n_rows)
        # Alphas rise, so the last tree within the limit is the smallest.
        return float(self.alphas[np.flatnonzero(self.errors <= limit + _SAME)[-1]])


def choose_alpha(
    examples: TrainingSet, subsets: RowSubsets, params: TreeParamsMixin, seed: np.random.SeedSequence
) -> TreeParamsMixin:
    """Return the parameters with ``ccp_alpha`` as a number, chosen on held-out rows.

    Examples
    --------
    >>> from calibrant.trees import ProbabilityTreeClassifier
    >>> X, y = [[i] for i in range(40)], [0] * 20 + [1] * 20
    >>> ProbabilityTreeClassifier(prune="cost_complexity", ccp_alpha="cv_1se", random_state=0).fit(X, y).ccp_alpha_
    0.0
    """
    unpruned, chosen = copy.copy(params), copy.copy(params)
    unpruned.prune = None
    pruned_rows = replace(subsets, count=None)  # an honest tree is pruned before its nodes are counted again
    path = _core.cost_complexity(grow(examples, pruned_rows, unpruned, seed).core)
    folds = held_out_folds(examples, pruned_rows, unpruned, seed, max_folds=_MAX_FOLDS)
    is_frequency = getattr(params, "weight_kind", "frequency") == "frequency"
    n_rows = independent_rows(examples.weights_or_ones, examples.groups, is_frequency=is_frequency)
    errors = held_out_errors(np.asarray(path.alphas), folds, n_rows)
    chosen.ccp_alpha = errors.best(STANDARD_ERRORS[str(params.ccp_alpha)])
    return chosen


def independent_rows(
    weights: NDArray[np.float64], groups: NDArray[np.intp] | None = None, *, is_frequency: bool = True
) -> float:
    """Return the number of independent rows that weighted or grouped rows are worth, for a standard error.

    Frequencies count as they are. Probability weights are worth fewer rows the more they differ, and so are groups of
    rows, whose errors are taken to be the same within a group.

    Examples
    --------
    >>> weights = np.array([1.0, 3.0])
    >>> independent_rows(weights), independent_rows(weights, is_frequency=False)
    (4.0, 1.6)
    >>> independent_rows(np.ones(6), np.array([0, 0, 0, 1, 1, 1]))
    2.0
    """
    total = float(weights.sum())
    if groups is None and is_frequency:
        return total
    parts = weights if groups is None else np.bincount(groups, weights)
    # Kish's effective sample size: exact for equal weights, and one independent row for each group of equal size.
    return total**2 / float((parts**2).sum())


def held_out_errors(alphas: NDArray[np.float64], folds: Sequence[HeldOutLeaves], n_rows: float) -> HeldOutErrors:
    """Return the errors of held-out rows by trees grown without them, each pruned at the alphas of a path.

    The tree of a fold stands for that of all rows between two alphas, so it is pruned at their geometric mean. A row
    with missing values is wrong by the shares of it that end at leaves of other classes.

    Examples
    --------
    >>> from calibrant.trees import ProbabilityTreeClassifier
    >>> model = ProbabilityTreeClassifier(random_state=0).fit([[i] for i in range(40)], [0] * 20 + [1] * 20)
    >>> held_out_errors(model.cost_complexity_path().alphas, model._grown_tree.folds, 40).errors
    array([0.025, 0.5  ])
    """
    # Breiman et al. (1984): the geometric mean stands for the interval of alphas that leads to the same tree.
    means = np.append(np.sqrt(alphas[:-1] * alphas[1:]), np.inf)
    total = float(sum(fold.weight.sum() for fold in folds))
    wrong = np.sum([_wrong_weight(fold, means) for fold in folds], axis=0)
    return HeldOutErrors(alphas, wrong / total, n_rows)


def _wrong_weight(fold: HeldOutLeaves, alphas: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the weight of the rows of a fold that its tree misclassifies when pruned at each alpha."""
    tree = cast("Tree", fold.tree)
    counts = _held_out_counts(fold)
    wrong = counts.sum(axis=1) - counts[np.arange(len(counts)), Frequency().table(tree).argmax(axis=1)]
    # A node is a leaf from its own alpha up to that of its parent, which is never less.
    becomes_leaf = np.asarray(_core.cost_complexity(tree.core).node_alpha)
    disappears = becomes_leaf[tree.parent[1:]]
    at = alphas * (1 + _SAME)
    # Errors of nodes that are leaves at alpha: those that became one by then, without those that have vanished since.
    return _sum_up_to(at, becomes_leaf, wrong) - _sum_up_to(at, disappears, wrong[1:])


def _held_out_counts(fold: HeldOutLeaves) -> NDArray[np.float64]:
    """Return the weight of the held-out rows of each class (columns) that reach each node (rows)."""
    tree = cast("Tree", fold.tree)
    counts = np.zeros_like(tree.counts)
    np.add.at(counts, (fold.leaf, fold.label[fold.row]), fold.share * fold.weight[fold.row])
    # From the deepest level up, so that a node is complete before it is added to its parent.
    for depth in range(tree.max_depth, 0, -1):
        nodes = np.flatnonzero(tree.depth == depth)
        np.add.at(counts, tree.parent[nodes], counts[nodes])
    return counts


def _sum_up_to(
    limits: NDArray[np.float64], keys: NDArray[np.float64], values: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the sum of the values whose keys are at most each limit."""
    order = np.argsort(keys, kind="stable")
    sums = np.concatenate([[0.0], np.cumsum(values[order])])
    return np.asarray(sums[np.searchsorted(keys[order], limits, side="right")])
