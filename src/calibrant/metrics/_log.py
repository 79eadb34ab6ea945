"""Logarithmic scores (Good 1952): the surprise at the class that came true."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant._params import Bool, check_param
from calibrant.metrics._metric import Metric
from calibrant.metrics._predictions import Predictions, read_predictions
from calibrant.metrics._prior import read_prior

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["AVLL", "LOG_LOSS", "LOG_LOSS_BITS", "avll", "log_loss", "log_loss_bits"]

_MOST_EPSILON = 0.005


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


def avll(
    y_true: Any,
    y_proba: Any,
    *,
    sample_weight: Any = None,
    pos_label: Any = None,
    labels: Any = None,
    prior: Any = None,
    only_exact: bool = True,
) -> float:
    """Give the mean of -log2 p as `log_loss_bits` does, but take 0 and 1 for a little more and less than that.

    Nielsen's average log-loss (2004, eq. 11): a probability of exactly 0 counts as e and one of exactly 1 as 1 - e,
    where e is half of the smallest share of a class, at most 0.005. It is finite where a tree is certain and wrong.
    A probability next to 0 is not replaced and may cost more than 0 itself, unless `only_exact` is False.

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
    prior : sequence of length n_classes, dict of class to share, or such a Series, optional
        The share of each class in the training data, in the order of `labels` or else sorted; by default that of the
        rows themselves. Shares of 0 do not make e smaller.
    only_exact : bool
        Replace 0 and 1 only, as the paper does; if False every probability is brought into [e, 1 - e].

    Returns
    -------
    float
        The mean.

    Examples
    --------
    >>> round(avll([0, 1], [0.0, 1.0]), 5)  # -log2 0.995
    0.00723
    >>> round(avll([0, 1], [0.0, 0.0], prior=[0.996, 0.004]), 4)  # (-log2 0.998 - log2 0.002) / 2
    4.4843
    """
    check_param("only_exact", only_exact, Bool())
    read = read_predictions(y_true, y_proba, sample_weight=sample_weight, pos_label=pos_label, labels=labels)
    shares, own = read_prior(prior, read, labels), read.of_own_class()
    epsilon = min(_MOST_EPSILON, 0.5 * float(shares[shares > 0].min()))
    spared = (own > 0.0) & (own < 1.0) if only_exact else False
    return read.mean(-np.log2(np.where(spared, own, np.clip(own, epsilon, 1.0 - epsilon))))


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
AVLL = Metric("avll", avll, "lower", 0.0, np.inf, {"Nielsen 2004": "AvLL"})
