"""Tests of perfect calibration: Hosmer & Lemeshow's in groups, Spiegelhalter's without."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import chdtrc

from calibrant._params import Bool, Int, check_param
from calibrant.metrics._metric import Metric
from calibrant.metrics._ranking.rankings import check_two_classes, positive_ranking
from calibrant.metrics._validation.prediction_rows import parts
from calibrant.metrics._validation.predictions import Predictions, read_predictions

__all__ = ["SPIEGELHALTER_Z", "HosmerLemeshow", "hosmer_lemeshow", "spiegelhalter_z"]


@dataclass(frozen=True)
class HosmerLemeshow:
    """What Hosmer & Lemeshow's test finds.

    Parameters
    ----------
    statistic : float
        The sum over groups of (observed - expected)^2 / variance.
    df : int
        Degrees of freedom.
    p_value : float
        How likely so great a statistic is where the probabilities are right.

    Examples
    --------
    >>> hosmer_lemeshow([0, 1, 0, 1], [0.2, 0.2, 0.8, 0.8], n_groups=2).df
    2
    """

    statistic: float
    df: int
    p_value: float


def hosmer_lemeshow(
    y_true: Any,
    y_proba: Any,
    *,
    sample_weight: Any = None,
    pos_label: Any = None,
    labels: Any = None,
    n_groups: int = 10,
    is_fitted: bool = False,
) -> HosmerLemeshow:
    """Test whether the positives in groups of neighbouring probabilities are as many as expected.

    Groups have about equal weight; rows of equal probability are never parted, so that there may be fewer than asked
    for. The test sees only what differs between groups, and with many rows it refuses any model: prefer an interval of
    a calibration error.

    Parameters
    ----------
    y_true : sequence of length n_rows
        The class of each row.
    y_proba : array of shape (n_rows, n_classes) or (n_rows,)
        The probability of each class, in sorted order or that of `labels`; or of `pos_label` alone.
    sample_weight : sequence of length n_rows, optional
        How often each row counts; a row of weight 0 is as if absent.
    pos_label : optional
        The positive class; by default the last sorted one of two. Where there are more it must be told, and all
        others are the negative class.
    labels : sequence, optional
        The classes in the order of the columns.
    n_groups : int
        How many groups.
    is_fitted : bool
        Whether the probabilities come from a model that was fitted to these very rows: then two degrees of freedom
        fewer are left (Hosmer & Lemeshow 1980).

    Returns
    -------
    HosmerLemeshow
        Statistic, degrees of freedom and p-value, NaN where no degree is left.

    Examples
    --------
    >>> found = hosmer_lemeshow([0, 1, 0, 1], [0.2, 0.2, 0.8, 0.8], n_groups=2)
    >>> round(found.statistic, 3), round(found.p_value, 3)  # 2 (1 - 0.4)^2 / (2 * 0.16)
    (2.25, 0.325)
    """
    check_param("n_groups", n_groups, Int(2))
    check_param("is_fitted", is_fitted, Bool())
    read = read_predictions(y_true, y_proba, sample_weight=sample_weight, pos_label=pos_label, labels=labels)
    weight, positive, expected = positive_ranking(read, "hosmer_lemeshow").mass_bins(n_groups)
    variance, error = expected * (1.0 - expected / weight), (positive - expected) ** 2
    with np.errstate(divide="ignore"):
        parts = np.divide(error, variance, out=np.zeros_like(error), where=error > 0)
    statistic, df = float(parts.sum()), len(weight) - (2 if is_fitted else 0)
    return HosmerLemeshow(statistic, df, float(chdtrc(df, statistic)) if df > 0 else math.nan)


def spiegelhalter_z(
    y_true: Any, y_proba: Any, *, sample_weight: Any = None, pos_label: Any = None, labels: Any = None
) -> float:
    """Give Spiegelhalter's Z: how far Brier's score is from what the probabilities promise, 0 is best.

    It is standard normal where they are right, so that beyond 1.96 either way they are not, at 5 %. Above 0 the score
    is worse than the probabilities promise (Spiegelhalter 1986).

    Parameters
    ----------
    y_true : sequence of length n_rows
        The class of each row.
    y_proba : array of shape (n_rows, n_classes) or (n_rows,)
        The probability of each class, in sorted order or that of `labels`; or of `pos_label` alone.
    sample_weight : sequence of length n_rows, optional
        How often each row counts; a row of weight 0 is as if absent.
    pos_label : optional
        The positive class; by default the last sorted one of two. Where there are more it must be told, and all
        others are the negative class.
    labels : sequence, optional
        The classes in the order of the columns.

    Returns
    -------
    float
        The statistic; NaN where every probability is 0, 1 or 1/2.

    Examples
    --------
    >>> round(spiegelhalter_z([0, 1, 1, 0], [0.1, 0.8, 0.3, 0.6]), 4)
    0.5025
    """
    return _spiegelhalter_z(
        read_predictions(y_true, y_proba, sample_weight=sample_weight, pos_label=pos_label, labels=labels)
    )


def _spiegelhalter_z(read: Predictions) -> float:
    check_two_classes(read, "spiegelhalter_z")
    rows = read.two_class()
    excess = variance = 0.0
    for part in parts(read.n_rows):
        p = rows.proba[part]
        lean = 1.0 - 2.0 * p
        weighed = lean if rows.weight is None else lean * rows.weight[part]
        excess += float(((rows.positive[part] - p) * weighed).sum())
        variance += float((lean * p * (1.0 - p) * weighed).sum())
    return excess / math.sqrt(variance) if variance > 0 else math.nan


SPIEGELHALTER_Z = Metric(
    "spiegelhalter_z",
    spiegelhalter_z,
    _spiegelhalter_z,
    "nearer",
    -math.inf,
    math.inf,
    {"Spiegelhalter 1986": "Z"},
    classes="two",
)
