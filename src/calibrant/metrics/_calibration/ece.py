"""Calibration errors in bins: how far the mean probability is from the share of positives."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import erf

from calibrant import _core
from calibrant._params import Bool, Choice, Int, check_param
from calibrant._threads import n_threads
from calibrant.exceptions import ParameterError
from calibrant.metrics._metric import Metric
from calibrant.metrics._validation.prediction_rows import TwoClass, rank
from calibrant.metrics._validation.predictions import Predictions, read_predictions

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["CLASSWISE_ECE", "ECE", "classwise_ece", "ece"]

_RULES = {
    "n_bins": Int(1),
    "strategy": Choice("width", "mass"),
    "norm": Choice("l1", "l2", "max"),
    "debiased": Bool(),
}


def ece(
    y_true: Any,
    y_proba: Any,
    *,
    sample_weight: Any = None,
    pos_label: Any = None,
    labels: Any = None,
    n_bins: int = 15,
    strategy: str = "width",
    norm: str = "l1",
    debiased: bool = False,
) -> float:
    """Give the expected calibration error: the mean difference of probabilities and outcomes in bins, 0 is best.

    With more than two classes, the probability of the decided class is compared with how often it is right (Guo,
    Pleiss, Sun & Weinberger 2017); with two, that of the positive class with how often it comes true. The error is
    above 0 by chance, also where the probabilities are right: the more so, the more bins and the fewer rows.

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
    n_bins : int
        How many bins.
    strategy : {"width", "mass"}
        Bins of equal width from 0 to 1, where one at an edge is of the upper bin; or of about equal weight, where rows
        of equal probability are never parted.
    norm : {"l1", "l2", "max"}
        The mean difference without sign, weighted by the bins; the root of the mean square; or the greatest difference.
    debiased : bool
        Take away what chance adds: from the mean square as Kumar, Liang & Ma (2019) do, from the mean by the same
        normal approximation. Never below 0.

    Returns
    -------
    float
        The error, from 0 to 1.

    Examples
    --------
    >>> round(ece([0, 1, 0, 1], [0.1, 0.4, 0.4, 0.9], n_bins=2), 3)  # |1/3 - 0.3| 3/4 + |1 - 0.9| 1/4
    0.05
    """
    return _ece(
        read_predictions(y_true, y_proba, sample_weight=sample_weight, pos_label=pos_label, labels=labels),
        n_bins,
        strategy,
        norm,
        debiased,
    )


def _ece(
    read: Predictions, n_bins: int = 15, strategy: str = "width", norm: str = "l1", debiased: bool = False
) -> float:
    _check(n_bins, strategy, norm, debiased)
    if strategy == "mass":
        return _error(read.judged_ranking.mass_bins(n_bins), norm, debiased)
    return _error(_in_width(read.judged(), n_bins), norm, debiased)


def classwise_ece(
    y_true: Any,
    y_proba: Any,
    *,
    sample_weight: Any = None,
    pos_label: Any = None,
    labels: Any = None,
    n_bins: int = 15,
    strategy: str = "width",
    norm: str = "l1",
    debiased: bool = False,
) -> float:
    """Give the mean, over classes, of the expected calibration error of each against all others: 0 is best.

    Unlike `ece` it sees every probability of a row, not only the greatest (Kull et al. 2019).

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
    n_bins, strategy, norm, debiased
        As those of `ece`.

    Returns
    -------
    float
        The mean, from 0 to 1.

    Examples
    --------
    >>> round(classwise_ece(["a", "b", "c"], [[0.8, 0.1, 0.1], [0.1, 0.8, 0.1], [0.1, 0.1, 0.8]]), 4)
    0.1333
    """
    return _classwise(
        read_predictions(y_true, y_proba, sample_weight=sample_weight, pos_label=pos_label, labels=labels),
        n_bins,
        strategy,
        norm,
        debiased,
    )


def _classwise(
    read: Predictions, n_bins: int = 15, strategy: str = "width", norm: str = "l1", debiased: bool = False
) -> float:
    _check(n_bins, strategy, norm, debiased)
    errors = []
    for which in range(read.n_classes):
        rows = read.two_class(which)
        bins = rank(rows).mass_bins(n_bins) if strategy == "mass" else _in_width(rows, n_bins)
        errors.append(_error(bins, norm, debiased))
    return float(np.mean(errors))


def _check(n_bins: int, strategy: str, norm: str, debiased: bool) -> None:
    for name, value in (("n_bins", n_bins), ("strategy", strategy), ("norm", norm), ("debiased", debiased)):
        check_param(name, value, _RULES[name])
    if debiased and norm == "max":
        raise ParameterError("debiased: what chance adds to the greatest difference is not known; pass norm='l2'.")


def _in_width(rows: TwoClass, n_bins: int) -> tuple[NDArray[np.float64], ...]:
    return _core.width_sums(rows.proba, rows.positive, rows.weight, n_bins, n_threads(None))


def _error(bins: tuple[NDArray[np.float64], ...], norm: str, debiased: bool) -> float:
    weight, positive, proba = (column[bins[0] > 0] for column in bins)
    gap, share = np.abs(positive - proba) / weight, positive / weight
    if norm == "max":
        return float(gap.max())
    noise = np.divide(share * (1.0 - share), weight - 1.0, out=np.zeros_like(share), where=weight > 1.0)
    part = weight / weight.sum()
    if norm == "l2":
        return math.sqrt(max(0.0, float(part @ (gap**2 - (noise if debiased else 0.0)))))
    return max(0.0, float(part @ (2.0 * gap - _expected_size(gap, np.sqrt(noise)) if debiased else gap)))


def _expected_size(mean: NDArray[np.float64], scale: NDArray[np.float64]) -> NDArray[np.float64]:
    """Give the expected size, without sign, of normal variables."""
    ratio = np.divide(mean, scale, out=np.full_like(mean, np.inf), where=scale > 0)
    size = scale * math.sqrt(2.0 / math.pi) * np.exp(-(ratio**2) / 2.0) + mean * erf(ratio / math.sqrt(2.0))
    return np.asarray(size)


ECE = Metric("ece", ece, _ece, "lower", 0.0, 1.0, {"Naeini, Cooper & Hauskrecht 2015": "ECE", "Guo et al. 2017": "ECE"})
CLASSWISE_ECE = Metric(
    "classwise_ece", classwise_ece, _classwise, "lower", 0.0, 1.0, {"Kull et al. 2019": "classwise-ECE"}
)
