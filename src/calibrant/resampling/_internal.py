"""What other packages of calibrant may use of this one; `tests/test_internal_imports.py` allows nothing else."""

from calibrant.resampling._performance.estimate import bootstrap_632_values
from calibrant.resampling._performance.row_contributions import TestedRows, row_contributions
from calibrant.resampling._performance.row_statistics import (
    NO_INTERVAL,
    RowDifference,
    RowStatistics,
    ends_in_range,
    split_interval,
)
from calibrant.resampling._plans import splitters
from calibrant.resampling._plans.plan import BootstrapKind, IntervalKind
from calibrant.resampling._trials.experiment import Experiment, read_experiment, read_plan
from calibrant.resampling._trials.families import Sharing
from calibrant.resampling._trials.methods import are_regressors, open_seeds, seeded_clone, split_seed
from calibrant.resampling._trials.scoring import Scorer, TrainingSummary
from calibrant.resampling._trials.trial_data import ALL_ROWS, MethodTrial, TrialData

__all__ = [
    "ALL_ROWS",
    "NO_INTERVAL",
    "BootstrapKind",
    "Experiment",
    "IntervalKind",
    "MethodTrial",
    "RowDifference",
    "RowStatistics",
    "Scorer",
    "Sharing",
    "TestedRows",
    "TrainingSummary",
    "TrialData",
    "are_regressors",
    "bootstrap_632_values",
    "ends_in_range",
    "open_seeds",
    "read_experiment",
    "read_plan",
    "row_contributions",
    "seeded_clone",
    "split_interval",
    "split_seed",
    "splitters",
]
