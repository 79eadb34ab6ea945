"""Test of equal calibration across segments of rows: Rao's score test of a separate line for each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.stats import chi2

from calibrant.metrics._calibration.logistic_line import LogisticLine, fitted_line
from calibrant.metrics._validation.predictions import BinaryRows

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["EqualCalibration", "equal_calibration", "holm"]

_SIGNIFICANT = 0.05


@dataclass(frozen=True, eq=False)
class EqualCalibration:
    """P-values of each segment being calibrated like all rows.

    Parameters
    ----------
    pvalues : dict of object to float
        The p-value of each segment.
    corrected : dict of object to float
        The same after Holm's correction for the number of segments: with a threshold of 0.05 the probability of any
        false alarm is at most 5 %.

    Examples
    --------
    >>> EqualCalibration({"a": 0.01, "b": 0.8}, {"a": 0.02, "b": 0.8})
    calibrated differently from the rest: a (p = 0.02, corrected for 2 segments)
    """

    pvalues: Mapping[Any, float]
    corrected: Mapping[Any, float]

    def __repr__(self) -> str:
        found = [f"{name} (p = {p:.2g}" for name, p in self.corrected.items() if p < _SIGNIFICANT]
        if not found:
            return f"no segment is shown to be calibrated differently (corrected for {len(self.corrected)} segments)"
        segments = "), ".join(found)
        return f"calibrated differently from the rest: {segments}, corrected for {len(self.corrected)} segments)"


def equal_calibration(
    rows: BinaryRows, segment: NDArray[np.intp], names: list[Any], cluster: NDArray[np.intp] | None = None
) -> EqualCalibration:
    """Test, for each segment, whether a separate line on the scale of log-odds fits it better than the common one.

    With clusters the covariance of the score is that of their sums, whatever the dependence within them (Boos 1992).

    Parameters
    ----------
    rows : BinaryRows
        Probabilities and actual classes.
    segment : array of shape (n_rows,)
        The index of each row's segment.
    names : list
        The name of each segment.
    cluster : array of shape (n_rows,), optional
        The index of each row's cluster, where rows are not independent or stand for several.

    Returns
    -------
    EqualCalibration
        A p-value for each segment, uncorrected and corrected for their number.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> proba, segment = rng.random(2000), np.arange(2000) % 2
    >>> outcome = rng.random(2000) < np.where(segment == 1, 0.5, proba)
    >>> equal_calibration(BinaryRows(proba, outcome), segment, ["a", "b"]).corrected["b"] < 0.001
    True
    """
    line = fitted_line(rows)
    inverse = np.linalg.pinv(line.information())
    pvalues = []
    for number in range(len(names)):
        within = segment == number
        own = line.information(within)
        score = line.score(within)
        covariance = own - own @ inverse @ own  # fitting the common line removes a part of the score's variance
        if cluster is not None:
            covariance = _clustered_covariance(line, within, own @ inverse, cluster)
        # A segment of equal probabilities, or one that holds all rows, has a singular covariance up to rounding.
        precision = np.linalg.pinv(covariance, rcond=1e-10, hermitian=True)
        pvalues.append(float(chi2.sf(score @ precision @ score, 2)))
    return EqualCalibration(dict(zip(names, pvalues, strict=True)), dict(zip(names, holm(pvalues), strict=True)))


def _clustered_covariance(
    line: LogisticLine, within: NDArray[np.bool_], projection: NDArray[np.float64], cluster: NDArray[np.intp]
) -> NDArray[np.float64]:
    """Return the covariance of a segment's score, net of the common line's fit, from sums over clusters."""
    scores = line.design * (line.residual * line.weight)[:, None]
    net = within[:, None] * scores - scores @ projection.T
    sums = np.stack([np.bincount(cluster, column) for column in net.T])
    return np.asarray(sums @ sums.T)


def holm(pvalues: list[float]) -> list[float]:
    """Return p-values corrected for their number (Holm 1979).

    Examples
    --------
    >>> [round(p, 6) for p in holm([0.01, 0.04, 0.03])]
    [0.03, 0.06, 0.06]
    """
    order = np.argsort(pvalues, kind="stable")
    factors = np.arange(len(pvalues), 0, -1)
    corrected = np.empty(len(pvalues))
    corrected[order] = np.minimum(np.maximum.accumulate(np.asarray(pvalues)[order] * factors), 1.0)
    return [float(p) for p in corrected]
