"""A grown tree read by an estimate: its table of nodes x classes, the probabilities of rows."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from calibrant import _core
from calibrant._memory import FLOAT_BYTES, check_output_memory
from calibrant._saved import Array, Object, need, saved
from calibrant._threads import n_threads
from calibrant.estimates import (
    ChosenByCV,
    Curtailment,
    Estimate,
    FittedHeldOut,
    Frequency,
    HeldOutLeaves,
    PathAverage,
    Resolvable,
    RowEstimate,
    RowReader,
    as_estimate,
)
from calibrant.estimates._internal import check_estimate, nearest_above, with_classes
from calibrant.exceptions import CalibrantWarning
from calibrant.trees._tree import Tree
from calibrant.trees._tree_params import Dialect, EmptyLeaf, TreeParamsMixin

if TYPE_CHECKING:
    from calibrant.data._internal import Rows
    from calibrant.trees._growing.grown_tree import GrownTree


_MAX_ERROR = 4 * np.finfo(np.float64).eps  # of the sum of a row: one that is nearer to 1 keeps its bits


def normalize_rows(proba: NDArray[np.float64]) -> NDArray[np.float64]:
    """Divide rows by their sums in place, where rounding has made an entry exceed 1 or a sum differ from 1.

    A sum of numbers >= 0 is never rounded below one of them, so no quotient exceeds 1.

    Examples
    --------
    >>> normalize_rows(np.array([[1.0 + 2e-15, 0.0], [0.25, 0.75], [np.nan, np.nan]]))
    array([[1.  , 0.  ],
           [0.25, 0.75],
           [ nan,  nan]])
    """
    total = proba.sum(axis=1)
    off = np.flatnonzero((np.abs(total - 1.0) > _MAX_ERROR) | (proba > 1.0).any(axis=1))
    proba[off] /= total[off, np.newaxis]
    return proba


def resolve_estimate(estimate: Estimate, grown: GrownTree, params: TreeParamsMixin) -> Estimate:
    """Return the estimate with all its numbers: chosen by cross-validation, fitted, or computed from the tree.

    Examples
    --------
    >>> from calibrant.estimates import MEstimate
    >>> from calibrant.trees import ProbabilityTreeClassifier
    >>> model = ProbabilityTreeClassifier(random_state=0).fit([[i] for i in range(20)], [0] * 10 + [1] * 10)
    >>> resolve_estimate(MEstimate(m="cv"), model._grown_tree, model).m
    1.0
    """
    estimate = _best_candidate(with_classes(estimate, grown.tree.classes), grown, params)
    if isinstance(estimate, FittedHeldOut) and estimate.needs_held_out:
        estimate = estimate.fit_held_out(grown.folds)
    if isinstance(estimate, Resolvable):
        tree = grown.tree
        estimate = estimate.resolve(tree.counts[0], tree.counts[tree.is_leaf])
    return estimate


def _best_candidate(estimate: Estimate, grown: GrownTree, params: TreeParamsMixin) -> Estimate:
    """Return the candidate with the least log-loss summed over the folds; the last, which is the smoothest, if tied."""
    candidates = estimate.candidates(grown.tree) if isinstance(estimate, ChosenByCV) else (estimate,)
    if len(candidates) == 1:
        return candidates[0]
    folds = grown.folds  # which may warn of the rows
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CalibrantWarning)  # the chosen one will warn when it is resolved
        losses = [_loss(candidate, folds, params) for candidate in candidates]
    # Candidates go from rough to smooth: searching from the end gives ties to the smoothest.
    return candidates[len(losses) - 1 - int(np.argmin(losses[::-1]))]


def log_loss_of(table: NDArray[np.float64], held_out: HeldOutLeaves) -> float:
    """Return the weighted sum of the log-loss of held-out rows, in nats; infinite where a probability is 0.

    Examples
    --------
    >>> from calibrant.estimates import HeldOutLeaves
    >>> from calibrant.trees import ProbabilityTreeClassifier
    >>> tree = ProbabilityTreeClassifier().fit([[1], [2], [3], [4]], [0, 0, 1, 1]).tree_
    >>> rows = HeldOutLeaves(tree, np.array([0, 1]), np.array([1, 2]), np.ones(2), np.array([0, 0]), np.ones(2))
    >>> round(log_loss_of(np.array([[0.5, 0.5], [0.8, 0.2], [0.4, 0.6]]), rows), 4)
    1.1394
    """
    counts = held_out.weight > 0
    with np.errstate(divide="ignore"):
        # 0 minus the logarithm rather than its negative, which would be -0
        # for certain rows; sums of shares may exceed 1.
        losses = 0.0 - np.log(np.minimum(held_out.probabilities(table)[counts], 1.0))
    return float((losses * held_out.weight[counts]).sum())


def _loss(estimate: Estimate, folds: Sequence[HeldOutLeaves], params: TreeParamsMixin) -> float:
    readings = [TreeReading(cast("Tree", fold.tree), estimate, params.empty_leaf, params.dialect) for fold in folds]
    # Exact, so that the order of the folds cannot decide between candidates of equal loss.
    return math.fsum(log_loss_of(reading.table, fold) for reading, fold in zip(readings, folds, strict=True))


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


# Outputs of 8 MiB or more start at a huge page of 2 MiB: half of the time of reading ten estimates was the system
# handing out fresh memory (benchmarks/RESULTS.md, 144 MB).
_PAGE_BYTES, _LARGE_BYTES = 2**21, 2**23


@dataclass(frozen=True, eq=False)
class TreeReading:
    """A tree and an estimate with all its numbers, by which the class probabilities of rows are read from it.

    An estimate that looks at the rows themselves has a ``reader``, which predicts in place of the table.
    """

    tree: Tree
    estimate: Estimate
    empty_leaf: EmptyLeaf | None
    dialect: Dialect
    reader: NodeReader | None = None

    @classmethod
    def of(cls, grown: GrownTree, estimate: str | Estimate, params: TreeParamsMixin) -> TreeReading:
        """Read a grown tree by a validated estimate, choosing its number by cross-validation where it requests that.

        Examples
        --------
        >>> from calibrant.trees import ProbabilityTreeClassifier
        >>> model = ProbabilityTreeClassifier().fit([[1], [2], [3], [4]], ["a", "a", "b", "b"])
        >>> TreeReading.of(model._grown_tree, "frequency", model).table[1]
        array([1., 0.])
        """
        tree, resolved = grown.tree, resolve_estimate(as_estimate("estimate", estimate), grown, params)
        reading = cls(tree, resolved, params.empty_leaf, params.dialect)
        if isinstance(resolved, RowEstimate):
            node = nearest_above(tree, tree.weight > 0)
            node[reading.majority_leaves] = -1
            reading = replace(reading, reader=NodeReader(resolved.reader(tree, *grown.counted_rows), node))
        _ = reading.table  # an estimate that fails does so in `fit`
        return reading

    @cached_property
    def table(self) -> NDArray[np.float64]:
        """The probabilities of the sorted classes at every node; made at the first use in a model from a file."""
        tree = self.tree
        table = normalize_rows(np.array(self.estimate.table(tree), dtype=np.float64, order="C"))
        empty = np.flatnonzero(tree.weight <= 0)
        if len(empty) == 0:
            return table
        # Empty nodes take the estimate of the nearest node with rows (ALGORITHMS.md 10.19).
        table[empty] = table[nearest_above(tree, tree.weight > 0)[empty]]
        voting = self.majority_leaves
        table[voting] = 0.0
        table[voting, tree.label[voting]] = 1.0
        return table

    @property
    def majority_leaves(self) -> NDArray[np.intp]:
        """The leaves without training weight that predict their parent's majority class with certainty."""
        empty = np.flatnonzero(self.tree.weight <= 0)
        # C4.5 itself gives an empty leaf to its parent's majority class; smoothed estimates are not C4.5's.
        own_rule = "majority" if self.dialect == "c45" and isinstance(self.estimate, Frequency) else "parent"
        if len(empty) == 0 or (self.empty_leaf or own_rule) == "parent":
            return empty[:0]
        # No row ends in a leaf that curtailment never enters.
        estimate = self.estimate
        return empty[estimate.answering(self.tree)[empty] == empty] if isinstance(estimate, Curtailment) else empty

    @staticmethod
    def is_recomputed(estimate: Estimate) -> bool:
        """Return whether a table has the same bits on any machine, being sums, products and quotients."""
        if isinstance(estimate, Curtailment):
            return estimate.then is None or TreeReading.is_recomputed(as_estimate("estimate", estimate.then))
        return not (isinstance(estimate, PathAverage) and estimate.how == "bayes")

    def saved_table(self, params: TreeParamsMixin) -> NDArray[np.float64] | None:
        """Return the table that a file must hold; None where it follows from tree and parameters, to the bit."""
        if self.is_recomputed(self.estimate):
            made = TreeReading(self.tree, self.estimate, params.empty_leaf, params.dialect).table
            # Compared by bytes: a file must predict what the model predicted, to the last bit.
            if made.tobytes() == self.table.tobytes():
                return None
        return self.table

    @classmethod
    def from_saved(
        cls,
        tree: Tree,
        estimate: Estimate,
        params: TreeParamsMixin,
        reader: NodeReader | None,
        table: NDArray[np.float64] | None,
    ) -> TreeReading:
        """Return the reading of a file; raise `ModelFileError` unless it has a line for each node of its tree."""
        n_nodes, n_classes = tree.n_nodes, len(tree.classes)
        check_estimate(estimate, n_classes)
        reading = cls(tree, estimate, params.empty_leaf, params.dialect, reader)
        if table is not None:
            need(table.shape == (n_nodes, n_classes), "has a table of other nodes")
            need(np.allclose(table.sum(axis=1), 1.0, rtol=0, atol=1e-6), "has probabilities that do not sum to 1")
            vars(reading)["table"] = table
        if reader is not None:
            is_known = len(reader.node) == n_nodes and ((reader.node >= -1) & (reader.node < n_nodes)).all()
            need(is_known, "has a reader of other nodes")
            rows: Any = reader.rows
            same_columns = rows.fallback.shape == (n_nodes, n_classes) and len(rows.kernels.columns) == tree.n_features
            need(same_columns, "has kernels of other nodes or columns")
            for column, n in rows.kernels.n_categories.items():
                need(n == len(tree.schema.features[column].categories), "has kernels of other categories")
        return reading

    def predict_proba(self, rows: Rows, n_jobs: int | None) -> NDArray[np.float64]:
        """Return the class probabilities of each row."""
        return self.predict_many([self], rows, n_jobs)[0]

    def declared_proba(self, rows: Rows, n_jobs: int | None) -> NDArray[np.float64]:
        """Return the class probabilities, with the classes in the order in which they were declared."""
        found, order = self.predict_proba(rows, n_jobs), self.tree.order
        return found if (order == np.arange(len(order))).all() else found[:, np.argsort(order)]

    @staticmethod
    def predict_many(readings: Sequence[TreeReading], rows: Rows, n_jobs: int | None) -> list[NDArray[np.float64]]:
        """Return the class probabilities of each row by several readings of one tree, all from one descent.

        Examples
        --------
        >>> from calibrant.trees import ProbabilityTreeClassifier
        >>> model = ProbabilityTreeClassifier().fit([[1], [2], [3], [4]], ["a", "a", "b", "b"])
        >>> TreeReading.predict_many([model._reading], (1, np.array([[1.5]])), 1)
        [array([[0.75, 0.25]])]
        """
        if not readings:
            return []
        tree, (n_rows, columns) = readings[0].tree, rows
        check_output_memory(n_rows, len(tree.classes) * len(readings))
        # Readings by table share one descent, readings by rows another; each is returned at its place.
        tables = [each.table for each in readings if each.reader is None]
        outputs = [_allocate(n_rows, table.shape[1]) for table in tables]
        if tables:
            _core.predict_tree(tree.core, n_rows, columns, tables, outputs, n_threads(n_jobs))
        found = iter(outputs)
        shares = leaf_shares(tree, n_rows, columns, n_jobs) if len(tables) < len(readings) else None
        return [next(found) if each.reader is None else each._read_rows(rows, shares) for each in readings]

    def _read_rows(self, rows: Rows, shares: Any) -> NDArray[np.float64]:
        """Predict by the reader, and add the shares of the leaves where the table predicts."""
        n_rows, columns = rows[0], rows[1] if isinstance(rows[1], list) else list(rows[1].T)
        (row, leaf, share), reader = shares, cast("NodeReader", self.reader)
        node = reader.node[leaf]
        read, voting = np.flatnonzero(node >= 0), np.flatnonzero(node < 0)
        proba = reader.rows.predict(columns, row[read], node[read].astype(np.int32), share[read], n_rows)
        np.add.at(proba, row[voting], share[voting, np.newaxis] * self.table[leaf[voting]])
        return normalize_rows(proba)


@saved(rows=Object("estimates.KernelReader"), node=Array("i8", low=-1))
class NodeReader(NamedTuple):
    """The reader of an estimate, and the node whose rows it takes at each leaf; -1 where the table predicts."""

    rows: RowReader
    node: NDArray[np.intp]


def _allocate(n_rows: int, n_columns: int) -> NDArray[np.float64]:
    """Return memory for probabilities, aligned to a huge page where there is much of it."""
    n_bytes = FLOAT_BYTES * n_rows * n_columns
    if n_bytes < _LARGE_BYTES:
        return np.empty((n_rows, n_columns))
    memory = np.empty(n_bytes + _PAGE_BYTES, dtype=np.uint8)
    start = -memory.ctypes.data % _PAGE_BYTES
    return memory[start : start + n_bytes].view(np.float64).reshape(n_rows, n_columns)
