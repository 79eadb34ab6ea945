"""Estimates from the class counts of a leaf alone: frequencies as in C4.5, Laplace's rule of succession.

Provost & Domingos (2003, "Tree induction for probability-based ranking") recommend the latter.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from calibrant._docstrings import fill_docstring
from calibrant._params import Real, Rule, check_params
from calibrant._saved import saved
from calibrant.estimates._base import METHOD_DOCS, CountedTree
from calibrant.estimates._paths import nearest_above


@saved()
@dataclass(frozen=True, slots=True)
class Frequency:
    """The share of each class among a node's training weight.

    For the members of an ensemble, whose average smooths them already: in random forests it beat Laplace and
    m-estimates on 34 data sets (Boström 2007). A single tree has certain probabilities at its pure leaves, so one
    error makes the log-loss infinite (Zadrozny & Elkan 2001, Table 2): use another estimate there.

    Examples
    --------
    >>> from calibrant.trees import ProbabilityTreeClassifier
    >>> tree = ProbabilityTreeClassifier().fit([[1], [2], [3], [4]], [0, 0, 1, 1]).tree_
    >>> Frequency().table(tree)
    array([[0.5, 0.5],
           [1. , 0. ],
           [0. , 1. ]])
    """

    @fill_docstring(**METHOD_DOCS)
    def table(self, tree: CountedTree) -> NDArray[np.float64]:
        """Return n_k / w at every node.

        %(table_sections)s
        """
        return frequencies(tree)


def frequencies(tree: CountedTree) -> NDArray[np.float64]:
    """Return the class frequencies of every node, those of the nearest node above with weight where it has none.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> counts = np.array([[3.0, 1], [3, 1], [0, 0]])
    >>> frequencies(SimpleNamespace(parent=np.array([-1, 0, 0]), counts=counts, weight=counts.sum(axis=1)))
    array([[0.75, 0.25],
           [0.75, 0.25],
           [0.75, 0.25]])
    """
    filled = tree.weight > 0
    shares = tree.counts / np.where(filled, tree.weight, 1.0)[:, np.newaxis]
    np.minimum(shares, 1.0, out=shares)  # weight and counts are rounded separately
    return shares if filled.all() else shares[nearest_above(tree, filled)]


@saved()
@dataclass(frozen=True, slots=True)
class Laplace:
    """The share of each class after one more row of every class, or `alpha` more.

    For a single tree and balanced classes: a pure leaf of 5 rows has 0.86, one of 50 rows 0.98 (Chawla & Cieslak
    2006). It pulls towards 1/K, which is far too high for a rare class (Zadrozny & Elkan 2001, Tables 1 and 4, where
    it is little better than the frequencies): use `MEstimate` or `Curtailment` there. With many classes and small
    leaves the K added rows outweigh the actual ones: use `HierarchicalShrinkage` or `MEstimate`.

    Parameters
    ----------
    alpha : float
        The rows added to every class. 1 is Laplace's rule, 0.5 that of Krichevsky and Trofimov, 1/K the default of
        the IND package, 0 the frequencies.

    Examples
    --------
    >>> from calibrant.trees import ProbabilityTreeClassifier
    >>> tree = ProbabilityTreeClassifier().fit([[1], [2], [3], [4]], [0, 0, 1, 1]).tree_
    >>> Laplace().table(tree)
    array([[0.5 , 0.5 ],
           [0.75, 0.25],
           [0.25, 0.75]])
    >>> Laplace(alpha=0.5).table(tree)[1].round(3)
    array([0.833, 0.167])
    """

    _rules: ClassVar[Mapping[str, Rule]] = {"alpha": Real(0)}

    alpha: float = 1.0

    def __post_init__(self) -> None:
        check_params(self)

    @fill_docstring(**METHOD_DOCS)
    def table(self, tree: CountedTree) -> NDArray[np.float64]:
        """Return (n_k + alpha) / (w + K alpha) at every node, K the number of classes.

        %(table_sections)s
        """
        if self.alpha == 0:
            return frequencies(tree)
        added = tree.counts.shape[1] * self.alpha
        return np.asarray((tree.counts + self.alpha) / (tree.weight + added)[:, np.newaxis])
