"""Scores into probabilities: one file a calibrator, each learnt from scores and classes alone."""

from calibrant.calibration._base import Calibrator, ScoreMap
from calibrant.calibration._beta import Beta
from calibrant.calibration._chain import Chain
from calibrant.calibration._dirichlet import Dirichlet
from calibrant.calibration._isotonic import Isotonic
from calibrant.calibration._matrix_scaling import MatrixScaling
from calibrant.calibration._names import CALIBRATORS, as_calibrator, calibrator_from_dict
from calibrant.calibration._pairwise import Pairwise
from calibrant.calibration._platt import Platt
from calibrant.calibration._prior_shift import PriorShift
from calibrant.calibration._repair import BaseRateRepair, Quality, repair_base_rate
from calibrant.calibration._temperature import Temperature
from calibrant.calibration._vector_scaling import VectorScaling

__all__ = [
    "CALIBRATORS",
    "BaseRateRepair",
    "Beta",
    "Calibrator",
    "Chain",
    "Dirichlet",
    "Isotonic",
    "MatrixScaling",
    "Pairwise",
    "Platt",
    "PriorShift",
    "Quality",
    "ScoreMap",
    "Temperature",
    "VectorScaling",
    "as_calibrator",
    "calibrator_from_dict",
    "repair_base_rate",
]
