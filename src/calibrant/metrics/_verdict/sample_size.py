"""The number of rows that establishes calibration, from the bands of perfectly calibrated probabilities."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant._numbers import as_floats
from calibrant._params import Real, check_param
from calibrant.exceptions import DataError, DataTypeError, ParameterError
from calibrant.metrics._intervals.honest_bands import Band, honest_bands
from calibrant.metrics._intervals.proportions import CONFIDENCE

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["CalibrationReach", "calibration_reach", "reach_of", "rows_needed"]

_COVERED = 0.9  # fraction of the rows for which bands must be close to the diagonal
_GROUPS = 200  # of the plan, each 0.5 % of the rows: time is quadratic in their number
_MOST_GROUPS = 1001  # of the final bands, as in `honest_bands`
_FURTHER_ROWS = 10_000  # the typical number of further rows, which fixes how many new probabilities they bring
_WITHIN = Real(0, 1, closed="neither")
_MOST_ROWS = 1e12  # the search ends there: no data set is larger


def rows_needed(y_proba: Any, *, within: float = 0.1, confidence: float = 0.95) -> int:
    """Return about how many rows establish that such probabilities are calibrated, if they are.

    Rows are assumed to have probabilities distributed like those passed, and exactly the predicted frequencies; the
    number is the least for which the honest bands stay within the distance from the diagonal for nine rows in ten.

    Parameters
    ----------
    y_proba : array of shape (n_rows,) or (n_rows, n_classes)
        Probabilities of the positive class; of several columns the largest of each row is used. Rows are assumed to
        have only these: the more distinct ones are passed, up to 1,000, the more rows are needed.
    within : float
        The largest distance of the bands from the diagonal.
    confidence : float
        The least probability that the bands cover the calibration curve.

    Returns
    -------
    int
        The number of rows.

    Examples
    --------
    >>> rows_needed([0.1, 0.5, 0.9], within=0.1) < rows_needed([0.1, 0.5, 0.9], within=0.05)
    True
    """
    check_param("within", within, _WITHIN)
    check_param("confidence", confidence, CONFIDENCE)
    try:
        proba = as_floats(y_proba)
    except (TypeError, ValueError) as error:
        raise DataTypeError("y_proba must hold numbers: probabilities of the positive class, or of each.") from error
    if not proba.size or not ((proba >= 0.0) & (proba <= 1.0)).all():
        raise DataError("y_proba must hold probabilities, at least one; found none, NaN, or values outside [0, 1].")
    largest = proba if proba.ndim == 1 else proba.max(axis=1)
    needed = calibration_reach(largest, np.ones(len(largest)), confidence).rows_for(within)
    if math.isinf(needed):
        raise ParameterError(
            f"within: no number of rows up to {_MOST_ROWS:.0e} is enough for {within!r}; pass a larger one."
        )
    return math.ceil(needed)


@dataclass(frozen=True, slots=True, eq=False)
class CalibrationReach:
    """The distance of bands from the diagonal, for any number of rows with some distribution of probabilities.

    Examples
    --------
    >>> reach = calibration_reach(np.array([0.5]), np.ones(1), 0.95)
    >>> round(reach.at(100), 3), round(reach.at(10_000), 3)
    (0.102, 0.01)
    """

    proba: NDArray[np.float64]
    fraction: NDArray[np.float64]
    confidence: float
    truth: NDArray[np.float64] | None = None

    def at(self, n_rows: float) -> float:
        """Return the distance for a number of rows with exactly the true frequencies."""
        weight = self.fraction * n_rows
        return self.of_counts(weight * self.frequencies, weight)

    @property
    def frequencies(self) -> NDArray[np.float64]:
        """The true frequencies: the probabilities themselves unless others are known."""
        return self.proba if self.truth is None else self.truth

    def of_counts(self, positive: NDArray[np.float64], weight: NDArray[np.float64]) -> float:
        """Return the distance for some numbers of positives and of rows in each group."""
        band = honest_bands(self.proba, positive, weight, confidence=self.confidence, digits=None)
        return reach_of(self.proba, weight, band)

    def rows_for(self, within: float, precision: float = 0.01) -> float:
        """Return the least number of rows with a small enough distance, to some precision; it may be infinite."""
        low, high = 1.0, 100.0
        while self.at(high) > within:
            if high >= _MOST_ROWS:
                return math.inf
            low, high = high, high * 10.0
        while high / low > 1.0 + precision:
            middle = math.sqrt(low * high)
            low, high = (middle, high) if self.at(middle) > within else (low, middle)
        return high


def calibration_reach(
    proba: NDArray[np.float64],
    weight: NDArray[np.float64],
    confidence: float,
    new_fraction: float = 0.0,
    n_groups: int = _GROUPS,
) -> CalibrationReach:
    """Group probabilities by about equal weight, with the confidence level that bands of all of them would have.

    A fraction of further rows has probabilities that were not seen yet, which makes the bands wider.
    """
    found, of_found = np.unique(proba, return_inverse=True)
    weights = np.bincount(of_found, weight)
    ends = np.cumsum(weights)
    group = np.minimum((ends - weights / 2.0) / ends[-1] * n_groups, n_groups - 1).astype(np.intp)
    if len(found) <= n_groups:
        group = np.arange(len(found))
    _, group = np.unique(group, return_inverse=True)
    fractions = np.bincount(group, weights) / ends[-1]
    points = np.bincount(group, weights * found) / ends[-1] / fractions
    n_found, n_final = len(points), min(len(found) + new_fraction * _FURTHER_ROWS, _MOST_GROUPS)
    level = n_found * (n_found + 1.0) / (n_final * (n_final + 1.0))
    return CalibrationReach(points, fractions, 1.0 - (1.0 - confidence) * level)


def reach_of(proba: NDArray[np.float64], weight: NDArray[np.float64], band: Band) -> float:
    """Return the largest distance of the bands from the diagonal, leaving out the tenth of the rows with the largest.

    Examples
    --------
    >>> band = Band(np.array([0.0, 0.5, 1.0]), np.array([0.0, 0.4, 0.4]), np.array([0.7, 0.7, 1.0]))
    >>> round(reach_of(np.array([0.5]), np.ones(1), band), 3)
    0.2
    """
    lower, upper = band.at(proba)
    reach = np.maximum(upper - proba, proba - lower)
    if (weight == 1.0).all():
        place = math.ceil(_COVERED * len(reach) * (1.0 - 1e-12)) - 1
        return float(np.partition(reach, place)[place])
    order = np.argsort(reach, kind="stable")
    ends = np.cumsum(weight[order])
    within = _COVERED * ends[-1] * (1.0 - 1e-12)  # nine of ten rows are enough, whatever the rounding of 0.9
    return float(reach[order][np.searchsorted(ends, within)])
