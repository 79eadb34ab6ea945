"""The names of this package that other packages may import; `tests/test_internal_imports.py` allows no others."""

from calibrant.resampling._performance.estimate import bootstrap_632_values
from calibrant.resampling._performance.row_statistics import (
    NO_INTERVAL,
    KeptTrials,
    RowDifference,
    RowStatistics,
    TestPredictions,
    split_interval,
)
from calibrant.resampling._plans import splitters
from calibrant.resampling._trials.experiment import Experiment
from calibrant.resampling._trials.families import are_regressors, seeded_clone
from calibrant.resampling._trials.trial_data import MethodTrial

__all__ = [
    "NO_INTERVAL",
    "Experiment",
    "KeptTrials",
    "MethodTrial",
    "RowDifference",
    "RowStatistics",
    "TestPredictions",
    "are_regressors",
    "bootstrap_632_values",
    "seeded_clone",
    "split_interval",
    "splitters",
]
