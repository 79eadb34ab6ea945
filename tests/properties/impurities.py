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
