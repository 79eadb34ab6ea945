"""How much larger than that of independent rows the variance of clustered or weighted rows is (Kish 1965)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.metrics._intervals.bootstrap_plan import BootstrapPlan
    from calibrant.metrics._validation.predictions import BinaryRows

__all__ = ["design_effect"]

_RANGES = (1, 2, 4, 8)  # numbers of ranges of equal weight that the rows are split into, by probability
_FEWEST = 10  # clusters of a range; the variance between fewer is not known


def design_effect(plan: BootstrapPlan, rows: BinaryRows | None = None, kept: NDArray[np.intp] | None = None) -> float:
    """Return the weight of rows that counts as one independent row: the largest of several ranges of probabilities.

    Rows are those that calibration errors judge, unless others of the plan are passed, with their indices.

    Examples
    --------
    >>> from calibrant.metrics._intervals.bootstrap_plan import BootstrapPlan
    >>> from calibrant.metrics._validation.read_predictions import read_predictions
    >>> rows = read_predictions(np.repeat([0, 1], 100), np.tile([0.3, 0.7], 100))
    >>> design_effect(BootstrapPlan(rows)), round(design_effect(BootstrapPlan(rows, np.arange(200) // 10)), 1)
    (1.0, 9.1)
    """
    clusters = plan.clusters()
    if clusters is None:
        return 1.0
    rows = plan.predictions.calibration_rows() if rows is None else rows
    clusters = clusters if kept is None else np.unique(clusters[kept], return_inverse=True)[1]
    weight = np.ones(len(rows.proba)) if rows.weight is None else rows.weight
    rank = np.empty(len(weight))
    order = np.argsort(rows.proba, kind="stable")
    rank[order] = np.cumsum(weight[order]) - weight[order]
    share = rank / weight.sum()
    residual = rows.positive - rows.proba
    found = [_largest(residual, weight, clusters, np.minimum(share * n, n - 1).astype(np.intp)) for n in _RANGES]
    return max(1.0 if plan.weight_kind == "frequency" else 0.0, *found)


def _largest(
    residual: NDArray[np.float64], weight: NDArray[np.float64], cluster: NDArray[np.intp], part: NDArray[np.intp]
) -> float:
    """Return the largest ratio, over the parts, of the variance between clusters to that of independent rows."""
    mean = np.bincount(part, weight * residual) / np.bincount(part, weight)
    away = residual - mean[part]
    n_parts, n_clusters = len(mean), int(cluster.max()) + 1
    key = cluster * n_parts + part
    sums = np.bincount(key, weight * away, n_clusters * n_parts).reshape(n_clusters, n_parts)
    n_found = (np.bincount(key, minlength=n_clusters * n_parts).reshape(n_clusters, n_parts) > 0).sum(axis=0)
    alone = np.bincount(part, weight * away**2)
    is_known = (n_found >= min(_FEWEST, n_clusters)) & (alone > 0.0) & (n_found > 1)
    ratio = (sums**2).sum(axis=0)[is_known] / alone[is_known] * (n_found / np.maximum(n_found - 1.0, 1.0))[is_known]
    return float(ratio.max(initial=0.0))
