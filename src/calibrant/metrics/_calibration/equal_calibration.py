"""Whether segments of rows are calibrated alike: Rao's score test of a line of their own for each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.stats import chi2

from calibrant.metrics._calibration.logistic_line import Line, fitted_line
from calibrant.metrics._validation.prediction_rows import TwoClass

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["EqualCalibration", "equal_calibration", "holm"]

_SURE = 0.05


@dataclass(frozen=True, eq=False)
class EqualCalibration:
    """How likely such differences between each segment and all rows are, if all are calibrated alike.

    Parameters
    ----------
    pvalues : dict of object to float
        The p-value of each segment.
    corrected : dict of object to float
        The same after Holm's correction for the number of segments: those below 0.05 are found with at most one
        chance in twenty of any false alarm.

    Examples
    --------
    >>> EqualCalibration({"a": 0.01, "b": 0.8}, {"a": 0.02, "b": 0.8})
    calibrated differently from the rest: a (p = 0.02, corrected for 2 segments)
    """

    pvalues: Mapping[Any, float]
    corrected: Mapping[Any, float]

    def __repr__(self) -> str:
        found = [f"{name} (p = {p:.2g}" for name, p in self.corrected.items() if p < _SURE]
        if not found:
            return f"no segment is shown to be calibrated differently (corrected for {len(self.corrected)} segments)"
        told = "), ".join(found)
        return f"calibrated differently from the rest: {told}, corrected for {len(self.corrected)} segments)"


def equal_calibration(
    rows: TwoClass, segment: NDArray[np.intp], names: list[Any], cluster: NDArray[np.intp] | None = None
) -> EqualCalibration:
    """Test, for each segment, whether a line of its own on the scale of log-odds fits it better than that of all rows.

    With clusters the spread of the score is that of their sums, whatever holds within them (Boos 1992).

    Parameters
    ----------
    rows : TwoClass
        Probabilities and outcomes.
    segment : array of shape (n_rows,)
        The number of each row's segment.
    names : list
        The name of each segment.
    cluster : array of shape (n_rows,), optional
        The number of the cluster of each row, where rows are not independent or stand for several.

    Returns
    -------
    EqualCalibration
        A p-value for each segment, alone and corrected for their number.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> proba, segment = rng.random(2000), np.arange(2000) % 2
    >>> outcome = rng.random(2000) < np.where(segment == 1, 0.5, proba)
    >>> equal_calibration(TwoClass(proba, outcome), segment, ["a", "b"]).corrected["b"] < 0.001
    True
    """
    line = fitted_line(rows)
    inverse = np.linalg.pinv(line.information())
    pvalues = []
    for number in range(len(names)):
        within = segment == number
        own = line.information(within)
        pull = line.score(within)
        left = own - own @ inverse @ own  # the common line takes a part of the pull
        if cluster is not None:
            left = _spread_of_sums(line, within, own @ inverse, cluster)
        pvalues.append(float(chi2.sf(pull @ np.linalg.pinv(left, rcond=1e-10, hermitian=True) @ pull, 2)))
    return EqualCalibration(dict(zip(names, pvalues, strict=True)), dict(zip(names, holm(pvalues), strict=True)))


def _spread_of_sums(
    line: Line, within: NDArray[np.bool_], taken: NDArray[np.float64], cluster: NDArray[np.intp]
) -> NDArray[np.float64]:
    """Give the covariance of a segment's pull, less what the common line takes of all, from sums of clusters."""
    pulls = line.design * (line.residual * line.weight)[:, None]
    net = within[:, None] * pulls - pulls @ taken.T
    sums = np.stack([np.bincount(cluster, column) for column in net.T])
    return np.asarray(sums @ sums.T)


def holm(pvalues: list[float]) -> list[float]:
    """Correct p-values for their number (Holm 1979).

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    order = np.argsort(pvalues, kind="stable")
    times = np.arange(len(pvalues), 0, -1)
    corrected = np.empty(len(pvalues))
    corrected[order] = np.minimum(np.maximum.accumulate(np.asarray(pvalues)[order] * times), 1.0)
    return [float(p) for p in corrected]
