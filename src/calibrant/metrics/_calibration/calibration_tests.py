"""Hosmer & Lemeshow's test of perfect calibration, in groups of neighboring probabilities."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import chdtrc

from calibrant.metrics._docstrings import document_metric
from calibrant.metrics._ranking.rankings import positive_ranking
from calibrant.metrics._validation.options import check_options
from calibrant.metrics._validation.read_predictions import read_predictions

__all__ = ["HosmerLemeshow", "hosmer_lemeshow"]


@dataclass(frozen=True)
class HosmerLemeshow:
    """The result of Hosmer & Lemeshow's test.

    Parameters
    ----------
    statistic : float
        The sum over groups of (observed - expected)^2 / variance.
    df : int
        Degrees of freedom.
    p_value : float
        The probability of so large a statistic if the probabilities are perfectly calibrated.

    Examples
    --------
    >>> hosmer_lemeshow([0, 1, 0, 1], [0.2, 0.2, 0.8, 0.8], n_groups=2).df
    2
    """

    statistic: float
    df: int
    p_value: float


@document_metric
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
    """Test whether groups of neighboring probabilities have as many positives as expected.

    Groups have about equal weight; rows of equal probability are never split, so there may be fewer groups than
    requested. The test only sees differences between groups, and with many rows it rejects any model: prefer an
    interval of a calibration error.

    %(parameters_positive)s
    n_groups : int
        The number of groups.
    is_fitted : bool
        Whether the probabilities come from a model that was fitted to these same rows, which leaves two degrees of
        freedom fewer (Hosmer & Lemeshow 1980).

    %(returns)s
        Statistic, degrees of freedom and p-value, NaN where no degree is left.

    Examples
    --------
    >>> found = hosmer_lemeshow([0, 1, 0, 1], [0.2, 0.2, 0.8, 0.8], n_groups=2)
    >>> round(found.statistic, 3), round(found.p_value, 3)  # 2 (1 - 0.4)^2 / (2 * 0.16)
    (2.25, 0.325)
    """
    check_options("hosmer_lemeshow", n_groups=n_groups, is_fitted=is_fitted)
    predictions = read_predictions(y_true, y_proba, sample_weight, pos_label, labels)
    weight, positive, expected = positive_ranking(predictions, "hosmer_lemeshow").mass_bins(n_groups)
    variance, error = expected * (1.0 - expected / weight), (positive - expected) ** 2
    with np.errstate(divide="ignore"):
        terms = np.divide(error, variance, out=np.zeros_like(error), where=error > 0)
    statistic, df = float(terms.sum()), len(weight) - (2 if is_fitted else 0)
    return HosmerLemeshow(statistic, df, float(chdtrc(df, statistic)) if df > 0 else math.nan)
