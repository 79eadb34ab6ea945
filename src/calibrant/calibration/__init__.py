"""Scores into probabilities: one file a calibrator, each learnt from scores and classes alone."""

from calibrant.calibration._auto import Auto
from calibrant.calibration._base import Calibrator, ScoreMap
from calibrant.calibration._bbq import BBQ
from calibrant.calibration._beta import Beta
from calibrant.calibration._binning import Binning
from calibrant.calibration._calibrated import CalibratedClassifier
from calibrant.calibration._chain import Chain
from calibrant.calibration._choice import AutoChoice, Candidate
from calibrant.calibration._dirichlet import Dirichlet
from calibrant.calibration._held_out import HeldOut
from calibrant.calibration._isotonic import Isotonic
from calibrant.calibration._leaf_venn import LeafVenn
from calibrant.calibration._matrix_scaling import MatrixScaling
from calibrant.calibration._names import CALIBRATORS, as_calibrator, calibrator_from_dict
from calibrant.calibration._pairwise import Pairwise
from calibrant.calibration._platt import Platt
from calibrant.calibration._prior_shift import PriorShift
from calibrant.calibration._quadratic import QuadraticLogit
from calibrant.calibration._repair import BaseRateRepair, Quality, repair_base_rate
from calibrant.calibration._spline import Spline
from calibrant.calibration._temperature import Temperature
from calibrant.calibration._vector_scaling import VectorScaling
from calibrant.calibration._venn_abers import VennAbers, merge_pairs

__all__ = [
    "BBQ",
    "CALIBRATORS",
    "Auto",
    "AutoChoice",
    "BaseRateRepair",
    "Beta",
    "Binning",
    "CalibratedClassifier",
    "Calibrator",
    "Candidate",
    "Chain",
    "Dirichlet",
    "HeldOut",
    "Isotonic",
    "LeafVenn",
    "MatrixScaling",
    "Pairwise",
    "Platt",
    "PriorShift",
    "QuadraticLogit",
    "Quality",
    "ScoreMap",
    "Spline",
    "Temperature",
    "VectorScaling",
    "VennAbers",
    "as_calibrator",
    "calibrator_from_dict",
    "merge_pairs",
    "repair_base_rate",
]
