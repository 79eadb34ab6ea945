"""Logarithmic scores (Good 1952): the surprise at the class that came true."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant.metrics._metric import Metric
from calibrant.metrics._predictions import Predictions, read_predictions

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["LOG_LOSS", "LOG_LOSS_BITS", "log_loss", "log_loss_bits"]


def log_loss(
    y_true: Any, y_proba: Any, *, sample_weight: Any = None, pos_label: Any = None, labels: Any = None
) -> float:
    """Give the mean of -ln p, p the probability that each row's class was given: in nats, from 0 (best).

    It equals scikit-learn's ``log_loss`` but is never clipped: one row whose class was given 0 makes it infinite.

    Parameters
    ----------
    y_true : sequence of length n_rows
        The class of each row.
    y_proba : array of shape (n_rows, n_classes) or (n_rows,)
        The probability of each class, in sorted order or that of `labels`; or of `pos_label` alone.
    sample_weight : sequence of length n_rows, optional
        How often each row counts; a row of weight 0 is as if absent.
    pos_label : optional
        The class that a single column gives the probability of; by default the last sorted one.
    labels : sequence, optional
        The classes in the order of the columns.

    Returns
    -------
    float
        The mean.

    Examples
    --------
    >>> round(log_loss(["no", "yes"], [[0.5, 0.5], [0.25, 0.75]]), 4)
    0.4904
    >>> log_loss(["no", "yes"], [0.0, 0.0])
    inf
    """
    read = read_predictions(y_true, y_proba, sample_weight=sample_weight, pos_label=pos_label, labels=labels)
    return read.mean(_surprise(read))


def log_loss_bits(
    y_true: Any, y_proba: Any, *, sample_weight: Any = None, pos_label: Any = None, labels: Any = None
) -> float:
    """Give the mean of -log2 p, p the probability that each row's class was given: in bits, from 0 (best).

    The log-loss of Zadrozny & Elkan (2001, Table 2); a probability of 0 for what came true makes it infinite.

    Parameters
    ----------
    y_true : sequence of length n_rows
        The class of each row.
    y_proba : array of shape (n_rows, n_classes) or (n_rows,)
        The probability of each class, in sorted order or that of `labels`; or of `pos_label` alone.
    sample_weight : sequence of length n_rows, optional
        How often each row counts; a row of weight 0 is as if absent.
    pos_label : optional
        The class that a single column gives the probability of; by default the last sorted one.
    labels : sequence, optional
        The classes in the order of the columns.

    Returns
    -------
    float
        The mean.

    Examples
    --------
    >>> log_loss_bits(["no", "yes"], [[0.5, 0.5], [0.75, 0.25]])
    1.5
    """
    read = read_predictions(y_true, y_proba, sample_weight=sample_weight, pos_label=pos_label, labels=labels)
    return read.mean(_surprise(read, np.log2))


def _surprise(read: Predictions, log: np.ufunc = np.log) -> NDArray[np.float64]:
    with np.errstate(divide="ignore"):
        return np.asarray(0.0 - log(read.of_own_class()))


LOG_LOSS = Metric("log_loss", log_loss, "lower", 0.0, np.inf, {"Good 1952": "logarithmic score"})
LOG_LOSS_BITS = Metric(
    "log_loss_bits",
    log_loss_bits,
    "lower",
    0.0,
    np.inf,
    {"Zadrozny & Elkan 2001": "log-loss", "Witten, Frank & Hall 2011": "informational loss"},
)
