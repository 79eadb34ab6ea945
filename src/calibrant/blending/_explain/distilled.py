"""A small tree in place of a blend, and what it costs."""

from __future__ import annotations

from dataclasses import dataclass

from calibrant.trees import ProbabilityTreeClassifier

__all__ = ["Distilled"]


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
