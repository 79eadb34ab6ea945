"""m-branch smoothing (Ferri, Flach & Hernandez-Orallo 2003, "Improving the AUC of probabilistic estimation trees")."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from calibrant._params import Real, Rule, check_params
from calibrant.estimates._base import CountedTree
from calibrant.estimates._path.paths import Levels

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["MBranch"]

_RULES: dict[str, Rule] = {"M": Real(0, closed="neither")}
_NOTHING = 2.0**-64  # a share of this size changes no digit


@dataclass(frozen=True, slots=True)
class MBranch:
    """An m-estimate at every node of the path, each towards the one above, the first towards equal probabilities.

    For a single tree that should rank: its authors made it to improve the AUC of unpruned trees over Laplace and a
    fixed m. A small leaf borrows from all of its ancestors, with two classes or many; a rare class is not pulled up to
    1/K, since the root brings in the base rates. Members of an ensemble are smoothed by their average already.

    Parameters
    ----------
    M : float
        The weight of the node above, in rows, at the end of the path. h nodes from the end it is
        M (1 + (1 - 1/h) sqrt(N)), N the training weight: higher nodes answer for more and are smoothed more.

    Notes
    -----
    The recursion is the paper's; the growth of m with the height is as we recall it.

    Examples
    --------
    >>> from calibrant.trees import ProbabilityTreeClassifier
    >>> tree = ProbabilityTreeClassifier().fit([[1], [2], [3], [4]], [0, 0, 1, 1]).tree_
    >>> MBranch().table(tree).round(3)
    array([[0.5  , 0.5  ],
           [0.667, 0.333],
           [0.333, 0.667]])
    """

    M: float = 4

    def __post_init__(self) -> None:
        check_params(self, _RULES)

    def table(self, tree: CountedTree) -> NDArray[np.float64]:
        """Give p_j = (n_j + m_j p_{j-1}) / (w_j + m_j) for the last node of every path.

        Parameters
        ----------
        tree : CountedTree
            A grown tree.

        Returns
        -------
        array of shape (n_nodes, n_classes)
            Probabilities.
        """
        order = np.ascontiguousarray(Levels(tree).order[::-1])
        columns, left = _walk_up(tree, order, self._ms(tree))
        table = np.empty_like(tree.counts)
        table[order] = (columns + left / len(columns)).T
        return np.minimum(table, 1.0, out=table)  # rounding may exceed it

    def _ms(self, tree: CountedTree) -> list[float]:
        """Give m at each height, the last node of a path being at height 1."""
        growth = 1.0 - 1.0 / np.arange(1, int(tree.depth.max()) + 2)
        return list(self.M * (1.0 + growth * math.sqrt(float(tree.weight[0]))))


def _walk_up(
    tree: CountedTree, at: NDArray[np.signedinteger], ms: list[float]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Take every path from its end to the root at once, the deepest ends first.

    Gives what the nodes on the way add to each class (rows), and what is left for the prior at the top.
    """
    counts = np.ascontiguousarray(tree.counts.T)  # NumPy gathers single numbers faster than short rows
    table, left = np.zeros_like(counts), np.ones(counts.shape[1])
    n_as_deep = np.cumsum(np.bincount(tree.depth)[::-1])[::-1]
    for m, n in zip(ms, n_as_deep, strict=True):
        at = at[:n]
        share = left[:n] / (tree.weight.take(at) + m)
        for own, seen in zip(table, counts, strict=True):
            own[:n] += share * seen.take(at)
        np.multiply(share, m, out=left[:n])
        if left[:n].max() < _NOTHING:
            break
        at = tree.parent.take(at)
    return table, left
