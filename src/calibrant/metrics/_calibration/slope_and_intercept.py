"""The line that outcomes follow on the logit of the probabilities (Cox 1958): its slope and its intercept."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant import _core
from calibrant._params import Bool, check_param
from calibrant._threads import n_threads
from calibrant.metrics._metric import Metric
from calibrant.metrics._ranking.rankings import check_two_classes
from calibrant.metrics._validation.prediction_rows import TwoClass
from calibrant.metrics._validation.predictions import Predictions, read_predictions

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "CALIBRATION_INTERCEPT",
    "CALIBRATION_SLOPE",
    "calibration_intercept",
    "calibration_slope",
    "least_cross_entropy",
]

_LEAST, _STEPS, _SMALL, _LONGEST = 1e-12, 200, 1e-12, 4.0
_LAST = 1e-7  # Newton's step after one as short is shorter than rounding


def calibration_slope(
    y_true: Any, y_proba: Any, *, sample_weight: Any = None, pos_label: Any = None, labels: Any = None
) -> float:
    """Give the slope of the logistic regression of outcomes on the logit of the probabilities: 1 is best.

    Below 1 the probabilities are too extreme, above 1 too timid; below 0 they point the wrong way. Probabilities of 0
    and 1 count as 1e-12 away from it.

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
        The slope; infinite where the probabilities tell the classes apart without a slip, NaN where they are all equal
        or only one class has rows.

    Examples
    --------
    >>> round(calibration_slope([0, 1, 1, 0, 1, 1], [0.02, 0.9, 0.99, 0.7, 0.6, 0.3]), 3)
    0.631
    """
    return _slope(read_predictions(y_true, y_proba, sample_weight=sample_weight, pos_label=pos_label, labels=labels))


def _slope(read: Predictions) -> float:
    check_two_classes(read, "calibration_slope")
    return _line(read.two_class())[0]


def calibration_intercept(
    y_true: Any,
    y_proba: Any,
    *,
    sample_weight: Any = None,
    pos_label: Any = None,
    labels: Any = None,
    joint: bool = False,
) -> float:
    """Give what must be added to every logit so that the mean probability is the share of positives: 0 is best.

    Above 0 the probabilities are too low on the whole: calibration in the large. Probabilities of 0 and 1 count as
    1e-12 away from it.

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
    joint : bool
        Give the intercept of the line whose slope is `calibration_slope`, instead of that of slope 1.

    Returns
    -------
    float
        The intercept; infinite where only one class has rows.

    Examples
    --------
    >>> round(calibration_intercept([0, 1, 1, 1], [0.5, 0.5, 0.5, 0.5]), 4)  # ln 3
    1.0986
    """
    return _intercept(
        read_predictions(y_true, y_proba, sample_weight=sample_weight, pos_label=pos_label, labels=labels), joint
    )


def _intercept(read: Predictions, joint: bool = False) -> float:
    check_param("joint", joint, Bool())
    check_two_classes(read, "calibration_intercept")
    return _line(read.two_class())[1] if joint else _shift(read.two_class())


def _line(rows: TwoClass) -> tuple[float, float]:
    """Give slope and intercept; no finite line is the best where the classes do not overlap."""
    if rows.positive.all() or not rows.positive.any():
        return math.nan, math.nan
    low, high = rows.proba[~rows.positive], rows.proba[rows.positive]
    if max(low.max(), high.max()) == min(low.min(), high.min()):
        return math.nan, math.nan
    if low.max() <= high.min() or high.max() <= low.min():
        return (math.inf if low.max() <= high.min() else -math.inf), math.nan
    slope, intercept = least_cross_entropy(rows, np.array([1.0, 0.0]), np.array([True, True]))
    return float(slope), float(intercept)


def _shift(rows: TwoClass) -> float:
    if rows.positive.all() or not rows.positive.any():
        return math.inf if rows.positive.all() else -math.inf
    return float(least_cross_entropy(rows, np.array([1.0, 0.0]), np.array([False, True]))[1])


def least_cross_entropy(rows: TwoClass, coef: NDArray[np.float64], free: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Find the coefficients of least cross-entropy by Newton's steps, halved where they do not help."""
    columns, one, zero, threads = [_core.logits(rows.proba, _LEAST)], np.ones(1), np.zeros(1), n_threads(None)

    def at(point: NDArray[np.float64]) -> tuple[float, NDArray[np.float64], NDArray[np.float64]]:
        found = _core.logistic_sums(columns, one, zero, rows.positive, rows.weight, 0.0, 1.0, point, threads)
        return found[0], np.asarray(found[1])[free], np.asarray(found[2])[np.ix_(free, free)]

    loss, slope, curve = at(coef)
    for _ in range(_STEPS):
        step = np.zeros(2)
        step[free] = -np.linalg.lstsq(curve, slope, rcond=None)[0]
        if np.abs(step).max() <= _LAST * (1.0 + np.abs(coef).max()):
            return coef + step
        step *= min(1.0, _LONGEST / max(float(np.abs(step).max()), _SMALL))
        size = 1.0
        while (found := at(coef + size * step))[0] > loss * (1.0 + _SMALL) and size > _SMALL:
            size /= 2.0
        coef, (loss, slope, curve) = coef + size * step, found
    return coef


_COX = {"Cox 1958": "beta", "Van Calster et al. 2019": "calibration slope"}
CALIBRATION_SLOPE = Metric(
    "calibration_slope", calibration_slope, _slope, "nearer", -math.inf, math.inf, _COX, classes="two", target=1.0
)
CALIBRATION_INTERCEPT = Metric(
    "calibration_intercept",
    calibration_intercept,
    _intercept,
    "nearer",
    -math.inf,
    math.inf,
    {"Cox 1958": "alpha", "Van Calster et al. 2019": "calibration in the large"},
    classes="two",
)
