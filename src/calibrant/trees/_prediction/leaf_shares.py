"""The leaves that rows reach, with the share of the row that reaches each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from calibrant import _core
from calibrant._threads import n_threads

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.trees._tree import Tree

__all__ = ["LeafShares", "leaf_shares"]


class LeafShares(NamedTuple):
    """One entry for each leaf that a row reaches, row after row; the shares of a row add up to 1."""

    row: NDArray[np.int64]
    leaf: NDArray[np.int32]
    share: NDArray[np.float64]


def leaf_shares(
    tree: Tree, n_rows: int, columns: Any, n_jobs: int | None, *, wanted: NDArray[np.bool_] | None = None
) -> LeafShares:
    """Send rows down a tree: a matrix of floats, validated columns, or the coded table that it was grown from.

    Examples
    --------
    >>> from calibrant.trees import ProbabilityTreeClassifier
    >>> tree = ProbabilityTreeClassifier().fit([[1], [2], [3], [4], [5]], ["a", "a", "b", "b", "b"]).tree_
    >>> row, leaf, share = leaf_shares(tree, 2, np.array([[5.0], [np.nan]]), 1)
    >>> row.tolist(), leaf.tolist(), share.tolist()
    ([0, 1, 1], [2, 1, 2], [1.0, 0.4, 0.6])
    """
    found: Any = _core.leaf_shares(tree.core, n_rows, columns, wanted, n_threads(n_jobs))
    return LeafShares(*found)
