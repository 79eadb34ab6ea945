"""Hierarchical shrinkage (Agarwal, Tan, Ronen, Singh & Yu 2022, ICML)."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from calibrant._docstrings import fill_docstring
from calibrant._params import Choice, Real, Rule, check_params
from calibrant.estimates._base import CountedTree
from calibrant.estimates._grid import CV, not_chosen, powers_of_two
from calibrant.estimates._leaf.frequency import frequencies
from calibrant.estimates._method_docs import METHOD_DOCS
from calibrant.estimates._path.paths import Levels, average_along_paths

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["HierarchicalShrinkage"]

_RULES: dict[str, Rule] = {"strength": Choice(CV) | Real(0, math.inf)}

_CANDIDATES = "One for each strength from 1/8 up, doubled each time; the estimate itself where it has a number."


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

    strength: float | Literal["cv"] = 1.0

    def __post_init__(self) -> None:
        check_params(self, _RULES)

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
