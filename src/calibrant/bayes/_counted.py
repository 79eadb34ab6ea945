"""A column counted: how often each category, or each interval of a numeric column, occurs in each class."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np

from calibrant._memory import check_count_memory, count_memory
from calibrant.bayes._column import LOG_FLOOR, Batch
from calibrant.data._internal import interval_codes

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Counted", "Cut", "Smoothing"]


@dataclass(frozen=True)
class Smoothing:
    """How counts become probabilities: with one more of each value, or ``m`` more shared out by their base rates."""

    how: Literal["laplace", "m"]
    m: float

    def log_shares(self, counts: NDArray[np.float64]) -> NDArray[np.float64]:
        """Give the logarithm of the share of each value (row) in each class (column).

        Examples
        --------
        >>> np.exp(Smoothing("laplace", 0).log_shares(np.array([[2.0, 0.0], [0.0, 0.0]])))
        array([[0.75, 0.5 ],
               [0.25, 0.5 ]])
        """
        more = np.ones((len(counts), 1)) if self.how == "laplace" else self.m * _base_rates(counts)
        totals = counts.sum(axis=0) + more.sum()
        shares = np.where(totals > 0, (counts + more) / np.where(totals > 0, totals, 1), _base_rates(counts))
        return np.log(np.maximum(shares, np.exp(LOG_FLOOR)))


@dataclass(frozen=True)
class Counted:
    """Weights of categories x classes."""

    counts: NDArray[np.float64]
    smoothing: Smoothing

    @classmethod
    def empty(cls, n_classes: int, smoothing: Smoothing, n_values: int = 0) -> Counted:
        """Give counts before the first row."""
        return cls(np.zeros((n_values, n_classes)), smoothing)

    def add(self, batch: Batch, place: int) -> Self:
        """Count the categories of a batch."""
        feature = batch.columns.schema.features[place]
        n_values = len(feature.categories)
        check_count_memory(feature.name, n_values, batch.n_classes, count_memory())
        return self.add_codes(batch.columns.arrays[place], batch, n_values)

    def add_codes(self, codes: NDArray[np.int32], batch: Batch, n_values: int) -> Self:
        """Count codes below ``n_values``; negative ones are missing and count nowhere."""
        keys = codes.astype(np.int64) * batch.n_classes + batch.labels
        is_known = codes >= 0
        weights = None if batch.weights is None else batch.weights[is_known]
        new = np.bincount(keys[is_known], weights, n_values * batch.n_classes).reshape(n_values, -1).astype(np.float64)
        new[: len(self.counts)] += self.counts
        return replace(self, counts=new)

    @cached_property
    def _log_shares(self) -> NDArray[np.float64]:
        """Classes x categories, and a last column of zeros, at which the code of what is missing, -1, points."""
        shares = self.smoothing.log_shares(self.counts).T
        return np.concatenate((shares, np.zeros((len(shares), 1))), axis=1)

    def log_likelihood(self, values: NDArray[Any]) -> NDArray[np.float64]:
        """Look categories up."""
        return np.asarray(self._log_shares[:, values])


@dataclass(frozen=True)
class Cut:
    """A numeric column in intervals whose ends stay what they were at first."""

    cuts: NDArray[np.float64]
    counted: Counted

    def add(self, batch: Batch, place: int) -> Self:
        """Count the intervals of a batch."""
        codes = interval_codes(batch.columns.arrays[place], self.cuts)
        return replace(self, counted=self.counted.add_codes(codes, batch, len(self.cuts) + 1))

    def log_likelihood(self, values: NDArray[Any]) -> NDArray[np.float64]:
        """Look the intervals of values up."""
        return self.counted.log_likelihood(interval_codes(values, self.cuts))


def _base_rates(counts: NDArray[np.float64]) -> NDArray[np.float64]:
    """Give the share of each value over all classes; nothing is known of values before the first row."""
    totals = counts.sum(axis=1, keepdims=True)
    return np.asarray(totals / (totals.sum() or 1.0))
