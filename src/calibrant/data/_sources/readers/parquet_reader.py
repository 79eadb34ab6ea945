"""Parquet files, each read in batches of rows, so that a row group may be larger than memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from calibrant._optional import optional_import
from calibrant.data._readers.arrow import as_stored_categories, named_index, pandas_metadata
from calibrant.data._readers.arrow_columns import convert_column
from calibrant.data._sources.readers.file_schemas import check_same_schema, check_unique_columns, is_unnamed_index
from calibrant.data._sources.readers.reader import Fingerprint, SourceReader, file_fingerprint, rows_of_a_part
from calibrant.data._streaming.parquet_chunks import reading_parquet

if TYPE_CHECKING:
    from calibrant.data._sources.column_roles import ColumnRoles

__all__ = ["ParquetReader"]

_BUFFER = 2**20  # bytes of a column read at a time, instead of all of a row group


class ParquetReader(SourceReader):
    """Parquet files of the same columns and types."""

    def __init__(self, name: str, paths: Sequence[Path], batch_size: int | None = None) -> None:
        self._parquet = optional_import("pyarrow.parquet", extra="data", purpose="read Parquet files")
        self.name, self._paths, self._batch_size = name, paths, batch_size
        schemas = [self._schema(path) for path in paths]
        check_same_schema(paths, schemas)
        check_unique_columns(paths[0], schemas[0].names)
        self.columns = [each for each in schemas[0].names if not is_unnamed_index(each)]
        self.not_features = named_index(self.columns, pandas_metadata(schemas[0]))

    def _schema(self, path: Path) -> Any:
        with reading_parquet(path):
            return self._parquet.read_schema(path)

    def tables(self, roles: ColumnRoles) -> Iterator[tuple[str, Any]]:
        """Yield batches of rows."""
        n_rows = rows_of_a_part(len(roles.columns), self._batch_size)
        for path in self._paths:
            with reading_parquet(path):
                file = self._parquet.ParquetFile(path, pre_buffer=False, buffer_size=_BUFFER)
            with file:
                yield from ((str(path), table) for table in _tables(path, file, roles.columns, n_rows))

    def fingerprint(self) -> Fingerprint:
        """Return time of change and size of each file."""
        return file_fingerprint(self._paths)


def _tables(path: Path, file: Any, columns: list[str], n_rows: int) -> Iterator[Any]:
    import pyarrow as pa

    stored = pandas_metadata(file.schema_arrow)
    batches = file.iter_batches(batch_size=n_rows, columns=columns)
    while True:
        with reading_parquet(path):
            batch = next(batches, None)
        if batch is None:
            return
        table = as_stored_categories(pa.Table.from_batches([batch]), stored)
        arrays = [
            convert_column(path, name, column, trim=False, retype=True)
            for name, column in zip(table.column_names, table.columns, strict=True)
        ]
        yield pa.Table.from_arrays(arrays, names=table.column_names)
