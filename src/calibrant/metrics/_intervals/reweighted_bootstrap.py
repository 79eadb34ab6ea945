"""Replicates of metrics that the core does not know: the one ranking is kept, its rows are weighed anew each time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from calibrant._random import stream
from calibrant.metrics._intervals.bootstrap_plan import Judged
from calibrant.metrics._intervals.replicates import Sampling, left_out_blocks
from calibrant.metrics._metric import Metric
from calibrant.metrics._validation.prediction_rows import Predictions

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["by_rank", "weighed_anew"]

_STREAM = 3  # of the root of randomness; 0 and 1 are the core's replicates

Drawn = tuple["NDArray[np.float64]", "NDArray[np.float64] | None"]


def weighed_anew(
    judged: Judged, metrics: Mapping[str, Metric], order: NDArray[np.intp] | None = None
) -> dict[str, Drawn]:
    """Judge the rows weighed by how often they are drawn, and with parts of them left out.

    Parameters
    ----------
    judged : Judged
        The rows and how they are drawn.
    metrics : dict of str to Metric
        What to judge them by.
    order : array of shape (n_rows,), optional
        The order in which the rows are drawn, by default from the likeliest to the least likely, so that each
        replicate finds them sorted; told where those of two models are to be the same.

    Returns
    -------
    dict of str to two arrays
        The values in replicates, and with parts of the rows left out; None for the latter where units have copies.

    Examples
    --------
    >>> from calibrant.metrics import METRICS
    >>> from calibrant.metrics._validation.predictions import read_predictions
    >>> judged = Judged(read_predictions([0, 1, 1], [0.5, 0.5, 0.5]), n_boot=4)
    >>> weighed_anew(judged, {"mse": METRICS["mse"]})["mse"]
    (array([0.5, 0.5, 0.5, 0.5]), array([0.5, 0.5, 0.5]))
    """
    order = by_rank(judged.read) if order is None else order
    sampling, laid_out = judged.sampling(order), _some(judged.read, order)
    values: dict[str, list[float]] = {name: [] for name in metrics}
    for counts in _counts(sampling, judged):
        of_rows = counts if sampling.unit is None else counts[sampling.unit]
        read = _weighed(laid_out, of_rows if sampling.row_weight is None else of_rows * sampling.row_weight)
        for name, metric in metrics.items():
            values[name].append(metric.judge(read))
    found = {name: np.split(np.array(of_metric), [judged.n_boot]) for name, of_metric in values.items()}
    return {name: (drawn, left_out if len(left_out) else None) for name, (drawn, left_out) in found.items()}


def by_rank(read: Predictions) -> NDArray[np.intp]:
    """Give the rows from the likeliest to be of the positive class to the least likely.

    Examples
    --------
    >>> from calibrant.metrics._validation.predictions import read_predictions
    >>> by_rank(read_predictions([0, 1, 1], [0.5, 0.2, 0.7]))
    array([2, 0, 1])
    """
    return np.argsort(-read.column(read.positive), kind="stable")


def _counts(sampling: Sampling, judged: Judged) -> Iterator[NDArray[np.float64]]:
    """Give how often each unit counts: in each replicate, then with each block of units left out."""
    for number in range(judged.n_boot):
        yield _drawn(sampling, stream(judged.seed, _STREAM, number))
    blocks = left_out_blocks(sampling, judged.seed)
    for block in () if blocks is None else np.unique(blocks):
        yield np.where(blocks == block, 0.0, 1.0)


def _drawn(sampling: Sampling, rng: np.random.Generator) -> NDArray[np.float64]:
    counts = np.zeros(sampling.n_units)
    begin = 0
    for end in sampling.stratum_ends.astype(np.int64).tolist():
        copies = None if sampling.unit_weight is None else sampling.unit_weight[begin:end]
        n_drawn = end - begin if copies is None else max(1, round(float(copies.sum())))
        shares = None if copies is None else copies / copies.sum()
        places = rng.choice(end - begin, n_drawn, p=shares) if end > begin else np.empty(0, dtype=np.int64)
        counts[begin:end] = np.bincount(places, minlength=end - begin)
        begin = end
    return counts


def _weighed(read: Predictions, weights: NDArray[np.float64]) -> Predictions:
    kept = np.flatnonzero(weights)
    return replace(_some(read, kept), weights=weights[kept])


def _some(read: Predictions, rows: NDArray[np.intp]) -> Predictions:
    return replace(
        read, label=read.label[rows], table=np.ascontiguousarray(read.table[rows]), weights=None, kept=read.rows[rows]
    )
