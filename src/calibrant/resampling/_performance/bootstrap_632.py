"""Metrics on training rows and on test rows combined: .632, and .632+ of Efron & Tibshirani (1997)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.resampling._plans.plan import BootstrapKind

__all__ = ["bootstrap_632_values"]

_TEST, _TRAINING = 0.632, 0.368  # 1 - 1/e, the chance that a row is drawn, and 1/e

IsBetter: TypeAlias = Callable[[float, float], bool]


def bootstrap_632_values(
    test: NDArray[np.float64],
    training: NDArray[np.float64],
    no_information: NDArray[np.float64],
    kind: BootstrapKind,
    is_better: Sequence[IsBetter | None] = (),
) -> NDArray[np.float64]:
    """Return the combined value of each replicate, the last axis.

    The training and no-information values are of each replicate, or of one fit on all rows: then the last axis has
    length 1. .632+ adds the same amount to all replicates, by the overfitting of their means; nothing where the
    training rows are not better than the no-information value. `is_better` compares two values of each metric, the
    last axis but one; with None, or an empty sequence, any difference counts as overfitting.

    Examples
    --------
    >>> half, zero = np.full(4, 0.5), np.zeros(4)
    >>> [float(bootstrap_632_values(half, zero, half, kind).mean()) for kind in (".632", ".632+")]
    [0.316, 0.5]
    """
    plain = _TEST * test + _TRAINING * training
    if kind == ".632":
        return plain
    tested, trained, guessed = (_means(each) for each in (test, training, no_information))
    # Equations 28 to 32 of the paper: the relative overfitting rate is between 0 and 1
    excess = np.clip(tested, np.minimum(trained, guessed), np.maximum(trained, guessed)) - trained
    gap = guessed - trained
    is_known = np.isfinite(excess) & np.isfinite(gap) & (gap != 0) & _can_overfit(trained, guessed, is_better)
    rate = np.divide(excess, gap, out=np.zeros_like(gap), where=is_known)
    added = np.where(is_known, excess, 0.0) * _TEST * _TRAINING * rate / (1.0 - _TRAINING * rate)
    return np.asarray(plain + added)


def _can_overfit(
    trained: NDArray[np.float64], guessed: NDArray[np.float64], is_better: Sequence[IsBetter | None]
) -> NDArray[np.bool_]:
    """Return where the training rows are better than the no-information value."""
    can = np.ones(trained.shape, dtype=np.bool_)
    for metric, better in enumerate(is_better):
        if better is not None:
            can[..., metric, :] = np.vectorize(better, otypes=[bool])(trained[..., metric, :], guessed[..., metric, :])
    return can


def _means(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the mean over the replicates that have a value."""
    is_defined = ~np.isnan(values)
    total = np.where(is_defined, values, 0.0).sum(axis=-1, keepdims=True)
    n_defined = is_defined.sum(axis=-1, keepdims=True)
    return np.asarray(np.divide(total, n_defined, out=np.full_like(total, np.nan), where=n_defined > 0))
