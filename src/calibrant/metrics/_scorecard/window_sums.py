"""The calibration error in sliding windows, of rows that arrive sorted, in pieces."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["WindowSums"]


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
