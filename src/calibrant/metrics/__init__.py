"""Metrics of predicted probabilities: one function for each, described in the registry `METRICS`."""

from calibrant.metrics._calibration.calibration_tests import (
    EqualCalibration,
    HosmerLemeshow,
    SpiegelhalterZ,
    hosmer_lemeshow,
    spiegelhalter_z,
)
from calibrant.metrics._calibration.errors import (
    cal,
    classwise_ece,
    ece,
    ici,
    smooth_ece,
)
from calibrant.metrics._calibration.slope_and_intercept import (
    calibration_intercept,
    calibration_slope,
)
from calibrant.metrics._classification.accuracy import (
    accuracy,
    balanced_accuracy,
    delta_accuracy,
    error,
    kappa,
    mcc,
    top_k_accuracy,
)
from calibrant.metrics._classification.confusion import confusion_matrix
from calibrant.metrics._classification.costs import cost, profit
from calibrant.metrics._classification.rates import (
    f1,
    f_beta,
    g_mean,
    npv,
    precision,
    recall,
    sensitivity,
    sensitivity_specificity,
    specificity,
)
from calibrant.metrics._intervals.intervals import Interval, proportion_interval
from calibrant.metrics._losses.decomposition import (
    Decomposition,
    MurphyDecomposition,
    decomposition,
    murphy_decomposition,
)
from calibrant.metrics._losses.log_losses import (
    avll,
    description_length,
    infinite_rows,
    informational_loss,
    log_loss,
    log_loss_bits,
    mxe,
    nce,
)
from calibrant.metrics._losses.relative_errors import (
    information_score,
    relative_absolute_error,
    root_relative_squared_error,
)
from calibrant.metrics._losses.squared_errors import (
    brier,
    mse,
    mse01,
    ql,
    quadratic_loss,
    rms,
    spherical,
)
from calibrant.metrics._metric import METRICS, Metric
from calibrant.metrics._ranking.areas import (
    auc,
    gini,
    h_measure,
    ks,
    partial_auc,
)
from calibrant.metrics._ranking.precision import (
    aulc,
    auprc,
    average_precision,
    eleven_point_precision,
    lift,
    precision_at_k,
    recall_at_k,
    three_point_precision,
)
from calibrant.metrics._scorecard.compare import CardComparison, Difference, compare
from calibrant.metrics._scorecard.evaluate import evaluate
from calibrant.metrics._scorecard.evaluate_table import evaluate_table
from calibrant.metrics._scorecard.score_card import Score, ScoreCard
from calibrant.metrics._validation.probability_scale import ScaledProbabilities, to_probabilities
from calibrant.metrics._verdict.judge import calibration_verdict
from calibrant.metrics._verdict.sample_size import rows_needed
from calibrant.metrics._verdict.verdict import Verdict

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

# Losses, calibration, rankings, decisions: the order of cards of every metric.
_ORDER = (
    *("mse", "brier", "ql", "rms", "mse01", "log_loss", "log_loss_bits", "mxe", "nce", "avll", "spherical"),
    *("description_length", "relative_absolute_error", "root_relative_squared_error", "information_score"),
    *("cal", "ece", "classwise_ece", "smooth_ece", "ici", "calibration_slope", "calibration_intercept"),
    *("spiegelhalter_z", "auc", "gini", "partial_auc", "ks", "h_measure", "average_precision", "auprc"),
    *("three_point_precision", "eleven_point_precision", "precision_at_k", "recall_at_k", "lift", "aulc"),
    *("accuracy", "error", "balanced_accuracy", "top_k_accuracy", "precision", "recall", "sensitivity"),
    *("specificity", "npv", "kappa", "mcc", "f1", "f_beta", "sensitivity_specificity", "g_mean"),
    *("delta_accuracy", "cost", "profit"),
)
# Modules register in the order of imports; a dict keeps insertion order, so each entry is taken out and put back.
METRICS.update({name: METRICS.pop(name) for name in _ORDER})
