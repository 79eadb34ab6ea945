"""What the splits of a study measured, for one data set."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Literal

import numpy as np

from calibrant.comparison import Comparison, corrected_resampled_t_test
from calibrant.papers._reproduction.table import Cell

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.papers._reproduction.published import Published
    from calibrant.studies import StudyResults

__all__ = ["PARTS", "JudgedData", "Measured", "Part"]

Part = Literal["training", "test"]
PARTS: tuple[Part, Part] = ("training", "test")
_PEOPLE: Mapping[Part, float] = {"training": 95_412, "test": 96_367}  # of the paper's sets


@dataclass(frozen=True)
class Measured:
    """The results of one study of one data set."""

    results: StudyResults

    @property
    def dataset(self) -> str:
        """The name of the data set."""
        return self.results.datasets[0]

    def has(self, metric: str) -> bool:
        """Return whether the study has a metric."""
        return metric in self.results.metrics

    def values(self, method: str, metric: str, part: Part = "test") -> NDArray[np.float64]:
        """Return the value of each split; profits are for as many people as the paper's sets have."""
        values = _split_values(self.results, metric, part)[self.results.methods.index(method)]
        return np.asarray(values * (_PEOPLE[part] if metric.startswith("profit") else 1.0))

    def mean(self, method: str, metric: str, part: Part = "test") -> float:
        """Return the mean over the splits."""
        return float(self.values(method, metric, part).mean())

    def spread(self, method: str, metric: str, part: Part = "test") -> float:
        """Return the standard deviation of single splits; NaN where one is infinite or there is only one."""
        values = self.values(method, metric, part)
        return float(values.std(ddof=1)) if len(values) > 1 and np.isfinite(values).all() else math.nan

    def compare(self, a: NDArray[np.float64], b: NDArray[np.float64] | float = 0.0) -> Comparison | None:
        """Compare values of the splits, corrected for the rows that they share; None where one is infinite."""
        other = np.broadcast_to(np.asarray(b, dtype=np.float64), a.shape)
        if len(a) < 2 or not (np.isfinite(a).all() and np.isfinite(other).all()):
            return None
        plan = self.results.plans[self.dataset]
        return corrected_resampled_t_test(a, other, n_train=plan.n_train, n_test=plan.n_test)

    def difference_cell(self, row: str, a: NDArray[np.float64], b: NDArray[np.float64] | float, block: str) -> Cell:
        """Return the difference of values of the splits, with its interval."""
        found = self.compare(a, b)
        if found is None:
            return Cell(row, "difference", math.nan, block=block)
        return Cell(row, "difference", found.difference, block=block, low=found.low, high=found.high)

    def mean_cell(self, row: str, column: str, metric: str, part: Part, block: str = "") -> Cell:
        """Return the mean of a method with its interval."""
        values = self.values(row, metric, part)
        found = self.compare(values)
        low, high = (math.nan, math.nan) if found is None else (found.low, found.high)
        return Cell(row, column, float(values.mean()), block=block, low=low, high=high)


@dataclass(frozen=True)
class JudgedData:
    """A data set on which published figures are judged: where our figures come from, and how far splits spread."""

    ours: Measured
    splits: Measured

    @property
    def is_one_split(self) -> bool:
        """Whether our figures are those of the official split."""
        return self.ours.results is not self.splits.results

    def judged_cell(self, row: str, metric: str, part: Part, printed: Published, why: str) -> Cell:
        """Return our figure beside the published one, with the error by which it is judged.

        The published figure is of one split. Ours is of the same split, or the mean over random ones.
        """
        cell = (self.ours if self.is_one_split else self.splits).mean_cell(row, part, metric, part)
        n_splits = self.splits.results.plans[self.splits.dataset].n_splits
        factor = 1.0 if self.is_one_split else math.sqrt(1 + 1 / n_splits)
        error = factor * self.splits.spread(row, metric, part)
        if math.isinf(cell.ours):
            error = 0.0  # an infinite figure is no matter of chance
        block = self.ours.dataset
        return Cell(row, part, cell.ours, printed, block, error, cell.low, cell.high, why)


@cache
def _split_values(results: StudyResults, metric: str, part: Part) -> NDArray[np.float64]:
    return results.split_values(metric, results.datasets[0], part=part)
