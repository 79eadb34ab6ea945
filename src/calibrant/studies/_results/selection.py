"""What the method chosen as the best of many really scores: chosen on some units, read on others.

The bootstrap of Tsamardinos, Greasidou & Borboudakis (2018), "Bootstrapping the out-of-sample predictions for
efficient and accurate cross-validation": the units that are drawn choose a method, and the others are what it is
scored on. Units are folds, data sets, or rows where predictions are kept.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from calibrant._random import seed_sequence, stream

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Selection", "bootstrap_weights", "select_by_rows", "select_by_units"]

# Draws of units: with 1,000 the error of the simulation is a fortieth of the standard error that 10 folds have
_MOST_DRAWS, _MOST_NUMBERS = 1000, 10_000_000
_ROW_DRAWS = 200  # each of them computes the metric of every method once


class Selection(NamedTuple):
    """The mean score of the methods that were chosen on other units, and how often each was chosen."""

    score: float
    shares: NDArray[np.float64]


def select_by_units(losses: NDArray[np.float64], values: NDArray[np.float64], repeat: int = 0) -> Selection:
    """Choose the method of the least mean loss on units that are drawn, and read its values on the other units.

    Every unit counts the same: the mean of what was read on it, and then the mean over the units.

    Parameters
    ----------
    losses, values : arrays of shape (n_methods, n_units)
        What chooses, the least is best, and what is read; NaN where there is no value.
    repeat : int
        The number of the stream of random draws.

    Examples
    --------
    >>> errors = np.array([[0.1, 0.2, 0.1], [0.3, 0.4, 0.2]])
    >>> score, shares = select_by_units(errors, errors)
    >>> round(score, 4), shares.tolist()
    (0.1333, [1.0, 0.0])
    """
    n_methods, n_units = losses.shape
    weights = bootstrap_weights(n_units, max(100, min(_MOST_DRAWS, _MOST_NUMBERS // n_units)), repeat)
    chosen = _chosen(losses, weights)
    read = np.where(weights == 0, values[chosen], np.nan)  # draws x units
    n_read = (~np.isnan(read)).sum(axis=0)
    by_unit = np.where(np.isnan(read), 0.0, read).sum(axis=0)[n_read > 0] / n_read[n_read > 0]
    shares = np.bincount(chosen, minlength=n_methods) / len(chosen)
    return Selection(float(by_unit.mean()) if len(by_unit) else float("nan"), shares)


def bootstrap_weights(n_units: int, n_draws: int, repeat: int = 0) -> NDArray[np.int64]:
    """Return how often each unit is drawn in bootstrap draws that leave at least one out."""
    random = stream(seed_sequence(0), repeat)
    weights = random.multinomial(n_units, np.full(n_units, 1.0 / n_units), size=n_draws)
    return np.asarray(weights[(weights == 0).any(axis=1)])


def _chosen(losses: NDArray[np.float64], weights: NDArray[np.int64]) -> NDArray[np.intp]:
    """Return the method of the least mean loss in each draw, the first of equal ones."""
    is_known = ~np.isnan(losses)
    total, n_known = np.where(is_known, losses, 0.0) @ weights.T, is_known.astype(np.float64) @ weights.T
    means = np.divide(total, n_known, out=np.full(total.shape, np.inf), where=n_known > 0)
    return np.asarray(means.argmin(axis=0))


def select_by_rows(
    score: Callable[[int, NDArray[np.float64]], float],
    loss: Callable[[float], float],
    n_methods: int,
    unit: NDArray[np.intp],
) -> Selection:
    """Choose by the metric on rows that are drawn, and read the metric of the chosen method on the other rows.

    Parameters
    ----------
    score : callable
        ``score(method, weight)``, the metric of a method with the predictions weighted; NaN where it is undefined.
    loss : callable
        Turns a value of the metric into a number of which the least is best.
    n_methods : int
        Number of methods.
    unit : array of int
        The row, or the group, of each prediction; those of one are drawn together.

    Examples
    --------
    >>> errors = np.array([[0, 0, 1, 0], [1, 1, 0, 1]])
    >>> found = select_by_rows(lambda i, w: float(np.average(errors[i], weights=w)), float, 2, np.arange(4))
    >>> 0.2 < found.score < 0.5
    True
    """
    codes = np.unique(unit, return_inverse=True)[1]
    weights = bootstrap_weights(int(codes.max()) + 1, _ROW_DRAWS)[:, codes].astype(np.float64)
    chosen, read = [], []
    for weight in weights:
        losses = [loss(score(method, weight)) for method in range(n_methods)]
        if np.isnan(losses).all():
            continue
        chosen.append(int(np.nanargmin(losses)))
        read.append(score(chosen[-1], (weight == 0).astype(np.float64)))
    shares = np.bincount(chosen, minlength=n_methods) / max(1, len(chosen))
    found: Any = np.array(read)[~np.isnan(read)] if read else np.empty(0)
    return Selection(float(found.mean()) if len(found) else float("nan"), shares)
