"""Spiegelhalter's test of perfect calibration, without groups (Spiegelhalter 1986)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from scipy.special import ndtr

from calibrant.metrics._docstrings import document_metric
from calibrant.metrics._metric import Metric
from calibrant.metrics._ranking.rankings import check_two_classes
from calibrant.metrics._validation.options import check_options
from calibrant.metrics._validation.predictions import BinaryRows, Predictions, row_chunks
from calibrant.metrics._validation.read_predictions import read_predictions

if TYPE_CHECKING:
    from calibrant.metrics._intervals.bootstrap_plan import WeightKind

__all__ = [
    "SPIEGELHALTER_Z",
    "SpiegelhalterZ",
    "excess_and_variance",
    "spiegelhalter_z",
    "spiegelhalter_z_of",
    "z_of_sums",
]


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


@document_metric
def spiegelhalter_z(
    y_true: Any,
    y_proba: Any,
    *,
    sample_weight: Any = None,
    pos_label: Any = None,
    labels: Any = None,
    weight_kind: WeightKind = "frequency",
) -> SpiegelhalterZ:
    """Return Spiegelhalter's Z, the standardized difference between the Brier score and its expectation: 0 is best.

    It is standard normal for perfectly calibrated probabilities, so beyond 1.96 on either side they are
    miscalibrated, at 5 %; its `p_value` is that of both sides. Above 0 the score is worse than the probabilities
    promise (Spiegelhalter 1986).

    %(parameters_positive)s
    %(weight_kind)s

    %(returns)s
        The statistic, a float with a `p_value`; NaN where every probability is 0, 1 or 1/2.

    Examples
    --------
    >>> found = spiegelhalter_z([0, 1, 1, 0], [0.1, 0.8, 0.3, 0.6])
    >>> round(found, 4), round(found.p_value, 4)
    (0.5025, 0.6153)
    """
    check_options("spiegelhalter_z", weight_kind=weight_kind)
    return spiegelhalter_z_of(read_predictions(y_true, y_proba, sample_weight, pos_label, labels), weight_kind)


def spiegelhalter_z_of(predictions: Predictions, weight_kind: WeightKind = "frequency") -> SpiegelhalterZ:
    """Return Spiegelhalter's Z of validated rows."""
    check_two_classes(predictions, "spiegelhalter_z")
    return z_of_sums(*excess_and_variance(predictions.binary_rows(), weight_kind))


def excess_and_variance(rows: BinaryRows, weight_kind: WeightKind = "frequency") -> tuple[float, float]:
    """Return the sums of Spiegelhalter's Z: the excess of the Brier score over its expectation, and its variance.

    The variance of a sum of rows of weights w is that of w copies if the weights are frequencies, and grows by w^2 if
    each is one row that represents w of the population.
    """
    excess = variance = 0.0
    for chunk in row_chunks(len(rows.proba)):
        p = rows.proba[chunk]
        slope = 1.0 - 2.0 * p
        weighted = slope if rows.weight is None else slope * rows.weight[chunk]
        excess += float(((rows.positive[chunk] - p) * weighted).sum())
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


SPIEGELHALTER_Z = Metric(
    "spiegelhalter_z",
    spiegelhalter_z,
    spiegelhalter_z_of,
    "nearer",
    -math.inf,
    math.inf,
    {"Spiegelhalter 1986": "Z"},
    classes="two",
)
