"""A fine histogram of probabilities by class, for tables that do not fit into memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from calibrant.metrics._validation.predictions import BinaryRows, Predictions

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["N_BINS", "ProbabilityHistogram", "bin_of"]

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
