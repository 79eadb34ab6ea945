"""Coefficients of maps of all classes, corrected by exact gradients over all rows of a source."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant.calibration._fitting.multinomial import LogLoss, Penalty
from calibrant.calibration._fitting.softmax_rows import softmax_rows
from calibrant.calibration._streams.correct import take_steps
from calibrant.calibration._validation import ScoredRows

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.calibration._streams.part_scores import ScoresOfParts
    from calibrant.calibration._streams.passes import ScorePasses

__all__ = ["correct_multinomial"]

_NEAR = 1e-18  # of the mean loss: derivatives of 1e-9, as where the search in memory ends


def correct_multinomial(
    params: NDArray[np.float64],
    passes: ScorePasses,
    logs_of: Callable[[Any], NDArray[np.float64]],
    loss: LogLoss,
    penalty: Penalty,
) -> NDArray[np.float64]:
    """Return the coefficients of all rows, from those of the rows that stand for them.

    Parameters
    ----------
    params : array of shape (n_parameters,)
        The coefficients of least loss of the rows at hand.
    passes : ScorePasses
        The passes over the source.
    logs_of : callable
        Returns the log-probabilities of scores; it can be pickled.
    loss : LogLoss
        The loss of the rows at hand, for its Hessian.
    penalty : Penalty
        The penalty.

    Returns
    -------
    array of shape (n_parameters,)
        Coefficients.
    """
    hessian = loss.hessian(np.exp(loss.log_proba(params))) + np.diag(2.0 * penalty.weight)
    rows = partial(_gradients, type(loss), logs_of, passes.parts)

    def gradient(at: NDArray[np.float64]) -> NDArray[np.float64]:
        return passes.sums(rows, len(at), at) / passes.total + penalty.gradient(at)

    return take_steps(params, gradient, hessian, _NEAR)


def _gradients(
    kind: type[LogLoss],
    logs_of: Callable[[Any], NDArray[np.float64]],
    parts: ScoresOfParts,
    rows: ScoredRows,
    params: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return what each row adds to the derivatives of the loss."""
    logs, weight = logs_of(parts.full_table(rows.scores)), rows.weights()
    by_logit = softmax_rows(kind.row_logits(logs, params)) * weight[:, np.newaxis]
    by_logit[np.arange(len(weight)), rows.codes] -= weight
    return kind.row_gradients(logs, by_logit)
