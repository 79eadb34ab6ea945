"""Table 2: correlations among the losses and the AUC, over data sets and methods."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from calibrant.papers._chawla.holdout import CLIPS, METRICS, SplitValues, single_split_error
from calibrant.papers._chawla.methods import BASELINE, SMOOTHED
from calibrant.papers._chawla.published import CORRELATIONS
from calibrant.papers._reproduction.table import Cell, PaperTable

__all__ = ["POINTS", "correlation_conventions", "correlation_table"]

Values = NDArray[np.float64]

POINTS: Final = ("raw values", "relative differences")

_WHY = (
    "Open. The paper does not say over which values it correlates. No set of points that we tried (with and without "
    "the m-estimate, the pruned trees or the baseline; areas as 2 AUC - 1) yields its coefficients."
)


def correlation_table(splits: SplitValues, datasets: tuple[str, ...]) -> PaperTable:
    """Return Table 2, once over raw values and once over relative differences."""
    cells = [
        cell for points in POINTS for cell in _block(_correlations(splits, datasets, points, METRICS["NCE"]), points)
    ]
    note = (
        "The coefficient in each split, averaged over the splits. Raw values: the five sets with frequencies and "
        "the four methods of Figure 3, 25 points. Relative differences: the bars of Figure 3, 20 points. NCE "
        "clipped at 10^-6."
    )
    return PaperTable("table_2", "Table 2: correlations among the losses and the AUC", tuple(cells), note)


def correlation_conventions(splits: SplitValues, datasets: tuple[str, ...]) -> PaperTable:
    """Return the correlations for other ways to make the NCE finite, and within the data sets."""
    cells = []
    for points in (*POINTS, "raw values, centred within each set"):
        for metric in (*(f"nce_clip_{digits}" for digits in CLIPS), "finite_nce"):
            found = _correlations(splits, datasets, points, metric)
            row = "rows at 0 left out" if metric == "finite_nce" else f"clipped at 10^-{metric.rpartition('_')[2]}"
            cells += [Cell(row, f"{a}, {b}", float(found[a, b].mean()), block=points) for a, b in CORRELATIONS]
    title = "Table 2 by what is done with the rows whose actual class has probability 0"
    return PaperTable("table_2_conventions", title, tuple(cells))


def _block(found: dict[tuple[str, str], Values], block: str) -> list[Cell]:
    cells = []
    for (row, column), printed in CORRELATIONS.items():
        values = found[row, column]
        cell = Cell(row, column, float(values.mean()), printed, block, single_split_error(values))
        cells.append(replace(cell, why=_WHY) if cell.verdict == "differs" else cell)
    return cells


def _correlations(
    splits: SplitValues, datasets: tuple[str, ...], points: str, nce_metric: str
) -> dict[tuple[str, str], Values]:
    """Return the coefficient of each pair of metrics in each split."""
    by_metric = {name: _points(splits, datasets, points, nce_metric if name == "NCE" else name) for name in METRICS}
    return {(a, b): _rowwise(by_metric[a], by_metric[b]) for a, b in CORRELATIONS}


def _points(splits: SplitValues, datasets: tuple[str, ...], points: str, metric: str) -> Values:
    """Return the points of each split: an array of shape (n_splits, n_points)."""
    columns = []
    for name in datasets:
        raw = np.column_stack([splits.values(name, method, metric) for method in (BASELINE, *SMOOTHED)])
        if points == "relative differences":
            raw = raw[:, 1:] / raw[:, :1] - 1.0
        elif points != "raw values":
            raw = raw - raw.mean(axis=1, keepdims=True)
        columns.append(raw)
    return np.hstack(columns)


def _rowwise(a: Values, b: Values) -> Values:
    """Return the coefficient of correlation of each row of two arrays."""
    a, b = (each - each.mean(axis=1, keepdims=True) for each in (a, b))
    found: Values = (a * b).sum(axis=1) / np.sqrt((a * a).sum(axis=1) * (b * b).sum(axis=1))
    return found
