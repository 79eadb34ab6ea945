"""The nodes that rows visit, as scikit-learn's `decision_path` returns them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant.trees._prediction.leaf_shares import leaf_shares

if TYPE_CHECKING:
    from calibrant.data._internal import Rows
    from calibrant.trees._tree import Tree

__all__ = ["node_indicator"]


def node_indicator(tree: Tree, rows: Rows, n_jobs: int | None) -> Any:
    """Return a sparse matrix of rows x nodes: 1 for every node that a part of the row reaches.

    Examples
    --------
    >>> from calibrant.trees import ProbabilityTreeClassifier
    >>> tree = ProbabilityTreeClassifier().fit([[1], [2], [3], [4]], ["a", "a", "b", "b"]).tree_
    >>> node_indicator(tree, (2, np.array([[1.0], [np.nan]])), 1).toarray()
    array([[1, 1, 0],
           [1, 1, 1]])
    """
    from scipy.sparse import csr_matrix  # slow to import

    n_rows, columns = rows
    row, node, _ = leaf_shares(tree, n_rows, columns, n_jobs)
    cells = []
    while len(row):
        cells.append(np.unique(row * tree.n_nodes + node))  # the paths of a row with missing values share their start
        above = tree.parent[node]
        row, node = row[above >= 0], above[above >= 0]
    found = np.unique(np.concatenate(cells)) if cells else np.empty(0, dtype=np.int64)
    ends = np.searchsorted(found, np.arange(n_rows + 1) * tree.n_nodes)
    return csr_matrix((np.ones(len(found), dtype=np.int64), found % tree.n_nodes, ends), shape=(n_rows, tree.n_nodes))
