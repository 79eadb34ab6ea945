"""Calibration error in sliding windows of neighboring ranks (Caruana & Niculescu-Mizil 2004)."""

from __future__ import annotations

from typing import Any

from calibrant.metrics._docstrings import document_metric
from calibrant.metrics._metric import Metric
from calibrant.metrics._papers import CARUANA
from calibrant.metrics._validation.options import check_options
from calibrant.metrics._validation.predictions import Predictions
from calibrant.metrics._validation.read_predictions import read_predictions

__all__ = ["CAL", "cal"]


@document_metric
def cal(
    y_true: Any,
    y_proba: Any,
    *,
    sample_weight: Any = None,
    pos_label: Any = None,
    labels: Any = None,
    window: int = 100,
) -> float:
    """Return the mean absolute difference of observed frequency and mean probability in sliding windows: 0 is best.

    Rows are sorted by probability; the windows are rows 1 to 100, 2 to 101, and so on. Rows of equal probability have
    no order: each counts with the frequency of positives among them. Where there are fewer rows than a window holds,
    one window holds them all. With more than two classes, the probability of the predicted class is compared with its
    accuracy. Like every error of this kind it is above 0 by chance even for perfectly calibrated probabilities.

    A whole weight counts the row that many times. With fractional weights a window holds a weight of 100, some rows in
    part, and one starts at every whole weight.

    %(parameters)s
    window : int
        The number of rows in a window.

    %(returns)s
        The mean over windows, from 0 to 1.

    Examples
    --------
    >>> round(cal([0, 1, 0, 1], [0.1, 0.4, 0.6, 0.9], window=2), 4)  # the mean of 0.25, 0 and 0.25
    0.1667
    """
    check_options("cal", window=window)
    return _cal(read_predictions(y_true, y_proba, sample_weight, pos_label, labels), window)


def _cal(predictions: Predictions, window: int = 100) -> float:
    return predictions.calibration_ranking.window_calibration(float(window))


CAL = Metric("cal", cal, _cal, "lower", 0.0, 1.0, {CARUANA: "CAL"})
