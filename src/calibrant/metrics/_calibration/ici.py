"""The integrated calibration index (Austin & Steyerberg 2019): how far probabilities are from a calibration curve."""

from __future__ import annotations

from typing import Any

from calibrant.metrics._metric import Metric
from calibrant.metrics._validation.predictions import Predictions, read_predictions

__all__ = ["ICI", "ici"]


def ici(y_true: Any, y_proba: Any, *, sample_weight: Any = None, pos_label: Any = None, labels: Any = None) -> float:
    """Give the mean difference, without sign, between the probabilities and the calibration curve at them: 0 is best.

    The curve is isotonic regression, as in CORP reliability diagrams: it has no width to choose and never falls. Austin
    & Steyerberg (2019) draw theirs by loess, as does ``val.prob`` of R's rms (Eavg), which is smoother and may fall;
    the two differ by a little noise. With more than two classes it speaks of the decided one.

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

    Returns
    -------
    float
        The mean, from 0 to 1.

    Examples
    --------
    >>> round(ici([0, 1, 0, 1], [0.1, 0.6, 0.7, 0.9]), 3)  # the curve: 0, 1/2, 1/2, 1
    0.125
    """
    return _ici(read_predictions(y_true, y_proba, sample_weight=sample_weight, pos_label=pos_label, labels=labels))


def _ici(read: Predictions) -> float:
    return read.judged_ranking.isotonic_gap()


ICI = Metric("ici", ici, _ici, "lower", 0.0, 1.0, {"Austin & Steyerberg 2019": "ICI", "Harrell 2015": "Eavg"})
