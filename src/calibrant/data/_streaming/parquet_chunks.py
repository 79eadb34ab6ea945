"""The rows of a Parquet file, chunk by chunk, as `read_table` reads them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from calibrant._optional import optional_import
from calibrant.data._frames.columns import find_duplicates
from calibrant.data._readers.arrow import as_stored_categories, named_index, pandas_metadata, to_frame
from calibrant.data._readers.arrow_columns import convert_column
from calibrant.data._streaming.category_text import as_category_text
from calibrant.data._streaming.chunk import Chunk, TableChunks
from calibrant.data._streaming.wanted_columns import SelectedColumns, WantedColumns
from calibrant.exceptions import ReadError

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["parquet_chunks", "reading_parquet"]

_BATCH_ROWS = 65_536  # Parquet's own; with 100 columns of numbers 50 MB


def parquet_chunks(path: Path, wanted: WantedColumns, n_rows: int | None) -> TableChunks:
    """Return the chunks of a Parquet file."""
    parquet = optional_import("pyarrow.parquet", extra="data", purpose="read Parquet files")
    with reading_parquet(path):
        file = parquet.ParquetFile(path, pre_buffer=False)
    names = file.schema_arrow.names
    duplicates = find_duplicates(names)
    if duplicates:
        raise ReadError.at(path, f"has the column {duplicates[0][:60]!r} twice", hint="Rename or remove one.")
    if not file.metadata.num_rows:
        raise ReadError.at(path, f"has 0 rows and {len(names)} columns", hint="Pass a table with rows.")
    index = named_index(names, pandas_metadata(file.schema_arrow))
    selection = wanted.select(names, [name for name in names if name not in index], str(path))
    chunks = _chunks(path, file, selection, min(n_rows or _BATCH_ROWS, _BATCH_ROWS))
    return TableChunks(tuple(names), selection, chunks, n_rows=file.metadata.num_rows)


def _chunks(path: Path, file: Any, selection: SelectedColumns, n_rows: int) -> Iterator[Chunk]:
    import pyarrow as pa

    stored = pandas_metadata(file.schema_arrow)
    columns = list(dict.fromkeys((*selection.features, *selection.keep)))
    with file:
        batches = file.iter_batches(batch_size=n_rows, columns=columns)
        while True:
            with reading_parquet(path):
                batch = next(batches, None)
                if batch is None:
                    return
                table = pa.Table.from_batches([batch])
                table.validate(full=True)
            kept = table.select(selection.keep).replace_schema_metadata(None) if selection.keep else None
            X = _frame(path, as_stored_categories(table.select(list(selection.features)), stored))
            yield Chunk(as_category_text(X, selection), kept)


def _frame(path: Path, table: Any) -> pd.DataFrame:
    import pyarrow as pa

    columns = [
        convert_column(path, name, column, trim=False, retype=True)
        for name, column in zip(table.column_names, table.columns, strict=True)
    ]
    return to_frame(pa.Table.from_arrays(columns, names=table.column_names))


@contextmanager
def reading_parquet(path: Path) -> Iterator[None]:
    """Raise an error that names the file where Arrow cannot read it."""
    import pyarrow as pa

    try:
        yield
    except MemoryError as error:
        hint = "Free some memory, or write the file with fewer columns or smaller pages."
        raise ReadError.at(path, f"needs more memory than there is ({error})", hint=hint) from error
    except (pa.ArrowException, OSError, UnicodeDecodeError, OverflowError) as error:
        reason = re.sub(r"\s+", " ", str(error))[:200].rstrip(".")
        problem = f"is not a complete Parquet file ({reason})"
        raise ReadError.at(path, problem, hint="Copy or download it again.") from error
