"""Rows of a table sorted by probability on disk, in bounded memory: an external sort."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import numpy as np

from calibrant.metrics._scorecard.probability_histogram import N_BINS, bin_of
from calibrant.metrics._validation.predictions import BinaryRows

if TYPE_CHECKING:
    from types import TracebackType

    from numpy.typing import NDArray

__all__ = ["SortedRows"]


class SortedRows:
    """Rows that are written to a temporary folder, a sorted run for each batch, and merged in pieces.

    A piece holds bins of the histogram of all rows, about `size` rows: a single bin that has more is one piece.

    Examples
    --------
    >>> with SortedRows(2) as rows:
    ...     rows.add(BinaryRows(np.array([0.7, 0.2]), np.array([True, False])))
    ...     rows.add(BinaryRows(np.array([0.4, 0.7]), np.array([True, False])))
    ...     [proba.tolist() for proba, weight, positive in rows]
    [[0.2, 0.4], [0.7]]
    """

    def __init__(self, size: int) -> None:
        self._size, self._n_runs = size, 0
        self._folder = TemporaryDirectory(prefix="calibrant-")
        self._counts = np.zeros(N_BINS, dtype=np.int64)
        self._least = np.full(N_BINS, np.inf)

    def __enter__(self) -> SortedRows:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._folder.cleanup()

    def add(self, rows: BinaryRows) -> None:
        """Write the rows of a batch."""
        weight = np.ones(len(rows.proba)) if rows.weight is None else rows.weight
        proba, *sums = _grouped(rows.proba, weight, weight * rows.positive)
        bins = bin_of(proba)
        self._counts += np.bincount(bins, minlength=N_BINS)
        np.minimum.at(self._least, bins, proba)
        np.save(self._path(self._n_runs), np.stack([proba, *sums]))
        self._n_runs += 1

    def __iter__(self) -> Iterator[tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]]:
        """Yield distinct probabilities in increasing order, with the weight of their rows and of the positive ones."""
        runs = [np.load(self._path(number), mmap_mode="r") for number in range(self._n_runs)]
        try:
            cuts = [np.append(np.searchsorted(run[0], self._edges()), run.shape[1]) for run in runs]
            for piece in range(len(cuts[0]) - 1 if cuts else 0):
                parts = [run[:, cut[piece] : cut[piece + 1]] for run, cut in zip(runs, cuts, strict=True)]
                yield _grouped(*np.concatenate(parts, axis=1))
        finally:
            del runs  # so that the files can be deleted where an open file cannot

    def _edges(self) -> NDArray[np.float64]:
        """Return the least probability of each piece."""
        found = np.flatnonzero(self._counts)
        piece = np.cumsum(self._counts[found]) // (self._size + 1)
        return np.asarray(self._least[found][np.append(True, np.diff(piece) > 0)])

    def _path(self, number: int) -> Path:
        return Path(self._folder.name) / f"{number}.npy"


def _grouped(
    proba: NDArray[np.float64], weight: NDArray[np.float64], positive: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Return distinct probabilities in increasing order, with their sums of the other columns."""
    order = np.argsort(proba, kind="stable")
    ordered = proba[order]
    start = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1]))
    return ordered[start], np.add.reduceat(weight[order], start), np.add.reduceat(positive[order], start)
