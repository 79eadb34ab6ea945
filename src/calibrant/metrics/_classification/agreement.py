"""Agreement of predicted and actual classes beyond chance: Cohen's kappa and Matthews' correlation."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from calibrant.metrics._classification.confusion import confusion_of
from calibrant.metrics._docstrings import document_metric
from calibrant.metrics._metric import Metric
from calibrant.metrics._papers import WITTEN
from calibrant.metrics._validation.options import check_options
from calibrant.metrics._validation.predictions import Predictions
from calibrant.metrics._validation.read_predictions import read_predictions

__all__ = ["KAPPA", "MCC", "kappa", "mcc"]


@document_metric
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
    """Return Cohen's kappa, the agreement beyond chance relative to the most possible: at most 1 (best).

    %(parameters)s
    %(threshold)s
    weights : {"linear", "quadratic"}, optional
        For ordered classes, in the order of the columns: weight an error by the number of classes it is off, or by
        the square of that.

    %(returns)s
        The coefficient; NaN where chance alone is always correct.

    Examples
    --------
    >>> kappa(["no", "yes", "no", "yes"], [0.1, 0.8, 0.6, 0.7])
    0.5
    """
    check_options("kappa", threshold=threshold, inclusive=inclusive, weights=weights)
    return _kappa(read_predictions(y_true, y_proba, sample_weight, pos_label, labels), threshold, inclusive, weights)


def _kappa(
    predictions: Predictions, threshold: float | None = None, inclusive: bool = False, weights: str | None = None
) -> float:
    counts = confusion_of(predictions, threshold, inclusive)
    by_chance = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / counts.sum()
    off = np.abs(np.subtract.outer(np.arange(len(counts)), np.arange(len(counts)))).astype(np.float64)
    costs = {None: (off > 0).astype(np.float64), "linear": off, "quadratic": off**2}[weights]
    expected = float((costs * by_chance).sum())
    return 1.0 - float((costs * counts).sum()) / expected if expected > 0 else math.nan


@document_metric
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
    """Return the correlation of predicted and actual classes: from -1 to 1 (best).

    Matthews (1975) defines it for two classes, Gorodkin (2004) for several.

    %(parameters)s
    %(threshold)s

    %(returns)s
        The correlation; NaN where all rows are of one class, or predicted to be.

    Examples
    --------
    >>> round(mcc(["no", "yes", "no", "yes"], [0.1, 0.8, 0.6, 0.7]), 4)
    0.5774
    """
    check_options("mcc", threshold=threshold, inclusive=inclusive)
    return _mcc(read_predictions(y_true, y_proba, sample_weight, pos_label, labels), threshold, inclusive)


def _mcc(predictions: Predictions, threshold: float | None = None, inclusive: bool = False) -> float:
    counts = confusion_of(predictions, threshold, inclusive)
    actual, predicted, total = counts.sum(axis=1), counts.sum(axis=0), counts.sum()
    variances = (total**2 - actual @ actual) * (total**2 - predicted @ predicted)
    covariance = np.trace(counts) * total - actual @ predicted
    return float(np.clip(covariance / math.sqrt(variances), -1.0, 1.0)) if variances > 0 else math.nan


KAPPA = Metric("kappa", kappa, _kappa, "higher", -math.inf, 1.0, {WITTEN: "kappa statistic", "Cohen 1960": "kappa"})
MCC = Metric("mcc", mcc, _mcc, "higher", -1.0, 1.0, {"Matthews 1975": "C", "Gorodkin 2004": "R_K"})
