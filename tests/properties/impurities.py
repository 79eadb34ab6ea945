"""Impurities of class counts, written out as the papers define them, for brute-force checks of splits."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def entropy(n: NDArray[np.float64]) -> float:
    p = n[n > 0] / n.sum()
    return -float((p * np.log2(p)).sum())


def gini(n: NDArray[np.float64]) -> float:
    return 1 - float(((n / n.sum()) ** 2).sum())


def dkm(n: NDArray[np.float64]) -> float:
    return (float(np.sqrt(n / n.sum()).sum()) ** 2 - 1) / (len(n) - 1)


def twoing(left: NDArray[np.float64], right: NDArray[np.float64]) -> float:
    """Return p_L p_R / 4 (sum_k |p(k | L) - p(k | R)|)^2 of two branches (Breiman et al. 1984)."""
    n = left.sum() + right.sum()
    if left.sum() == 0 or right.sum() == 0:
        return 0.0
    apart = np.abs(left / left.sum() - right / right.sum()).sum()
    return float(left.sum() * right.sum() / n**2 / 4 * apart**2)
