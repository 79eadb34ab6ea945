"""A table of our own: Tables 3 to 5 by a t-test that does not pair the trials of two systems."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from calibrant.papers._nielsen.differing_causes import count_cause
from calibrant.papers._nielsen.published_figures import record
from calibrant.papers._nielsen.readings import counted
from calibrant.papers._nielsen.records import read_unpaired
from calibrant.papers._nielsen.table_records import RECORD_TABLES
from calibrant.papers._nielsen.trial_values import TITLES, TrialValues, paper_metric
from calibrant.papers._reproduction.table import Cell, PaperTable

__all__ = ["UNPAIRED_PREFIXES", "unpaired_table"]

UNPAIRED_PREFIXES = {"table_3": "B-PETs + ", "table_4": "EB-PETs − ", "table_5": "MOB-ESP against "}
_NOTE = (
    "The paper says that significance was determined by a t-test, not that trials were paired. In-bag rows count once; "
    "level 0.1."
)


def unpaired_table(name: str, title: str, values: TrialValues) -> PaperTable:
    """Return wins, ties and losses of each pair by each metric, by the unpaired test."""
    cells = tuple(cell for metric in TITLES for cell in _block(values, metric))
    return PaperTable(name, title, cells, _NOTE, 0)


def _block(values: TrialValues, metric: str) -> Iterator[Cell]:
    position, is_whole = [*TITLES].index(paper_metric(metric)), len(values.data_sets) == 20
    for table, matches in RECORD_TABLES.items():
        for name, pair in matches.pairs.items():
            counts = read_unpaired(values, metric, *(counted(each, "unique") for each in pair))
            printed = record(matches.published[name][position])
            for (column, published), number, error in zip(printed.items(), counts.numbers, counts.errors, strict=True):
                yield Cell(
                    f"{UNPAIRED_PREFIXES[table]}{name}",
                    column,
                    float(number),
                    published,
                    TITLES[metric],
                    error if is_whole else float(np.nan),
                    why=count_cause(metric, has_one_forest=False),
                )
