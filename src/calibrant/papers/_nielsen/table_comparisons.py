"""Tables of our own: gains over all data sets with a test, and by data set with corrected intervals."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from calibrant.comparison import corrected_resampled_t_test, wilcoxon
from calibrant.papers._nielsen.published_figures import figure
from calibrant.papers._nielsen.readings import ADDED, B_PETS, EB_PETS, MOB_ESP, REMOVED, counted
from calibrant.papers._nielsen.records import LEVEL
from calibrant.papers._nielsen.trial_values import TITLES, TrialValues, higher_is_better, paper_metric
from calibrant.papers._reproduction.table import Cell, PaperTable

__all__ = [
    "GAIN",
    "MAIN_PAIRS",
    "P_VALUE",
    "comparisons_table",
    "differences_table",
    "pair_name",
    "published_gain",
]

GAIN, P_VALUE = "gain", "p-value"
MAIN_PAIRS = ((EB_PETS, B_PETS), (MOB_ESP, B_PETS), (MOB_ESP, EB_PETS))
_SMOOTHED = REMOVED["Omit Smoothing"]
_PAIRS = (
    *MAIN_PAIRS,
    *((method, B_PETS) for method in ADDED.values() if method != EB_PETS),
    *((EB_PETS, method) for method in REMOVED.values()),
    *((method, _SMOOTHED) for method in REMOVED.values() if method != _SMOOTHED),
)
_COMPARISONS_NOTE = (
    "Gains are positive where the first is better. The gain is the pseudo-median of the mean gains of the {n} data "
    "sets with its 95 % interval, the p-value that of Wilcoxon's signed-rank test over the data sets; in-bag rows "
    "count once."
)
_DIFFERENCES_NOTE = (
    "Mean gain of the first over the second, positive where it is better, with the 90 % interval of the test corrected "
    "for trials that share rows; in-bag rows count once."
)


def pair_name(method: str, competitor: str) -> str:
    """Return the name of a comparison."""
    return f"{method} against {competitor}"


def comparisons_table(name: str, title: str, values: TrialValues) -> PaperTable:
    """Return gains over all data sets, with Wilcoxon's test."""
    cells = tuple(cell for metric in TITLES for pair in _PAIRS for cell in _comparison(values, metric, *pair))
    return PaperTable(name, title, cells, _COMPARISONS_NOTE.format(n=len(values.data_sets)))


def _comparison(values: TrialValues, metric: str, method: str, competitor: str) -> Iterator[Cell]:
    gains = values.mean_gains(metric, counted(method, "unique"), counted(competitor, "unique"))
    found = wilcoxon(gains, np.zeros_like(gains))
    row, block = pair_name(method, competitor), TITLES[metric]
    yield Cell(row, GAIN, found.difference, block=block, low=found.low, high=found.high)
    yield Cell(row, P_VALUE, found.pvalue, block=block)
    yield Cell(row, "better on", float((gains > 0).sum()), block=block)
    yield Cell(row, "worse on", float((gains < 0).sum()), block=block)


def differences_table(name: str, title: str, values: TrialValues) -> PaperTable:
    """Return gains by data set, with corrected intervals."""
    cells = tuple(
        _difference(values, metric, data_set, *pair)
        for metric in TITLES
        for data_set in values.data_sets
        for pair in MAIN_PAIRS
    )
    return PaperTable(name, title, cells, _DIFFERENCES_NOTE)


def _difference(values: TrialValues, metric: str, data_set: str, method: str, competitor: str) -> Cell:
    gains = values.gains(metric, data_set, counted(method, "unique"), counted(competitor, "unique"))
    found = corrected_resampled_t_test(gains, np.zeros_like(gains), n_train=2, n_test=1, confidence=1 - LEVEL)
    return Cell(
        data_set,
        pair_name(method, competitor),
        float(gains.mean()),
        None,
        TITLES[metric],
        low=found.low,
        high=found.high,
    )


def published_gain(metric: str, data_set: str, method: str, competitor: str) -> float:
    """Return the difference of two printed figures, positive where the first is better.

    Examples
    --------
    >>> round(published_gain("mse01", "ionosphere", "EB-PETs", "B-PETs"), 3)
    0.178
    """
    name = paper_metric(metric)
    difference = figure(name, data_set, method).value - figure(name, data_set, competitor).value
    return difference if higher_is_better(metric) else -difference
