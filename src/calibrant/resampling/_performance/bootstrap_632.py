"""The error on training rows weighed with that on test rows: .632, and .632+ of Efron & Tibshirani (1997)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.resampling._plans.plan import Weighing

__all__ = ["weighed"]

_TEST, _TRAINING = 0.632, 0.368

Better: TypeAlias = Callable[[float, float], bool]


def weighed(
    tested: NDArray[np.float64],
    training: NDArray[np.float64],
    guessing: NDArray[np.float64],
    weighing: Weighing,
    better: Sequence[Better | None] = (),
) -> NDArray[np.float64]:
    """Give the value of each draw; .632+ adds to all draws what the overfitting of their means asks for.

    Where guessing is not worse than the training rows nothing is added; `better` says for each metric what is better,
    the rows of the last axis but one, and None or nothing leaves it open.

    Examples
    --------
    >>> half, none = np.full(4, 0.5), np.zeros(4)
    >>> float(weighed(half, none, half, ".632").mean()), float(weighed(half, none, half, ".632+").mean())
    (0.316, 0.5)
    """
    plain = _TEST * tested + _TRAINING * training
    if weighing == ".632":
        return plain
    test, train, guess = (_means(each) for each in (tested, training, guessing))
    worse = np.clip(test, np.minimum(train, guess), np.maximum(train, guess)) - train
    gap = guess - train
    is_known = np.isfinite(worse) & np.isfinite(gap) & (gap != 0) & _can_overfit(train, guess, better)
    overfitting = np.divide(worse, gap, out=np.zeros_like(gap), where=is_known)
    more = np.where(is_known, worse, 0.0) * _TEST * _TRAINING * overfitting / (1.0 - _TRAINING * overfitting)
    return np.asarray(plain + more)


def _can_overfit(
    train: NDArray[np.float64], guess: NDArray[np.float64], better: Sequence[Better | None]
) -> NDArray[np.bool_]:
    """Say where training rows are better than guessing."""
    are = np.ones(train.shape, dtype=np.bool_)
    for metric, is_better in enumerate(better):
        if is_better is not None:
            are[..., metric, :] = np.vectorize(is_better, otypes=[bool])(train[..., metric, :], guess[..., metric, :])
    return are


def _means(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Give the mean over the draws that have a value."""
    there = ~np.isnan(values)
    total = np.where(there, values, 0.0).sum(axis=-1, keepdims=True)
    n_there = there.sum(axis=-1, keepdims=True)
    return np.asarray(np.divide(total, n_there, out=np.full_like(total, np.nan), where=n_there > 0))
