"""Scores into probabilities: one file a calibrator, each learnt from scores and classes alone."""

from calibrant.calibration._base import Calibrator, ScoreMap
from calibrant.calibration._calibrated import CalibratedClassifier
from calibrant.calibration._held_out import HeldOut
from calibrant.calibration._names import CALIBRATORS, as_calibrator, calibrator_from_dict
from calibrant.calibration._platt import Platt

__all__ = [
    "CALIBRATORS",
    "CalibratedClassifier",
    "Calibrator",
    "HeldOut",
    "Platt",
    "ScoreMap",
    "as_calibrator",
    "calibrator_from_dict",
]
