"""What other packages of calibrant may use of this one; `tests/test_internal_imports.py` allows nothing else."""

from calibrant.blending._blend import Blend, PoolCalibrator
from calibrant.blending._log_linear_pool import LogLinearPool, MemberMap
from calibrant.blending._member import BayesModel, EstimatorModel, FittedMember, TreesModel
from calibrant.blending._probability_classifier import PROBABILITY_CLASSIFIER_RULES
from calibrant.blending._table import BlendSample

__all__ = [
    "PROBABILITY_CLASSIFIER_RULES",
    "BayesModel",
    "Blend",
    "BlendSample",
    "EstimatorModel",
    "FittedMember",
    "LogLinearPool",
    "MemberMap",
    "PoolCalibrator",
    "TreesModel",
]
