"""What Table 3 leaves open: the definition of its areas, finite NCE of unsmoothed trees, and collapsed trees."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import numpy as np
from numpy.typing import NDArray

from calibrant.papers._chawla.holdout import CLIPS, SplitValues, single_split_error
from calibrant.papers._chawla.pruning import COLUMNS
from calibrant.papers._chawla.published import PRUNING
from calibrant.papers._reproduction.table import Cell, PaperTable

__all__ = ["APART", "area_table", "clip_table", "collapse_table"]

Values = NDArray[np.float64]

APART: Final = "standard errors apart"

_UNSMOOTHED: Final = {"Frequency": "unpruned trees", "Pruned frequency": "pruned trees"}
_COLLAPSED: Final = {"Frequency": "Collapsed frequency", "Laplace": "Collapsed Laplace"}


def area_table(splits: SplitValues, datasets: tuple[str, ...]) -> PaperTable:
    """Return the published areas beside the AUC and 2 AUC - 1, with the distance of each in standard errors."""
    cells = []
    for name in datasets:
        for method, column in COLUMNS.items():
            area = splits.values(name, method, "AUC")
            cells += _readings(f"{name}, {column}", ("AUC", name, method), {"AUC": area, "2 AUC - 1": 2.0 * area - 1.0})
    near = {kind: _n_near(cells, kind) for kind in ("AUC", "2 AUC - 1")}
    n_figures = len(datasets) * len(COLUMNS)
    note = (
        "The paper prints an area of 0.398 for Satimage, worse than a random ranking, where trees rank far better. "
        f"Within two standard errors of the printed areas are {near['AUC']} of {n_figures} of our AUC and "
        f"{near['2 AUC - 1']} of {n_figures} of our 2 AUC - 1, the Gini coefficient: that is what the paper seems to "
        "print, without saying so."
    )
    return PaperTable("table_3_areas", "The areas of Table 3 read in two ways", tuple(cells), note)


def clip_table(splits: SplitValues, datasets: tuple[str, ...]) -> PaperTable:
    """Return the NCE of frequencies by what is done with rows at 0, and the clip that the published one implies."""
    cells = [
        cell
        for method, block in _UNSMOOTHED.items()
        for name in datasets
        for cell in _clip_cells(splits, name, method, block)
    ]
    near = {column: _n_near(cells, column) for column in ("left out", *(f"clip at 10^-{n}" for n in CLIPS))}
    shown = ", ".join(f"{column} {n}" for column, n in near.items())
    note = (
        "`left out`: rows whose actual class has probability 0 count as 0; `mean of the others`: they are not "
        "counted at all; `clip at`: probabilities below that are replaced by it. `implied clip` is the power of ten "
        "of the clip that yields the printed figure with our trees: over all splits, and in brackets the middle 95 "
        f"% of single splits. Within two standard errors of the printed figures, of {2 * len(datasets)}: {shown}. "
        "The paper "
        "names none."
    )
    return PaperTable("table_3_clips", "The NCE of unsmoothed trees by convention", tuple(cells), note)


def collapse_table(splits: SplitValues, datasets: tuple[str, ...]) -> PaperTable:
    """Return the unpruned columns of Table 3 for trees that are collapsed, as the program C4.5 always does."""
    cells = []
    for name in datasets:
        for metric, method in (("NCE", "Laplace"), ("AUC", "Frequency"), ("AUC", "Laplace")):
            row = f"{name}, {'2 AUC - 1' if metric == 'AUC' else metric} of {COLUMNS[method]}"
            both = {"as grown": method, "collapsed": _COLLAPSED[method]}
            values = {kind: _area_or_nce(splits, name, each, metric) for kind, each in both.items()}
            cells += _readings(row, (metric, name, method), values)
    near = {kind: _n_near(cells, kind) for kind in ("as grown", "collapsed")}
    note = (
        "C4.5 replaces a subtree that makes no fewer training errors than a leaf while it grows, with or without "
        "pruning. Provost & Domingos switched that off; this paper does not say. The other tables are of trees as "
        f"they grow. Within two standard errors of the {3 * len(datasets)} printed figures: {near['as grown']} as "
        f"grown, {near['collapsed']} collapsed. Areas are read as 2 AUC - 1."
    )
    return PaperTable("table_3_collapsed", "Unpruned trees of Table 3, as grown and collapsed", tuple(cells), note)


def _area_or_nce(splits: SplitValues, dataset: str, method: str, metric: str) -> Values:
    values = splits.values(dataset, method, metric.lower())
    return 2.0 * values - 1.0 if metric == "AUC" else values


def _readings(row: str, place: tuple[str, str, str], values: dict[str, Values], block: str = "") -> list[Cell]:
    """Return the printed figure, the mean of each reading of it, and how far each is from it."""
    printed = PRUNING[place].value
    cells = [Cell(row, "paper", printed, block=block)]
    cells += [Cell(row, kind, float(each.mean()), block=block) for kind, each in values.items()]
    return cells + [Cell(row, f"{kind}: {APART}", _apart(each, printed), block=block) for kind, each in values.items()]


def _apart(values: Values, printed: float) -> float:
    return float((values.mean() - printed) / single_split_error(values))


def _n_near(cells: Iterable[Cell], kind: str) -> int:
    """Return how many figures of a reading are within two standard errors of the printed ones."""
    return sum(abs(each.ours) <= 2.0 for each in cells if each.column == f"{kind}: {APART}")


def _clip_cells(splits: SplitValues, dataset: str, method: str, block: str) -> list[Cell]:
    finite, zeros = (splits.values(dataset, method, metric) for metric in ("finite_nce", "zero_share"))
    values = {"left out": finite, "mean of the others": finite / (1.0 - zeros)}
    values |= {f"clip at 10^-{n}": splits.values(dataset, method, f"nce_clip_{n}") for n in CLIPS}
    place = ("NCE", dataset, method)
    implied, low, high = _implied_powers(PRUNING[place].value, finite, zeros)
    cell = Cell(dataset, "implied clip: power of ten", implied, block=block, low=low, high=high)
    return [*_readings(dataset, place, values, block), cell]


def _implied_powers(printed: float, finite: Values, zeros: Values) -> tuple[float, float, float]:
    """Return the logarithm of the clip that yields the printed NCE: over all splits, and the middle 95 % of them."""
    if not zeros.all():
        return (np.nan, np.nan, np.nan)
    low, high = np.quantile((finite - printed) / zeros, [0.025, 0.975])
    return float((finite.mean() - printed) / zeros.mean()), float(low), float(high)
