"""Bootstrap means of very many rows that are of few kinds: the number of rows of each kind is drawn, not the rows.

The numbers of rows of each kind in a bootstrap sample are multinomial, so the replicates have the same distribution as
those of single rows; a million rows take milliseconds instead of seconds.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from calibrant._random import stream
from calibrant.metrics._intervals.bootstrap_plan import BootstrapPlan
from calibrant.metrics._intervals.replicates import MOST_BLOCKS

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["MANY_ROWS", "replicate_few_kinds"]

MANY_ROWS = 50_000  # from here on; ends of intervals then move by less than 5 % of their width
_MOST_KINDS = 1_000
_SAMPLE = 1_000  # rows that show whether a value has few distinct ones
_STREAM = 5  # of the random streams


def replicate_few_kinds(
    plan: BootstrapPlan, values: Sequence[NDArray[np.float64]]
) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
    """Return the means of values in bootstrap replicates, and with blocks of rows left out, a column for each value.

    None where rows are few, of many kinds, of groups or of strata, or where their weights are not whole numbers.

    Examples
    --------
    >>> from calibrant.metrics._validation.read_predictions import read_predictions
    >>> y = np.arange(50_000) % 4 == 0
    >>> drawn, left_out = replicate_few_kinds(BootstrapPlan(read_predictions(y, np.full(50_000, 0.3))), [3.0 * y])
    >>> float(drawn.mean().round(3)), float(drawn.std().round(3)), left_out.shape  # 3 * 0.25, 3 * sqrt(3 / 16 / 50,000)
    (0.75, 0.006, (200, 1))
    """
    is_plain = plan.is_simple and plan.counts_whole_rows and not plan.stratified
    if not is_plain or plan.predictions.n_rows < MANY_ROWS:
        return None
    kinds = _kinds(values)
    if kinds is None:
        return None
    kind, of_kind = kinds
    weight = np.round(np.bincount(kind, plan.predictions.weights, len(of_kind))).astype(np.int64)
    rng = stream(plan.seed, _STREAM)
    drawn = rng.multinomial(weight.sum(), weight / weight.sum(), plan.n_boot)
    left_out = weight - rng.multinomial(weight, np.full(MOST_BLOCKS, 1.0 / MOST_BLOCKS)).T
    means = [(counts @ of_kind) / counts.sum(axis=1, keepdims=True) for counts in (drawn, left_out)]
    return means[0], means[1]


def _kinds(values: Sequence[NDArray[np.float64]]) -> tuple[NDArray[np.intp], NDArray[np.float64]] | None:
    """Return the kind of each row and the values of each kind; None if there are very many."""
    kind, n_kinds = np.zeros(len(values[0]), dtype=np.intp), 1
    for column in values:
        if len(np.unique(column[:_SAMPLE])) > _MOST_KINDS // 4:
            return None
        distinct = np.unique(column)
        if len(distinct) * n_kinds > _MOST_KINDS:
            return None
        kind = kind * len(distinct) + np.searchsorted(distinct, column)
        present = np.flatnonzero(np.bincount(kind, minlength=n_kinds * len(distinct)))
        number = np.zeros(n_kinds * len(distinct), dtype=np.intp)
        number[present] = np.arange(len(present))
        kind, n_kinds = number[kind], len(present)
    row = np.zeros(n_kinds, dtype=np.intp)
    row[kind] = np.arange(len(kind))
    return kind, np.stack([column[row] for column in values], axis=1)
