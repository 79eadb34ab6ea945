"""Figure 3: losses and areas relative to those of the leaf frequencies of an unpruned tree."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from calibrant.papers._chawla.holdout import METRICS, SplitValues
from calibrant.papers._chawla.methods import BASELINE, SMOOTHED
from calibrant.papers._chawla.published import PRUNING
from calibrant.papers._reproduction.published import Published
from calibrant.papers._reproduction.table import Cell, PaperTable

__all__ = ["FURTHER", "difference_table", "relative_difference"]

FURTHER = ("Bagged m-estimate",)  # drawn beside the paper's four


def difference_table(splits: SplitValues, datasets: tuple[str, ...]) -> PaperTable:
    """Return the relative differences; where Table 3 implies the paper's, with them."""
    cells = [
        _cell(splits, name, method, metric)
        for name in datasets
        for method in (*SMOOTHED, *FURTHER)
        for metric in METRICS
    ]
    note = (
        "(method - unpruned tree) / unpruned tree, in each split, then averaged; in brackets two standard "
        "deviations of single splits. The NCE of the unpruned tree is infinite without a least probability, and "
        "every relative difference to it would be -1 (or undefined, where bags have certain and wrong rows too); "
        "probabilities below 10^-6 are therefore replaced by 10^-6 in both. The figure prints no numbers; those of "
        "Laplace estimates are what Table 3 implies, and are judged there."
    )
    return PaperTable("figure_3", "Figure 3: relative differences to leaf frequencies", tuple(cells), note, decimals=3)


def relative_difference(splits: SplitValues, dataset: str, method: str, metric: str) -> NDArray[np.float64]:
    """Return the relative difference to the unpruned tree in each split."""
    baseline = splits.values(dataset, BASELINE, metric)
    return (splits.values(dataset, method, metric) - baseline) / baseline


def _cell(splits: SplitValues, dataset: str, method: str, metric: str) -> Cell:
    values = relative_difference(splits, dataset, method, metric)
    spread = values.std(ddof=1) * np.array([-2.0, 2.0])
    low, high = (values.mean() + spread).tolist()
    return Cell(method, metric, float(values.mean()), _implied(dataset, method, metric), dataset, low=low, high=high)


def _implied(dataset: str, method: str, metric: str) -> Published | None:
    """Return the relative difference that the figures of Table 3 imply."""
    figures = [PRUNING.get((metric, dataset, each)) for each in (BASELINE, method)]
    if figures[0] is None or figures[1] is None:
        return None
    return Published(f"{figures[1].value / figures[0].value - 1.0:.3f}")
