"""Scores into probabilities: one file a calibrator, each learnt from scores and classes alone."""

from calibrant.calibration._base import Calibrator, ScoreMap
from calibrant.calibration._binning import Binning
from calibrant.calibration._isotonic import Isotonic
from calibrant.calibration._names import CALIBRATORS, as_calibrator, calibrator_from_dict
from calibrant.calibration._platt import Platt

__all__ = [
    "CALIBRATORS",
    "Binning",
    "Calibrator",
    "Isotonic",
    "Platt",
    "ScoreMap",
    "as_calibrator",
    "calibrator_from_dict",
]
