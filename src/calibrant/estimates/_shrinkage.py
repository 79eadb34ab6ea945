"""Estimates that smooth each node towards the node above it.

Hierarchical shrinkage, and m-branch smoothing (Ferri, Flach & Hernandez-Orallo 2003, "Improving the AUC of
probabilistic estimation trees").
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from calibrant._docstrings import fill_docstring
from calibrant._params import Bool, Choice, Real, Rule, check_params
from calibrant._saved import saved
from calibrant.estimates._base import CV, METHOD_DOCS, NUMBER_OR_CV, CountedTree, not_chosen, powers_of_two
from calibrant.estimates._leaf_counts import frequencies
from calibrant.estimates._paths import Levels, average_along_paths

_CANDIDATES = "One for each strength from 1/8 up, doubled each time; the estimate itself where it has a number."


@saved(strength=NUMBER_OR_CV)
@dataclass(frozen=True, slots=True)
class HierarchicalShrinkage:
    """The base rates plus every step of the path, each shrunk more the fewer rows the node above has.

    For a single tree with any number of classes, and the one estimate here that also helps members of an ensemble:
    it improved trees substantially, pruned ones too, and random forests often (Agarwal et al. 2022). It ignores class
    sizes: for a rare class the default is too weak, use ``"cv"``.

    Parameters
    ----------
    strength : float or "cv"
        The paper's lambda: a node of this weight halves the steps of its children; 0 is the frequencies. 1 is the
        default of the authors' program. ``"cv"``: the classifier chooses among 1/8, 1/4 ... up to the training weight
        by cross-validated log-loss.

    Examples
    --------
    >>> from calibrant.trees import ProbabilityTreeClassifier
    >>> tree = ProbabilityTreeClassifier().fit([[1], [2], [3], [4]], [0, 0, 1, 1]).tree_
    >>> HierarchicalShrinkage(strength=4).table(tree)
    array([[0.5 , 0.5 ],
           [0.75, 0.25],
           [0.25, 0.75]])
    """

    _rules: ClassVar[Mapping[str, Rule]] = {"strength": Choice(CV) | Real(0, math.inf)}

    strength: float | Literal["cv"] = 1.0

    def __post_init__(self) -> None:
        check_params(self)

    @fill_docstring(**METHOD_DOCS)
    def table(self, tree: CountedTree) -> NDArray[np.float64]:
        """Return f(root) + the sum over the path of (f(child) - f(parent)) / (1 + strength / w(parent)).

        %(table_sections)s
        """
        if self.strength == CV:
            raise not_chosen("HierarchicalShrinkage", "strength")
        levels = Levels(tree)
        above = tree.weight[levels.above]
        reach = np.divide(above, above + self.strength, out=np.zeros_like(above), where=above > 0)
        reach[0] = 1.0
        return average_along_paths(levels, reach, frequencies(tree))

    @fill_docstring(**METHOD_DOCS, estimate="HierarchicalShrinkage", candidates=_CANDIDATES)
    def candidates(self, tree: CountedTree) -> tuple[HierarchicalShrinkage, ...]:
        """Return the estimates that cross-validation chooses from.

        %(candidates_sections)s
        """
        if self.strength != CV:
            return (self,)
        return tuple(replace(self, strength=strength) for strength in powers_of_two(tree, low=0.125))


_NEGLIGIBLE = 2.0**-64  # a share of this size changes no digit of a probability


@saved()
@dataclass(frozen=True, slots=True)
class MBranch:
    """An m-estimate at every node of the path, each towards the one above, the first towards equal probabilities.

    For a single tree that should rank: its authors designed it to improve the AUC of unpruned trees over Laplace and a
    fixed m. A small leaf is smoothed towards all of its ancestors, with two classes or many; a rare class is not pulled
    up to 1/K, because the root contributes the base rates. Members of an ensemble are already smoothed by averaging.

    Parameters
    ----------
    M : float
        The weight of the node above, in rows, at the end of the path. h nodes from the end it is
        M (1 + (1 - 1/h) sqrt(N)), N the training weight: higher nodes have more rows and are smoothed more.
    constant : bool
        Whether the weight is M at every node of the path, whatever its height.

    Notes
    -----
    The recursion is the paper's; the growth of m with the height follows our recollection of it.

    Examples
    --------
    >>> from calibrant.trees import ProbabilityTreeClassifier
    >>> tree = ProbabilityTreeClassifier().fit([[1], [2], [3], [4]], [0, 0, 1, 1]).tree_
    >>> MBranch().table(tree).round(3)
    array([[0.5  , 0.5  ],
           [0.667, 0.333],
           [0.333, 0.667]])
    """

    _rules: ClassVar[Mapping[str, Rule]] = {"M": Real(0, closed="neither"), "constant": Bool()}

    M: float = 4
    constant: bool = False

    def __post_init__(self) -> None:
        check_params(self)

    @fill_docstring(**METHOD_DOCS)
    def table(self, tree: CountedTree) -> NDArray[np.float64]:
        """Return p_j = (n_j + m_j p_{j-1}) / (w_j + m_j) for the last node of every path.

        %(table_sections)s
        """
        order = np.ascontiguousarray(Levels(tree).order[::-1])
        heights = np.arange(1, int(tree.depth.max()) + 2)  # the last node of a path has height 1
        growth = (1.0 - 1.0 / heights) * (0.0 if self.constant else math.sqrt(float(tree.weight[0])))
        columns, left = _walk_up(tree, order, list(self.M * (1.0 + growth)))
        table = np.empty_like(tree.counts)
        table[order] = (columns + left / len(columns)).T
        return np.minimum(table, 1.0, out=table)  # rounding may exceed it


def _walk_up(
    tree: CountedTree, at: NDArray[np.signedinteger], ms: list[float]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Follow all paths at once from their ends to the root, the deepest ends first.

    Returns what the nodes of a path add to each class (rows), and what is left for the prior at the root.
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
        if left[:n].max() < _NEGLIGIBLE:
            break
        at = tree.parent.take(at)
    return table, left
