"""Trials of a study that failed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from calibrant._sections import DataTable, Section, TableColumn

if TYPE_CHECKING:
    from calibrant.studies import StudyResults

__all__ = ["failures_sections"]

_MOST_ROWS = 50


def failures_sections(results: StudyResults) -> tuple[Section, ...]:
    """Return a section of the failed trials by data set, method and error; none where none failed."""
    frame = results.to_frame()
    if "failure" not in frame or not (frame["state"] == "failed").any():
        return ()
    failed = frame[frame["state"] == "failed"]
    counts = failed.groupby(["dataset", "method", "failure"], observed=True).size()
    places: list[Any] = counts.index.tolist()
    rows = tuple(
        (str(dataset), str(method), f"{n:,}", str(error))
        for (dataset, method, error), n in zip(places, counts.tolist(), strict=True)
    )
    columns = (
        TableColumn("Data set", "left"),
        TableColumn("Method", "left"),
        TableColumn("Trials"),
        TableColumn("Error", "left"),
    )
    more = f"{len(rows) - _MOST_ROWS:,} more rows are left out. " if len(rows) > _MOST_ROWS else ""
    note = f"{more}Run the study with retry=True (--retry) to run these trials again."
    table = DataTable(f"{len(failed):,} trials failed", columns, rows[:_MOST_ROWS], note=note)
    return (Section("failures", "What failed?", (table,), term="Failed trials"),)
