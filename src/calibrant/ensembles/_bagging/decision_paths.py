"""The nodes that rows visit in each tree of a forest: the method `decision_path` of bagged trees."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from calibrant._docstrings import fill_docstring
from calibrant.trees._internal import node_indicator

if TYPE_CHECKING:
    from calibrant.ensembles._bagging.bagged_trees import BaggedTreesClassifier


@fill_docstring()
def forest_decision_path(self: BaggedTreesClassifier, X: Any) -> tuple[Any, NDArray[np.intp]]:
    """Return the nodes that each row visits in each tree, as scikit-learn's forests do.

    Parameters
    ----------
    %(X_predict)s

    Returns
    -------
    indicator : sparse matrix of shape (n_rows, n_nodes of all trees)
        1 for every node on the paths of a row; a row with missing values has several paths in a tree.
    n_nodes_ptr : array of shape (n_trees + 1,)
        Tree i has the columns from ``n_nodes_ptr[i]`` up to ``n_nodes_ptr[i + 1]``.

    Examples
    --------
    >>> from calibrant.ensembles import BaggedTreesClassifier
    >>> model = BaggedTreesClassifier(n_trees=2, bootstrap=None).fit([[1], [2], [3], [4]], ["a", "a", "b", "b"])
    >>> indicator, n_nodes_ptr = model.decision_path([[1]])
    >>> indicator.toarray(), n_nodes_ptr
    (array([[1, 1, 0, 1, 1, 0]]), array([0, 3, 6]))
    """
    from scipy.sparse import hstack  # slow to import

    rows = self._rows(X)
    indicators = [node_indicator(tree, rows, self.n_jobs) for tree in self.trees_]
    return hstack(indicators).tocsr(), np.cumsum([0, *(tree.n_nodes for tree in self.trees_)])
