"""What other packages of calibrant may use of this one; `tests/test_internal_imports.py` allows nothing else."""

from calibrant.blending._logistic_classifier import LOGISTIC_RULES
from calibrant.blending._members.bayes import BayesModel
from calibrant.blending._members.boosted import BoostedModel
from calibrant.blending._members.estimator import EstimatorModel
from calibrant.blending._members.forest import ForestModel
from calibrant.blending._members.gradient import GradientModel
from calibrant.blending._members.kernel import KernelModel
from calibrant.blending._members.logistic import Coefficients, Design, LogisticModel
from calibrant.blending._members.member import FittedMember
from calibrant.blending._members.summed_tables import SummedTables
from calibrant.blending._pool.blend import Blend
from calibrant.blending._pool.cross_fitting import PoolCalibrator
from calibrant.blending._pool.log_linear_pool import LogLinearPool, MemberMap
from calibrant.blending._probability_classifier import PROBABILITY_CLASSIFIER_RULES
from calibrant.blending._table.blend_table import BlendSample

__all__ = [
    "LOGISTIC_RULES",
    "PROBABILITY_CLASSIFIER_RULES",
    "BayesModel",
    "Blend",
    "BlendSample",
    "BoostedModel",
    "Coefficients",
    "Design",
    "EstimatorModel",
    "FittedMember",
    "ForestModel",
    "GradientModel",
    "KernelModel",
    "LogLinearPool",
    "LogisticModel",
    "MemberMap",
    "PoolCalibrator",
    "SummedTables",
]
