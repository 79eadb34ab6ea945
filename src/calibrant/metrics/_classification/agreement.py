"""Agreement of predicted and actual classes beyond chance: Cohen's kappa and Matthews' correlation."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant.metrics._classification.confusion import Confusions, judge_confusion, ratio
from calibrant.metrics._docstrings import document_metric
from calibrant.metrics._metric import Metric
from calibrant.metrics._papers import WITTEN
from calibrant.metrics._validation.options import check_options
from calibrant.metrics._validation.read_predictions import read_predictions

if TYPE_CHECKING:
    from numpy.typing import NDArray

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
    predictions = read_predictions(y_true, y_proba, sample_weight, pos_label, labels)
    return judge_confusion(_kappa, predictions, threshold, inclusive, weights=weights)


def _kappa(confusions: Confusions, weights: str | None = None) -> NDArray[np.float64]:
    n_classes, total = confusions.counts.shape[1], confusions.total
    by_chance = confusions.actual[:, :, None] * confusions.predicted[:, None, :] / total[:, None, None]
    off = np.abs(np.subtract.outer(np.arange(n_classes), np.arange(n_classes))).astype(np.float64)
    costs = {None: (off > 0).astype(np.float64), "linear": off, "quadratic": off**2}[weights]
    return 1.0 - ratio(confusions.summed(costs * confusions.counts), confusions.summed(costs * by_chance))


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
    predictions = read_predictions(y_true, y_proba, sample_weight, pos_label, labels)
    return judge_confusion(_mcc, predictions, threshold, inclusive)


def _mcc(confusions: Confusions) -> NDArray[np.float64]:
    actual, predicted, total = confusions.actual, confusions.predicted, confusions.total
    variances = (total**2 - _dot(actual, actual)) * (total**2 - _dot(predicted, predicted))
    covariance = confusions.correct * total - _dot(actual, predicted)
    return np.clip(ratio(covariance, np.sqrt(np.maximum(variances, 0.0))), -1.0, 1.0)  # below 0 by rounding only


def _dot(one: NDArray[np.float64], other: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the dot product of each pair of rows."""
    return np.asarray((one[:, None, :] @ other[:, :, None])[:, 0, 0])


KAPPA = Metric(
    *("kappa", kappa, partial(judge_confusion, _kappa), "higher", -math.inf, 1.0),
    papers={WITTEN: "kappa statistic", "Cohen 1960": "kappa"},
)
MCC = Metric(
    *("mcc", mcc, partial(judge_confusion, _mcc), "higher", -1.0, 1.0),
    papers={"Matthews 1975": "C", "Gorodkin 2004": "R_K"},
)
