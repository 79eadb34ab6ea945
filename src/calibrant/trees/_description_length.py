"""The description length of a tree (minimum description length, MDL)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import total_ordering
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln, xlogy

from calibrant._params import Choice, check_param
from calibrant.data._internal import TrainingRows, read_more_training_rows
from calibrant.estimates._internal import wallace
from calibrant.exceptions import DataError
from calibrant.trees._prediction.prediction_mixin import PredictionMixin
from calibrant.trees._prediction.tree_reading import leaf_shares
from calibrant.trees._tree import Tree

Probabilities = Literal["adaptive", "paid"]

PROBABILITIES: dict[str, str] = {
    "adaptive": "adaptive, each value by (its count so far + 1) / (all so far + values)",
    "paid": "frequencies, each free one at a cost of half of log2 of the rows it is counted in",
}

_BIT = float(np.log(2.0))  # a bit in nats


@total_ordering
@dataclass(frozen=True, repr=False, eq=False)
class DescriptionLength:
    """The bits of a theory and of the data given the theory; of two theories the one with the shorter total is better.

    Parameters
    ----------
    theory : float
        Bits of the theory.
    data : float
        Bits of the data given the theory.
    coding : str
        The codes of both, as text.
    parts : dict of str to float
        The bits of each part of the theory.

    Examples
    --------
    >>> length = DescriptionLength(3.0, 5.5, "yes or no", {"tests": 3.0})
    >>> length.total, float(length), length < DescriptionLength(4.0, 5.0, "yes or no")
    (8.5, 8.5, True)
    >>> length
    8.5 bits: theory 3 (tests 3), data given the theory 5.5. Coding: yes or no.
    """

    theory: float
    data: float
    coding: str
    parts: Mapping[str, float] = field(default_factory=dict)

    @property
    def total(self) -> float:
        """The bits of theory and data."""
        return self.theory + self.data

    def __float__(self) -> float:
        return self.total

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DescriptionLength) and (self.theory, self.data) == (other.theory, other.data)

    def __lt__(self, other: DescriptionLength) -> bool:
        return self.total < other.total

    def __hash__(self) -> int:
        return hash((self.theory, self.data))

    def __repr__(self) -> str:
        parts = ", ".join(f"{name} {bits:.4g}" for name, bits in self.parts.items())
        theory = f"{self.theory:.4g} ({parts})" if parts else f"{self.theory:.4g}"
        return f"{self.total:.4g} bits: theory {theory}, data given the theory {self.data:.4g}. Coding: {self.coding}."


def counts_bits(counts: NDArray[np.float64], how: Probabilities) -> tuple[float, float]:
    """Return the bits of the probabilities and those of the values; each row of counts has its own distribution.

    Counts may be fractions: their factorials are gamma functions.

    Examples
    --------
    >>> [round(bits, 3) for bits in counts_bits(np.array([[3.0, 1.0]]), "adaptive")]
    [0.0, 4.322]
    >>> [round(bits, 3) for bits in counts_bits(np.array([[3.0, 1.0]]), "paid")]
    [1.0, 3.245]
    """
    totals, n_values = counts.sum(axis=1), counts.shape[1]
    if how == "paid":
        # Rissanen (1983): a parameter estimated from n rows is worth half of log2 n bits, its precision at the optimum.
        parameters = 0.5 * (n_values - 1) * np.log2(np.maximum(totals, 1.0)).sum()
        return float(parameters), float((xlogy(totals, totals).sum() - xlogy(counts, counts).sum()) / _BIT)
    # The product of (count so far + 1) / (all so far + values) does not depend on the order, so factorials give it.
    orders = gammaln(totals + n_values) - gammaln(n_values) - gammaln(counts + 1.0).sum(axis=1)
    return 0.0, float(orders[totals > 0].sum() / _BIT)


Coding = Literal["wallace", "quinlan_rivest"]

_CUTS = "cuts by log2 of their possible positions"

# How each coding encodes whether a node is a test, the column that it tests and the cut.
TREE_CODINGS: dict[str, str] = {
    "wallace": "below a test of a branches a node is a test with probability 1/a, the root with 1 - 1/columns; the "
    "column by log2 of those that can still be tested; " + _CUTS,
    "quinlan_rivest": "one bit for each node, whether it is a test; the column by log2 of those of two values or more; "
    + _CUTS,
}


def structure_bits(tree: Tree, is_useful: NDArray[np.bool_], coding: Coding) -> tuple[float, float]:
    """Return the bits of which nodes are tests, and those of which columns they test.

    Examples
    --------
    >>> from calibrant.trees import ProbabilityTreeClassifier
    >>> tree = ProbabilityTreeClassifier().fit([[1, 0], [2, 1], [3, 0], [4, 1]], ["a", "a", "b", "b"]).tree_
    >>> structure_bits(tree, np.array([True, True]), "quinlan_rivest")
    (3.0, 1.0)
    """
    is_test, n_useful = ~tree.is_leaf, int(is_useful.sum())
    if coding == "quinlan_rivest":
        return float(tree.n_nodes), float(is_test.sum() * _log2(n_useful))
    as_leaf, as_test = wallace(tree)
    shape = -float(np.where(is_test, as_test, as_leaf).sum() / np.log(2.0))
    used = _columns_used_up(tree)
    return shape, float(sum(_log2(n_useful - len(used[node])) for node in np.flatnonzero(is_test)))


def cut_bits(tree: Tree, n_values: NDArray[np.intp]) -> float:
    """Return the bits of the cuts and of the groups of categories, from the number of values of each column.

    A cut takes log2(values - 1) bits, a branch for each category none, one category against the rest
    log2(categories), and groups of categories log2(branches) for each category. Where a test has a branch for missing
    values, these are one more category, and a cut is one of 2 values - 1: each with the missing values on either side,
    or whether the value is missing.

    Examples
    --------
    >>> from calibrant.trees import ProbabilityTreeClassifier
    >>> tree = ProbabilityTreeClassifier().fit([[1], [2], [3], [4], [5]], ["a", "a", "b", "b", "b"]).tree_
    >>> cut_bits(tree, np.array([5]))
    2.0
    """
    return float(sum(_cut_bits(tree, int(node), n_values) for node in np.flatnonzero(~tree.is_leaf)))


def _cut_bits(tree: Tree, node: int, n_values: NDArray[np.intp]) -> float:
    values = int(n_values[tree.feature[node]])
    sends_missing = tree.missing_branch[node] >= 0
    if tree.is_numeric[node]:
        # Missing values go to either side of each cut, and "known or missing" is one cut more.
        return _log2(2 * values - 1 if sends_missing else values - 1)
    branches, n_branches = tree.branches_of(node), int(tree.n_children[node])
    if sends_missing:
        values, branches = values + 1, np.append(branches, tree.missing_branch[node])
    # A branch for every category leaves nothing to choose, so it costs no bits.
    if n_branches == len(branches):
        return 0.0
    in_first = int((branches == 0).sum())
    is_one_against_the_rest = n_branches == 2 and in_first in (1, len(branches) - 1)
    # One category against the rest is named by that category; any other grouping names the branch of each category.
    return _log2(values) if is_one_against_the_rest else values * _log2(n_branches)


def _columns_used_up(tree: Tree) -> list[frozenset[int]]:
    """Return the columns that cannot be tested again at each node: those with a branch for each category above."""
    used: list[frozenset[int]] = []
    for parent in tree.parent:  # nodes come in preorder
        above = used[parent] if parent >= 0 else frozenset()
        # Below a branch for every category a column is constant; groups of categories and cuts may be divided again.
        if parent >= 0 and not tree.is_numeric[parent] and tree.n_children[parent] == _n_categories(tree, parent):
            above |= {int(tree.feature[parent])}
        used.append(above)
    return used


def _n_categories(tree: Tree, node: int) -> int:
    """Return the number of categories of a nominal test, a missing value counted where it has a branch."""
    return int(tree.n_values[node]) + int(tree.missing_branch[node] >= 0)


def _log2(n: float) -> float:
    return float(np.log2(n)) if n > 1 else 0.0


class DescriptionMixin(PredictionMixin):
    """The description length of a fitted tree."""

    def description_length(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        coding: Coding = "wallace",
        probabilities: Probabilities = "adaptive",
    ) -> DescriptionLength:
        """Return the bits of the tree, L[T], and those of the classes of the rows given the tree, L[E|T].

        Sender and receiver know X and the set of classes. The tree is sent first, then the class of each row, coded by
        the counts of its leaf, whatever `estimate` is. On the training rows, the tree of least length is the one that
        fits without fitting noise (Witten, Frank & Hall 2011, section 5.9); `calibrant.comparison.mdl` compares trees.

        Parameters
        ----------
        X : frame or array of shape (n_rows, n_columns)
            The rows that the tree was grown from, which determine the possible cuts.
        y : sequence of length n_rows
            Their classes.
        sample_weight : sequence of length n_rows, optional
            How often each row counts; a row of weight 0 is as if absent.
        coding : {"wallace", "quinlan_rivest"}
            How nodes and columns are coded: ``"wallace"`` as by Wallace & Patrick (1993), where a node is a test with
            probability 1/a below a test of a branches; ``"quinlan_rivest"`` by one bit for each node, the length that
            ``prune="mdl"`` minimizes.
        probabilities : {"adaptive", "paid"}
            How the classes at a leaf are coded: by the counts so far, starting from one of each class; or by
            frequencies, each free one at a cost of half of log2 of the leaf's weight.

        Returns
        -------
        DescriptionLength
            ``theory``, ``data`` and ``total`` in bits, the ``parts`` of the theory and the ``coding`` as text.

        Notes
        -----
        Rows are coded in their order. Ignoring the order would save log2 n! bits, the same for all theories.

        Examples
        --------
        >>> from calibrant.trees import ProbabilityTreeClassifier
        >>> X, y = [[1], [2], [3], [4], [5], [6], [7], [8]], list("aaaabbbb")
        >>> length = ProbabilityTreeClassifier().fit(X, y).description_length(X, y)
        >>> round(length.theory, 2), round(length.data, 2)
        (5.81, 4.64)
        """
        check_param("coding", coding, Choice(*TREE_CODINGS))
        check_param("probabilities", probabilities, Choice(*PROBABILITIES))
        self._check_fitted()
        rows = read_more_training_rows(X, y, sample_weight, self._schema, type(self).__name__)
        features = self._schema.features
        pairs = list(zip(rows.columns.arrays, features, strict=True))
        # Categories that `fit` did not see are missing values.
        columns = [np.where(a < len(f.categories), a, np.int32(-1)) if f.categories else a for a, f in pairs]
        parameters, data = counts_bits(self._leaf_counts(rows, columns), probabilities)
        n_values = np.array([len(f.categories) or len(np.unique(a[~np.isnan(a)])) for a, f in pairs])
        is_useful = n_values > 1
        is_useful[self.tree_.feature[~self.tree_.is_leaf]] = True  # one value and missing ones can be told apart
        shape, tested = structure_bits(self.tree_, is_useful, coding)
        parts = {"nodes": shape, "columns": tested, "cuts": cut_bits(self.tree_, n_values), "leaves": parameters}
        text = f"{TREE_CODINGS[coding]}; {PROBABILITIES[probabilities]}"
        return DescriptionLength(sum(parts.values()), data, text, parts)

    def _leaf_counts(self, rows: TrainingRows, columns: list[NDArray[Any]]) -> NDArray[np.float64]:
        """Return the weight of each class (columns) at each node."""
        position = {label: number for number, label in enumerate(self.classes_.tolist())}
        unknown = [label for label in rows.labels.classes.tolist() if label not in position]
        if unknown:
            raise DataError(
                f"y has a class that the tree does not have: {unknown[0]!r}. Pass the rows that it was grown from."
            )
        codes = np.array([position[label] for label in rows.labels.classes.tolist()])[rows.labels.codes]
        row, leaf, share = leaf_shares(self.tree_, rows.columns.n_rows, columns, self.n_jobs)
        weights = share if rows.weights is None else share * rows.weights[row]
        counts = np.bincount(leaf * len(position) + codes[row], weights, self.tree_.n_nodes * len(position))
        return np.asarray(counts, dtype=np.float64).reshape(-1, len(position))
