"""Replicates of metrics that the core does not compute: the rows are reweighted, in the order of one ranking."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from calibrant._random import stream
from calibrant.metrics._intervals.bootstrap_plan import BootstrapPlan
from calibrant.metrics._intervals.replicates import Draws, Sampling, left_out_blocks
from calibrant.metrics._metric import Metric
from calibrant.metrics._validation.predictions import Predictions

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["reweighted_bootstrap"]

_STREAM = 3  # of the random streams; 0 and 1 are the core's replicates, 2 consistency resampling


def reweighted_bootstrap(
    plan: BootstrapPlan, metrics: Mapping[str, Metric], order: NDArray[np.intp] | None = None
) -> dict[str, Draws]:
    """Return metrics of the rows weighted by how often they are drawn, and with blocks of them left out.

    Rows are arranged by `order`, by default from the most to the least likely, so that each replicate is sorted
    already; it is passed to resample the same rows for two models.

    Examples
    --------
    >>> from calibrant.metrics import METRICS
    >>> from calibrant.metrics._validation.read_predictions import read_predictions
    >>> plan = BootstrapPlan(read_predictions([0, 1, 1], [0.5, 0.5, 0.5]), n_boot=4)
    >>> reweighted_bootstrap(plan, {"mse": METRICS["mse"]})["mse"]
    (array([0.5, 0.5, 0.5, 0.5]), array([0.5, 0.5, 0.5]))
    """
    order = plan.predictions.rank_order if order is None else order
    sampling, arranged = plan.sampling(order), _take(plan.predictions, order)
    values: dict[str, list[float]] = {name: [] for name in metrics}
    for counts in _counts(sampling, plan):
        weights = counts if sampling.unit is None else counts[sampling.unit]
        predictions = _reweighted(arranged, weights if sampling.row_weight is None else weights * sampling.row_weight)
        for name, metric in metrics.items():
            values[name].append(metric.judge(predictions))
    found = {name: np.split(np.array(of_metric), [plan.n_boot]) for name, of_metric in values.items()}
    return {name: (drawn, left_out if len(left_out) else None) for name, (drawn, left_out) in found.items()}


def _counts(sampling: Sampling, plan: BootstrapPlan) -> Iterator[NDArray[np.float64]]:
    """Yield the weight of each unit: in each replicate, then with each block of units left out."""
    for number in range(plan.n_boot):
        yield _draw_counts(sampling, stream(plan.seed, _STREAM, number))
    blocks = left_out_blocks(sampling, plan.seed)
    for block in () if blocks is None else np.unique(blocks):
        yield np.where(blocks == block, 0.0, 1.0)


def _draw_counts(sampling: Sampling, rng: np.random.Generator) -> NDArray[np.float64]:
    counts = np.zeros(sampling.n_units)
    begin = 0
    for end in sampling.stratum_ends.astype(np.int64).tolist():
        copies = None if sampling.unit_weight is None else sampling.unit_weight[begin:end]
        n_drawn = end - begin if copies is None else max(1, round(float(copies.sum())))
        chances = None if copies is None else copies / copies.sum()
        drawn = rng.choice(end - begin, n_drawn, p=chances) if end > begin else np.empty(0, dtype=np.int64)
        counts[begin:end] = np.bincount(drawn, minlength=end - begin)
        begin = end
    return counts


def _reweighted(predictions: Predictions, weights: NDArray[np.float64]) -> Predictions:
    kept = np.flatnonzero(weights)
    return replace(_take(predictions, kept), weights=weights[kept])


def _take(predictions: Predictions, rows: NDArray[np.intp]) -> Predictions:
    return replace(
        predictions,
        label=predictions.label[rows],
        table=np.ascontiguousarray(predictions.table[rows]),
        weights=None,
        kept=predictions.rows[rows],
    )
