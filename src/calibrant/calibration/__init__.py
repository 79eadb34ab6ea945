"""Calibrators, which map scores to probabilities, and the classifier that wraps a model with one."""

from calibrant.calibration._auto.auto import Auto
from calibrant.calibration._auto.choice import AutoChoice, Candidate
from calibrant.calibration._base import Calibrator, ScoreMap
from calibrant.calibration._classifier.base_rate import BaseRateRepair, Quality, repair_base_rate
from calibrant.calibration._classifier.calibrated_classifier import CalibratedClassifier
from calibrant.calibration._classifier.held_out_scores import HeldOut
from calibrant.calibration._maps.beta import Beta
from calibrant.calibration._maps.binning import BBQ, Binning
from calibrant.calibration._maps.composed import Chain, Pairwise
from calibrant.calibration._maps.isotonic import Isotonic
from calibrant.calibration._maps.log_linear import Dirichlet, MatrixScaling, VectorScaling
from calibrant.calibration._maps.platt import Platt
from calibrant.calibration._maps.prior_shift import PriorShift
from calibrant.calibration._maps.quadratic_logit import QuadraticLogit
from calibrant.calibration._maps.spline import Spline
from calibrant.calibration._maps.temperature import Temperature
from calibrant.calibration._maps.venn_abers import LeafVenn, VennAbers, merge_pairs
from calibrant.calibration._names import CALIBRATORS, as_calibrator, calibrator_from_dict

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
