"""A study as sections: its size, how far it is, and the table of its first metric."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING

from calibrant._repr import number_text
from calibrant._sections import Block, Callout, DataTable, Definitions, Section, TableColumn
from calibrant.exceptions import CalibrantError

if TYPE_CHECKING:
    from calibrant.studies._results.status import StudyStatus
    from calibrant.studies._results.study_results import StudyResults
    from calibrant.studies.study import Study

__all__ = ["study_sections"]

_MOST_NAMES, _MOST_ROWS = 12, 200


def study_sections(study: Study) -> tuple[Section, ...]:
    """Return a study as sections; what its store cannot show is said instead of raised."""
    blocks: list[Block] = [Definitions(_definition(study))]
    tables: tuple[Section, ...] = ()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            status = study.status()
            blocks += _status_blocks(status)
            tables = (_table_section(study.results()),) if status.is_complete else ()
        except CalibrantError as problem:
            blocks.append(Callout("info", "No results yet: nothing of this study can be read.", str(problem)))
    blocks += [Callout("warning", str(each.message)) for each in caught]
    return Section("study", f"Study {study.name}", tuple(blocks)), *tables


def _definition(study: Study) -> tuple[tuple[str, str], ...]:
    definition = study.definition
    return (
        ("data sets", _names(list(definition.datasets))),
        ("methods", _names(list(definition.method_parts))),
        ("metrics", _names(list(definition.metric_parts))),
        ("store", study.store),
    )


def _names(names: Sequence[str]) -> str:
    more = ", …" if len(names) > _MOST_NAMES else ""
    return f"{len(names):,} ({', '.join(names[:_MOST_NAMES])}{more})"


def _status_blocks(status: StudyStatus) -> list[Block]:
    counts = [
        ("planned", status.n_trials),
        ("finished", status.n_done),
        ("failed", status.n_failed),
        ("running", status.n_running),
        ("missing", status.n_missing),
    ]
    rows = tuple((name, f"{n:,}") for name, n in counts if n or name in ("planned", "finished", "failed"))
    table = DataTable("Trials", (TableColumn("state", "left"), TableColumn("trials")), rows)
    errors = [Callout("bad", f"{n:,} failed: {error}") for error, n in status.errors.items()]
    return [table, *errors]


def _table_section(results: StudyResults) -> Section:
    metric = results.metrics[0]
    frame = results.table(metric)
    columns = TableColumn("data set", "left"), *(TableColumn(str(name)) for name in frame.columns)
    means = frame.to_numpy(dtype=float).tolist()
    rows = tuple(
        (str(name), *("" if math.isnan(value) else number_text(value) for value in values))
        for name, values in zip(frame.index, means, strict=True)
    )
    more = f"… and {len(rows) - _MOST_ROWS:,} more data sets" if len(rows) > _MOST_ROWS else ""
    table = DataTable(f"Mean {metric} over the splits", columns, rows[:_MOST_ROWS], note=more)
    return Section("results", "Results", (table,), term=metric)
