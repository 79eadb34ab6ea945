"""What the negative cross-entropy of unsmoothed trees consists of: rows at probability 0, and all others."""

from __future__ import annotations

from typing import Any

import numpy as np

from calibrant.metrics._internal import read_predictions

__all__ = ["finite_nce", "zero_share"]


def zero_share(y_true: Any, y_proba: Any) -> float:
    """Return the share of rows whose actual class has probability 0, each of which makes the NCE infinite.

    Examples
    --------
    >>> zero_share([0, 1, 1, 0], [0.2, 0.0, 0.5, 0.0])
    0.25
    """
    return float(np.mean(read_predictions(y_true, y_proba).true_class_proba() == 0.0))


def finite_nce(y_true: Any, y_proba: Any) -> float:
    """Return the NCE in base 10 with 0 for the rows whose actual class has probability 0.

    Examples
    --------
    >>> finite_nce([0, 1, 1, 0], [0.9, 0.0, 0.1, 0.0])
    0.5
    """
    proba = read_predictions(y_true, y_proba).true_class_proba()
    return float(-np.log10(proba, out=np.zeros_like(proba), where=proba > 0.0).mean())
