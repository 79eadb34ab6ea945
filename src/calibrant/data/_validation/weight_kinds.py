"""What weights mean: how often a row was observed, or how many cases of a population it represents."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from calibrant._params import Choice, check_param
from calibrant.data._validation.class_columns import caller_level
from calibrant.exceptions import CalibrantWarning

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["WEIGHT_KIND", "WeightKind", "as_frequencies", "can_be_frequencies", "warn_of_weights"]

WeightKind: TypeAlias = Literal["frequency", "probability"]

WEIGHT_KIND = Choice("frequency", "probability")

_LEAST_MEAN = 0.1  # of frequencies: ten rows that count as one are few, and weights that sum to 1 are far below it
_ROUNDING = 1e-6  # of a sum that is 1


def can_be_frequencies(weights: NDArray[np.float64]) -> bool:
    """Return whether weights can be numbers of rows: their mean is not far below 1, and they do not sum to 1.

    Examples
    --------
    >>> can_be_frequencies(np.array([1.0, 2.0, 0.5])), can_be_frequencies(np.full(50, 0.02))
    (True, False)
    """
    total, n_rows = float(weights.sum()), np.count_nonzero(weights)
    return not (total < _LEAST_MEAN * n_rows or (n_rows > 1 and abs(total - 1.0) < _ROUNDING))


def warn_of_weights(weights: NDArray[np.float64] | None) -> None:
    """Warn where weights are read as frequencies and cannot be.

    Examples
    --------
    >>> warn_of_weights(np.array([1.0, 2.0]))
    """
    if weights is None or can_be_frequencies(weights):
        return
    n_rows, total = np.count_nonzero(weights), float(weights.sum())
    warnings.warn(
        f"sample_weight of {n_rows:,} rows sums to {total:.3g}, so as frequencies they count as {total:.3g} row(s): "
        "too few for anything to be learned or known. Divide the weights by their mean, and pass "
        'weight_kind="probability" where a weight is the number of cases that a row represents.',
        CalibrantWarning,
        stacklevel=caller_level(),
    )


def as_frequencies(weights: NDArray[np.float64] | None, kind: WeightKind) -> NDArray[np.float64] | None:
    """Return positive weights as frequencies; warn of those that are passed as such and cannot be.

    Probability weights are scaled so that their sum is the effective number of rows, (sum w)^2 / sum w^2 (Kish 1965).

    Examples
    --------
    >>> as_frequencies(np.array([0.25, 0.25, 0.5]), "probability").round(3)
    array([0.667, 0.667, 1.333])
    """
    check_param("weight_kind", kind, WEIGHT_KIND)
    if weights is None or kind == "frequency":
        warn_of_weights(weights)
        return weights
    return np.asarray(weights * (weights.sum() / (weights**2).sum()))
