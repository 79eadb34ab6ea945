"""Expected calibration errors: the difference of mean probability and observed frequency in bins."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import erf

from calibrant import _core
from calibrant.exceptions import ParameterError
from calibrant.metrics._docstrings import document_metric
from calibrant.metrics._metric import Metric
from calibrant.metrics._validation.options import check_options
from calibrant.metrics._validation.predictions import BinaryRows, Predictions, rank, threads_for
from calibrant.metrics._validation.read_predictions import read_predictions

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["CLASSWISE_ECE", "ECE", "classwise_ece", "ece"]


@document_metric
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
    """Return the expected calibration error, the mean difference of probability and frequency in bins: 0 is best.

    With more than two classes, the probability of the predicted class is compared with its accuracy (Guo, Pleiss, Sun
    & Weinberger 2017); with two, that of the positive class with its observed frequency. The error is above 0 by
    chance even for perfectly calibrated probabilities: the more so, the more bins and the fewer rows.

    %(parameters)s
    %(bins)s

    %(returns)s
        The expected calibration error, from 0 to 1.

    Examples
    --------
    >>> round(ece([0, 1, 0, 1], [0.1, 0.4, 0.4, 0.9], n_bins=2), 3)  # |1/3 - 0.3| 3/4 + |1 - 0.9| 1/4
    0.05
    """
    check_options("ece", n_bins=n_bins, strategy=strategy, norm=norm, debiased=debiased)
    return _ece(read_predictions(y_true, y_proba, sample_weight, pos_label, labels), n_bins, strategy, norm, debiased)


def _ece(
    predictions: Predictions, n_bins: int = 15, strategy: str = "width", norm: str = "l1", debiased: bool = False
) -> float:
    if strategy == "mass":
        return _binned_error(predictions.calibration_ranking.mass_bins(n_bins), norm, debiased)
    return _binned_error(_width_bins(predictions.calibration_rows(), n_bins), norm, debiased)


@document_metric
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
    """Return the mean, over classes, of the expected calibration error of each against all others: 0 is best.

    Unlike `ece` it uses every probability of a row, not only the largest (Kull et al. 2019).

    %(parameters)s
    %(bins)s

    %(returns)s
        The mean over classes, from 0 to 1.

    Examples
    --------
    >>> round(classwise_ece(["a", "b", "c"], [[0.8, 0.1, 0.1], [0.1, 0.8, 0.1], [0.1, 0.1, 0.8]]), 4)
    0.1333
    """
    check_options("classwise_ece", n_bins=n_bins, strategy=strategy, norm=norm, debiased=debiased)
    predictions = read_predictions(y_true, y_proba, sample_weight, pos_label, labels)
    return _classwise_ece(predictions, n_bins, strategy, norm, debiased)


def _classwise_ece(
    predictions: Predictions, n_bins: int = 15, strategy: str = "width", norm: str = "l1", debiased: bool = False
) -> float:
    errors = []
    for which in range(predictions.n_classes):
        rows = predictions.binary_rows(which)
        bins = rank(rows).mass_bins(n_bins) if strategy == "mass" else _width_bins(rows, n_bins)
        errors.append(_binned_error(bins, norm, debiased))
    return float(np.mean(errors))


def _width_bins(rows: BinaryRows, n_bins: int) -> tuple[NDArray[np.float64], ...]:
    return _core.width_sums(rows.proba, rows.positive, rows.weight, n_bins, threads_for(len(rows.proba)))


def _binned_error(bins: tuple[NDArray[np.float64], ...], norm: str, debiased: bool) -> float:
    if debiased and norm == "max":
        raise ParameterError("debiased: what chance adds to the largest difference is not known; pass norm='l2'.")
    weight, positive, proba = (column[bins[0] > 0] for column in bins)
    gap, frequency = np.abs(positive - proba) / weight, positive / weight
    if norm == "max":
        return float(gap.max())
    variance = np.divide(frequency * (1.0 - frequency), weight - 1.0, out=np.zeros_like(gap), where=weight > 1.0)
    fraction = weight / weight.sum()
    if norm == "l2":
        return math.sqrt(max(0.0, float(fraction @ (gap**2 - (variance if debiased else 0.0)))))
    # 2 gap - E|gap + noise| takes off what the noise adds to the absolute difference.
    gaps = 2.0 * gap - _expected_absolute(gap, np.sqrt(variance)) if debiased else gap
    return max(0.0, float(fraction @ gaps))


def _expected_absolute(mean: NDArray[np.float64], scale: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the expected absolute value of normal variables."""
    ratio = np.divide(mean, scale, out=np.full_like(mean, np.inf), where=scale > 0)
    size = scale * math.sqrt(2.0 / math.pi) * np.exp(-(ratio**2) / 2.0) + mean * erf(ratio / math.sqrt(2.0))
    return np.asarray(size)


ECE = Metric("ece", ece, _ece, "lower", 0.0, 1.0, {"Naeini, Cooper & Hauskrecht 2015": "ECE", "Guo et al. 2017": "ECE"})
CLASSWISE_ECE = Metric(
    "classwise_ece", classwise_ece, _classwise_ece, "lower", 0.0, 1.0, {"Kull et al. 2019": "classwise-ECE"}
)
