"""Tests of perfect calibration, or of the same calibration in all segments."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc, ndtr
from scipy.stats import chi2

from calibrant.metrics._calibration.slope_and_intercept import fitted_line
from calibrant.metrics._docstrings import Common, document_metric
from calibrant.metrics._intervals.bootstrap_plan import WeightKind
from calibrant.metrics._metric import metric, read_rows
from calibrant.metrics._validation.predictions import BinaryRows, Predictions, row_chunks


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
    y_true: Any, y_proba: Any, *, n_groups: int = 10, is_fitted: bool = False, **common: Unpack[Common]
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
    predictions = read_rows("hosmer_lemeshow", y_true, y_proba, common, n_groups=n_groups, is_fitted=is_fitted)
    weight, positive, expected = predictions.positive_ranking("hosmer_lemeshow").mass_bins(n_groups)
    # The variance takes each group as rows of its mean probability, Hosmer & Lemeshow's form, not the sum of p (1 - p).
    variance, error = expected * (1.0 - expected / weight), (positive - expected) ** 2
    # A group of certain probabilities has no variance: it adds 0 where it is right, infinity where it is wrong.
    with np.errstate(divide="ignore"):
        terms = np.divide(error, variance, out=np.zeros_like(error), where=error > 0)
    # The groups of a model fitted to the same rows lose two degrees of freedom; those of foreign rows lose none.
    statistic, df = float(terms.sum()), len(weight) - (2 if is_fitted else 0)
    return HosmerLemeshow(statistic, df, float(chdtrc(df, statistic)) if df > 0 else math.nan)


class SpiegelhalterZ(float):
    """Spiegelhalter's Z: a number that has a p-value.

    Examples
    --------
    >>> found = spiegelhalter_z([0, 1, 1, 0], [0.1, 0.8, 0.3, 0.6])
    >>> round(found, 4), round(found.p_value, 4)
    (0.5025, 0.6153)
    """

    __slots__ = ()

    @property
    def p_value(self) -> float:
        """The probability of a Z so far from 0, on either side, if the probabilities are perfectly calibrated.

        Examples
        --------
        >>> round(SpiegelhalterZ(1.96).p_value, 4)
        0.05
        """
        return float(2.0 * ndtr(-abs(self)))


def spiegelhalter_z_of(predictions: Predictions, weight_kind: WeightKind = "frequency") -> SpiegelhalterZ:
    """Return Spiegelhalter's Z of validated rows."""
    predictions.check_two_classes("spiegelhalter_z")
    return z_of_sums(*excess_and_variance(predictions.binary_rows(), weight_kind))


@metric("nearer", -math.inf, math.inf, {"Spiegelhalter 1986": "Z"}, classes="two")
def spiegelhalter_z(
    y_true: Any, y_proba: Any, *, weight_kind: WeightKind = "frequency", **common: Unpack[Common]
) -> SpiegelhalterZ:
    """Return Spiegelhalter's Z, the standardized difference between the Brier score and its expectation: 0 is best.

    It is standard normal for perfectly calibrated probabilities, so beyond 1.96 on either side they are
    miscalibrated, at 5 %; its `p_value` is that of both sides. Above 0 the score is worse than the probabilities
    promise (Spiegelhalter 1986).

    %(parameters_positive)s
    weight_kind : {"frequency", "probability"}
        Whether a weight of 2 means the row twice, or one row that represents two of the population, as in surveys and
        case-control samples.

    %(returns)s
        The statistic, a float with a `p_value`; NaN where every probability is 0, 1 or 1/2.

    Examples
    --------
    >>> found = spiegelhalter_z([0, 1, 1, 0], [0.1, 0.8, 0.3, 0.6])
    >>> round(found, 4), round(found.p_value, 4)
    (0.5025, 0.6153)
    """
    predictions = read_rows("spiegelhalter_z", y_true, y_proba, common, weight_kind=weight_kind)
    return spiegelhalter_z_of(predictions, weight_kind)


def excess_and_variance(rows: BinaryRows, weight_kind: WeightKind = "frequency") -> tuple[float, float]:
    """Return the sums of Spiegelhalter's Z: the excess of the Brier score over its expectation, and its variance.

    The variance of a sum of rows of weights w is that of w copies if the weights are frequencies, and grows by w^2 if
    each is one row that represents w of the population.
    """
    excess = variance = 0.0
    # In chunks, so that temporaries do not take several times the memory of the rows.
    for chunk in row_chunks(len(rows.proba)):
        p = rows.proba[chunk]
        # (y - p)^2 - p (1 - p) = (y - p) (1 - 2 p): the excess is linear in y, so Z needs no squared errors.
        slope = 1.0 - 2.0 * p
        weighted = slope if rows.weight is None else slope * rows.weight[chunk]
        excess += float(((rows.positive[chunk] - p) * weighted).sum())
        # A frequency weight is w independent rows (variance w v), a probability weight one row counted w times (w^2 v).
        variance += float(((slope if weight_kind == "frequency" else weighted) * p * (1.0 - p) * weighted).sum())
    return excess, variance


def z_of_sums(excess: float, variance: float) -> SpiegelhalterZ:
    """Return Z from its sums.

    Examples
    --------
    >>> z_of_sums(1.0, 0.25), z_of_sums(0.0, 0.0)
    (2.0, nan)
    """
    return SpiegelhalterZ(excess / math.sqrt(variance) if variance > 0 else math.nan)


_SIGNIFICANT = 0.05  # of p-values after Holm's correction, for the words of the result


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
    # A score test: only the common line is fitted, never one line a segment, which might be separable or tiny.
    line = fitted_line(rows)
    inverse = np.linalg.pinv(line.information())
    pvalues = []
    for number in range(len(names)):
        within = segment == number
        own = line.information(within)
        score = line.score(within)
        covariance = own - own @ inverse @ own  # fitting the common line removes a part of the score's variance
        if cluster is not None:
            # From sums over clusters of the segment's score, net of the common line's fit.
            scores = line.design * (line.residual * line.weight)[:, None]
            net = within[:, None] * scores - scores @ (own @ inverse).T
            sums = np.stack([np.bincount(cluster, column) for column in net.T])
            covariance = np.asarray(sums @ sums.T)
        # A segment of equal probabilities, or one that holds all rows, has a singular covariance up to rounding.
        precision = np.linalg.pinv(covariance, rcond=1e-10, hermitian=True)
        pvalues.append(float(chi2.sf(score @ precision @ score, 2)))
    return EqualCalibration(dict(zip(names, pvalues, strict=True)), dict(zip(names, holm(pvalues), strict=True)))


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
    # Running maxima keep a hypothesis from passing one that has a smaller p-value.
    corrected[order] = np.minimum(np.maximum.accumulate(np.asarray(pvalues)[order] * factors), 1.0)
    return [float(p) for p in corrected]
