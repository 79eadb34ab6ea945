"""The log-loss to be expected on new rows, with an interval, from predictions made without the rows' labels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import stdtrit

from calibrant.calibration._internal import standard_error_of_mean

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.blending._table import BlendSample

__all__ = ["ExpectedLoss", "expected_loss", "mean_with_error", "row_losses"]


_INFLATION = 1.3  # without it 88 to 98 % of the 95 % intervals held the truth (tests/validity/test_expected_loss.py)
_MAX_LOG_FACTOR = 50.0  # of the interval's ends to the mean, so that they are finite


@dataclass(frozen=True)
class ExpectedLoss:
    """The log-loss to be expected on new rows.

    Parameters
    ----------
    value : float
        The mean log-loss, in nats.
    low, high : float
        The ends of the interval.
    confidence : float
        The share of such intervals that hold the log-loss of new rows.
    n_rows : float
        The weight of the rows it comes from.

    Examples
    --------
    >>> ExpectedLoss(0.412, 0.391, 0.434, 0.95, 1200)
    0.412 (95 % interval 0.391 to 0.434)
    """

    value: float
    low: float
    high: float
    confidence: float
    n_rows: float

    def __float__(self) -> float:
        return self.value

    def __repr__(self) -> str:
        return f"{self.value:.3f} ({100 * self.confidence:g} % interval {self.low:.3f} to {self.high:.3f})"


def row_losses(proba: NDArray[np.float64], codes: NDArray[np.intp]) -> NDArray[np.float64]:
    """Return the log-loss of each row, in nats."""
    return np.asarray(-np.log(np.maximum(proba[np.arange(len(codes)), codes], np.finfo(float).tiny)))


def mean_with_error(
    values: NDArray[np.float64], weight: NDArray[np.float64], groups: NDArray[np.intp] | None, confidence: float = 0.95
) -> tuple[float, float, float]:
    """Return a weighted mean, its standard error, and half the length of Student's interval; groups are whole."""
    total = float(weight.sum())
    error = standard_error_of_mean(values, weight, groups)
    n_free = (total if groups is None else len(np.unique(groups))) - 1.0
    reach = float(stdtrit(max(n_free, 1.0), 0.5 + confidence / 2.0)) * error
    return float(weight @ values) / total, error, reach


def expected_loss(proba: NDArray[np.float64], sample: BlendSample, confidence: float = 0.95) -> ExpectedLoss:
    """Return the mean log-loss of cross-fitted predictions, with an interval on the scale of its logarithm.

    The standard error of the rows' losses leaves out that models of other folds are not the model of all rows, and that
    rows of a fold share a model (Bates, Hastie and Tibshirani 2024), so it is multiplied. The logarithm makes the
    interval longer above, as losses are skewed. Where predictions hardly differ, losses do not either, and what remains
    is the cost of estimating base rates: (n_classes - 1) / (2 n_rows) nats, of which the interval has twice.
    """
    losses, total = row_losses(proba, sample.codes), float(sample.weight.sum())
    mean, _, reach = mean_with_error(losses, sample.weight, sample.groups, confidence)
    if mean == 0.0:
        return ExpectedLoss(0.0, 0.0, 0.0, confidence, total)
    reach = float(np.hypot(_INFLATION * reach, (sample.n_classes - 1.0) / total))
    factor = float(np.exp(min(reach / mean, _MAX_LOG_FACTOR)))
    return ExpectedLoss(mean, mean / factor, mean * factor, confidence, total)
