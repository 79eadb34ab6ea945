"""What other packages of calibrant may use of this one; `tests/test_internal_imports.py` allows nothing else."""

from calibrant.resampling._performance.bootstrap_632 import bootstrap_632_values
from calibrant.resampling._performance.intervals import NO_INTERVAL, split_interval
from calibrant.resampling._plans import splitters
from calibrant.resampling._plans.plan import BootstrapKind, IntervalKind
from calibrant.resampling._plans.predefined_splits import PredefinedSplits
from calibrant.resampling._trials.experiment import Errors, Experiment, read_experiment, read_plan
from calibrant.resampling._trials.method_trial import ALL_ROWS, MethodTrial, TrialSeconds
from calibrant.resampling._trials.methods import Family, are_regressors, group_families, read_methods
from calibrant.resampling._trials.scoring import Scorer, TrainingSummary
from calibrant.resampling._trials.seeds import open_seeds, split_seed
from calibrant.resampling._trials.sharing import Sharing

__all__ = [
    "ALL_ROWS",
    "NO_INTERVAL",
    "BootstrapKind",
    "Errors",
    "Experiment",
    "Family",
    "IntervalKind",
    "MethodTrial",
    "PredefinedSplits",
    "Scorer",
    "Sharing",
    "TrainingSummary",
    "TrialSeconds",
    "are_regressors",
    "bootstrap_632_values",
    "group_families",
    "open_seeds",
    "read_experiment",
    "read_methods",
    "read_plan",
    "split_interval",
    "split_seed",
    "splitters",
]
