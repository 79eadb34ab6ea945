"""Averages over the nodes of a path: Buntine's, over all prunings of the tree, and Bahl's, fitted on held-out rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from calibrant._docstrings import fill_docstring
from calibrant._params import Choice, Int, Real, Rule, check_params
from calibrant._saved import Number, TupleOf, saved
from calibrant.estimates._base import METHOD_DOCS, CountedTree, HeldOutLeaves
from calibrant.estimates._leaf_counts import frequencies
from calibrant.estimates._paths import TREE_PRIORS, Levels, average_along_paths, reach_of_prunings
from calibrant.exceptions import ParameterError


def interpolate(tree: CountedTree, trust: Sequence[float]) -> NDArray[np.float64]:
    """Mix the frequencies of each node, by the weight of its size, with the mixture of its parent.

    Parameters
    ----------
    tree : CountedTree
        A grown tree.
    trust : sequence of float
        The weight of a node's own frequencies where its training weight is below 2, 4, 8 ...; the last holds beyond.

    Returns
    -------
    array of shape (n_nodes, n_classes)
        Probabilities; the root has its frequencies.

    Examples
    --------
    >>> from calibrant.trees import ProbabilityTreeClassifier
    >>> tree = ProbabilityTreeClassifier().fit([[1], [2], [3], [4]], [0, 0, 1, 1]).tree_
    >>> interpolate(tree, [0.1, 0.5])
    array([[0.5 , 0.5 ],
           [0.75, 0.25],
           [0.25, 0.75]])
    """
    nodes = _Nodes.of(tree)
    return nodes.mixture(nodes.trust_of(np.asarray(trust, dtype=np.float64)))


def fit_trust(folds: Sequence[HeldOutLeaves], n_rounds: int) -> tuple[float, ...]:
    """Fit the weights of nodes of each size to held-out rows by expectation maximization.

    The weights of sizes that no held-out row reached are interpolated between those of the nearest sizes.

    Parameters
    ----------
    folds : sequence of HeldOutLeaves
        The held-out rows of each fold.
    n_rounds : int
        Rounds of expectation maximization, starting from 1/2.

    Returns
    -------
    tuple of float
        The parameter `trust` of `interpolate`.

    Examples
    --------
    >>> from calibrant.trees import ProbabilityTreeClassifier
    >>> tree = ProbabilityTreeClassifier().fit([[1], [2], [3], [4]], [0, 0, 1, 1]).tree_
    >>> leaf, label = np.array([1, 1, 1, 2, 2]), np.array([0, 0, 1, 1, 1])
    >>> rows = HeldOutLeaves(tree, np.arange(5), leaf, np.ones(5), label, np.ones(5))
    >>> np.round(fit_trust([rows], n_rounds=99), 3)  # four rows in five have the class of their leaf: 0.6 + 0.4 / 2
    array([0.6, 0.6, 0.6])
    """
    if not folds:
        raise ParameterError("PathAverage: folds must hold at least one set of held-out rows; got none.")
    nodes = [_Nodes.of(fold.tree) for fold in folds]
    n_sizes = 1 + max(int(each.size.max()) for each in nodes)
    trust, reached = np.full(n_sizes, 0.5), np.zeros(n_sizes, dtype=bool)
    for _ in range(n_rounds):
        expected = [_expected(each, fold, trust) for each, fold in zip(nodes, folds, strict=True)]
        stops, visits = np.sum(expected, axis=0)
        reached = visits > 0
        trust = np.where(reached, stops / np.where(reached, visits, 1.0), trust)
    sizes = np.arange(n_sizes)
    return tuple(np.interp(sizes, sizes[reached], trust[reached]).tolist() if reached.any() else trust.tolist())


@dataclass(frozen=True, slots=True)
class _Nodes:
    """The nodes of a tree, the same in every round; `size` is the power of 2 below the weight, -1 without weight."""

    levels: Levels
    own: NDArray[np.float64]
    size: NDArray[np.intp]

    @classmethod
    def of(cls, tree: CountedTree) -> _Nodes:
        power = np.maximum(np.frexp(tree.weight)[1].astype(np.intp) - 1, 0)
        return cls(Levels(tree), frequencies(tree), np.where(tree.weight > 0, power, -1))

    def trust_of(self, trust: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the weight of each node's own frequencies: 0 where it has no rows, 1 at the root."""
        trusted = np.where(self.size >= 0, trust[np.clip(self.size, 0, len(trust) - 1)], 0.0)
        trusted[0] = 1.0
        return trusted

    def mixture(self, trusted: NDArray[np.float64]) -> NDArray[np.float64]:
        own = trusted[:, np.newaxis] * self.own
        columns = [self.levels.descend(column, keep=1.0 - trusted) for column in own.T]
        return np.minimum(np.stack(columns, axis=1), 1.0)

    def arrivals(self, ends: NDArray[np.float64], trusted: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the weight that passes each node on the way from the ends of paths up to the root."""
        passes = 1.0 - trusted
        passed = self.levels.climb(passes * ends, lambda nodes, below: passes[nodes] * (ends[nodes] + below))
        passed[0] = 0.0
        return ends + np.bincount(self.levels.above, passed, minlength=len(ends))


def _expected(nodes: _Nodes, fold: HeldOutLeaves, trust: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return for each size the expected numbers of held-out rows that stop at and that visit a node on the path up."""
    trusted = nodes.trust_of(trust)
    table = nodes.mixture(trusted)
    starts = _starts(fold, table)
    stops, visits = np.zeros(len(trusted)), np.zeros(len(trusted))
    for k, ends in enumerate(starts):
        arrived = nodes.arrivals(ends, trusted)
        stops += arrived * trusted * nodes.own[:, k]
        visits += arrived * table[:, k]
    counted = np.flatnonzero(nodes.size[1:] >= 0) + 1  # all rows that reach the root stop there
    by_size = [np.bincount(nodes.size[counted], each[counted], minlength=len(trust)) for each in (stops, visits)]
    return np.asarray(by_size, dtype=np.float64)


def _starts(fold: HeldOutLeaves, table: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return weight / probability of the rows of each class (rows) that end at each node (columns)."""
    found = fold.probabilities(table)
    lift = np.divide(fold.weight, found, out=np.zeros_like(found), where=found > 0)
    cell = fold.label[fold.row] * len(table) + fold.leaf
    starts = np.bincount(cell, lift[fold.row] * fold.share, minlength=table.size)
    return np.asarray(starts.reshape(table.shape[1], len(table)), dtype=np.float64)


@saved(trust=TupleOf(Number(0, 1), least=1) | None)
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

    _rules: ClassVar[Mapping[str, Rule]] = {
        "how": Choice("bayes", "interpolate"),
        "alpha": Real(0, closed="neither"),
        "prior": Choice(*TREE_PRIORS),
        "n_rounds": Int(1),
    }

    how: Literal["bayes", "interpolate"] = "bayes"
    alpha: float = field(default=1.0, kw_only=True)
    prior: Literal["flat", "wallace", "wallace_choices"] = field(default="flat", kw_only=True)

    n_rounds: int = field(default=10, kw_only=True)
    trust: Sequence[float] | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        check_params(self)
        if self.trust is not None:
            object.__setattr__(self, "trust", _read_trust(self.trust))

    @fill_docstring(**METHOD_DOCS)
    def table(self, tree: CountedTree) -> NDArray[np.float64]:
        """Return the averages over the paths to every node.

        Of (n + alpha) / (w + K alpha) with ``"bayes"``, of n / w with ``"interpolate"``.

        %(table_sections)s
        """
        if self.how == "interpolate":
            if self.trust is None:
                raise ParameterError(
                    "PathAverage: trust must be numbers to compute probabilities; got None, which a classifier fits on "
                    "held-out rows in fit. Pass trust, or call fit_held_out."
                )
            return interpolate(tree, self.trust)
        own = (tree.counts + self.alpha) / (tree.weight + tree.counts.shape[1] * self.alpha)[:, np.newaxis]
        levels = Levels(tree)
        reach = reach_of_prunings(tree, levels, alpha=self.alpha, prior=self.prior)
        return average_along_paths(levels, reach, own)

    @property
    def needs_held_out(self) -> bool:
        """Whether `fit_held_out` must be called before `table`."""
        return self.how == "interpolate" and self.trust is None

    def fit_held_out(self, folds: Sequence[HeldOutLeaves]) -> PathAverage:
        """Fit the weights of nodes of each size.

        Parameters
        ----------
        folds : sequence of HeldOutLeaves
            The held-out rows of each fold of a cross-validation, with the tree grown on the others.

        Returns
        -------
        PathAverage
            The estimate with numbers for `trust`; itself where there is nothing to fit.
        """
        return replace(self, trust=fit_trust(folds, self.n_rounds)) if self.needs_held_out else self


def _read_trust(trust: Any) -> tuple[float, ...]:
    values = tuple(trust) if isinstance(trust, Iterable) and getattr(trust, "ndim", 1) > 0 else ()
    if not values or any(value not in Real(0, 1) for value in values):
        raise ParameterError(f"trust must be None or numbers in [0, 1], at least one; got {trust!r}.")
    return tuple(map(float, values))
