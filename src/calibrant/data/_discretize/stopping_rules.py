"""Stopping rules by minimum description length: Fayyad & Irani (1993) and Kononenko (1995)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
from scipy.special import gammaln, xlogy

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["CUT_RULES", "AcceptsCut", "CutRule"]

CutRule = Literal["fayyad_irani", "kononenko"]
# Whether to accept a cut, from the class weights of the interval and of both sides, and the number of possible cuts.
AcceptsCut: TypeAlias = Callable[["NDArray[Any]", "NDArray[Any]", "NDArray[Any]", float], bool]

_LN2 = float(np.log(2))


def fayyad_irani(whole: NDArray[Any], left: NDArray[Any], right: NDArray[Any], n_cuts: float) -> bool:
    """Return whether the information gain exceeds the cost of coding the cut and the class entropies of both sides.

    Examples
    --------
    >>> fayyad_irani(np.array([9, 9]), np.array([9, 0]), np.array([0, 9]), 17)
    True
    """
    h, k = _entropy(whole), int(np.count_nonzero(whole))
    gain, differences = float(whole.sum()) * h, k * h
    for side in (left, right):
        gain -= float(side.sum()) * _entropy(side)
        differences -= int(np.count_nonzero(side)) * _entropy(side)
    return gain > float(np.log2(n_cuts)) + _log2_power(k) - differences


def kononenko(whole: NDArray[Any], left: NDArray[Any], right: NDArray[Any], n_cuts: float) -> bool:
    """Return whether coding the classes of the two sides apart takes fewer bits than coding them together.

    Examples
    --------
    >>> kononenko(np.array([2, 2]), np.array([1, 1]), np.array([1, 1]), 3)
    False
    """
    k = int(np.count_nonzero(whole))
    before, low, high = (_log2_codes(side, k) for side in (whole, left, right))
    return before > float(np.log2(n_cuts)) + low + high


CUT_RULES: dict[CutRule, AcceptsCut] = {"fayyad_irani": fayyad_irani, "kononenko": kononenko}


def _entropy(counts: NDArray[Any]) -> float:
    shares = counts / counts.sum()
    return -float(xlogy(shares, shares).sum()) / _LN2


def _log2_power(k: int) -> float:
    """Return log2(3^k - 2) without overflow for many classes."""
    return float(k * np.log2(3) + np.log1p(-2 * 3.0**-k) / _LN2)


def _log2_codes(counts: NDArray[Any], n_classes: int) -> float:
    """Return the bits that code the class frequencies of an interval and then the class of each row."""
    n = float(counts.sum())
    frequencies = gammaln(n + n_classes) - gammaln(n + 1) - gammaln(n_classes)
    return float((frequencies + gammaln(n + 1) - gammaln(counts + 1.0).sum()) / _LN2)
