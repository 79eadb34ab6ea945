"""Table 3: the NCE and the AUC of unpruned and pruned trees."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np

from calibrant.papers._chawla.holdout import SplitValues, single_split_error
from calibrant.papers._chawla.published import PRUNING
from calibrant.papers._reproduction.table import Cell, PaperTable

__all__ = ["COLUMNS", "pruning_table"]

COLUMNS: Final = {
    "Frequency": "frequency, unpruned",
    "Pruned frequency": "frequency, pruned",
    "Laplace": "Laplace, unpruned",
    "Pruned Laplace": "Laplace, pruned",
}

_WHY: Final = {
    "NCE": "Open. The paper does not say whether unpruned trees are collapsed, as C4.5 does by itself; collapsed ones "
    "agree on Adult, but no longer on Satimage (`table_3_collapsed`).",
    "AUC": "The printed areas fit 2 AUC - 1, the Gini coefficient (`table_3_areas`), not the AUC.",
}


def pruning_table(splits: SplitValues, datasets: tuple[str, ...]) -> PaperTable:
    """Return Table 3; the NCE of frequencies is infinite by its definition, and not judged."""
    metrics = {"NCE": "nce", "AUC": "auc"}
    cells = [
        _cell(splits, block, name, method, metric)
        for block, metric in metrics.items()
        for name in datasets
        for method in COLUMNS
    ]
    note = (
        "NCE in base 10: in no other base are the figures of Laplace estimates near ours. With frequencies it is "
        "infinite wherever a test row is of a class that its leaf lacks; the paper prints finite figures and does "
        "not say how."
    )
    return PaperTable("table_3", "Table 3: unpruned and pruned trees", tuple(cells), note)


def _cell(splits: SplitValues, block: str, dataset: str, method: str, metric: str) -> Cell:
    values, printed = splits.values(dataset, method, metric), PRUNING[block, dataset, method]
    error = float("nan") if np.isinf(values).any() else single_split_error(values)
    cell = Cell(dataset, COLUMNS[method], float(values.mean()), printed, block, error)
    return replace(cell, why=_WHY[block]) if cell.verdict == "differs" else cell
