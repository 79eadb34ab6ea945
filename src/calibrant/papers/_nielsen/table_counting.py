"""A table of our own: which way of counting in-bag rows is closer to the paper's figures."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binomtest

from calibrant.papers._nielsen.published_figures import METRIC_TITLES, figure
from calibrant.papers._nielsen.readings import B_PETS, COUNTINGS, EB_PETS, MOB_ESP, UNIQUE_B_PETS, counted
from calibrant.papers._nielsen.table_figures import error_to_paper
from calibrant.papers._nielsen.trial_values import TrialValues
from calibrant.papers._reproduction.table import Cell, PaperTable

__all__ = ["counting_table"]

_NOTE = (
    "The distance is that of our mean from the paper's figure, averaged over the data sets; closer is the number of "
    "data sets where one way of counting is closer than the other, with the p-value of the sign test; agree is the "
    "number within two standard errors. B-PETs, whose leaves count with multiplicity as C4.5's do, are also read with "
    "each in-bag row once."
)
_METHODS = {
    B_PETS: (UNIQUE_B_PETS, B_PETS),
    **{system: tuple(counted(system, counting) for counting in COUNTINGS) for system in (EB_PETS, MOB_ESP)},
}


def counting_table(name: str, title: str, values: TrialValues) -> PaperTable:
    """Return the distances of both ways of counting from the paper."""
    cells = tuple(cell for metric in METRIC_TITLES for system in _METHODS for cell in _row(values, metric, system))
    return PaperTable(name, title, cells, _NOTE)


def _row(values: TrialValues, metric: str, system: str) -> Iterator[Cell]:
    block = METRIC_TITLES[metric]
    distance, agrees = _distances(values, metric, system)
    closer = (distance < distance[::-1] - 1e-12).sum(axis=1)
    for counting, each in zip(COUNTINGS, distance, strict=True):
        yield Cell(system, f"distance, {counting}", float(each.mean()), block=block)
    for counting, number in zip(COUNTINGS, closer, strict=True):
        yield Cell(system, f"closer, {counting}", float(number), block=block)
    pvalue = binomtest(int(closer[0]), int(closer.sum())).pvalue if closer.sum() else 1.0
    yield Cell(system, "p-value", float(pvalue), block=block)
    for counting, number in zip(COUNTINGS, agrees, strict=True):
        yield Cell(system, f"agree, {counting}", float(number), block=block)


def _distances(values: TrialValues, metric: str, system: str) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    """Return distances from the paper by way of counting and data set, and how many agree by way of counting."""
    printed = [figure(metric, name, system) for name in values.data_sets]
    trials = [[values.of(metric, name, method) for name in values.data_sets] for method in _METHODS[system]]
    distance = np.array([[abs(t.mean() - p.value) for t, p in zip(row, printed, strict=True)] for row in trials])
    bound = np.array(
        [[2 * error_to_paper(t) + p.rounding for t, p in zip(row, printed, strict=True)] for row in trials]
    )
    return distance, (distance <= bound).sum(axis=1)
