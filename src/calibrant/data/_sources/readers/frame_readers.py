"""Sources of other libraries: lazy frames of polars, datasets of pyarrow, and frames in memory."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import narwhals as nw

from calibrant.data._readers.arrow_columns import convert_column
from calibrant.data._sources.readers.reader import Fingerprint, SourceReader, file_fingerprint, rows_of_a_part
from calibrant.exceptions import DataTypeError

if TYPE_CHECKING:
    from calibrant.data._sources.column_roles import ColumnRoles

__all__ = ["DatasetReader", "FrameReader", "LazyFrameReader"]


class LazyFrameReader(SourceReader):
    """A polars LazyFrame, whose query runs once in every pass."""

    name = "the LazyFrame"

    def __init__(self, lazy: Any, batch_size: int | None = None) -> None:
        self._lazy, self._batch_size = lazy, batch_size
        self.columns = lazy.collect_schema().names()

    def tables(self, roles: ColumnRoles) -> Iterator[tuple[str, Any]]:
        """Yield batches of the result."""
        n_rows = rows_of_a_part(len(roles.columns), self._batch_size)
        for batch in _query_batches(self._lazy.select(roles.columns), n_rows):
            yield self.name, batch


def _query_batches(query: Any, n_rows: int) -> Iterator[Any]:
    """Run the query once where polars can return batches of it, else once for each batch."""
    if hasattr(query, "collect_batches"):
        yield from query.collect_batches(chunk_size=n_rows)
        return
    begin = 0
    while len(batch := query.slice(begin, n_rows).collect()):
        yield batch
        begin += len(batch)


class DatasetReader(SourceReader):
    """A pyarrow Dataset, read in the order of its fragments."""

    name = "the dataset"

    def __init__(self, dataset: Any, batch_size: int | None = None) -> None:
        self._dataset, self._batch_size = dataset, batch_size
        self.columns = dataset.schema.names

    def tables(self, roles: ColumnRoles) -> Iterator[tuple[str, Any]]:
        """Yield batches of rows; few are read ahead, because they take memory."""
        import pyarrow as pa

        n_rows = rows_of_a_part(len(roles.columns), self._batch_size)
        options = {"batch_size": n_rows, "batch_readahead": 1, "fragment_readahead": 1}
        for batch in self._dataset.to_batches(columns=roles.columns, **options):
            table = pa.Table.from_batches([batch])
            arrays = [
                convert_column(Path(self.name), name, column, trim=False, retype=True)
                for name, column in zip(table.column_names, table.columns, strict=True)
            ]
            yield self.name, pa.Table.from_arrays(arrays, names=table.column_names)

    def fingerprint(self) -> Fingerprint:
        """Return time of change and size of the files, where they are local ones."""
        paths = [Path(path) for path in getattr(self._dataset, "files", ())]
        return file_fingerprint(paths) if paths and all(path.is_file() for path in paths) else ()


class FrameReader(SourceReader):
    """A frame in memory, in slices."""

    def __init__(self, frame: Any, batch_size: int | None = None, name: str = "the frame") -> None:
        try:
            self._frame = nw.from_native(frame, eager_only=True)
        except TypeError as error:
            raise DataTypeError(
                "source must be the path of a file or folder of Parquet or CSV, a polars LazyFrame, a pyarrow Dataset, "
                f"a Dask frame or a frame; got {type(frame).__name__}."
            ) from error
        self.name, self._batch_size, self.columns = name, batch_size, self._frame.columns

    def tables(self, roles: ColumnRoles) -> Iterator[tuple[str, Any]]:
        """Yield slices of rows."""
        n_rows = rows_of_a_part(len(roles.columns), self._batch_size)
        frame = self._frame.select(roles.columns)
        for begin in range(0, len(frame), n_rows):
            yield self.name, frame[begin : begin + n_rows].to_native()
