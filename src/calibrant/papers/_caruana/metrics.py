"""The five metrics of Caruana & Niculescu-Mizil (2004) on the validation rows and on the test rows of a trial."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from calibrant.metrics import accuracy, auc, cal, log_loss, rms
from calibrant.papers._caruana.problems import TEST, VALIDATION

METRIC_NAMES = ("ACC", "AUC", "RMS", "MXE", "CAL")
HIGHER_IS_BETTER = frozenset({"ACC", "AUC"})

# Half a row of 4,000: nothing nearer to 0 or 1 can be supported by the paper's training rows. It prints finite
# cross-entropies of isotonic regression, whose end blocks are 0 and 1, and does not say how it came by them.
CLIP: Final = 1.0 / 8000.0


def is_better(metric: str, one: float, other: float) -> bool:
    """Return whether one value of a metric is better than another.

    Examples
    --------
    >>> is_better("AUC", 0.9, 0.8), is_better("RMS", 0.3, 0.2)
    (True, False)
    """
    return one > other if metric in HIGHER_IS_BETTER else one < other


def acc_validation(y_true: Any, y_proba: Any, *, part: Any) -> float:
    """Return the accuracy on the validation rows."""
    return float(accuracy(*_rows(y_true, y_proba, part == VALIDATION)))


def auc_validation(y_true: Any, y_proba: Any, *, part: Any) -> float:
    """Return the area under the ROC curve on the validation rows."""
    return float(auc(*_rows(y_true, y_proba, part == VALIDATION)))


def rms_validation(y_true: Any, y_proba: Any, *, part: Any) -> float:
    """Return the root of the mean squared error on the validation rows."""
    return float(rms(*_rows(y_true, y_proba, part == VALIDATION)))


def mxe_validation(y_true: Any, y_proba: Any, *, part: Any) -> float:
    """Return the mean cross-entropy on the validation rows, probabilities clipped."""
    return float(log_loss(*_rows(y_true, y_proba, part == VALIDATION, clip=CLIP)))


def cal_validation(y_true: Any, y_proba: Any, *, part: Any) -> float:
    """Return the calibration error in windows of 100 on the validation rows."""
    return float(cal(*_rows(y_true, y_proba, part == VALIDATION)))


def acc_test(y_true: Any, y_proba: Any, *, part: Any) -> float:
    """Return the accuracy on the test rows."""
    return float(accuracy(*_rows(y_true, y_proba, part == TEST)))


def auc_test(y_true: Any, y_proba: Any, *, part: Any) -> float:
    """Return the area under the ROC curve on the test rows."""
    return float(auc(*_rows(y_true, y_proba, part == TEST)))


def rms_test(y_true: Any, y_proba: Any, *, part: Any) -> float:
    """Return the root of the mean squared error on the test rows."""
    return float(rms(*_rows(y_true, y_proba, part == TEST)))


def mxe_test(y_true: Any, y_proba: Any, *, part: Any) -> float:
    """Return the mean cross-entropy on the test rows, probabilities clipped."""
    return float(log_loss(*_rows(y_true, y_proba, part == TEST, clip=CLIP)))


def cal_test(y_true: Any, y_proba: Any, *, part: Any) -> float:
    """Return the calibration error in windows of 100 on the test rows."""
    return float(cal(*_rows(y_true, y_proba, part == TEST)))


def infinite_test(y_true: Any, y_proba: Any, *, part: Any) -> float:
    """Return the number of test rows whose actual class has probability 0."""
    outcome, proba = _rows(y_true, y_proba, part == TEST)
    return float(np.count_nonzero(proba[np.arange(len(outcome)), outcome.astype(np.intp)] == 0.0))


TRIAL_METRICS: dict[str, Callable[..., float]] = {
    "validation ACC": acc_validation,
    "validation AUC": auc_validation,
    "validation RMS": rms_validation,
    "validation MXE": mxe_validation,
    "validation CAL": cal_validation,
    "test ACC": acc_test,
    "test AUC": auc_test,
    "test RMS": rms_test,
    "test MXE": mxe_test,
    "test CAL": cal_test,
    "test infinite": infinite_test,
}
TRIAL_METRIC_PARAMS = {name: {"part": {"column": "part"}} for name in TRIAL_METRICS}


def _rows(y_true: Any, y_proba: Any, kept: Any, clip: float = 0.0) -> tuple[Any, Any]:
    """Return the outcomes and the probabilities of the kept rows, the latter clipped."""
    return np.asarray(y_true)[kept], np.clip(np.asarray(y_proba)[kept], clip, 1.0 - clip)
