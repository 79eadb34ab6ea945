"""Resampling: plans that split rows into training rows and test rows, and performance estimated by them."""

from calibrant.resampling._performance.estimate import estimate_performance
from calibrant.resampling._performance.learning_curve import LearningCurve, learning_curve
from calibrant.resampling._performance.performance import Performance, Pooled
from calibrant.resampling._plans.derived_plans import Nested, SmallerTraining
from calibrant.resampling._plans.fixed_splits import AcrossGroups, Resubstitution, RollingOrigin, TimeOrderedHoldout
from calibrant.resampling._plans.plan import Plan
from calibrant.resampling._plans.random_plans import (
    Bootstrap632,
    CrossValidation,
    Holdout,
    LeaveOneOut,
    RepeatedHoldout,
)

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
    "RollingOrigin",
    "SmallerTraining",
    "TimeOrderedHoldout",
    "estimate_performance",
    "learning_curve",
]
