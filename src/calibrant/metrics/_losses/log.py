"""Logarithmic scores (Good 1952): the surprise at the class that came true."""

from __future__ import annotations

import math
from typing import Any

from calibrant._params import Bool, Nothing, Real, check_param
from calibrant.metrics._losses.mean_losses import surprise
from calibrant.metrics._metric import Metric
from calibrant.metrics._validation.predictions import Predictions, read_predictions
from calibrant.metrics._validation.prior import read_prior

__all__ = ["AVLL", "LOG_LOSS", "LOG_LOSS_BITS", "MXE", "NCE", "avll", "log_loss", "log_loss_bits", "mxe", "nce"]

_MOST_EPSILON = 0.005
_CLIP = Real(0, 0.5, closed="left") | Nothing()
_BASE = Real(1, closed="neither")


def log_loss(
    y_true: Any,
    y_proba: Any,
    *,
    sample_weight: Any = None,
    pos_label: Any = None,
    labels: Any = None,
    clip: float | None = None,
) -> float:
    """Give the mean of -ln p, p the probability that each row's class was given: in nats, from 0 (best).

    It equals scikit-learn's ``log_loss`` but is never clipped unless that is asked for: one row whose class was given
    0 makes it infinite. `infinite_rows` tells which rows do.

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
    clip : float, optional
        Bring probabilities into [clip, 1 - clip] first; scikit-learn uses 2.2e-16.

    Returns
    -------
    float
        The mean.

    Examples
    --------
    >>> round(log_loss(["no", "yes"], [[0.5, 0.5], [0.25, 0.75]]), 4)
    0.4904
    >>> log_loss(["no", "yes"], [0.0, 0.0]), round(log_loss(["no", "yes"], [0.0, 0.0], clip=1e-6), 3)
    (inf, 6.908)
    """
    return _mean_surprise(
        read_predictions(y_true, y_proba, sample_weight=sample_weight, pos_label=pos_label, labels=labels), clip
    )


def log_loss_bits(
    y_true: Any,
    y_proba: Any,
    *,
    sample_weight: Any = None,
    pos_label: Any = None,
    labels: Any = None,
    clip: float | None = None,
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
    clip : float, optional
        Bring probabilities into [clip, 1 - clip] first.

    Returns
    -------
    float
        The mean.

    Examples
    --------
    >>> log_loss_bits(["no", "yes"], [[0.5, 0.5], [0.75, 0.25]])
    1.5
    """
    return _bits(
        read_predictions(y_true, y_proba, sample_weight=sample_weight, pos_label=pos_label, labels=labels), clip
    )


def mxe(
    y_true: Any,
    y_proba: Any,
    *,
    sample_weight: Any = None,
    pos_label: Any = None,
    labels: Any = None,
    clip: float | None = None,
) -> float:
    """Give the mean cross-entropy in nats: another name of `log_loss` (Caruana & Niculescu-Mizil 2006).

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
    clip : float, optional
        Bring probabilities into [clip, 1 - clip] first.

    Returns
    -------
    float
        The mean.

    Examples
    --------
    >>> round(mxe([0, 1], [0.5, 0.5]), 4)
    0.6931
    """
    return _mean_surprise(
        read_predictions(y_true, y_proba, sample_weight=sample_weight, pos_label=pos_label, labels=labels), clip
    )


def nce(
    y_true: Any,
    y_proba: Any,
    *,
    sample_weight: Any = None,
    pos_label: Any = None,
    labels: Any = None,
    base: float = math.e,
    clip: float | None = None,
) -> float:
    """Give the negative cross-entropy, the mean of -log p, p the probability of each row's class: from 0 (best).

    Chawla & Cieslak (2006) do not name the base of the logarithm; their Table 3 can only be in base 10.

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
    base : float
        The base of the logarithm, above 1; e by default, so that it is `log_loss`.
    clip : float, optional
        Bring probabilities into [clip, 1 - clip] first.

    Returns
    -------
    float
        The mean.

    Examples
    --------
    >>> nce([0, 1], [0.9, 0.1], base=10)
    1.0
    """
    return _nce(
        read_predictions(y_true, y_proba, sample_weight=sample_weight, pos_label=pos_label, labels=labels), base, clip
    )


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
    return _avll(read, prior, only_exact, labels)


def _mean_surprise(read: Predictions, clip: float | None = None) -> float:
    check_param("clip", clip, _CLIP)
    total, at_zero, _ = surprise(read, clip or 0.0)
    return math.inf if at_zero else total / read.total


def _bits(read: Predictions, clip: float | None = None) -> float:
    return _mean_surprise(read, clip) / math.log(2.0)


def _nce(read: Predictions, base: float = math.e, clip: float | None = None) -> float:
    check_param("base", base, _BASE)
    return _mean_surprise(read, clip) / math.log(base)


def _avll(read: Predictions, prior: Any = None, only_exact: bool = True, labels: Any = None) -> float:
    shares = read_prior(prior, read, labels)
    epsilon = min(_MOST_EPSILON, 0.5 * float(shares[shares > 0].min()))
    total, at_zero, at_one = surprise(read, 0.0 if only_exact else epsilon)
    total -= at_zero * math.log(epsilon) + at_one * math.log1p(-epsilon)
    return total / read.total / math.log(2.0)


_LOG = {"Good 1952": "logarithmic score"}
LOG_LOSS = Metric("log_loss", log_loss, _mean_surprise, "lower", 0.0, math.inf, _LOG)
LOG_LOSS_BITS = Metric(
    "log_loss_bits",
    log_loss_bits,
    _bits,
    "lower",
    0.0,
    math.inf,
    {"Zadrozny & Elkan 2001": "log-loss", "Witten, Frank & Hall 2011": "informational loss"},
)
MXE = Metric("mxe", mxe, _mean_surprise, "lower", 0.0, math.inf, {"Caruana & Niculescu-Mizil 2006": "MXE"})
NCE = Metric("nce", nce, _nce, "lower", 0.0, math.inf, {"Chawla & Cieslak 2006": "NCE"})
AVLL = Metric("avll", avll, _avll, "lower", 0.0, math.inf, {"Nielsen 2004": "AvLL"})
