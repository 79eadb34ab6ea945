"""The calibration error in sliding windows, of rows that are sorted on disk in bounded memory."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType

import numpy as np
from numpy.typing import NDArray

from calibrant.metrics._scorecard.running_sums import N_BINS, bin_of
from calibrant.metrics._validation.predictions import BinaryRows


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


class WindowSums:
    """Adds up the windows of `cal` over rows in increasing order of probability.

    The sum of (positive - probability) over the ranks up to a weight is a line within rows of equal probability; a
    window is the difference of two such sums, so that their sizes are added up run by run, whatever the weights.

    Examples
    --------
    >>> windows = WindowSums(2.0)
    >>> windows.add(np.array([0.1, 0.4]), np.ones(2), np.array([0.0, 1.0]))
    >>> windows.add(np.array([0.6, 0.9]), np.ones(2), np.array([0.0, 1.0]))
    >>> round(windows.mean(), 4)  # of 0.25, 0 and 0.25
    0.1667
    """

    def __init__(self, width: float) -> None:
        self._width, self._start, self._sum = width, 0.0, 0.0
        self._ends, self._at_end, self._slopes = np.zeros(0), np.zeros(0), np.zeros(0)
        self._rank = self._surplus = 0.0

    def add(self, proba: NDArray[np.float64], weight: NDArray[np.float64], positive: NDArray[np.float64]) -> None:
        """Add groups of rows of equal probability, above those added before: their weight and that of positives."""
        surplus = positive - proba * weight
        self._ends = np.append(self._ends, self._rank + np.cumsum(weight))
        self._at_end = np.append(self._at_end, self._surplus + np.cumsum(surplus))
        self._slopes = np.append(self._slopes, surplus / weight)
        self._rank, self._surplus = float(self._ends[-1]), float(self._at_end[-1])
        self._add_windows(float(np.floor(self._rank - self._width)))
        passed = int(np.searchsorted(self._ends, self._start, side="right"))
        self._ends, self._at_end, self._slopes = (
            column[passed:] for column in (self._ends, self._at_end, self._slopes)
        )

    def mean(self) -> float:
        """Return the mean over windows, or the difference in all rows where they are fewer than a window holds."""
        return self._sum / self._start / self._width if self._start > 0 else abs(self._surplus) / self._rank

    def _add_windows(self, last: float) -> None:
        """Add the windows that start at each whole rank up to `last`."""
        if last < self._start:
            return
        changes = np.concatenate([[self._start], np.ceil(self._ends), np.floor(self._ends - self._width) + 1.0])
        first = np.unique(changes[(changes >= self._start) & (changes <= last)])
        tail = np.searchsorted(self._ends, first, side="right")
        head = np.searchsorted(self._ends, first + self._width, side="left")
        at = self._at(head, first + self._width) - self._at(tail, first)
        n_starts = np.diff(np.append(first, last + 1.0))
        self._sum += _sum_of_sizes(at, self._slopes[head] - self._slopes[tail], n_starts)
        self._start = last + 1.0

    def _at(self, piece: NDArray[np.intp], rank: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray(self._at_end[piece] - (self._ends[piece] - rank) * self._slopes[piece])


def _sum_of_sizes(first: NDArray[np.float64], step: NDArray[np.float64], n: NDArray[np.float64]) -> float:
    """Return the sum of |first + i step| for i = 0 .. n - 1, of lines that may change their sign once.

    Examples
    --------
    >>> _sum_of_sizes(np.array([-1.0]), np.array([1.0]), np.array([4.0]))  # 1 + 0 + 1 + 2
    4.0
    """
    turn = np.clip(np.ceil(np.divide(-first, step, out=np.zeros_like(first), where=step != 0.0)), 0.0, n)
    turn = np.where((first >= 0.0) == (first + step * (n - 1.0) >= 0.0), 0.0, turn)
    before = turn * (first + step * (turn - 1.0) / 2.0)
    after = (n - turn) * (first + step * (turn + n - 1.0) / 2.0)
    return float((np.abs(before) + np.abs(after)).sum())
