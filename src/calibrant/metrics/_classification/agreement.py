"""Agreement of decisions with classes beyond chance: Cohen's kappa and the correlation of Matthews."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from calibrant._params import Choice, Nothing, check_param
from calibrant.metrics._classification.confusion import confusion_of
from calibrant.metrics._metric import Metric
from calibrant.metrics._validation.predictions import Predictions, read_predictions

__all__ = ["KAPPA", "MCC", "kappa", "mcc"]

_WEIGHTS = Choice("linear", "quadratic") | Nothing()


def kappa(
    y_true: Any,
    y_proba: Any,
    *,
    sample_weight: Any = None,
    pos_label: Any = None,
    labels: Any = None,
    threshold: float | None = None,
    inclusive: bool = False,
    weights: str | None = None,
) -> float:
    """Give Cohen's kappa: the successes beyond those of chance, as a share of what could be won: at most 1 (best).

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
    threshold : float, optional
        Decide for the positive class above this probability; by default for the class of the largest one, ties to the
        lower class.
    inclusive : bool
        Decide for the positive class at the threshold itself, too.
    weights : {"linear", "quadratic"}, optional
        Where classes have an order, that of the columns: an error counts by how many classes it is off, or by the
        square of it.

    Returns
    -------
    float
        The coefficient; NaN where chance alone is always right.

    Examples
    --------
    >>> kappa(["no", "yes", "no", "yes"], [0.1, 0.8, 0.6, 0.7])
    0.5
    """
    return _kappa(
        read_predictions(y_true, y_proba, sample_weight=sample_weight, pos_label=pos_label, labels=labels),
        threshold,
        inclusive,
        weights,
    )


def _kappa(
    read: Predictions, threshold: float | None = None, inclusive: bool = False, weights: str | None = None
) -> float:
    check_param("weights", weights, _WEIGHTS)
    counts = confusion_of(read, threshold, inclusive)
    by_chance = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / counts.sum()
    off = np.abs(np.subtract.outer(np.arange(len(counts)), np.arange(len(counts)))).astype(np.float64)
    costs = {None: (off > 0).astype(np.float64), "linear": off, "quadratic": off**2}[weights]
    expected = float((costs * by_chance).sum())
    return 1.0 - float((costs * counts).sum()) / expected if expected > 0 else math.nan


def mcc(
    y_true: Any,
    y_proba: Any,
    *,
    sample_weight: Any = None,
    pos_label: Any = None,
    labels: Any = None,
    threshold: float | None = None,
    inclusive: bool = False,
) -> float:
    """Give the correlation of decisions and classes (Matthews 1975; Gorodkin 2004 for several): from -1 to 1 (best).

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
    threshold : float, optional
        Decide for the positive class above this probability; by default for the class of the largest one, ties to the
        lower class.
    inclusive : bool
        Decide for the positive class at the threshold itself, too.

    Returns
    -------
    float
        The correlation; NaN where all rows are of one class, or decided for one.

    Examples
    --------
    >>> round(mcc(["no", "yes", "no", "yes"], [0.1, 0.8, 0.6, 0.7]), 4)
    0.5774
    """
    return _mcc(
        read_predictions(y_true, y_proba, sample_weight=sample_weight, pos_label=pos_label, labels=labels),
        threshold,
        inclusive,
    )


def _mcc(read: Predictions, threshold: float | None = None, inclusive: bool = False) -> float:
    counts = confusion_of(read, threshold, inclusive)
    actual, decided, total = counts.sum(axis=1), counts.sum(axis=0), counts.sum()
    spread = (total**2 - actual @ actual) * (total**2 - decided @ decided)
    together = np.trace(counts) * total - actual @ decided
    return float(np.clip(together / math.sqrt(spread), -1.0, 1.0)) if spread > 0 else math.nan


KAPPA = Metric(
    "kappa",
    kappa,
    _kappa,
    "higher",
    -math.inf,
    1.0,
    {"Witten, Frank & Hall 2011": "kappa statistic", "Cohen 1960": "kappa"},
)
MCC = Metric("mcc", mcc, _mcc, "higher", -1.0, 1.0, {"Matthews 1975": "C", "Gorodkin 2004": "R_K"})
