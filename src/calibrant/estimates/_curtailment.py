"""Curtailment: a path stops before a node with too few rows (Zadrozny & Elkan 2001, section 2.3)."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from calibrant._docstrings import fill_docstring
from calibrant._params import Choice, Nothing, Real, Rule, check_params
from calibrant._saved import Text, saved
from calibrant.estimates._base import (
    CV,
    ESTIMATE,
    METHOD_DOCS,
    NUMBER_OR_CV,
    ChosenByCV,
    CountedTree,
    Estimate,
    FittedHeldOut,
    Resolvable,
    not_chosen,
    powers_of_two,
    with_classes,
)
from calibrant.estimates._kernel_density import RowEstimate
from calibrant.estimates._leaf_counts import Frequency
from calibrant.estimates._m_estimate import rows_with_positives
from calibrant.estimates._paths import nearest_above
from calibrant.exceptions import CalibrantWarning, ParameterError

_ROUNDING = 1e-12  # the weight of a node is a sum of shares

_LEAVES = """\
leaves : array of shape (n_leaves, n_classes), optional
    The class weights of the leaves, where `then` needs them."""
_CANDIDATES = """\
One for each v from 1 up, doubled each time, and each candidate of `then`; the estimate itself where there is
nothing to choose."""


@saved(v=NUMBER_OR_CV | None, then=Text() | ESTIMATE | None)
@dataclass(frozen=True, slots=True)
class Curtailment:
    """The estimate of the last node on the path that at least v rows reach.

    The rule applies to each child separately: a node may be a leaf for some rows and a test for others. The root is
    always entered. With ``then="m"`` this is smoothed curtailment, which Zadrozny & Elkan recommend for a single tree
    and a rare class: test MSE 0.0953 against 0.1021 of the frequencies on KDD'98, and the most profit (Tables 1 to 4,
    Figure 3). The tree that remains is small enough to read. With many classes v is large and the probabilities are
    coarse: use `HierarchicalShrinkage`. Bagging hardly improved on it (Tables 1 and 4).

    Parameters
    ----------
    v : float or "cv", optional
        The minimum training weight of a node that is entered. None: `strength` divided by the base rate of the rarer of
        two classes (200 at a base rate of 0.05), or by the median base rate of more; with a warning where that is
        more than half of the training set. ``"cv"``: the classifier chooses among 1, 2, 4 ... up to the training weight
        by cross-validated log-loss; use this with a smoothed `then`, because a single held-out row with a frequency of
        0 rules out every smaller v.
    strength : float
        The product of base rate and v.
    then : str or estimate, optional
        How the counts of the last node become probabilities; the frequencies by default.

    Examples
    --------
    >>> from calibrant.trees import ProbabilityTreeClassifier
    >>> tree = ProbabilityTreeClassifier().fit([[1], [2], [3], [4], [5]], [0, 0, 1, 1, 1]).tree_
    >>> tree.weight
    array([5., 2., 3.])
    >>> Curtailment(v=3).table(tree)
    array([[0.4, 0.6],
           [0.4, 0.6],
           [0. , 1. ]])
    """

    _rules: ClassVar[Mapping[str, Rule]] = {
        "v": Choice(CV) | Real(0, math.inf) | Nothing(),
        "strength": Real(0, closed="neither"),
    }

    v: float | Literal["cv"] | None = None
    strength: float = 10
    then: str | Estimate | None = None

    def __post_init__(self) -> None:
        from calibrant.estimates._names import ESTIMATE_RULE  # that registry imports this module

        check_params(self, {**self._rules, "then": ESTIMATE_RULE | Nothing()})
        then = self._then()
        if isinstance(then, RowEstimate) or (isinstance(then, FittedHeldOut) and then.needs_held_out):
            raise ParameterError(f"then must be an estimate read from the counts alone; got {self.then!r}.")

    @fill_docstring(**METHOD_DOCS)
    def table(self, tree: CountedTree) -> NDArray[np.float64]:
        """Return the estimate of the last node with weight v or more on the path to every node.

        %(table_sections)s
        """
        return np.asarray(self._then().table(tree)[self.answering(tree)])

    def answering(self, tree: CountedTree) -> NDArray[np.intp]:
        """Return the node whose counts predict the rows that reach each node.

        Parameters
        ----------
        tree : CountedTree
            A grown tree.

        Returns
        -------
        array of shape (n_nodes,)
            Nodes; one that is its own is not curtailed.

        Examples
        --------
        >>> from calibrant.trees import ProbabilityTreeClassifier
        >>> tree = ProbabilityTreeClassifier().fit([[1], [2], [3], [4], [5]], [0, 0, 1, 1, 1]).tree_
        >>> Curtailment(v=3).answering(tree)
        array([0, 0, 2])
        """
        return nearest_above(tree, tree.weight >= self._min_weight(tree.counts[0]) * (1 - _ROUNDING))

    @fill_docstring(**{**METHOD_DOCS, "leaves": _LEAVES}, estimate="Curtailment")
    def resolve(self, counts: NDArray[np.float64], leaves: NDArray[np.float64] | None = None) -> Curtailment:
        """Return the same estimate with v and the parameters of `then` as numbers.

        %(resolve_sections)s

        Examples
        --------
        >>> Curtailment(then="m").resolve([9500, 500])
        Curtailment(v=200.0, strength=10, then=MEstimate(m=200.0, strength=10, prior=(0.95, 0.05), positive=None))
        """
        then = self._then()
        counts = np.asarray(counts, dtype=np.float64)
        return replace(
            self,
            v=self._min_weight(counts),
            then=then.resolve(counts, leaves) if isinstance(then, Resolvable) else then,
        )

    @fill_docstring(**METHOD_DOCS, estimate="Curtailment", candidates=_CANDIDATES)
    def candidates(self, tree: CountedTree) -> tuple[Curtailment, ...]:
        """Return the estimates that cross-validation chooses from.

        %(candidates_sections)s
        """
        then = self._then()
        after = then.candidates(tree) if isinstance(then, ChosenByCV) else (then,)
        minimums = powers_of_two(tree) if self.v == CV else (self.v,)
        if self.v != CV and after == (then,):
            return (self,)
        return tuple(replace(self, v=v, then=each) for v in minimums for each in after)

    def with_classes(self, classes: Sequence[Any] | NDArray[Any]) -> Curtailment:
        """Return the same estimate for these classes, one of which `then` may name.

        Parameters
        ----------
        classes : sequence of length n_classes
            The sorted classes.

        Returns
        -------
        Curtailment
            An equal estimate.
        """
        then = self._then()
        named = with_classes(then, classes)
        return self if named is then else replace(self, then=named)

    def _then(self) -> Estimate:
        from calibrant.estimates._names import as_estimate

        return Frequency() if self.then is None else as_estimate("then", self.then)

    def _min_weight(self, counts: NDArray[np.float64]) -> float:
        if self.v == CV:
            raise not_chosen("Curtailment", "v")
        return self._heuristic(counts) if self.v is None else float(self.v)

    def _heuristic(self, counts: NDArray[np.float64]) -> float:
        v, weight = rows_with_positives(self.strength, counts), float(counts.sum())
        if v > weight / 2:
            warnings.warn(
                f"Curtailment: v = {v:.6g} (strength / base rate) is more than half of the training weight "
                f"({weight:.6g}), so most rows get the base rates. Pass v, or a smaller strength.",
                CalibrantWarning,
                stacklevel=2,
            )
        return v
