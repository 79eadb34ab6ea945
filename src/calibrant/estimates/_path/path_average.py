"""Averages over the nodes of a path: Buntine's, over all prunings of the tree, and Bahl's, fitted on held-out rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from calibrant._docstrings import fill_docstring
from calibrant._params import Choice, Int, Real, Rule, check_params
from calibrant.estimates._base import CountedTree
from calibrant.estimates._held_out import HeldOut
from calibrant.estimates._method_docs import METHOD_DOCS
from calibrant.estimates._path.interpolation import fit_trust, interpolate
from calibrant.estimates._path.paths import Levels, average_along_paths
from calibrant.estimates._path.prunings import reach_of_prunings
from calibrant.estimates._path.tree_priors import TREE_PRIORS
from calibrant.exceptions import ParameterError

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["PathAverage"]

_RULES: dict[str, Rule] = {
    "how": Choice("bayes", "interpolate"),
    "alpha": Real(0, closed="neither"),
    "prior": Choice(*TREE_PRIORS),
    "n_rounds": Int(1),
}


@dataclass(frozen=True, slots=True)
class PathAverage:
    """The estimates of all nodes on the path, weighted.

    ``"bayes"``: for a single tree, grown in full, of any number of classes; it needs nothing but the counts, and its
    trees predicted better than those of C4, CART and minimum encoding (Buntine 1992, "Learning classification trees").
    ``"interpolate"``: held-out rows determine the weight of nodes of each size, which detects tests that fit noise, in
    unbalanced data too; it costs a cross-validation. Zadrozny & Elkan (2001, section 2.3) warn of many fitted weights:
    here there is one for each power of 2 of the rows. Members of an ensemble need neither.

    Parameters
    ----------
    how : {"bayes", "interpolate"}
        Whether the weights are the posterior probabilities of the prunings of the tree, or those of maximum likelihood
        on held-out rows (Bahl et al. 1989, deleted interpolation).
    alpha : float
        The prior count of each class at every node; for ``"bayes"``.
    prior : {"flat", "wallace", "wallace_choices"}
        The prior probability of a tree, for ``"bayes"``: the same for all, or Wallace & Patrick's (1993), by which a
        node whose parent has a branches is split with probability 1/a, the root with 1 - 1/columns; with
        ``"wallace_choices"`` by each of the columns that can still be tested with equal probability. Trees grown with
        criterion ``"bayes"`` or ``"mml"`` have a prior probability of each cut as well.
    n_rounds : int
        Rounds of expectation maximization; for ``"interpolate"``.
    trust : sequence of float, optional
        The weights that ``"interpolate"`` fits: that of a node's own frequencies, relative to the average of the nodes
        above, where its training weight is below 2, 4, 8 ...; the last one applies beyond.

    Examples
    --------
    >>> from calibrant.trees import ProbabilityTreeClassifier
    >>> tree = ProbabilityTreeClassifier().fit([[1], [2], [3], [4]], [0, 0, 1, 1]).tree_
    >>> PathAverage().table(tree).round(3)
    array([[0.5  , 0.5  ],
           [0.692, 0.308],
           [0.308, 0.692]])
    """

    how: Literal["bayes", "interpolate"] = "bayes"
    alpha: float = field(default=1.0, kw_only=True)
    prior: Literal["flat", "wallace", "wallace_choices"] = field(default="flat", kw_only=True)

    n_rounds: int = field(default=10, kw_only=True)
    trust: Sequence[float] | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        check_params(self, _RULES)
        if self.trust is not None:
            object.__setattr__(self, "trust", _read_trust(self.trust))

    @fill_docstring(**METHOD_DOCS)
    def table(self, tree: CountedTree) -> NDArray[np.float64]:
        """Return the averages over the paths to every node.

        Of (n + alpha) / (w + K alpha) with ``"bayes"``, of n / w with ``"interpolate"``.

        %(table_sections)s
        """
        if self.how == "interpolate":
            return interpolate(tree, self._fitted())
        own = (tree.counts + self.alpha) / (tree.weight + tree.counts.shape[1] * self.alpha)[:, np.newaxis]
        levels = Levels(tree)
        reach = reach_of_prunings(tree, levels, alpha=self.alpha, prior=self.prior)
        return average_along_paths(levels, reach, own)

    @property
    def needs_held_out(self) -> bool:
        """Whether `fit_held_out` must be called before `table`."""
        return self.how == "interpolate" and self.trust is None

    def fit_held_out(self, folds: Sequence[HeldOut]) -> PathAverage:
        """Fit the weights of nodes of each size.

        Parameters
        ----------
        folds : sequence of HeldOut
            The held-out rows of each fold of a cross-validation, with the tree grown on the others.

        Returns
        -------
        PathAverage
            The estimate with numbers for `trust`; itself where there is nothing to fit.
        """
        return replace(self, trust=fit_trust(folds, self.n_rounds)) if self.needs_held_out else self

    def _fitted(self) -> Sequence[float]:
        if self.trust is None:
            raise ParameterError(
                "PathAverage: trust must be numbers to compute probabilities; got None, which a classifier fits on "
                "held-out rows in fit. Pass trust, or call fit_held_out."
            )
        return self.trust


def _read_trust(trust: Any) -> tuple[float, ...]:
    values = tuple(trust) if isinstance(trust, Iterable) and getattr(trust, "ndim", 1) > 0 else ()
    if not values or any(value not in Real(0, 1) for value in values):
        raise ParameterError(f"trust must be None or numbers in [0, 1], at least one; got {trust!r}.")
    return tuple(map(float, values))
