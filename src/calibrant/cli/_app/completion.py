"""Completion by the shell: columns of the table that a command line names, metrics, data sets."""

from __future__ import annotations

import csv
from contextlib import suppress
from pathlib import Path
from typing import Any

__all__ = ["complete_columns", "complete_datasets", "complete_metrics", "complete_papers"]


def complete_columns(ctx: Any, incomplete: str) -> list[str]:
    """Return the columns of the table on the command line that begin as typed; also after ``NAME=``."""
    before, equals, begun = incomplete.rpartition("=")
    for value in (*ctx.params.values(), *ctx.args):
        with suppress(Exception):  # a completion that fails must be silent
            if isinstance(value, str) and Path(value).is_file():
                return [before + equals + name for name in _columns(Path(value)) if name.startswith(begun)]
    return []


def complete_metrics(incomplete: str) -> list[str]:
    """Return the metrics that begin as typed."""
    from calibrant.metrics import METRICS

    return [name for name, metric in METRICS.items() if not metric.needs and name.startswith(incomplete)]


def complete_datasets(incomplete: str) -> list[str]:
    """Return the data sets that begin as typed."""
    from calibrant.data import list_datasets

    return [name for name in list_datasets() if name.startswith(incomplete)]


def complete_papers(incomplete: str) -> list[str]:
    """Return the papers that begin as typed."""
    from calibrant.papers import PAPERS

    return [name for name in PAPERS if name.startswith(incomplete)]


def _columns(path: Path) -> list[str]:
    if path.suffix.lower() in (".parquet", ".pq"):
        import pyarrow.parquet

        return list(pyarrow.parquet.read_schema(path).names)
    with path.open(encoding="utf-8-sig", newline="") as file:
        line = file.readline(1_000_000)
    separator = max(",;\t", key=line.count)
    return next(csv.reader([line], delimiter=separator))
