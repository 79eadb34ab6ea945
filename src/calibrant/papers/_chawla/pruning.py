"""Table 3: the NCE and the AUC of unpruned and pruned trees, and what the paper leaves open of them."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from calibrant.papers._chawla.holdout import CLIPS, SplitValues, single_split_error
from calibrant.papers._chawla.published import PRUNING
from calibrant.papers._reproduction.table import Cell, PaperTable

__all__ = ["area_table", "clip_table", "collapse_table", "pruning_table"]

_COLUMNS: Final = {
    "Frequency": "frequency, unpruned",
    "Pruned frequency": "frequency, pruned",
    "Laplace": "Laplace, unpruned",
    "Pruned Laplace": "Laplace, pruned",
}
_UNSMOOTHED: Final = {"Frequency": "unpruned", "Pruned frequency": "pruned"}
_COLLAPSED: Final = {"Frequency": "Collapsed frequency", "Laplace": "Collapsed Laplace"}
_AREA_WHY = "The printed figure is near 2 AUC - 1, the Gini coefficient (next table), not near the AUC."


def pruning_table(splits: SplitValues, datasets: tuple[str, ...]) -> PaperTable:
    """Return Table 3; the NCE of frequencies is infinite by its definition, and not judged."""
    cells = [_cell(splits, "NCE", name, method, "nce") for name in datasets for method in _COLUMNS]
    cells += [_cell(splits, "AUC", name, method, "AUC", why=_AREA_WHY) for name in datasets for method in _COLUMNS]
    note = (
        "NCE in base 10: in no other base are the figures of Laplace estimates near ours. With frequencies it is "
        "infinite wherever a test row is of a class that its leaf lacks; the paper prints finite figures and does "
        "not say how."
    )
    return PaperTable("table_3", "Table 3: unpruned and pruned trees", tuple(cells), note)


def area_table(splits: SplitValues, datasets: tuple[str, ...]) -> PaperTable:
    """Return the published AUC beside ours and beside 2 AUC - 1."""
    cells = []
    for block, is_gini in (("AUC as defined", False), ("2 AUC - 1", True)):
        for name in datasets:
            for method, column in _COLUMNS.items():
                area = splits.values(name, method, "AUC")
                values = 2.0 * area - 1.0 if is_gini else area
                cells.append(_judged(name, column, values, ("AUC", name, method), block))
    note = (
        "Satimage has a printed area of 0.398, worse than a random ranking, where a tree ranks far better. On four "
        "sets the printed areas are near 2 AUC - 1, on Mammography near the AUC; those of Mammography have four or "
        "six digits, all others five. Our reading: two programs, one of which printed the Gini coefficient. The "
        "paper says nothing of it."
    )
    return PaperTable("table_3_areas", "The areas of Table 3 read in two ways", tuple(cells), note)


def clip_table(splits: SplitValues, datasets: tuple[str, ...]) -> PaperTable:
    """Return the NCE of frequencies by what is done with rows at 0, and the clip that the published one implies."""
    cells = [
        cell
        for method, pruned in _UNSMOOTHED.items()
        for name in datasets
        for cell in _clip_cells(splits, name, method, f"{pruned} trees")
    ]
    note = (
        "`left out`: rows whose actual class has probability 0 count as 0; `mean of the others`: they are not "
        "counted at all; `clip at`: probabilities below that are replaced by it. `implied clip` is the power of ten "
        "of the one clip that yields the printed figure with our trees, over the middle 95 % of the splits. No "
        "single convention fits."
    )
    return PaperTable("table_3_clips", "The NCE of unsmoothed trees by convention", tuple(cells), note)


def collapse_table(splits: SplitValues, datasets: tuple[str, ...]) -> PaperTable:
    """Return the unpruned columns of Table 3 for trees that are collapsed, as the program C4.5 always does."""
    cells = []
    for metric in ("NCE", "AUC"):
        for name in datasets:
            for method in ("Laplace",) if metric == "NCE" else _COLLAPSED:
                values = splits.values(name, _COLLAPSED[method], "nce" if metric == "NCE" else metric)
                why = _AREA_WHY if metric == "AUC" else ""
                cells.append(_judged(name, _COLUMNS[method], values, (metric, name, method), metric, why))
    note = (
        "C4.5 replaces a subtree that makes no fewer training errors than a leaf while it grows, with or without "
        "pruning. Provost & Domingos switched that off; this paper does not say. The other tables are of trees that "
        "are not collapsed."
    )
    return PaperTable("table_3_collapsed", "Table 3 with collapsed trees for unpruned ones", tuple(cells), note)


def _cell(splits: SplitValues, block: str, dataset: str, method: str, metric: str, why: str = "") -> Cell:
    values, place = splits.values(dataset, method, metric), (block, dataset, method)
    if np.isinf(values).any():
        return Cell(dataset, _COLUMNS[method], float(values.mean()), PRUNING[place], block)
    return _judged(dataset, _COLUMNS[method], values, place, block, why=why)


def _judged(
    dataset: str, column: str, values: NDArray[np.float64], place: tuple[str, str, str], block: str, why: str = ""
) -> Cell:
    error = single_split_error(values)
    return Cell(dataset, column, float(values.mean()), PRUNING[place], block, error, why=why)


def _clip_cells(splits: SplitValues, dataset: str, method: str, block: str) -> list[Cell]:
    printed = PRUNING["NCE", dataset, method]
    finite, zeros = (splits.values(dataset, method, metric) for metric in ("finite_nce", "zero_share"))
    ends = _implied_powers(printed.value, finite, zeros)
    figures = {
        "paper": printed.value,
        "left out": float(finite.mean()),
        "mean of the others": float((finite / (1.0 - zeros)).mean()),
        **{f"clip at 10^-{n}": float(splits.values(dataset, method, f"nce_clip_{n}").mean()) for n in CLIPS},
    }
    cells = [Cell(dataset, column, value, block=block) for column, value in figures.items()]
    implied = Cell(dataset, "implied clip: power of ten", ends[0], block=block, low=ends[1], high=ends[2])
    return [*cells, implied]


def _implied_powers(
    printed: float, finite: NDArray[np.float64], zeros: NDArray[np.float64]
) -> tuple[float, float, float]:
    """Return the logarithm of the clip that yields the printed NCE: over all splits, and the middle 95 % of them."""
    if not zeros.all():
        return (np.nan, np.nan, np.nan)
    low, high = np.quantile((finite - printed) / zeros, [0.025, 0.975])
    return float((finite.mean() - printed) / zeros.mean()), float(low), float(high)
