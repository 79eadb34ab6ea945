"""Calibrators, which map scores to probabilities, and the classifier that wraps a model with one."""

from calibrant.calibration._auto.auto import Auto
from calibrant.calibration._auto.choice import AutoChoice, Candidate
from calibrant.calibration._base import Calibrator, ScoreMap
from calibrant.calibration._classifier.calibrated_classifier import CalibratedClassifier
from calibrant.calibration._classifier.held_out_scores import HeldOut
from calibrant.calibration._classifier.repair_base_rate import BaseRateRepair, Quality, repair_base_rate
from calibrant.calibration._maps.bbq import BBQ
from calibrant.calibration._maps.beta import Beta
from calibrant.calibration._maps.binning import Binning
from calibrant.calibration._maps.chain import Chain
from calibrant.calibration._maps.dirichlet import Dirichlet
from calibrant.calibration._maps.isotonic import Isotonic
from calibrant.calibration._maps.leaf_venn import LeafVenn
from calibrant.calibration._maps.matrix_scaling import MatrixScaling
from calibrant.calibration._maps.pairwise import Pairwise
from calibrant.calibration._maps.platt import Platt
from calibrant.calibration._maps.prior_shift import PriorShift
from calibrant.calibration._maps.quadratic_logit import QuadraticLogit
from calibrant.calibration._maps.spline import Spline
from calibrant.calibration._maps.temperature import Temperature
from calibrant.calibration._maps.vector_scaling import VectorScaling
from calibrant.calibration._maps.venn_abers import VennAbers, merge_pairs
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
