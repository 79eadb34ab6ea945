"""Writing the best model of a table and its held-out predictions."""

from __future__ import annotations

import math
import tempfile
from dataclasses import replace
from typing import TYPE_CHECKING

from calibrant._whole_file import whole_file
from calibrant.files import ExpectedScore, save

if TYPE_CHECKING:
    from pathlib import Path

    from calibrant.studies._table_comparison.table_comparison import TableComparison

__all__ = ["prepare_folder", "save_winner"]

_MODEL, _HELD_OUT = "model.calibrant", "held_out.csv"


def prepare_folder(folder: Path) -> None:
    """Create a folder, or raise if nothing can be written there: before the work rather than after it."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryFile(dir=folder):
        pass


def save_winner(found: TableComparison, folder: Path) -> TableComparison:
    """Write the model and its held-out predictions to a folder; nothing where there is no model."""
    if found.model is None:
        return found
    with whole_file(folder / _HELD_OUT) as file:
        found.held_out.to_csv(file, index=False)
    save(found.model, folder / _MODEL, made_from=found.table, expected=_expected(found))
    return replace(found, files={"model": str(folder / _MODEL), "held_out": str(folder / _HELD_OUT)})


def _expected(found: TableComparison) -> list[ExpectedScore]:
    """Return the score of the best method, corrected for having been chosen where that can be."""
    best = found.best
    if math.isnan(found.corrected):
        return []
    has_interval = not math.isnan(best.low) and not math.isnan(best.corrected)
    ends = (best.low, best.high, best.confidence) if has_interval else ()
    return [ExpectedScore(found.metric, found.corrected, *ends)]
