"""Held-out scores by folds: a model for each fold, fitted without it, and one for all rows of the sample."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from calibrant.blending._members.run_in_threads import run_in_threads

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.blending._table.blend_table import BlendTable

__all__ = ["cross_validate"]

M = TypeVar("M")


def cross_validate(
    fit: Callable[[NDArray[np.float64]], M],
    score: Callable[[M, NDArray[np.intp]], NDArray[np.float64]],
    table: BlendTable,
) -> tuple[M, NDArray[np.float64]]:
    """Return the model of all sampled rows, and the scores of the sampled pieces by models fitted without them.

    Parameters
    ----------
    fit : callable
        Fits a model to the rows with these weights, those of weight 0 absent.
    score : callable
        Returns the class probabilities of rows, by position.
    table : BlendTable
        The rows and folds.

    Returns
    -------
    model, held_out
        The model, and an array of shape (n_pieces, n_classes).
    """

    def run(fold: int | None) -> tuple[M, NDArray[np.float64] | None]:
        model = fit(table.weights_outside(fold))
        if fold is None:
            return model, None
        return model, score(model, table.sample.rows[table.held_out_of(fold)])

    folds = table.sample.folds
    # Of convergence, few rows and the like: no news to the blend. Filters are global, so no thread may change them
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        # The longest fit first, so that no thread is idle at the end
        (whole, _), *parts = run_in_threads(run, [(None,), *((fold,) for fold in folds)], table)
    held_out = np.empty((table.sample.n_pieces, table.n_classes))
    for fold, (_, scores) in zip(folds, parts, strict=True):
        held_out[table.held_out_of(fold)] = scores
    return whole, held_out
