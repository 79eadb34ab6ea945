"""The one small tree that comes nearest to a blend: grown on its held-out probabilities, the best subtree kept.

M. Bohanec and I. Bratko, "Trading accuracy for simplicity in decision trees", Machine Learning 15, 1994.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import rel_entr

from calibrant import _core
from calibrant.blending._explain.distilled import Distilled
from calibrant.blending._explain.soft_rows import soft_examples
from calibrant.blending._pool.expected_loss import mean_with_error, row_losses
from calibrant.trees import ProbabilityTreeClassifier
from calibrant.trees._internal import GrownTree

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.blending._explain.measured_rows import MeasuredRows
    from calibrant.blending._pool.blend import Blend
    from calibrant.blending._table.blend_table import BlendSample
    from calibrant.trees._internal import TrainingSet

__all__ = ["distill_tree", "measure_tree"]

_CONFIDENCE = 0.95
_MIN_LEAF = 5.0  # rows: fewer are no rule that a person would act on
_MAX_CELLS, _MIN_ROWS = 20_000_000, 1_000  # rows x classes x columns of a tree, 40 MB: bounds time and memory


def distill_tree(
    blend: Blend, examples: TrainingSet, sample: BlendSample, max_leaves: int
) -> ProbabilityTreeClassifier:
    """Fit a tree to the held-out probabilities of a blend and keep its best subtree of at most so many leaves."""
    chosen = _choose(sample, sample.n_classes * examples.table.n_columns)
    soft = soft_examples(examples, sample.take(chosen), blend.held_out[chosen])
    params = ProbabilityTreeClassifier(
        criterion="entropy",
        estimate="frequency",
        threshold="midpoint",
        nominal_splits="binary",
        mdl_penalty=False,
        min_leaf=_MIN_LEAF,
        min_cut="min_leaf",
        max_depth=max(1, max_leaves - 1),  # the longest path of so many leaves
        empty_leaf="parent",
        missing="learned",  # a leaf then has whole rows, and a field left empty can be a rule
        random_state=0,
    )
    grown = GrownTree.grow(soft, params, np.random.SeedSequence(0))
    pruned = replace(grown.tree, core=_core.prune_to_leaves(grown.tree.core, max_leaves))
    return params._adopt(grown.with_tree(pruned, params))


def _choose(sample: BlendSample, cells_of_row: int) -> NDArray[np.bool_]:
    """Return which rows to use: all, or every second, third … where they would have too many cells."""
    most = max(_MIN_ROWS, _MAX_CELLS // cells_of_row)
    return np.asarray(np.arange(sample.n_pieces) % -(-sample.n_pieces // most) == 0)


def measure_tree(tree: ProbabilityTreeClassifier, blend: Blend, rows: MeasuredRows) -> Distilled:
    """Return a distilled tree with what it costs on rows that neither the tree nor its blend has seen."""
    of_blend = blend.proba(rows.to_predict, 1)
    of_tree = tree._reading.predict_proba(rows.rows, 1)
    of_root = np.broadcast_to(tree.tree_.counts[0] / tree.tree_.weight[0], of_tree.shape)
    losses = [row_losses(table, rows.codes) for table in (of_tree, of_blend, of_root)]
    tree_loss, blend_loss, base_loss = (float(np.average(each, weights=rows.weight)) for each in losses)
    cost, error, reach = mean_with_error(losses[0] - losses[1], rows.weight, rows.groups, _CONFIDENCE)
    divergences = rel_entr(of_blend, np.maximum(of_tree, np.finfo(float).tiny)).sum(axis=1)
    return Distilled(
        tree=tree,
        max_leaves=tree.n_leaves_,
        log_loss=tree_loss,
        blend_log_loss=blend_loss,
        base_log_loss=base_loss,
        cost=cost,
        standard_error=error,
        low=cost - reach,
        high=cost + reach,
        confidence=_CONFIDENCE,
        divergence=float(np.average(divergences, weights=rows.weight)),
        n_rows=len(rows.codes),
    )
