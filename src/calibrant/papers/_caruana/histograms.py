"""Figures 1 to 3 as numbers: how the predictions of boosted trees are spread, and how often they come true."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from calibrant.papers._caruana.candidates import PAPER_MAPS, CandidateName
from calibrant.papers._caruana.problems import PROBLEMS
from calibrant.papers._caruana.studies import FIGURES
from calibrant.papers._reproduction.table import Cell, PaperTable

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.studies import StudyResults

__all__ = ["BIN_NAMES", "BoostedPredictions", "make_histograms", "read_boosted"]

_N_BINS = 10
BIN_NAMES = tuple(f"{low / _N_BINS:.1f} to {(low + 1) / _N_BINS:.1f}" for low in range(_N_BINS))


@dataclass(frozen=True, eq=False)
class BoostedPredictions:
    """Predictions of boosted trees for the test rows of a problem.

    Parameters
    ----------
    problem, setting : str
        The problem, and the style and number of steps.
    positive : array of bool
        Whether each row is positive.
    proba : dict of map to array
        The probability of each row, raw and behind each map.
    """

    problem: str
    setting: str
    positive: NDArray[np.bool_]
    proba: Mapping[str, NDArray[np.float64]]

    def bins(self, name: str) -> Iterator[tuple[float, float, float]]:
        """Yield share of rows, mean prediction and observed frequency of ten bins; NaN of an empty one."""
        proba = self.proba[name]
        number = np.minimum((proba * _N_BINS).astype(np.intp), _N_BINS - 1)
        for each in range(_N_BINS):
            inside = number == each
            n_inside = int(inside.sum())
            if n_inside:
                yield n_inside / len(proba), float(proba[inside].mean()), float(self.positive[inside].mean())
            else:
                yield 0.0, np.nan, np.nan


def read_boosted(results: Mapping[str, StudyResults]) -> list[BoostedPredictions]:
    """Return the kept predictions, by problem."""
    return [_read(name, results[f"{FIGURES} {name}"]) for name in PROBLEMS if f"{FIGURES} {name}" in results]


def _read(problem: str, results: StudyResults) -> BoostedPredictions:
    pooled = {CandidateName.parse(name): results.predictions(name) for name in results.methods}
    first = next(iter(pooled))
    positive = np.asarray(pooled[first].y_true).astype(bool)
    proba = {each.map: found.y_pred[:, 1] for each, found in pooled.items()}
    return BoostedPredictions(problem, first.setting, positive, proba)


def make_histograms(boosted: list[BoostedPredictions]) -> PaperTable:
    """Return the bins of Figures 1 to 3: share of rows, mean prediction and observed frequency."""
    cells = [
        Cell(row, f"{name} {what}", figure, block=each.problem)
        for each in boosted
        for name in PAPER_MAPS
        for row, figures in zip(BIN_NAMES, each.bins(name), strict=True)
        for what, figure in zip(("share", "mean", "frequency"), figures, strict=True)
    ]
    setting = boosted[0].setting if boosted else ""
    title = f"Figures 1 to 3 as numbers: boosted trees ({setting}) on the test rows"
    return PaperTable("figure_1", title, tuple(cells))
