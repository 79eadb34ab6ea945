"""The weights of rows by what a tree predicts: by leaf and class, or by mixture where a row reaches several leaves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant import _core
from calibrant.ensembles._boosting.adaboost_variants import MemberPredictions

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.data._internal import Bins, CodedPart
    from calibrant.ensembles._levels.boosted_weights import BoostedWeights

__all__ = ["PredictedWeights", "find_mixtures", "leaves_of", "mixtures_of", "sum_predicted"]


@dataclass(frozen=True, eq=False)
class PredictedWeights:
    """The weights of rows by node and class, and of those that reach several leaves by mixture and class.

    A row that was not drawn reaches several leaves where its value is missing and no drawn row's is. `mixtures` are
    distinct and sorted, with the class in the last column.
    """

    by_node: NDArray[np.float64]
    mixtures: NDArray[np.float64]
    by_mixture: NDArray[np.float64]

    @classmethod
    def of_leaves(cls, core: Any, n_classes: int) -> PredictedWeights:
        """Return the weights of the rows from which a tree was grown."""
        is_leaf = np.asarray(core.feature)[:, np.newaxis] == -1
        counts = np.where(is_leaf, np.reshape(core.counts, (-1, n_classes)), 0.0)
        return cls(counts, np.empty((0, n_classes + 1)), np.empty(0))

    @classmethod
    def sum(cls, several: Sequence[PredictedWeights]) -> PredictedWeights:
        """Return the weights of the rows of several parts."""
        every = np.concatenate([each.mixtures for each in several])
        mixtures, numbers = _distinct(every)
        weights = np.concatenate([each.by_mixture for each in several])
        by_node = np.add.reduce([each.by_node for each in several])
        return cls(by_node, mixtures, _sums(numbers, weights, len(mixtures)))

    def predictions(self, proba: NDArray[np.float64]) -> MemberPredictions:
        """Return the predictions of a tree with these probabilities at its nodes, one for each node and class first."""
        n_nodes, n_classes = proba.shape
        return MemberPredictions(
            np.concatenate([np.repeat(proba, n_classes, axis=0), self.mixtures[:, :-1]]),
            np.concatenate([np.tile(np.arange(n_classes), n_nodes), self.mixtures[:, -1].astype(np.intp)]),
            np.concatenate([self.by_node.ravel(), self.by_mixture]),
        )


def sum_predicted(
    state: tuple[Any, ...], proba: NDArray[np.float64], rows: BoostedWeights, part: CodedPart
) -> PredictedWeights:
    """Return the weights of the rows of a part by what a tree predicts for them; `proba` are those of its nodes."""
    n_nodes, n_classes = proba.shape
    tree, weights = _core.restore_tree(n_classes, state), rows.of_rows(part)
    nodes = leaves_of(tree, rows.bins, part)
    one, several = nodes >= 0, np.flatnonzero((nodes < 0) & (weights > 0))
    cells = nodes[one].astype(np.intp) * n_classes + part.labels[one]
    by_node = _sums(cells, weights[one], n_nodes * n_classes).reshape(n_nodes, n_classes)
    mixtures, numbers = _distinct(mixtures_of(tree, proba, rows.bins, part, several))
    return PredictedWeights(by_node, mixtures, _sums(numbers, weights[several], len(mixtures)))


def leaves_of(tree: _core.Tree, bins: Bins, part: CodedPart) -> NDArray[np.int32]:
    """Return the leaf of each row of a part; -1 where it reaches several."""
    nodes = np.zeros(part.n_rows, dtype=np.int32)
    _core.route_rows(tree, bins.table(part.matrix).core, nodes)
    return nodes


def mixtures_of(
    tree: _core.Tree, proba: NDArray[np.float64], bins: Bins, part: CodedPart, rows: NDArray[np.intp]
) -> NDArray[np.float64]:
    """Return the probabilities of some rows, mixed over their leaves, and their classes in the last column."""
    mixed = np.empty((len(rows), proba.shape[1]))
    if len(rows):
        _core.predict_tree(tree, len(rows), bins.table(part.matrix[rows]).core, [proba], [mixed], 1)
    return np.column_stack([mixed, part.labels[rows]])


def find_mixtures(mixtures: NDArray[np.float64], wanted: NDArray[np.float64]) -> NDArray[np.intp]:
    """Return the positions of mixtures among distinct sorted ones, which hold them all.

    Examples
    --------
    >>> mixtures = np.array([[0.25, 0.75, 0.0], [0.25, 0.75, 1.0], [0.5, 0.5, 0.0]])
    >>> find_mixtures(mixtures, mixtures[[2, 0]])
    array([2, 0])
    """
    return _distinct(np.concatenate([mixtures, wanted]))[1][len(mixtures) :]


def _distinct(rows: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    """Return the distinct rows, sorted, and the position of each row among them."""
    found, positions = np.unique(rows, axis=0, return_inverse=True)
    return found, positions.reshape(-1)


def _sums(cells: NDArray[np.intp], weights: NDArray[np.float64], n_cells: int) -> NDArray[np.float64]:
    return np.bincount(cells, weights, n_cells).astype(np.float64)  # without rows they are integers
