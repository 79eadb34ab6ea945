"""Coefficients that were fitted to a grid or a sample, corrected by exact gradients over all rows of a source.

The Hessian of the grid or the sample is nearly that of all rows, so that each pass gains digits: with a grid one or two
passes reach those of a fit in memory, with a sample some more.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import expit

from calibrant.calibration._fitting.logistic import Target, logistic_hessian, near_of, solve_step
from calibrant.calibration._validation import ScoredRows

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.calibration._streams.passes import ScorePasses

    ColumnsOf = Callable[[NDArray[np.float64]], Sequence[NDArray[np.float64]]]

__all__ = ["correct_logistic", "take_steps"]

_MOST_PASSES = 30  # each gains about 1.5 digits with a sample, and eight with a grid


def take_steps(
    coef: NDArray[np.float64],
    gradient: Callable[[NDArray[np.float64]], NDArray[np.float64]],
    hessian: NDArray[np.float64],
    near: float,
) -> NDArray[np.float64]:
    """Return coefficients after Newton steps with a fixed Hessian, until a step gains less than `near` in the loss.

    Steps end too where they gain no less than the one before, as where no loss is the least; that one is undone.

    Examples
    --------
    >>> take_steps(np.array([9.0]), lambda x: 2.0 * (x - 3.0), np.array([[2.1]]), 1e-20).round(9)
    array([3.])
    """
    before, least = coef, np.inf
    for _ in range(_MOST_PASSES):
        slopes = gradient(coef)
        step = -solve_step(hessian, slopes)
        gain = -float(slopes @ step)
        if not gain < least:
            return before
        before, coef, least = coef, coef + step, gain
        if gain <= near:
            break
    return coef


def correct_logistic(
    coef: NDArray[np.float64],
    passes: ScorePasses | None,
    columns_of: ColumnsOf,
    columns: Sequence[NDArray[np.float64]],
    target: Target,
    *,
    penalty: NDArray[np.float64] | None = None,
    towards: NDArray[np.float64] | None = None,
    pinned: bool = False,
) -> NDArray[np.float64]:
    """Return the coefficients of a logistic regression of all rows, from those of a grid.

    Parameters
    ----------
    coef : array of shape (n_columns + 1,)
        The coefficients of the grid, the intercept last.
    passes : ScorePasses or None
        The passes over the source; None returns the coefficients as they are.
    columns_of : callable
        Returns the columns for scores of shape (n_rows,); it can be pickled.
    columns, target : sequence of arrays, Target
        The columns and the target probabilities of the grid.
    penalty, towards : arrays of shape (n_columns + 1,), optional
        As in `fit_logistic`.
    pinned : bool
        Whether the intercept stays as it is.

    Returns
    -------
    array of shape (n_columns + 1,)
        Coefficients.
    """
    if passes is None:
        return coef
    penalty = np.zeros_like(coef) if penalty is None else penalty
    towards = np.zeros_like(coef) if towards is None else towards
    hessian = logistic_hessian(columns, target, coef) + np.diag(penalty)

    def gradient(at: NDArray[np.float64]) -> NDArray[np.float64]:
        rows = partial(_logistic_gradients, columns_of, passes.column, (target.low, target.high))
        sums = passes.sums(rows, len(at), at) + penalty * (at - towards)
        return np.where(np.arange(len(at)) == len(at) - 1, 0.0, sums) if pinned else sums

    return take_steps(coef, gradient, hessian, near_of(passes.total))


def _logistic_gradients(
    columns_of: ColumnsOf,
    column: int | None,
    targets: tuple[float, float],
    rows: ScoredRows,
    coef: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return what each row adds to the derivatives of the loss."""
    columns = columns_of(np.ascontiguousarray(rows.scores[:, column or 0]))
    log_odds = np.full(len(rows.codes), coef[-1])
    for slope, each in zip(coef, columns, strict=False):
        log_odds += slope * each
    low, high = targets
    wanted = np.where(rows.codes == (1 if column is None else column), high, low)
    residual = rows.weights() * (expit(log_odds) - wanted)
    return np.stack([*(residual * each for each in columns), residual], axis=1)
