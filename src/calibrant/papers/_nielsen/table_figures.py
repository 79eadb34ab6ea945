"""Tables 2 and 6: the figures of two systems on each data set, the paper's and ours."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from calibrant.papers._nielsen.differing_causes import cause, count_cause
from calibrant.papers._nielsen.published_figures import LETTERS, figure, letter
from calibrant.papers._nielsen.readings import COUNTINGS, Counting, counted, share_forest
from calibrant.papers._nielsen.records import PAPER_TRIALS, read_record
from calibrant.papers._nielsen.trial_values import TITLES, TrialValues, paper_metric
from calibrant.papers._reproduction.published import Published
from calibrant.papers._reproduction.table import Cell, PaperTable

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["RESULT", "error_to_paper", "figures_table"]

RESULT = "win"
_NUMBERS = {"win": "1", "tie": "0", "loss": "-1"}
_NOTE = (
    "Means over {n} trials; the paper's are over 100. A win is 1, a tie 0, a loss -1 of {first} against {second}, by "
    "the paired t-test at 0.1. Where out-of-bag rows are counted, an in-bag row counts once, or as often as it was "
    "drawn (multiplicity). ΔAcc is measured from the vote of the forest with random features, or of the system's "
    "own forest."
)


def figures_table(name: str, title: str, values: TrialValues, way: str, first: str, second: str) -> PaperTable:
    """Return the figures of two systems, the competitor first, with who wins."""
    cells = tuple(cell for metric in TITLES for cell in _block(values, way, metric, first, second))
    note = _NOTE.format(n=values.n_trials, first=second, second=first)
    return PaperTable(name, title, cells, note)


def error_to_paper(values: NDArray[np.float64]) -> float:
    """Return the standard deviation of the difference between the mean of our trials and that of the paper's.

    Examples
    --------
    >>> round(error_to_paper(np.array([0.1, 0.2, 0.3, 0.2])), 4)
    0.0416
    """
    return float(values.std(ddof=1) * np.sqrt(1 / len(values) + 1 / PAPER_TRIALS))


def _block(values: TrialValues, way: str, metric: str, first: str, second: str) -> Iterator[Cell]:
    outcomes = read_record(values, metric, counted(second, "unique"), counted(first, "unique")).outcomes
    for data_set in values.data_sets:
        for system in (first, second):
            for counting in COUNTINGS[: 2 if counted(system, "unique") != system else 1]:
                yield _figure(values, way, metric, data_set, system, counting)
        printed = LETTERS[letter(paper_metric(metric), data_set, second)]
        published, why = Published(_NUMBERS[printed]), count_cause(metric, has_one_forest=share_forest(first, second))
        yield Cell(data_set, RESULT, outcomes[data_set], published, TITLES[metric], error=0.0, why=why)


def _figure(values: TrialValues, way: str, metric: str, data_set: str, system: str, counting: Counting) -> Cell:
    trials = values.of(metric, data_set, counted(system, counting))
    return Cell(
        data_set,
        system if counting == "unique" else f"{system}, {counting}",
        float(trials.mean()),
        figure(paper_metric(metric), data_set, system),
        TITLES[metric],
        error_to_paper(trials),
        why=cause(way, metric, data_set),
    )
