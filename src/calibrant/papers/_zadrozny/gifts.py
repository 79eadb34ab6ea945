"""Profit by the model of the expected gift, and by training with weights or shifting the base rate afterwards."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from calibrant.papers._reproduction.table import Cell, PaperTable
from calibrant.papers._zadrozny.measured import Measured
from calibrant.papers._zadrozny.shifted import SHIFTED

if TYPE_CHECKING:
    from calibrant.studies import StudyResults

__all__ = ["gift_tables"]

_METHODS: Final = ("Smoothing", "Curtailment", "Smoothed curtailment", "Binned naive Bayes", "All base rate")
_LABELS: Final = {
    "profit, mean gift": "the mean gift",
    "profit": "linear regression on donors",
    "profit, Heckman": "the same with Heckman's correction",
}
_METRICS: Final = {"mse": "MSE", "log_loss_bits": "log-loss (bits)", "profit": "profit ($)"}


def gift_tables(weighted: Measured, shifted: StudyResults | None) -> list[PaperTable]:
    """Return the table of gift models, and that of weights or shifting where the rows have weights."""
    tables = [_gift_table(weighted)]
    if shifted is not None:
        tables.append(_shift_table(weighted, Measured(shifted)))
    return tables


def _gift_table(study: Measured) -> PaperTable:
    cells = [study.mean_cell(row, label, metric, "test") for row in _METHODS for metric, label in _LABELS.items()]
    for row in _METHODS:
        name = f"{row}: correction less regression"
        corrected, linear = (study.values(row, metric) for metric in ("profit, Heckman", "profit"))
        cells.append(study.difference_cell(name, corrected, linear, ""))
    note = "Dollars for 96,367 people, means over the random splits with 95 % intervals."
    return PaperTable("gifts", "Profit on the test rows by the model of the expected gift, y(x)", tuple(cells), note, 0)


def _shift_table(weighted: Measured, shifted: Measured) -> PaperTable:
    """Return MSE, log-loss and profit of methods fitted with weights, and without them but shifted."""
    note = (
        "Fitted with the weights of the case-control sample, or without them, as if a quarter of all people donated, "
        "with PriorShift to the base rate afterwards; m = v = 10 / b of the rows as they are fitted."
    )
    title = "Weights, or shifting the base rate afterwards: test rows"
    return PaperTable("weights_or_shift", title, tuple(_shift_cells(weighted, shifted)), note, decimals=4)


def _shift_cells(weighted: Measured, shifted: Measured) -> Iterator[Cell]:
    for metric, label in _METRICS.items():
        for row in SHIFTED:
            one, two = weighted.values(row, metric), shifted.values(row, metric)
            found = shifted.difference_cell(row, two, one, label)
            yield Cell(row, "weights", float(one.mean()), block=label)
            yield Cell(row, "shift", float(two.mean()), block=label)
            yield Cell(row, "shift less weights", found.ours, block=label, low=found.low, high=found.high)
