"""Rows counted in every class by the probability that a blend predicts."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from calibrant.blending._explain.refit import take_columns
from calibrant.data import CodedTable

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.blending._table.blend_table import BlendSample
    from calibrant.trees._internal import TrainingSet

__all__ = ["soft_examples"]


def soft_examples(examples: TrainingSet, sample: BlendSample, proba: NDArray[np.float64]) -> TrainingSet:
    """Return each sampled row once for every class, weighted by its probability.

    Examples
    --------
    >>> from calibrant.blending._table.blend_table import read_blend_table
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
