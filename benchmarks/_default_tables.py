"""The data sets, splits and loss of `benchmarks/default_quality.py`."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import train_test_split

from calibrant.data import load

DATASETS = (
    *("adult", "audiology", "bupa", "coil2000", "covertype", "credit_g", "credit_screening", "glass", "indian_pines"),
    *("ionosphere", "iris", "kdd98_case_control", "letter", "lymphography", "mammography", "phoneme", "pima"),
    *("satimage", "segment", "sonar", "soybean", "taiwan_credit_default", "telco_churn", "vehicle", "votes", "vowel"),
    *("wbc", "wdbc", "wine", "wpbc", "zoo"),
)
CHOOSING = DATASETS[::2]  # every constant of the blend was chosen on these
LARGE = ("adult", "covertype", "kdd98_case_control", "letter", "mammography", "taiwan_credit_default")
MIN_CLASS_ROWS = 15
MAX_TEST = 4000
FLOOR = 1e-6


@dataclass(frozen=True)
class TableSplit:
    """The training and test rows of one split; classes are codes."""

    dataset: str
    split: int
    X: Any
    y: NDArray[np.int64]
    X_test: Any
    y_test: NDArray[np.int64]

    @property
    def n_classes(self) -> int:
        """The number of classes."""
        return int(self.y.max()) + 1


def table_split(dataset: str, split: int, max_rows: int = 2000) -> TableSplit:
    """Return at most `max_rows` training rows and others to test, stratified; two thirds of a small set train."""
    table = load(dataset)
    _, codes, counts = np.unique(np.asarray(table.y).astype(str), return_inverse=True, return_counts=True)
    kept = np.flatnonzero(counts[codes] >= MIN_CLASS_ROWS)
    y = np.unique(codes[kept], return_inverse=True)[1]
    n_training = min(max_rows, len(y) * 2 // 3 if len(y) < max_rows + 1000 else max_rows)
    train, test = train_test_split(
        np.arange(len(y)),
        train_size=n_training,
        test_size=min(MAX_TEST, len(y) - n_training),
        stratify=y,
        random_state=zlib.crc32(f"{dataset} {split}".encode()),
    )
    X = table.X.iloc[kept]
    return TableSplit(
        dataset,
        split,
        X.iloc[train].reset_index(drop=True),
        y[train],
        X.iloc[test].reset_index(drop=True),
        y[test],
    )


def relative_log_loss(proba: NDArray[np.float64], y: NDArray[np.int64]) -> float:
    """Return the log-loss of probabilities clipped at 1e-6, in % of the entropy of the test classes."""
    clipped = np.clip(proba, FLOOR, 1.0)
    clipped /= clipped.sum(axis=1, keepdims=True)
    shares = np.bincount(y, minlength=proba.shape[1]) / len(y)
    entropy = -np.sum(shares[shares > 0] * np.log(shares[shares > 0]))
    return float(-100 * np.log(clipped[np.arange(len(y)), y]).mean() / entropy)
