"""Squared errors of probabilities (Brier 1950)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant.metrics._metric import Metric
from calibrant.metrics._predictions import Predictions, read_predictions

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["MSE", "MSE01", "mse", "mse01"]


def mse(y_true: Any, y_proba: Any, *, sample_weight: Any = None, pos_label: Any = None, labels: Any = None) -> float:
    """Give the mean, over rows, of the squared errors of all classes: Brier's score, from 0 (best) to 2.

    With two classes it is twice scikit-learn's ``brier_score_loss``. Zadrozny & Elkan (2001, Tables 1 and 4) call it
    MSE; Chawla & Cieslak (2006) call the loss of a row quadratic.

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
    >>> round(mse(["no", "yes", "no"], [0.1, 0.8, 0.4]), 3)  # 2 (0.01 + 0.04 + 0.16) / 3
    0.14
    """
    read = read_predictions(y_true, y_proba, sample_weight=sample_weight, pos_label=pos_label, labels=labels)
    return read.mean(_squared_errors(read))


def mse01(y_true: Any, y_proba: Any, *, sample_weight: Any = None, pos_label: Any = None, labels: Any = None) -> float:
    """Give the mean, over rows, of the squared error of the class that came true alone: from 0 (best) to 1.

    Nielsen's 0/1-MSE (2004, eq. 10). With two classes it is half of `mse`. With more it is no multiple of it, and the
    true probabilities do not score best: those that overstate the likelier classes do. Prefer `mse` there.

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
    >>> round(mse01(["no", "yes", "no"], [0.1, 0.8, 0.4]), 3)  # (0.01 + 0.04 + 0.16) / 3
    0.07
    """
    read = read_predictions(y_true, y_proba, sample_weight=sample_weight, pos_label=pos_label, labels=labels)
    return read.mean((1.0 - read.of_own_class()) ** 2)


def _squared_errors(read: Predictions) -> NDArray[np.float64]:
    errors = read.proba.copy()
    errors[np.arange(read.n_rows), read.label] -= 1.0
    return np.asarray(np.einsum("ij,ij->i", errors, errors))


MSE = Metric(
    "mse", mse, "lower", 0.0, 2.0, {"Zadrozny & Elkan 2001": "MSE", "Chawla & Cieslak 2006": "QL", "Brier 1950": "P"}
)
MSE01 = Metric("mse01", mse01, "lower", 0.0, 1.0, {"Nielsen 2004": "0/1-MSE"})
