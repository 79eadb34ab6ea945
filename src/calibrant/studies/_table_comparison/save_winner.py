"""Writing the best model of a table and its held-out predictions."""

from __future__ import annotations

import math
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from calibrant._whole_file import whole_file
from calibrant.files import ExpectedScore, save

if TYPE_CHECKING:
    from calibrant.studies._table_comparison.table_comparison import TableComparison

__all__ = ["model_size", "prepare_folder", "save_winner"]

_MODEL, _HELD_OUT = "model.calibrant", "held_out.csv"


def prepare_folder(folder: Path) -> None:
    """Create a folder, or raise if nothing can be written there: before the work rather than after it."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryFile(dir=folder):
        pass


def model_size(model: Any) -> int:
    """Return the number of bytes of the file of a model."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, _MODEL)
        save(model, path)
        return path.stat().st_size


def save_winner(found: TableComparison, folder: Path) -> TableComparison:
    """Write the model and its held-out predictions to a folder; nothing where there is no model."""
    if found.model is None:
        return found
    with whole_file(folder / _HELD_OUT) as file:
        found.held_out.to_csv(file, index=False)
    save(found.model, folder / _MODEL, made_from=found.table, expected=_expected(found))
    return replace(found, files={"model": str(folder / _MODEL), "held_out": str(folder / _HELD_OUT)})


def _expected(found: TableComparison) -> list[ExpectedScore]:
    """Return the score of the method that was saved."""
    value, low, high = found.expected
    if math.isnan(value):
        return []
    ends = () if math.isnan(low) else (low, high, found.best.confidence)
    return [ExpectedScore(found.metric, value, *ends)]
