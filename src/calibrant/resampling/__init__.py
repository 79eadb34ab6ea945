"""How good a method really is: plans that divide rows, and performance estimated by them."""

from calibrant.resampling._across_groups import AcrossGroups
from calibrant.resampling._bootstrap import Bootstrap632
from calibrant.resampling._cross_validation import CrossValidation, LeaveOneOut
from calibrant.resampling._estimate import estimate_performance
from calibrant.resampling._holdout import Holdout, RepeatedHoldout
from calibrant.resampling._learning_curve import LearningCurve, learning_curve
from calibrant.resampling._nested import Nested
from calibrant.resampling._performance import Performance, Pooled
from calibrant.resampling._plan import Plan
from calibrant.resampling._resubstitution import Resubstitution
from calibrant.resampling._smaller_training import SmallerTraining
from calibrant.resampling._time_ordered import TimeOrderedHoldout

__all__ = [
    "AcrossGroups",
    "Bootstrap632",
    "CrossValidation",
    "Holdout",
    "LearningCurve",
    "LeaveOneOut",
    "Nested",
    "Performance",
    "Plan",
    "Pooled",
    "RepeatedHoldout",
    "Resubstitution",
    "SmallerTraining",
    "TimeOrderedHoldout",
    "estimate_performance",
    "learning_curve",
]
