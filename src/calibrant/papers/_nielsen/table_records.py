"""Tables 3 to 5: wins, ties and losses over the data sets, and how many remain by the corrected test."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from calibrant.papers._nielsen.differing_causes import count_cause
from calibrant.papers._nielsen.published_figures import ADDING_RECORDS, MOB_ESP_RECORDS, REMOVING_RECORDS, record
from calibrant.papers._nielsen.readings import (
    ADDED,
    B_PETS,
    COUNTINGS,
    EB_PETS,
    MOB_ESP,
    REMOVED,
    Counting,
    counted,
    share_forest,
)
from calibrant.papers._nielsen.records import read_record
from calibrant.papers._nielsen.trial_values import TITLES, TrialValues, paper_metric
from calibrant.papers._reproduction.published import Published
from calibrant.papers._reproduction.table import Cell, PaperTable

__all__ = ["RECORD_TABLES", "REMAINING", "Matches", "records_table"]

REMAINING = ("wins that remain", "losses that remain")
_NOTE = (
    "Numbers of data sets by the paired t-test at 0.1; those that remain are significant by the test corrected for "
    "trials that share rows too. Two counts differ by chance as much as bootstrap replicates of the trials show."
)
_FEWER = " The paper's counts are of 20 data sets, ours of {n}: they are not judged."


@dataclass(frozen=True)
class Matches:
    """The rows of a table: who is compared with whom, and the paper's wins, ties and losses by metric."""

    title: str
    published: Mapping[str, tuple[str, ...]]
    pairs: Mapping[str, tuple[str, str]]  # method and competitor by row


RECORD_TABLES = {
    "table_3": Matches(
        "Table 3: effect of enhancements to B-PETs",
        ADDING_RECORDS,
        {name: (method, B_PETS) for name, method in ADDED.items()},
    ),
    "table_4": Matches(
        "Table 4: effect of removing enhancements from EB-PETs",
        REMOVING_RECORDS,
        {name: (method, EB_PETS) for name, method in REMOVED.items()},
    ),
    "table_5": Matches(
        "Table 5: performance of MOB-ESP",
        MOB_ESP_RECORDS,
        {name: (MOB_ESP, name) for name in (B_PETS, EB_PETS)},
    ),
}


def records_table(name: str, title: str, values: TrialValues, matches: Matches) -> PaperTable:
    """Return wins, ties and losses of each pair by each metric."""
    is_whole = len(values.data_sets) == 20
    cells = tuple(cell for metric in TITLES for cell in _block(values, metric, matches, is_whole))
    return PaperTable(name, title, cells, _NOTE + ("" if is_whole else _FEWER.format(n=len(values.data_sets))), 0)


def _block(values: TrialValues, metric: str, matches: Matches, is_whole: bool) -> Iterator[Cell]:
    position = [*TITLES].index(paper_metric(metric))
    for name, pair in matches.pairs.items():
        printed = record(matches.published[name][position])
        done: set[tuple[str, str]] = set()
        for counting in COUNTINGS:
            method, competitor = (counted(each, counting) for each in pair)
            if (method, competitor) not in done:  # in-bag rows alone: both ways of counting are the same
                done.add((method, competitor))
                why = count_cause(metric, has_one_forest=share_forest(*pair))
                yield from _cells(values, metric, _row(name, counting), (method, competitor), printed, is_whole, why)


def _row(name: str, counting: Counting) -> str:
    return name if counting == "unique" else f"{name}, {counting}"


def _cells(
    values: TrialValues,
    metric: str,
    row: str,
    pair: tuple[str, str],
    printed: Mapping[str, Published],
    is_whole: bool,
    why: str,
) -> Iterator[Cell]:
    found = read_record(values, metric, *pair)
    counts = found.counts
    for (column, published), ours, error in zip(printed.items(), counts.numbers, counts.errors, strict=True):
        judged = error if is_whole else float("nan")
        yield Cell(row, column, float(ours), published, TITLES[metric], judged, why=why)
    remaining = (found.record.corrected_wins, found.record.corrected_losses)
    for column, number in zip(REMAINING, remaining, strict=True):
        yield Cell(row, column, float(number or 0), block=TITLES[metric])
