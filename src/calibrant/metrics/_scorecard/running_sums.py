"""Running sums over batches of predictions: exact for losses and confusions, a fine histogram for rankings."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from calibrant.metrics._intervals.row_values import ROW_VALUES
from calibrant.metrics._validation.predictions import Predictions

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["N_BINS", "RunningSums", "bin_of"]

# A bin is defined by the exponent and the leading bits of the distance to the nearer of 0 and 1: with these numbers a
# relative width of 1/4096 down to 2^-41, in 2 x 2.6 MB of counts.
_STEPS = 12  # leading bits of the mantissa
_LEAST = 40  # exponents below 1/2
_HALF = _LEAST << _STEPS
N_BINS = 2 * _HALF
_SUMMED = ("squared", "own_squared", "log_loss", "spherical")


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


class RunningSums:
    """Sums over the batches so far.

    Examples
    --------
    >>> from calibrant.metrics._validation.read_predictions import read_predictions
    >>> running = RunningSums(read_predictions([0, 1], [0.5, 0.5]))
    >>> running.n_rows, running.sums["squared"].tolist()
    (2, [1.0, 0.5])
    """

    def __init__(self, first: Predictions) -> None:
        self.like = first
        self.n_rows, self.n_infinite, self.total = 0, 0, 0.0
        self.sums = {name: np.zeros(2) for name in _SUMMED}  # of the values, and of their squares
        self.cells = np.zeros(first.n_classes**2)
        self.ranks = np.zeros((2, N_BINS))
        self.least, self.most = np.full(N_BINS, np.inf), np.full(N_BINS, -np.inf)
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
            sums += (values * predictions.weight).sum(), (values**2 * predictions.weight).sum()
        self._add_cells(predictions)
        if predictions.n_classes == 2:
            self._add_ranks(predictions)

    def _add_cells(self, predictions: Predictions) -> None:
        cell = predictions.label.astype(np.intp) * predictions.n_classes + predictions.predicted_class()
        self.cells += np.bincount(cell, predictions.weights, predictions.n_classes**2)

    def _add_ranks(self, predictions: Predictions) -> None:
        rows = predictions.binary_rows()
        bins = bin_of(rows.proba)
        np.minimum.at(self.least, bins, rows.proba)
        np.maximum.at(self.most, bins, rows.proba)
        for number, chosen in enumerate((~rows.positive, rows.positive)):
            weights = None if rows.weight is None else rows.weight[chosen]
            self.ranks[number] += np.bincount(bins[chosen], weights, N_BINS)

    def ranked(self, arrangement: str) -> Predictions:
        """Return rows that represent the bins: with classes tied in a bin, or the positive ones "first" or "last".

        The rows of a bin with one distinct probability are tied in any case.
        """
        found = np.flatnonzero(self.ranks.any(axis=0))
        offset = {"tied": 0.0, "first": 0.25, "last": -0.25}[arrangement]
        is_mixed = self.least[found] < self.most[found]
        rank = np.arange(len(found)) + 0.5
        scores = np.concatenate([rank, rank + offset * is_mixed]) / (len(found) + 1.0)
        weights = self.ranks[:, found].ravel()
        label = np.repeat([1 - self.like.positive, self.like.positive], len(found))
        kept = weights > 0.0
        return replace(
            self.like,
            label=label[kept].astype(self.like.label.dtype),
            table=self._columns(scores[kept]),
            weights=weights[kept],
            kept=None,
            n_input_rows=int(kept.sum()),
        )

    def least_precision(self) -> float:
        """Return the least average precision over all orders of the rows within bins.

        In the worst order the negative rows come first and the positive ones follow one by one; the smaller their
        weights the worse, so that the precision is integrated over them.
        """
        found = np.flatnonzero(self.ranks.any(axis=0))[::-1]
        negative, positive = self.ranks[:, found]
        passed, reached = np.cumsum(negative), np.cumsum(positive)
        tied = positive * reached / (reached + passed)
        before = np.maximum(reached - positive + passed, np.finfo(float).tiny)
        one_by_one = positive - passed * np.log((reached + passed) / before)
        is_mixed = self.least[found] < self.most[found]
        return float(np.where(is_mixed & (passed > 0.0), one_by_one, tied).sum() / reached[-1])

    def _columns(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        if self.like.is_one_column:
            return np.ascontiguousarray(scores[:, None])
        columns = np.empty((len(scores), 2))
        columns[:, self.like.positive], columns[:, 1 - self.like.positive] = scores, 1.0 - scores
        return columns
