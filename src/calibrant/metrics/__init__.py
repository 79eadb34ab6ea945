"""Metrics of predicted probabilities: one function for each, described in the registry `METRICS`."""

from calibrant.metrics._calibration.calibration_tests import HosmerLemeshow, hosmer_lemeshow
from calibrant.metrics._calibration.ece import CLASSWISE_ECE, ECE, classwise_ece, ece
from calibrant.metrics._calibration.equal_calibration import EqualCalibration
from calibrant.metrics._calibration.ici import ICI, ici
from calibrant.metrics._calibration.sliding_windows import CAL, cal
from calibrant.metrics._calibration.slope_and_intercept import (
    CALIBRATION_INTERCEPT,
    CALIBRATION_SLOPE,
    calibration_intercept,
    calibration_slope,
)
from calibrant.metrics._calibration.smooth_ece import SMOOTH_ECE, smooth_ece
from calibrant.metrics._calibration.spiegelhalter import SPIEGELHALTER_Z, SpiegelhalterZ, spiegelhalter_z
from calibrant.metrics._classification.accuracy import (
    ACCURACY,
    BALANCED_ACCURACY,
    DELTA_ACCURACY,
    ERROR,
    accuracy,
    balanced_accuracy,
    delta_accuracy,
    error,
)
from calibrant.metrics._classification.agreement import KAPPA, MCC, kappa, mcc
from calibrant.metrics._classification.confusion import confusion_matrix
from calibrant.metrics._classification.costs import COST, PROFIT, cost, profit
from calibrant.metrics._classification.f_measure import (
    F1,
    F_BETA,
    G_MEAN,
    SENSITIVITY_SPECIFICITY,
    f1,
    f_beta,
    g_mean,
    sensitivity_specificity,
)
from calibrant.metrics._classification.rates import (
    NPV,
    PRECISION,
    RECALL,
    SENSITIVITY,
    SPECIFICITY,
    npv,
    precision,
    recall,
    sensitivity,
    specificity,
)
from calibrant.metrics._classification.top_k import TOP_K_ACCURACY, top_k_accuracy
from calibrant.metrics._intervals.proportions import Interval, proportion_interval
from calibrant.metrics._losses.decomposition import (
    Decomposition,
    MurphyDecomposition,
    decomposition,
    murphy_decomposition,
)
from calibrant.metrics._losses.information import (
    DESCRIPTION_LENGTH,
    description_length,
    infinite_rows,
    informational_loss,
)
from calibrant.metrics._losses.log_losses import (
    AVLL,
    LOG_LOSS,
    LOG_LOSS_BITS,
    MXE,
    NCE,
    avll,
    log_loss,
    log_loss_bits,
    mxe,
    nce,
)
from calibrant.metrics._losses.relative_errors import (
    INFORMATION_SCORE,
    RELATIVE_ABSOLUTE_ERROR,
    ROOT_RELATIVE_SQUARED_ERROR,
    information_score,
    relative_absolute_error,
    root_relative_squared_error,
)
from calibrant.metrics._losses.spherical import SPHERICAL, spherical
from calibrant.metrics._losses.squared_errors import (
    BRIER,
    MSE,
    MSE01,
    QL,
    RMS,
    brier,
    mse,
    mse01,
    ql,
    quadratic_loss,
    rms,
)
from calibrant.metrics._metric import Metric
from calibrant.metrics._ranking.auc import AUC, GINI, KS, auc, gini, ks
from calibrant.metrics._ranking.h_measure import H_MEASURE, h_measure
from calibrant.metrics._ranking.lift import AULC, LIFT, aulc, lift
from calibrant.metrics._ranking.partial_auc import PARTIAL_AUC, partial_auc
from calibrant.metrics._ranking.precision import (
    AUPRC,
    AVERAGE_PRECISION,
    ELEVEN_POINT_PRECISION,
    PRECISION_AT_K,
    RECALL_AT_K,
    THREE_POINT_PRECISION,
    auprc,
    average_precision,
    eleven_point_precision,
    precision_at_k,
    recall_at_k,
    three_point_precision,
)
from calibrant.metrics._scorecard.compare import CardComparison, Difference, compare
from calibrant.metrics._scorecard.evaluate import evaluate
from calibrant.metrics._scorecard.evaluate_table import evaluate_table
from calibrant.metrics._scorecard.score_card import Score, ScoreCard
from calibrant.metrics._validation.probability_scale import ScaledProbabilities, to_probabilities
from calibrant.metrics._verdict.result import Verdict
from calibrant.metrics._verdict.sample_size import rows_needed
from calibrant.metrics._verdict.verdict import calibration_verdict

__all__ = [
    "METRICS",
    "CardComparison",
    "Decomposition",
    "Difference",
    "EqualCalibration",
    "HosmerLemeshow",
    "Interval",
    "Metric",
    "MurphyDecomposition",
    "ScaledProbabilities",
    "Score",
    "ScoreCard",
    "SpiegelhalterZ",
    "Verdict",
    "accuracy",
    "auc",
    "aulc",
    "auprc",
    "average_precision",
    "avll",
    "balanced_accuracy",
    "brier",
    "cal",
    "calibration_intercept",
    "calibration_slope",
    "calibration_verdict",
    "classwise_ece",
    "compare",
    "confusion_matrix",
    "cost",
    "decomposition",
    "delta_accuracy",
    "description_length",
    "ece",
    "eleven_point_precision",
    "error",
    "evaluate",
    "evaluate_table",
    "f1",
    "f_beta",
    "g_mean",
    "gini",
    "h_measure",
    "hosmer_lemeshow",
    "ici",
    "infinite_rows",
    "information_score",
    "informational_loss",
    "kappa",
    "ks",
    "lift",
    "log_loss",
    "log_loss_bits",
    "mcc",
    "mse",
    "mse01",
    "murphy_decomposition",
    "mxe",
    "nce",
    "npv",
    "partial_auc",
    "precision",
    "precision_at_k",
    "profit",
    "proportion_interval",
    "ql",
    "quadratic_loss",
    "recall",
    "recall_at_k",
    "relative_absolute_error",
    "rms",
    "root_relative_squared_error",
    "rows_needed",
    "sensitivity",
    "sensitivity_specificity",
    "smooth_ece",
    "specificity",
    "spherical",
    "spiegelhalter_z",
    "three_point_precision",
    "to_probabilities",
    "top_k_accuracy",
]

_ALL = (
    MSE,
    BRIER,
    QL,
    RMS,
    MSE01,
    LOG_LOSS,
    LOG_LOSS_BITS,
    MXE,
    NCE,
    AVLL,
    SPHERICAL,
    DESCRIPTION_LENGTH,
    RELATIVE_ABSOLUTE_ERROR,
    ROOT_RELATIVE_SQUARED_ERROR,
    INFORMATION_SCORE,
    CAL,
    ECE,
    CLASSWISE_ECE,
    SMOOTH_ECE,
    ICI,
    CALIBRATION_SLOPE,
    CALIBRATION_INTERCEPT,
    SPIEGELHALTER_Z,
    AUC,
    GINI,
    PARTIAL_AUC,
    KS,
    H_MEASURE,
    AVERAGE_PRECISION,
    AUPRC,
    THREE_POINT_PRECISION,
    ELEVEN_POINT_PRECISION,
    PRECISION_AT_K,
    RECALL_AT_K,
    LIFT,
    AULC,
    ACCURACY,
    ERROR,
    BALANCED_ACCURACY,
    TOP_K_ACCURACY,
    PRECISION,
    RECALL,
    SENSITIVITY,
    SPECIFICITY,
    NPV,
    KAPPA,
    MCC,
    F1,
    F_BETA,
    SENSITIVITY_SPECIFICITY,
    G_MEAN,
    DELTA_ACCURACY,
    COST,
    PROFIT,
)
METRICS: dict[str, Metric] = {metric.id: metric for metric in _ALL}
