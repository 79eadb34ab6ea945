"""What other packages of calibrant may use of this one; `tests/test_internal_imports.py` allows nothing else."""

from calibrant.calibration._auto.calibration_test import standard_error_of_mean
from calibrant.calibration._classifier.fit_data import FitData, is_pairwise, read_fit_data, take_rows, take_square
from calibrant.calibration._classifier.held_out_scores import CV, Scoring, Source, fit_folds, make_splits, pool_scores
from calibrant.calibration._classifier.response import WrapperMixin, final_step, response_method, score_columns
from calibrant.calibration._classifier.run_folds import ReadingOfFits, SharedFits, responses_of
from calibrant.calibration._fitting.logistic import Target, fit_logistic, logistic_hessian
from calibrant.calibration._fitting.logits import softmax_rows
from calibrant.calibration._fitting.multinomial import DiagonalLoss, Penalty, fit_multinomial
from calibrant.calibration._fitting.replace_certain import ReplaceCertain, fit_replace_certain
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
    "fit_folds",
    "fit_logistic",
    "fit_multinomial",
    "fit_replace_certain",
    "is_pairwise",
    "logistic_hessian",
    "make_splits",
    "pool_scores",
    "read_fit_data",
    "response_method",
    "responses_of",
    "score_columns",
    "softmax_rows",
    "standard_error_of_mean",
    "take_rows",
    "take_square",
]
