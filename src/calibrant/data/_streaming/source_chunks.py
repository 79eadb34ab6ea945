"""The rows of a folder, a LazyFrame, a Dataset or a Dask frame, part by part, by the columns of a fitted model."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from calibrant.data._sources.open_source import is_source, open_source
from calibrant.data._sources.source import Source
from calibrant.data._streaming.category_text import as_category_text
from calibrant.data._streaming.chunk import Chunk, TableChunks
from calibrant.data._streaming.wanted_columns import SelectedColumns, WantedColumns

__all__ = ["is_many_tables", "source_chunks"]


def is_many_tables(source: Any) -> bool:
    """Return whether a table is a source that is no file: a folder, or an object that is read lazily.

    Examples
    --------
    >>> is_many_tables("rows.csv")
    False
    """
    return Path(source).is_dir() if isinstance(source, str | os.PathLike) else is_source(source)


@contextmanager
def source_chunks(source: Any, wanted: WantedColumns, n_rows: int | None) -> Iterator[TableChunks]:
    """Open a source as chunks of at most ``n_rows`` rows, of the columns of a model and those to keep."""
    with open_source(source, target=None) as opened:
        names, name = [str(column) for column in opened.columns], opened.name
    selection = wanted.select(names, names, name)
    columns = list(dict.fromkeys((*selection.features, *selection.keep)))
    with open_source(source, target=None, columns=columns, batch_size=n_rows) as opened:
        opened.survey()  # which decides the types of columns of text
        yield TableChunks(tuple(names), selection, _chunks(opened, selection), n_rows=opened.n_rows)


def _chunks(source: Source, selection: SelectedColumns) -> Iterator[Chunk]:
    for part in source:
        if part.n_rows:
            kept = part.frame.select(list(selection.keep)).to_arrow() if selection.keep else None
            yield Chunk(as_category_text(part.X[list(selection.features)], selection), kept)
