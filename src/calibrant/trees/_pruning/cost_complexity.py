"""The nested sequence of trees of cost-complexity pruning (Breiman, Friedman, Olshen & Stone 1984)."""

from __future__ import annotations

import copy
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant import _core
from calibrant._optional import optional_import
from calibrant._params import Real, check_param

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.trees._classifier import ProbabilityTreeClassifier

__all__ = ["CostComplexityPath"]


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
