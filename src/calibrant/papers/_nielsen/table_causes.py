"""A table of our own: whether other ways of growing explain why B-PETs are worse in the paper on some data sets."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from calibrant.papers._nielsen.experiment import CAUSES, SYSTEMS
from calibrant.papers._nielsen.published_figures import figure
from calibrant.papers._nielsen.readings import counted
from calibrant.papers._nielsen.table_figures import error_to_paper
from calibrant.papers._nielsen.trial_values import TrialValues
from calibrant.papers._reproduction.table import Cell, PaperTable

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["AGREEING", "AS_ABOVE", "causes_table"]

AS_ABOVE, AGREEING = "as above", "data sets that agree"
_NOTE = (
    "0/1-MSE of {n} trials (as above: of all), with integers for nominal values, midpoints and no penalty as above and "
    "one change: information gain instead of the gain ratio; any cut that leaves two rows on either side, where C4.5 "
    "requires a tenth of the rows of a class, at most 25; no further columns drawn where the drawn ones have no "
    "test; cuts between equal values."
)


def causes_table(values: TrialValues, causes: TrialValues) -> PaperTable:
    """Return the squared error of each change on each data set, with the number of data sets that agree."""
    cells = tuple(cell for system in SYSTEMS for cell in _block(values, causes, system))
    return PaperTable("causes", "What else the paper's program may have done", cells, _NOTE.format(n=causes.n_trials))


def _block(values: TrialValues, causes: TrialValues, system: str) -> Iterator[Cell]:
    trials = {
        AS_ABOVE: {name: values.of("mse01", name, counted(system, "unique")) for name in values.data_sets},
        **{
            cause: {name: causes.of("mse01", name, f"{system}, {cause}") for name in causes.data_sets}
            for cause in CAUSES
        },
    }
    for data_set in values.data_sets:
        yield Cell(data_set, "paper", figure("mse01", data_set, system).value, block=system)
        for column, each in trials.items():
            yield Cell(data_set, column, float(each[data_set].mean()), block=system)
    for column, each in trials.items():
        number = sum(_agrees(each[name], name, system) for name in values.data_sets)
        yield Cell(AGREEING, column, number, block=system)


def _agrees(trials: NDArray[np.float64], data_set: str, system: str) -> bool:
    printed = figure("mse01", data_set, system)
    return bool(abs(trials.mean() - printed.value) <= 2 * error_to_paper(trials) + printed.rounding)
