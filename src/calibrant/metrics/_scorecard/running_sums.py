"""Sums over batches of predictions: exact for losses, confusions and bins, a histogram for rankings.

For the calibration error in sliding windows rows are sorted on disk, in bounded memory.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType

import numpy as np
from numpy.typing import NDArray

from calibrant.metrics._calibration.calibration_tests import excess_and_variance
from calibrant.metrics._calibration.errors import width_sums
from calibrant.metrics._calibration.probability_cells import ECE_BINS
from calibrant.metrics._intervals.replicate_values import ROW_VALUES
from calibrant.metrics._validation.predictions import BinaryRows, Predictions

# A bin is defined by the exponent and the leading bits of the distance to the nearer of 0 and 1: with these numbers a
# relative width of 1/4096 down to 2^-41, in 2 x 2.6 MB of counts.
_STEPS = 12  # leading bits of the mantissa
_LEAST = 40  # exponents below 1/2
_HALF = _LEAST << _STEPS
N_BINS = 2 * _HALF


def bin_of(proba: NDArray[np.float64]) -> NDArray[np.intp]:
    """Return the bin of each probability: at most 1/4096 of the distance to the nearer of 0 and 1 wide.

    Examples
    --------
    >>> bins = bin_of(np.array([0.0, 0.25, 0.2500001, 0.26, 0.5, 1.0]))
    >>> bool(bins[1] == bins[2]), bool((np.diff(bins) >= 0).all()), int(bins[-1]) < N_BINS
    (True, True, True)
    """
    near = np.minimum(proba, 1.0 - proba)
    bits = np.maximum(near, 2.0 ** -(_LEAST + 1)).view(np.uint64) >> np.uint64(52 - _STEPS)
    below = (bits - (np.float64(2.0 ** -(_LEAST + 1)).view(np.uint64) >> np.uint64(52 - _STEPS))).astype(np.intp)
    below = np.minimum(below, _HALF - 1)
    return np.where(proba < 0.5, below, N_BINS - 1 - below)


class ProbabilityHistogram:
    """The weight of negative and positive rows in each bin, with the least, the largest and the mean probability.

    Examples
    --------
    >>> histogram = ProbabilityHistogram()
    >>> histogram.add(BinaryRows(np.array([0.2, 0.7, 0.7]), np.array([False, True, False])))
    >>> histogram.counts[:, histogram.found].tolist(), histogram.mean_proba.round(12).tolist()
    ([[1.0, 1.0], [0.0, 1.0]], [0.2, 0.7])
    """

    def __init__(self) -> None:
        self.counts = np.zeros((2, N_BINS))
        self._sums = np.zeros(N_BINS)
        self._least, self._most = np.full(N_BINS, np.inf), np.full(N_BINS, -np.inf)

    def add(self, rows: BinaryRows) -> None:
        """Add rows."""
        bins = bin_of(rows.proba)
        np.minimum.at(self._least, bins, rows.proba)
        np.maximum.at(self._most, bins, rows.proba)
        self._sums += np.bincount(bins, rows.proba if rows.weight is None else rows.proba * rows.weight, N_BINS)
        for number, chosen in enumerate((~rows.positive, rows.positive)):
            weights = None if rows.weight is None else rows.weight[chosen]
            self.counts[number] += np.bincount(bins[chosen], weights, N_BINS)

    @property
    def found(self) -> NDArray[np.intp]:
        """The bins that have rows."""
        return np.flatnonzero(self.counts.any(axis=0))

    @property
    def ends(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The least and the largest probability in each bin that has rows."""
        return self._least[self.found], self._most[self.found]

    @property
    def mean_proba(self) -> NDArray[np.float64]:
        """The mean probability in each bin that has rows."""
        found = self.found
        return np.asarray(np.clip(self._sums[found] / self.counts[:, found].sum(axis=0), *self.ends))

    def tied_rows(self) -> Predictions:
        """Return the rows with the mean probability of their bin: a weighted row for each bin and class."""
        found = self.found
        weights = self.counts[:, found].ravel()
        kept = weights > 0.0
        label = np.repeat(np.array([0, 1], dtype=np.int32), len(found))[kept]
        table = np.ascontiguousarray(np.tile(self.mean_proba, 2)[kept][:, None])
        return Predictions(np.array([0, 1]), label, table, weights[kept], 1, True, None, len(label))


_SUMMED = ("squared", "own_squared", "log_loss", "spherical")


class RunningSums:
    """Sums over the batches so far.

    Examples
    --------
    >>> from calibrant.metrics._validation.read_predictions import read_predictions
    >>> running = RunningSums(read_predictions([0, 1], [0.5, 0.5]))
    >>> running.n_rows, running.sums["squared"].tolist()
    (2, [1.0, 0.5, 0.25])
    """

    def __init__(self, first: Predictions) -> None:
        self.like = first
        self.n_rows, self.n_infinite, self.total = 0, 0, 0.0
        self.sums = {name: np.zeros(3) for name in _SUMMED}  # of the values, of their squares and of their cubes
        self.cells = np.zeros(first.n_classes**2)
        self.histogram = ProbabilityHistogram()  # of the positive class of two, or of the predicted class of more
        self.bins = np.zeros((3, ECE_BINS))  # of the same probabilities: weight, positives, sum of probabilities
        self.class_bins = np.zeros((first.n_classes, 3, ECE_BINS))  # of each class against all others
        self.excess_and_variance = np.zeros(2)
        self.class_ends = np.array([[np.inf, -np.inf]] * 2)  # of the probabilities of negative and of positive rows
        self.has_whole_weights = True
        self.add(first)

    def add(self, predictions: Predictions) -> None:
        """Add the rows of a batch."""
        self.n_rows += predictions.n_rows
        self.total += predictions.total
        for name, sums in self.sums.items():
            values = ROW_VALUES[name](predictions)
            infinite = np.isinf(values)
            self.n_infinite += int(infinite.sum())
            values = np.where(infinite, 0.0, values)
            sums += [(values**power * predictions.weight).sum() for power in (1, 2, 3)]
        weights = predictions.weights
        self.has_whole_weights &= weights is None or bool((weights == np.round(weights)).all())
        cell = predictions.label.astype(np.intp) * predictions.n_classes + predictions.predicted_class()
        self.cells += np.bincount(cell, predictions.weights, predictions.n_classes**2)
        rows = predictions.calibration_rows()
        self.histogram.add(rows)
        self.bins += width_sums(rows, ECE_BINS)
        for which in range(predictions.n_classes):
            self.class_bins[which] += width_sums(predictions.binary_rows(which), ECE_BINS)
        if predictions.n_classes == 2:
            self.excess_and_variance += excess_and_variance(rows)
            for ends, chosen in zip(self.class_ends, (~rows.positive, rows.positive), strict=True):
                ends[0] = min(ends[0], rows.proba[chosen].min(initial=np.inf))
                ends[1] = max(ends[1], rows.proba[chosen].max(initial=-np.inf))

    def extreme_rows(self) -> BinaryRows:
        """Return rows of the least and the largest probability of each class that occurs."""
        ends = [(end, bool(positive)) for positive in (0, 1) for end in self.class_ends[positive] if np.isfinite(end)]
        return BinaryRows(np.array([end for end, _ in ends]), np.array([positive for _, positive in ends]))

    def ranked(self, arrangement: str) -> Predictions:
        """Return rows that represent the bins: with classes tied in a bin, or the positive ones "first" or "last".

        The rows of a bin with one distinct probability are tied in any case.
        """
        found, (least, most) = self.histogram.found, self.histogram.ends
        offset = {"tied": 0.0, "first": 0.25, "last": -0.25}[arrangement]
        is_mixed = least < most
        rank = np.arange(len(found)) + 0.5
        scores = np.concatenate([rank, rank + offset * is_mixed]) / (len(found) + 1.0)
        return self._rows(scores, self.histogram.counts[:, found])

    def _rows(self, scores: NDArray[np.float64], counts: NDArray[np.float64]) -> Predictions:
        """Return weighted rows of these scores, first the negative and then the positive ones."""
        kept = counts.ravel() > 0.0
        is_positive = np.repeat([False, True], counts.shape[1])
        return self.like.with_rows(scores[kept], is_positive[kept], counts.ravel()[kept])

    def blocks(self, n_blocks: int) -> Predictions:
        """Return the rows of neighboring bins as tied: at most about so many blocks of equal weight, by class."""
        counts = self.histogram.counts[:, self.histogram.found]
        of_bin = counts.sum(axis=0)
        block = np.floor((np.cumsum(of_bin) - of_bin) / of_bin.sum() * n_blocks)
        start = np.flatnonzero(np.append(True, np.diff(block) != 0.0))
        weights = np.add.reduceat(counts, start, axis=1)
        rank = (np.arange(len(start)) + 0.5) / (len(start) + 1.0)
        return self._rows(np.tile(rank, 2), weights)

    def least_precision(self) -> float:
        """Return the least average precision over all orders of the rows within bins.

        In the worst order the negative rows come first and the positive ones follow one by one; the smaller their
        weights the worse, so that the precision is integrated over them.
        """
        least, most = (ends[::-1] for ends in self.histogram.ends)
        negative, positive = self.histogram.counts[:, self.histogram.found[::-1]]
        passed, reached = np.cumsum(negative), np.cumsum(positive)
        tied = positive * reached / (reached + passed)
        before = np.maximum(reached - positive + passed, np.finfo(float).tiny)
        one_by_one = positive - passed * np.log((reached + passed) / before)
        is_mixed = least < most
        return float(np.where(is_mixed & (passed > 0.0), one_by_one, tied).sum() / reached[-1])


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
