"""Sums over batches of predictions: exact for losses and decisions, a fine histogram of probabilities for ranks."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from calibrant.metrics._intervals.row_values import ROW_VALUES
from calibrant.metrics._validation.prediction_rows import Predictions

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["N_BINS", "Running", "bin_of"]

_STEPS = 12  # bits of a probability that tell bins apart, behind the leading one
_LEAST = 40  # powers of two that are told apart below 1/2
_HALF = _LEAST << _STEPS
N_BINS = 2 * _HALF
_SUMMED = ("squared", "own_squared", "surprise", "spherical")


def bin_of(proba: NDArray[np.float64]) -> NDArray[np.intp]:
    """Give the bin of each probability: bins are as narrow as 1/4096 of the way to the nearer of 0 and 1.

    Examples
    --------
    >>> places = bin_of(np.array([0.0, 0.25, 0.2500001, 0.26, 0.5, 1.0]))
    >>> bool(places[1] == places[2]), bool((np.diff(places) >= 0).all()), int(places[-1]) < N_BINS
    (True, True, True)
    """
    near = np.minimum(proba, 1.0 - proba)
    bits = np.maximum(near, 2.0 ** -(_LEAST + 1)).view(np.uint64) >> np.uint64(52 - _STEPS)
    below = (bits - (np.float64(2.0 ** -(_LEAST + 1)).view(np.uint64) >> np.uint64(52 - _STEPS))).astype(np.intp)
    below = np.minimum(below, _HALF - 1)
    return np.where(proba < 0.5, below, N_BINS - 1 - below)


class Running:
    """What is known of the rows so far, from the first batch on.

    Examples
    --------
    >>> from calibrant.metrics._validation.predictions import read_predictions
    >>> running = Running(read_predictions([0, 1], [0.5, 0.5]))
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

    def add(self, read: Predictions) -> None:
        """Add the rows of a batch."""
        self.n_rows += read.n_rows
        self.total += read.total
        for name, sums in self.sums.items():
            values = ROW_VALUES[name](read)
            infinite = np.isinf(values)
            self.n_infinite += int(infinite.sum())
            values = np.where(infinite, 0.0, values)
            sums += (values * read.weight).sum(), (values**2 * read.weight).sum()
        self._add_cells(read)
        if read.n_classes == 2:
            self._add_ranks(read)

    def _add_cells(self, read: Predictions) -> None:
        place = read.label.astype(np.intp) * read.n_classes + read.decided()
        self.cells += np.bincount(place, read.weights, read.n_classes**2)

    def _add_ranks(self, read: Predictions) -> None:
        rows = read.two_class()
        place = bin_of(rows.proba)
        np.minimum.at(self.least, place, rows.proba)
        np.maximum.at(self.most, place, rows.proba)
        for number, chosen in enumerate((~rows.positive, rows.positive)):
            weights = None if rows.weight is None else rows.weight[chosen]
            self.ranks[number] += np.bincount(place[chosen], weights, N_BINS)

    def ranked(self, arrangement: str) -> Predictions:
        """Give rows that stand for the bins: with classes tied in a bin, or the positive ones "first" or "last".

        A bin that has seen one probability only holds rows that are tied indeed.
        """
        found = np.flatnonzero(self.ranks.any(axis=0))
        offset = {"tied": 0.0, "first": 0.25, "last": -0.25}[arrangement]
        is_mixed = self.least[found] < self.most[found]
        place = np.arange(len(found)) + 0.5
        scores = np.concatenate([place, place + offset * is_mixed]) / (len(found) + 1.0)
        weights = self.ranks[:, found].ravel()
        label = np.repeat([1 - self.like.positive, self.like.positive], len(found))
        kept = weights > 0.0
        return replace(
            self.like,
            label=label[kept].astype(self.like.label.dtype),
            table=self._columns(scores[kept]),
            weights=weights[kept],
            kept=None,
            n_given=int(kept.sum()),
        )

    def least_precision(self) -> float:
        """Give what the average precision is not below, however the rows of a bin are ordered.

        In the worst order the negative ones come first and the positive ones follow one by one, the less each weighs
        the worse: the precision is then integrated over them.
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
