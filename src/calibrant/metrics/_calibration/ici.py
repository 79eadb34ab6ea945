"""The integrated calibration index (Austin & Steyerberg 2019): the mean distance to the calibration curve."""

from __future__ import annotations

from typing import Any

from calibrant.metrics._docstrings import document_metric
from calibrant.metrics._metric import Metric
from calibrant.metrics._validation.predictions import Predictions
from calibrant.metrics._validation.read_predictions import read_predictions

__all__ = ["ICI", "ici"]


@document_metric
def ici(y_true: Any, y_proba: Any, *, sample_weight: Any = None, pos_label: Any = None, labels: Any = None) -> float:
    """Return the mean absolute difference between the probabilities and the calibration curve at them: 0 is best.

    The curve is isotonic regression, as in CORP reliability diagrams: it has no bandwidth to choose and never falls.
    Austin & Steyerberg (2019) use loess, as does ``val.prob`` of R's rms (Eavg), which is smoother and may fall; the
    two differ by a little noise. With more than two classes it is that of the predicted class.

    %(parameters)s

    %(returns)s
        The mean difference, from 0 to 1.

    Examples
    --------
    >>> round(ici([0, 1, 0, 1], [0.1, 0.6, 0.7, 0.9]), 3)  # the curve: 0, 1/2, 1/2, 1
    0.125
    """
    return _ici(read_predictions(y_true, y_proba, sample_weight, pos_label, labels))


def _ici(predictions: Predictions) -> float:
    return predictions.calibration_ranking.isotonic_gap()


ICI = Metric("ici", ici, _ici, "lower", 0.0, 1.0, {"Austin & Steyerberg 2019": "ICI", "Harrell 2015": "Eavg"})
