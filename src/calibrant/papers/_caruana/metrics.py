"""The five metrics of Caruana & Niculescu-Mizil (2004) on the validation rows and on the test rows of a trial."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Final

import numpy as np

from calibrant.metrics import accuracy, auc, cal, log_loss, rms
from calibrant.papers._caruana.problems import TEST, VALIDATION

METRIC_NAMES = ("ACC", "AUC", "RMS", "MXE", "CAL")
HIGHER_IS_BETTER = frozenset({"ACC", "AUC"})

# Half a row of 4,000: nothing nearer to 0 or 1 can be supported by the paper's training rows. It prints finite
# cross-entropies of isotonic regression, whose end blocks are 0 and 1, and does not say how it came by them.
CLIP: Final = 1.0 / 8000.0


def measure_part(
    y_true: Any, y_proba: Any, *, part: Any, of: int, metric: Callable[..., float], clip: float = 0.0
) -> float:
    """Return a metric of the rows of one part of a trial, probabilities clipped.

    Examples
    --------
    >>> y, p = np.array([0, 1, 1]), np.array([[0.9, 0.1], [0.6, 0.4], [0.2, 0.8]])
    >>> measure_part(y, p, part=np.array([TEST, TEST, VALIDATION]), of=TEST, metric=accuracy)
    0.5
    """
    return float(metric(*_rows(y_true, y_proba, part == of, clip)))


def infinite_test(y_true: Any, y_proba: Any, *, part: Any) -> float:
    """Return the number of test rows whose actual class has probability 0."""
    outcome, proba = _rows(y_true, y_proba, part == TEST)
    return float(np.count_nonzero(proba[np.arange(len(outcome)), outcome.astype(np.intp)] == 0.0))


_METRICS: dict[str, Any] = {
    "ACC": {"metric": accuracy},
    "AUC": {"metric": auc},
    "RMS": {"metric": rms},
    "MXE": {"metric": log_loss, "clip": CLIP},
    "CAL": {"metric": cal},
}
TRIAL_METRICS: dict[str, Callable[..., float]] = {
    **{f"validation {name}": partial(measure_part, of=VALIDATION, **each) for name, each in _METRICS.items()},
    **{f"test {name}": partial(measure_part, of=TEST, **each) for name, each in _METRICS.items()},
    "test infinite": infinite_test,
}
TRIAL_METRIC_PARAMS = {name: {"part": {"column": "part"}} for name in TRIAL_METRICS}


def _rows(y_true: Any, y_proba: Any, kept: Any, clip: float = 0.0) -> tuple[Any, Any]:
    """Return the outcomes and the probabilities of the kept rows, the latter clipped."""
    return np.asarray(y_true)[kept], np.clip(np.asarray(y_proba)[kept], clip, 1.0 - clip)
