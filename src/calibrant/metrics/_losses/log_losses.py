"""Logarithmic scores (Good 1952): minus the logarithm of the probability of the actual class."""

from __future__ import annotations

import math
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from calibrant.metrics._docstrings import Common, document_metric
from calibrant.metrics._losses.squared_errors import surprise
from calibrant.metrics._metric import CARUANA, CHAWLA, NIELSEN, WITTEN, ZADROZNY, metric, read_rows
from calibrant.metrics._validation.predictions import Predictions
from calibrant.metrics._validation.read_predictions import read_prior

_MOST_EPSILON = 0.005  # Nielsen (2004, eq. 11)


def _mean_log_loss(predictions: Predictions, clip: float | None = None) -> float:
    total, at_zero, _ = surprise(predictions, clip or 0.0)
    return math.inf if at_zero else total / predictions.total


@metric("lower", 0.0, math.inf, {"Good 1952": "logarithmic score"})
def log_loss(y_true: Any, y_proba: Any, *, clip: float | None = None, **common: Unpack[Common]) -> float:
    """Return the mean of -ln p, p the predicted probability of the actual class: in nats, from 0 (best).

    It equals scikit-learn's ``log_loss`` but clips only if `clip` is passed: one row whose actual class has
    probability 0 makes it infinite. `infinite_rows` returns those rows.

    %(parameters)s
    %(clip)s

    %(returns)s
        The mean log-loss, in nats.

    Examples
    --------
    >>> round(log_loss(["no", "yes"], [[0.5, 0.5], [0.25, 0.75]]), 4)
    0.4904
    >>> log_loss(["no", "yes"], [0.0, 0.0]), round(log_loss(["no", "yes"], [0.0, 0.0], clip=1e-6), 3)
    (inf, 6.908)
    """
    predictions = read_rows("log_loss", y_true, y_proba, common, clip=clip)
    return _mean_log_loss(predictions, clip)


@metric("lower", 0.0, math.inf, {ZADROZNY: "log-loss", WITTEN: "informational loss"})
def log_loss_bits(y_true: Any, y_proba: Any, *, clip: float | None = None, **common: Unpack[Common]) -> float:
    """Return the mean of -log2 p, p the predicted probability of the actual class: in bits, from 0 (best).

    This is the log-loss of Zadrozny & Elkan (2001, Table 2); a probability of 0 for the actual class makes it infinite.

    %(parameters)s
    %(clip)s

    %(returns)s
        The mean log-loss, in bits.

    Examples
    --------
    >>> round(log_loss_bits(["no", "yes"], [[0.5, 0.5], [0.75, 0.25]]), 12)
    1.5
    """
    predictions = read_rows("log_loss_bits", y_true, y_proba, common, clip=clip)
    return _mean_log_loss(predictions, clip) / math.log(2.0)


@metric("lower", 0.0, math.inf, {CARUANA: "MXE"})
def mxe(y_true: Any, y_proba: Any, *, clip: float | None = None, **common: Unpack[Common]) -> float:
    """Return the mean cross-entropy in nats: another name for `log_loss` (Caruana & Niculescu-Mizil 2006).

    %(parameters)s
    %(clip)s

    %(returns)s
        The mean cross-entropy, in nats.

    Examples
    --------
    >>> round(mxe([0, 1], [0.5, 0.5]), 4)
    0.6931
    """
    predictions = read_rows("mxe", y_true, y_proba, common, clip=clip)
    return _mean_log_loss(predictions, clip)


@metric("lower", 0.0, math.inf, {CHAWLA: "NCE"})
def nce(
    y_true: Any, y_proba: Any, *, base: float = math.e, clip: float | None = None, **common: Unpack[Common]
) -> float:
    """Return the negative cross-entropy, the mean of -log p of the actual class: from 0 (best).

    Chawla & Cieslak (2006) do not name the base of the logarithm; their Table 3 can only be in base 10.

    %(parameters)s
    base : float
        The base of the logarithm, above 1; e by default, which makes it `log_loss`.
    %(clip)s

    %(returns)s
        The mean, in the units of `base`.

    Examples
    --------
    >>> round(nce([0, 1], [0.9, 0.1], base=10), 12)
    1.0
    """
    predictions = read_rows("nce", y_true, y_proba, common, base=base, clip=clip)
    return _mean_log_loss(predictions, clip) / math.log(base)


@metric("lower", 0.0, math.inf, {NIELSEN: "AvLL"})
def avll(y_true: Any, y_proba: Any, *, prior: Any = None, only_exact: bool = True, **common: Unpack[Common]) -> float:
    """Return the mean of -log2 p like `log_loss_bits`, with probabilities of 0 and 1 moved inwards by e.

    Nielsen's average log-loss (2004, eq. 11): a probability of exactly 0 counts as e and one of exactly 1 as 1 - e,
    where e is half of the smallest class frequency, at most 0.005. It is finite where a tree is certain and wrong.
    A probability close to 0 is not replaced and may cost more than 0 itself, unless `only_exact` is False.

    %(parameters)s
    %(prior)s
        Frequencies of 0 do not make e smaller.
    only_exact : bool
        Whether to replace 0 and 1 only, as the paper does; if False, clip every probability to [e, 1 - e].

    %(returns)s
        Nielsen's average log-loss, in bits.

    Examples
    --------
    >>> round(avll([0, 1], [0.0, 1.0]), 5)  # -log2 0.995
    0.00723
    >>> round(avll([0, 1], [0.0, 0.0], prior=[0.996, 0.004]), 4)  # (-log2 0.998 - log2 0.002) / 2
    4.4843
    """
    predictions = read_rows("avll", y_true, y_proba, common, only_exact=only_exact)
    epsilon = avll_epsilon(read_prior(prior, predictions, common.get("labels")))
    total, at_zero, at_one = surprise(predictions, 0.0 if only_exact else epsilon)
    # The core leaves certain rows out of its sum and weighs them, so that they can be replaced here.
    total -= at_zero * math.log(epsilon) + at_one * math.log1p(-epsilon)
    return total / predictions.total / math.log(2.0)


def avll_epsilon(frequencies: NDArray[np.float64]) -> float:
    """Return the probability that replaces 0 in `avll`, from the class frequencies."""
    return min(_MOST_EPSILON, 0.5 * float(frequencies[frequencies > 0].min()))


# The metrics that one actual class of probability 0 makes infinite.
LOGARITHMIC = frozenset({"log_loss", "log_loss_bits", "mxe", "nce", "description_length"})


@document_metric
def informational_loss(y_true: Any, y_proba: Any, **common: Unpack[Common]) -> NDArray[np.float64]:
    """Return -log2 p for each row, p the predicted probability of its class (Witten, Frank & Hall 2011, 5.6).

    The loss is in bits, and infinite where p is 0.

    %(parameters)s

    %(returns_losses)s

    Examples
    --------
    >>> informational_loss(["no", "yes", "yes"], [0.5, 0.25, 0.0])
    array([ 1.,  2., inf])
    """
    predictions = read_rows("informational_loss", y_true, y_proba, common)
    # Rows of weight 0 are dropped by validation; their loss is 0 in the caller's order.
    losses = np.zeros(predictions.n_input_rows)
    with np.errstate(divide="ignore"):
        losses[predictions.rows] = 0.0 - np.log2(predictions.true_class_proba())
    return losses


@document_metric
def infinite_rows(y_true: Any, y_proba: Any, **common: Unpack[Common]) -> NDArray[np.intp]:
    """Return the rows that make the log-loss infinite: those whose actual class has probability 0.

    %(parameters)s

    Returns
    -------
    array of int
        The positions of those rows, from 0; none of weight 0 is among them.

    Examples
    --------
    >>> infinite_rows(["no", "yes", "yes"], [0.5, 0.0, 1.0])
    array([1])
    """
    return read_rows("infinite_rows", y_true, y_proba, common).zero_probability_rows()


@metric("lower", 0.0, math.inf, {WITTEN: "L[E|T]"})
def description_length(y_true: Any, y_proba: Any, **common: Unpack[Common]) -> float:
    """Return the number of bits that encode the classes of all rows for a receiver who has the probabilities.

    The sum of -log2 p over rows, p the probability of each row's class: L[E|T] of the minimum description length
    principle (Witten, Frank & Hall 2011, 5.9), without the length of the theory itself.

    %(parameters)s

    %(returns)s
        The sum, in bits; infinite where p is 0.

    Examples
    --------
    >>> round(description_length(["no", "yes", "yes"], [0.5, 0.25, 0.5]), 12)
    4.0
    """
    predictions = read_rows("description_length", y_true, y_proba, common)
    total, at_zero, _ = surprise(predictions)
    return math.inf if at_zero else total / math.log(2.0)
