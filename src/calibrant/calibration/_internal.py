"""What other packages of calibrant may use of this one; `tests/test_internal_imports.py` allows nothing else."""

from calibrant.calibration._classifier.fit_data import Given, is_pairwise, take_rows, take_square
from calibrant.calibration._classifier.held_out_scores import CV, HeldOut, Scoring, Source, fit_folds, pooled, splits_of
from calibrant.calibration._classifier.response import final_step
from calibrant.calibration._classifier.routing import read_given

__all__ = [
    "CV",
    "Given",
    "HeldOut",
    "Scoring",
    "Source",
    "final_step",
    "fit_folds",
    "is_pairwise",
    "pooled",
    "read_given",
    "splits_of",
    "take_rows",
    "take_square",
]
