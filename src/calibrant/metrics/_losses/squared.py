"""Squared errors of probabilities (Brier 1950)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant._params import Choice, check_param
from calibrant.metrics._losses.mean_losses import mean_squared_error
from calibrant.metrics._metric import Metric
from calibrant.metrics._validation.predictions import Predictions, read_predictions

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["BRIER", "MSE", "MSE01", "QL", "RMS", "brier", "mse", "mse01", "ql", "quadratic_loss", "rms"]

_FORMS = Choice("sum", "half")


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
    return mean_squared_error(
        read_predictions(y_true, y_proba, sample_weight=sample_weight, pos_label=pos_label, labels=labels)
    )


def brier(
    y_true: Any,
    y_proba: Any,
    *,
    sample_weight: Any = None,
    pos_label: Any = None,
    labels: Any = None,
    form: str = "sum",
) -> float:
    """Give Brier's score, in the form of his paper or in that of most programs.

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
    form : {"sum", "half"}
        The squared errors of all classes are summed, as Brier (1950) does, from 0 (best) to 2: `mse`. Or half of
        that is taken, from 0 to 1: with two classes the squared error of the positive one, which is scikit-learn's
        ``brier_score_loss``.

    Returns
    -------
    float
        The mean over rows.

    Examples
    --------
    >>> round(brier(["no", "yes"], [0.1, 0.6]), 3), round(brier(["no", "yes"], [0.1, 0.6], form="half"), 3)
    (0.17, 0.085)
    """
    return _brier(
        read_predictions(y_true, y_proba, sample_weight=sample_weight, pos_label=pos_label, labels=labels), form
    )


def _brier(read: Predictions, form: str = "sum") -> float:
    check_param("form", form, _FORMS)
    return mean_squared_error(read) / (2.0 if form == "half" else 1.0)


def ql(y_true: Any, y_proba: Any, *, sample_weight: Any = None, pos_label: Any = None, labels: Any = None) -> float:
    """Give the mean quadratic loss, 1 - 2 p_y + sum of p_j^2: from 0 (best) to 2.

    The average that Chawla & Cieslak (2006) report. It is the same number as `mse`, since exactly one class comes
    true. Witten, Frank & Hall (2011, 5.6) sum over the rows instead: see `quadratic_loss`.

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
    >>> ql([0, 1], [0.0, 0.0])  # a certain hit costs 0, a certain miss 2
    1.0
    """
    return mean_squared_error(
        read_predictions(y_true, y_proba, sample_weight=sample_weight, pos_label=pos_label, labels=labels)
    )


def rms(y_true: Any, y_proba: Any, *, sample_weight: Any = None, pos_label: Any = None, labels: Any = None) -> float:
    """Give the root of the mean squared error of a probability: from 0 (best) to 1.

    With two classes it is that of the positive one, as in Caruana & Niculescu-Mizil (2006); with K it is the root of
    `mse` / K, as Weka's root mean squared error.

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
        The root.

    Examples
    --------
    >>> round(rms([0, 1], [0.3, 0.6]), 4)  # the root of (0.09 + 0.16) / 2
    0.3536
    """
    return _rms(read_predictions(y_true, y_proba, sample_weight=sample_weight, pos_label=pos_label, labels=labels))


def _rms(read: Predictions) -> float:
    return math.sqrt(mean_squared_error(read) / max(read.n_classes, 2))


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
    return _mse01(read_predictions(y_true, y_proba, sample_weight=sample_weight, pos_label=pos_label, labels=labels))


def _mse01(read: Predictions) -> float:
    return mean_squared_error(read, own_only=True)


def quadratic_loss(
    y_true: Any, y_proba: Any, *, sample_weight: Any = None, pos_label: Any = None, labels: Any = None
) -> NDArray[np.float64]:
    """Give the quadratic loss of each row, 1 - 2 p_y + sum of p_j^2: from 0 to 1 + sum of p_j^2, at most 2.

    Witten, Frank & Hall (2011, 5.6) sum it over the rows; its mean is `ql`.

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
    array of shape (n_rows,)
        The loss of each row that was given; 0 for one of weight 0.

    Examples
    --------
    >>> quadratic_loss(["a", "b"], [[1, 0, 0], [0.5, 0.25, 0.25]], labels=["a", "b", "c"])
    array([0.   , 0.875])
    """
    read = read_predictions(y_true, y_proba, sample_weight=sample_weight, pos_label=pos_label, labels=labels)
    errors = read.proba.copy()
    errors[np.arange(read.n_rows), read.label] -= 1.0
    losses = np.zeros(read.n_given)
    losses[read.rows] = np.einsum("ij,ij->i", errors, errors)
    return losses


MSE = Metric(
    "mse",
    mse,
    mean_squared_error,
    "lower",
    0.0,
    2.0,
    {"Zadrozny & Elkan 2001": "MSE", "Chawla & Cieslak 2006": "QL", "Brier 1950": "P"},
)
BRIER = Metric("brier", brier, _brier, "lower", 0.0, 2.0, {"Brier 1950": "P"})
QL = Metric(
    "ql",
    ql,
    mean_squared_error,
    "lower",
    0.0,
    2.0,
    {"Chawla & Cieslak 2006": "QL", "Witten, Frank & Hall 2011": "quadratic loss"},
)
RMS = Metric(
    "rms",
    rms,
    _rms,
    "lower",
    0.0,
    1.0,
    {"Caruana & Niculescu-Mizil 2006": "RMS", "Witten, Frank & Hall 2011": "root mean squared error"},
)
MSE01 = Metric("mse01", mse01, _mse01, "lower", 0.0, 1.0, {"Nielsen 2004": "0/1-MSE"})
