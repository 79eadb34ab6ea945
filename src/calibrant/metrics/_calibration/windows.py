"""Calibration in windows of neighbouring ranks (Caruana & Niculescu-Mizil 2004)."""

from __future__ import annotations

from typing import Any

from calibrant._params import Int, check_param
from calibrant.metrics._metric import Metric
from calibrant.metrics._validation.predictions import Predictions, read_predictions

__all__ = ["CAL", "cal"]


def cal(
    y_true: Any,
    y_proba: Any,
    *,
    sample_weight: Any = None,
    pos_label: Any = None,
    labels: Any = None,
    window: int = 100,
) -> float:
    """Give the mean difference between the share of positives and the mean probability in sliding windows: 0 is best.

    Rows are sorted by probability; the windows are rows 1 to 100, 2 to 101, and so on. Rows of equal probability stand
    in no order: each counts with the share of positives among them. Where there are fewer rows than a window holds,
    one holds them all. With more than two classes, the probability of the decided class is compared with how often it
    is right. Like every error of this kind it is above 0 by chance, also where the probabilities are right.

    A whole weight is the row that often. With others a window holds a weight of 100, some rows in part, and one starts
    at every whole weight.

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
    window : int
        How many rows a window holds.

    Returns
    -------
    float
        The mean over windows, from 0 to 1.

    Examples
    --------
    >>> cal([0, 1, 0, 1], [0.1, 0.4, 0.6, 0.9], window=2)  # 0.25, 0 and 0.25
    0.16666666666666666
    """
    return _cal(
        read_predictions(y_true, y_proba, sample_weight=sample_weight, pos_label=pos_label, labels=labels), window
    )


def _cal(read: Predictions, window: int = 100) -> float:
    check_param("window", window, Int(1))
    return read.judged_ranking.window_calibration(float(window))


CAL = Metric("cal", cal, _cal, "lower", 0.0, 1.0, {"Caruana & Niculescu-Mizil 2006": "CAL"})
