"""The mean losses and areas of every method, which Figure 3 shows as relative differences."""

from __future__ import annotations

from typing import Final

import numpy as np

from calibrant.papers._chawla.holdout import METRICS, SplitValues
from calibrant.papers._reproduction.table import Cell, PaperTable

__all__ = ["loss_table"]

_COLUMNS: Final = {
    "NCE": "nce",
    "rows at 0": "zero_share",
    "NCE, clipped": METRICS["NCE"],
    "QL": "ql",
    "01L": "error",
    "AUC": "auc",
}


def loss_table(splits: SplitValues) -> PaperTable:
    """Return the means over the splits, by data set."""
    methods = splits.results.methods
    cells = [
        Cell(method, column, float(np.mean(splits.values(name, method, metric))), block=name)
        for name in splits.datasets
        for method in methods
        for column, metric in _COLUMNS.items()
    ]
    note = (
        "NCE is in base 10 and infinite where the actual class of a test row has probability 0 in any of the splits; "
        "`rows at 0` is the share of such rows. `NCE, clipped` replaces probabilities below 10^-6. QL is the quadratic "
        "loss, 01L the error at a threshold of 0.5. CoIL is a set of Zadrozny & Elkan (2001), not of this paper."
    )
    return PaperTable("losses", "Losses and areas of all methods, means over the splits", tuple(cells), note)
