"""The one small tree that comes nearest to a blend: grown on its held-out probabilities, the best subtree kept.

M. Bohanec and I. Bratko, "Trading accuracy for simplicity in decision trees", Machine Learning 15, 1994.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import rel_entr

from calibrant import _core
from calibrant.blending._blend import Blend, mean_with_error, row_losses
from calibrant.blending._measured_rows import MeasuredRows, take_columns
from calibrant.blending._table import BlendSample
from calibrant.data import CodedTable
from calibrant.trees import ProbabilityTreeClassifier
from calibrant.trees._internal import GrownTree, TrainingSet


@dataclass(frozen=True, eq=False, repr=False)
class Distilled:
    """The small tree nearest to a blend, with what it costs in log-loss; its repr shows both.

    Log-losses are in nats, on rows that neither the blend nor the tree has seen. Where none are passed to `distill`,
    they are those of a blend and a tree made of three quarters of the training rows, on the rest.

    Parameters
    ----------
    tree : ProbabilityTreeClassifier
        The fitted tree. The probabilities of a leaf are the mean of the blend's at its rows; ``tree.tree_.counts``
        are the numbers of rows of each class that the blend expects there.
    max_leaves : int
        The number of leaves allowed.
    log_loss : float
        The log-loss of the tree.
    blend_log_loss : float
        The log-loss of the blend on the same rows.
    base_log_loss : float
        The log-loss of a tree of one leaf, which predicts the base rates.
    cost : float
        The log-loss of the tree less that of the blend.
    standard_error : float
        The standard error of the cost, from differences of the same rows; the rows of a group are one observation.
    low, high : float
        The ends of the interval of the cost.
    confidence : float
        The confidence of the interval.
    divergence : float
        The mean Kullback-Leibler divergence of the tree's probabilities from the blend's: what the tree would cost if
        the blend's probabilities were the true ones.
    n_rows : int
        Number of rows that all this was measured on.

    Examples
    --------
    >>> from calibrant.blending import ProbabilityClassifier
    >>> from calibrant.data import load
    >>> donors = load("appeal")
    >>> model = ProbabilityClassifier(members=["bayes", "logistic"], random_state=0).fit(donors.X, donors.y)
    >>> small = model.distill(max_leaves=3)
    >>> small.n_leaves
    3
    >>> small.base_log_loss > small.log_loss > small.blend_log_loss
    True
    """

    tree: ProbabilityTreeClassifier
    max_leaves: int
    log_loss: float
    blend_log_loss: float
    base_log_loss: float
    cost: float
    standard_error: float
    low: float
    high: float
    confidence: float
    divergence: float
    n_rows: int

    @property
    def n_leaves(self) -> int:
        """Number of leaves of the tree."""
        return self.tree.n_leaves_

    @property
    def share_kept(self) -> float:
        """The share of the blend's gain over the base rates that the tree keeps; NaN where the blend has no gain."""
        gain = self.base_log_loss - self.blend_log_loss
        return (self.base_log_loss - self.log_loss) / gain if gain > 0 else float("nan")

    def __repr__(self) -> str:
        leaves = "1 leaf" if self.n_leaves == 1 else f"{self.n_leaves} leaves"
        return (
            f"{self.tree.export_text()}\n"
            f"This tree of {leaves} has a log-loss of {self.log_loss:.4f} on {self.n_rows:,} held-out rows, where the "
            f"blend has {self.blend_log_loss:.4f}:\nit costs {self.cost:.4f} ({100 * self.confidence:g} % interval "
            f"{self.low:.4f} to {self.high:.4f}){self._kept}."
        )

    @property
    def _kept(self) -> str:
        if not self.share_kept > 0:
            return ""
        share = "all" if self.share_kept >= 0.995 else f"{100 * self.share_kept:.0f} %"
        return f" and keeps {share} of what the blend gains over the base rates"


def soft_examples(examples: TrainingSet, sample: BlendSample, proba: NDArray[np.float64]) -> TrainingSet:
    """Return each sampled row once for every class, weighted by its probability.

    Examples
    --------
    >>> from calibrant.blending._table import read_blend_table
    >>> seed = np.random.SeedSequence(0)
    >>> table = read_blend_table([[1.0], [2.0]], ["a", "b"], [1, 2], None, seed=seed, n_threads=1)
    >>> proba = np.array([[0.8, 0.2], [0.3, 0.7], [0.5, 0.5]])
    >>> soft = soft_examples(table.examples, table.sample, proba)
    >>> soft.weights, soft.labels, soft.column(0, np.arange(6))
    (array([0.8, 0.2, 0.3, 0.7, 0.5, 0.5]), array([0, 1, 0, 1, 0, 1], dtype=uint16), array([1., 1., 2., 2., 2., 2.]))
    """
    n_classes = proba.shape[1]
    together = sample.rows if sample.groups is None else sample.groups
    return replace(
        examples,
        labels=np.tile(examples.order.astype(np.uint16), sample.n_pieces),
        weights=(sample.weight[:, np.newaxis] * proba).ravel(),
        table=CodedTable.from_columns(take_columns(examples, np.repeat(sample.rows, n_classes)), n_jobs=1),
        cases=None,
        copies=None,
        groups=np.unique(np.repeat(together, n_classes), return_inverse=True)[1],  # folds keep a row's classes together
    )


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
    """Return a mask of the rows to use: all, or every second, third … where they would have too many cells."""
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
