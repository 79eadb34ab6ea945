"""Losses of the stored probabilities and their comparison over data sets: mean, mean rank, tail, paired errors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from _default_store import CellStore, Key
from _default_tables import relative_log_loss

TAIL = 0.95
REPLICATES = 2000

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Losses:
    """The figures of one cell."""

    log_loss: float
    brier: float
    auc: float
    fit_seconds: float
    predict_seconds: float
    n_classes: int


def read_losses(store: CellStore) -> dict[Key, Losses]:
    """Return the figures of every cell of a store."""
    return {key: _losses(store, key) for key in store}


def _losses(store: CellStore, key: Key) -> Losses:
    cell = store.read(key)
    proba, codes = cell["proba"].astype(np.float64), cell["codes"].astype(np.int64)
    return Losses(
        relative_log_loss(proba, codes),
        relative_brier(proba, codes),
        macro_auc(proba, codes),
        float(cell["fit_seconds"]),
        float(cell["predict_seconds"]),
        proba.shape[1],
    )


def relative_brier(proba: Floats, y: NDArray[np.int64]) -> float:
    """Return the Brier score in % of that of the class shares of the test rows."""
    actual = np.eye(proba.shape[1])[y]
    by_shares = 1.0 - np.sum(actual.mean(axis=0) ** 2)
    return float(100 * np.sum((proba - actual) ** 2, axis=1).mean() / by_shares)


def macro_auc(proba: Floats, y: NDArray[np.int64]) -> float:
    """Return the area under the ROC curve in %: each class against the rest, averaged over the classes."""
    columns = [1] if proba.shape[1] == 2 else [k for k in range(proba.shape[1]) if (y == k).any()]
    return float(100 * np.mean([_auc(proba[:, k], y == k) for k in columns]))


def _auc(scores: Floats, is_positive: NDArray[np.bool_]) -> float:
    positives = int(is_positive.sum())
    ranks = rankdata(scores)[is_positive].sum() - positives * (positives + 1) / 2
    return float(ranks / (positives * (len(scores) - positives)))


@dataclass(frozen=True)
class Comparison:
    """Methods by data sets: log-loss and other figures, averaged over the same splits for every method."""

    methods: list[str]
    datasets: list[str]
    n_splits: int
    log_loss: Floats
    brier: Floats
    auc: Floats
    fit_seconds: Floats
    predict_seconds: Floats

    @property
    def ranks(self) -> Floats:
        """The rank of each method on each data set."""
        return np.asarray(rankdata(self.log_loss, axis=0))

    @property
    def excess(self) -> Floats:
        """The log-loss of each method above the best one's, on each data set."""
        return np.asarray(self.log_loss - self.log_loss.min(axis=0))

    def of(self, datasets: Sequence[str]) -> Comparison:
        """Return the comparison on some of the data sets."""
        at = [position for position, name in enumerate(self.datasets) if name in datasets]
        arrays = (self.log_loss, self.brier, self.auc, self.fit_seconds, self.predict_seconds)
        return Comparison(
            self.methods, [self.datasets[one] for one in at], self.n_splits, *(one[:, at] for one in arrays)
        )


def compare(
    losses: dict[Key, Losses], methods: Sequence[str], datasets: Sequence[str], splits: Sequence[int], rows: int
) -> Comparison | None:
    """Return the comparison of those methods that have every cell; None if there are fewer than two."""

    def cells(method: str) -> list[list[Key]]:
        return [[Key(dataset, method, split, rows) for split in splits] for dataset in datasets]

    complete = [name for name in methods if all(key in losses for row in cells(name) for key in row)]
    if len(complete) < 2 or not datasets or not splits:
        return None

    def table(field: str) -> Floats:
        values = [[[getattr(losses[key], field) for key in row] for row in cells(name)] for name in complete]
        return np.asarray(np.mean(values, axis=2))

    fields = ("log_loss", "brier", "auc", "fit_seconds", "predict_seconds")
    return Comparison(complete, list(datasets), len(splits), *(table(field) for field in fields))


def tail(excess: Floats) -> Floats:
    """Return the 95 % quantile over data sets (the last axis)."""
    return np.asarray(np.quantile(excess, TAIL, axis=-1))


def paired_error(values: Floats, reference: Floats) -> Floats:
    """Return the standard error of the mean difference to the reference, over data sets."""
    return np.asarray(np.std(values - reference, axis=-1, ddof=1) / np.sqrt(values.shape[-1]))


def paired_tail_error(excess: Floats, reference: Floats) -> Floats:
    """Return the standard error of the difference of tails to the reference, by bootstrap replicates of data sets."""
    n_sets = excess.shape[-1]
    drawn = np.random.default_rng(0).integers(n_sets, size=(REPLICATES, n_sets))
    differences = [tail(excess[:, rows]) - tail(reference[rows]) for rows in drawn]
    return np.asarray(np.std(differences, axis=0, ddof=1))
