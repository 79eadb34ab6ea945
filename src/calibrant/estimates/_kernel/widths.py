"""The widths of kernels: by rule, or by leave-one-out likelihood (Duin 1976)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["CHOICES", "WidthChoice", "category_width", "numeric_width"]

WidthChoice: TypeAlias = Literal["silverman", "cv"]
CHOICES: Final = ("silverman", "cv")

# Multiples of the rule's width that are tried: the rule suits one normal bump, several narrow ones need far less, and a
# skewed column somewhat more. Steps of sqrt(2) change the likelihood of a row by at most a few hundredths.
_FACTORS = 2.0 ** np.arange(-4.0, 2.5, 0.5)
_MAX_EXACT, _N_CELLS = 1024, 4096  # more distinct values are rounded: the least width is then four cells


def numeric_width(
    values: NDArray[Any], weight: NDArray[np.float64], all_values: NDArray[Any], choice: WidthChoice
) -> float:
    """Return the width for the values of one class, at least a thousandth of the range of all rows.

    The rule is 1.06 s n^(-1/5) (Silverman 1986, eq. 3.28).

    Examples
    --------
    >>> values = np.array([0.0, 0.1, 0.2, 9.8, 9.9, 10.0])
    >>> [round(numeric_width(values, np.ones(6), values, choice), 2) for choice in ("silverman", "cv")]
    [3.98, 0.25]
    """
    total = float(weight.sum())
    least = 1e-3 * float(np.ptp(all_values.astype(np.float64))) if len(all_values) else 0.0
    if total <= 1.0:
        return least or 1.0
    mean = (values * weight).sum() / total
    deviation = np.sqrt((weight * (values - mean) ** 2).sum() / (total - 1.0))
    rule = max(1.06 * float(deviation) * total**-0.2, least) or 1.0
    return rule if choice == "silverman" else _likeliest_width(values.astype(np.float64), weight, rule, least)


def category_width(codes: NDArray[Any], weight: NDArray[np.float64], n: int, choice: WidthChoice) -> float:
    """Return the probability that the kernel of a category leaves it, for n categories.

    The rule is (n - 1) / (w + n), w the weight of the class: the kernel estimate of the column is then Laplace's.

    Examples
    --------
    >>> codes, weight = np.array([0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2]), np.ones(12)
    >>> [round(category_width(codes, weight, 3, choice), 3) for choice in ("silverman", "cv")]
    [0.133, 0.533]
    """
    total = float(weight.sum())
    rule = (n - 1) / (total + n)
    if choice == "silverman" or n < 2 or total <= 1.0:
        return rule
    counts = np.bincount(codes, weight, minlength=n)[codes]
    left_out = np.minimum(weight, 1.0)
    candidates = np.unique(np.minimum(rule * _FACTORS, (n - 1) / n))  # beyond it the other categories are likelier
    own, others = (counts - left_out)[:, np.newaxis], (total - counts)[:, np.newaxis]
    return _likeliest(candidates, own * (1 - candidates) + others * candidates / (n - 1), weight, rule)


def _likeliest_width(values: NDArray[np.float64], weight: NDArray[np.float64], rule: float, least: float) -> float:
    """Return the candidate under which each row is likeliest given the others; a row of weight 3 is three rows."""
    candidates = np.unique(np.maximum(rule * _FACTORS, least))
    distinct, position = _distinct(values)
    at_value = np.asarray(np.bincount(position, weight, minlength=len(distinct)), dtype=np.float64)
    left_out = np.minimum(weight, 1.0)
    remaining = (weight.sum() - left_out)[:, np.newaxis]
    sums = np.stack([_sums_of_others(distinct, at_value, width) / width for width in candidates], axis=1)
    own = (at_value[position] - left_out)[:, np.newaxis] / candidates
    with np.errstate(invalid="ignore", divide="ignore"):
        return _likeliest(candidates, (sums[position] + own) / remaining, weight, rule)


def _likeliest(
    candidates: NDArray[np.float64], densities: NDArray[np.float64], weight: NDArray[np.float64], rule: float
) -> float:
    """Return the candidate (column) of maximum likelihood, the widest if tied, the rule if all are impossible."""
    with np.errstate(divide="ignore"):
        logs = weight @ np.log(np.maximum(densities, 0.0))
    return float(candidates[len(logs) - 1 - np.argmax(logs[::-1])]) if np.isfinite(logs.max()) else rule


def _distinct(values: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    """Return the distinct values, or equally spaced ones near them if there are many, and the position of each row."""
    distinct, position = np.unique(values, return_inverse=True)
    if len(distinct) <= _MAX_EXACT:
        return distinct, position
    cells = np.linspace(distinct[0], distinct[-1], _N_CELLS)
    return cells, np.rint((values - cells[0]) / (cells[1] - cells[0])).astype(np.intp)


def _sums_of_others(distinct: NDArray[np.float64], weight: NDArray[np.float64], width: float) -> NDArray[np.float64]:
    """Return the sum of the Gaussian kernels of all other distinct values at each of them, up to a constant."""
    with np.errstate(under="ignore"):
        if len(distinct) == _N_CELLS:  # equally spaced: a kernel depends on the distance in cells alone
            kernel = np.exp(-0.5 * ((distinct - distinct[0]) / width) ** 2)
            kernel[0] = 0.0
            both = np.concatenate([kernel[:0:-1], kernel])
            return np.convolve(weight, both)[len(distinct) - 1 : 2 * len(distinct) - 1]
        kernels = np.exp(-0.5 * ((distinct[:, np.newaxis] - distinct) / width) ** 2)
    np.fill_diagonal(kernels, 0.0)
    return np.asarray(kernels @ weight)
