"""The names of this package that other packages may import; `tests/test_internal_imports.py` allows no others."""

from calibrant.calibration._auto.calibration_test import standard_error_of_mean
from calibrant.calibration._classifier.fit_data import FitData, is_pairwise, read_fit_data, take_rows, take_square
from calibrant.calibration._classifier.held_out_scores import CV, Scoring, Source, make_splits
from calibrant.calibration._classifier.response import WrapperMixin, final_step, response_method, score_columns
from calibrant.calibration._classifier.run_folds import ReadingOfFits, SharedFits, responses_of
from calibrant.calibration._fitting.logistic import Target
from calibrant.calibration._fitting.logits import softmax_rows
from calibrant.calibration._fitting.multinomial import DiagonalLoss, Penalty
from calibrant.calibration._fitting.replace_certain import ReplaceCertain
from calibrant.calibration._validation import ScoredRows

__all__ = [
    "CV",
    "DiagonalLoss",
    "FitData",
    "Penalty",
    "ReadingOfFits",
    "ReplaceCertain",
    "ScoredRows",
    "Scoring",
    "SharedFits",
    "Source",
    "Target",
    "WrapperMixin",
    "final_step",
    "is_pairwise",
    "make_splits",
    "read_fit_data",
    "response_method",
    "responses_of",
    "score_columns",
    "softmax_rows",
    "standard_error_of_mean",
    "take_rows",
    "take_square",
]
