"""Readers of sources: columns, and in every pass tables of rows in order."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import narwhals as nw

from calibrant._optional import optional_import
from calibrant.data._frames.columns import find_duplicates
from calibrant.data._readers.arrow import (
    as_stored_categories,
    convert_column,
    is_text,
    named_index,
    pandas_metadata,
    to_frame,
)
from calibrant.data._readers.reading import Reading
from calibrant.data._sources.model_columns import Chunk, SelectedColumns, as_category_text
from calibrant.data._sources.source_part import ColumnRoles
from calibrant.exceptions import DataError, DataTypeError, ReadError, SchemaError, nearest

# Time of change and size of each file.
Fingerprint = tuple[tuple[str, int, int], ...]

# Of a part: 8 MB of floats, with copies and what Arrow reads ahead some 70 MB; few enough parts that their overhead
# does not count.
_CELLS = 2**20
_MOST_ROWS = 2**18


class TypesWidenedError(Exception):
    """A column of a CSV file does not have the type of its first rows: the pass starts again with a wider one."""


class SourceReader(ABC):
    """A form of source: its name in messages, all its columns, and those that are no features.

    ``n_rows`` is the number of rows that the source states, None if it states none, and ``n_expected`` an estimate for
    progress bars; ``is_streamed`` is False where all rows are in memory.
    """

    name: str
    columns: Sequence[str]
    not_features: Sequence[str] = ()
    n_rows: int | None = None
    n_expected: int | None = None
    is_streamed: bool = True

    @property
    def reading(self) -> Reading | None:
        """The layout of the first file; None for a source that states it by itself."""
        return None

    @abstractmethod
    def tables(self, roles: ColumnRoles) -> Iterator[tuple[str, Any]]:
        """Yield the rows in order as frames of bounded size, each with where it stands."""

    def chunks(self, selection: SelectedColumns) -> Iterator[Chunk]:
        """Yield the rows in order by the columns of a fitted model, with those to keep."""
        columns = tuple(dict.fromkeys((*selection.features, *selection.keep)))
        for _, table in self.tables(ColumnRoles(columns)):
            frame = nw.from_native(table, eager_only=True)
            kept = (
                frame.select(list(selection.keep)).to_arrow().replace_schema_metadata(None) if selection.keep else None
            )
            yield Chunk(as_category_text(frame.select(list(selection.features)).to_pandas(), selection), kept)

    def fingerprint(self) -> Fingerprint:
        """Return values that change when a file is written to; () where none are known."""
        return ()


def rows_of_a_part(n_columns: int, wanted: int | None = None) -> int:
    """Return the number of rows of a part.

    Examples
    --------
    >>> rows_of_a_part(20), rows_of_a_part(1), rows_of_a_part(20, 500)
    (52428, 262144, 500)
    """
    return wanted or max(1, min(_MOST_ROWS, _CELLS // max(1, n_columns)))


def file_fingerprint(paths: Sequence[Path]) -> Fingerprint:
    """Return time of change and size of files; raise if one is no longer there."""
    try:
        states = [(str(path), path.stat()) for path in paths]
    except OSError as error:
        raise DataError(f"{error.filename} was removed while it was read. Read it again from the start.") from error
    return tuple((path, state.st_mtime_ns, state.st_size) for path, state in states)


_UNNAMED_INDEX = re.compile(r"__index_level_\d+__")


def check_same_columns(first: Path, expected: Sequence[str], path: Path, names: Sequence[str]) -> None:
    """Raise if two files do not have the same columns; their order may differ.

    Examples
    --------
    >>> check_same_columns(Path("a.csv"), ["age", "ill"], Path("b.csv"), ["ages", "ill"])
    Traceback (most recent call last):
    calibrant.exceptions.SchemaError: b.csv has no column 'age', which a.csv has. Did you mean 'ages'? Pass files of the
    same columns.
    """
    for one, here, other, there in ((path, names, first, expected), (first, expected, path, names)):
        lacking = [name for name in there if name not in here]
        if lacking:
            guess = nearest(lacking[0], list(here))
            raise SchemaError(
                f"{one} has no column {lacking[0]!r}, which {other} has.{guess} Pass files of the same columns."
            )


def _check_same_schema(paths: Sequence[Path], schemas: Sequence[Any]) -> None:
    """Raise if Parquet files differ in their columns or types."""
    for path, schema in zip(paths[1:], schemas[1:], strict=True):
        check_same_columns(paths[0], schemas[0].names, path, schema.names)
        for field in schema:
            before = schemas[0].field(field.name).type
            if not _are_alike(before, field.type):
                raise SchemaError(
                    f"column {field.name!r} is {field.type} in {path} and {before} in {paths[0]}. Write the files with "
                    "one schema, or pass pyarrow.dataset.dataset(folder, schema=...)."
                )


def _are_alike(one: Any, other: Any) -> bool:
    """Return whether types hold the same values: strings of any layout, also in dictionaries; nulls fit any type."""
    import pyarrow as pa

    if pa.types.is_null(one) or pa.types.is_null(other) or one.equals(other):
        return True
    values = [kind.value_type if pa.types.is_dictionary(kind) else kind for kind in (one, other)]
    same_form = pa.types.is_dictionary(one) == pa.types.is_dictionary(other)
    return same_form and (values[0].equals(values[1]) or all(map(is_text, values)))


_BUFFER = 2**20  # bytes of a column read at a time, instead of all of a row group


class _ArrowReader(SourceReader):
    """A source that Arrow reads in batches of columns as they are stored."""

    _batch_size: int | None

    @abstractmethod
    def _batches(self, columns: list[str], n_rows: int) -> Iterator[tuple[Path, Any]]:
        """Yield tables of at most so many rows, each with where it stands."""

    def _stored(self, columns: Sequence[str]) -> Iterator[tuple[Path, Any]]:
        return self._batches(list(columns), rows_of_a_part(len(columns), self._batch_size))

    def tables(self, roles: ColumnRoles) -> Iterator[tuple[str, Any]]:
        """Yield batches of rows."""
        for path, table in self._stored(roles.columns):
            yield str(path), _convert(path, table)

    def chunks(self, selection: SelectedColumns) -> Iterator[Chunk]:
        """Yield batches of rows; kept columns are as stored."""
        for path, table in self._stored(tuple(dict.fromkeys((*selection.features, *selection.keep)))):
            kept = table.select(selection.keep).replace_schema_metadata(None) if selection.keep else None
            X = to_frame(_convert(path, table.select(list(selection.features))))
            yield Chunk(as_category_text(X, selection), kept)


def _convert(path: Path, table: Any) -> Any:
    """Return a table whose columns have types that pandas supports, the categories of pandas restored."""
    import pyarrow as pa

    table = as_stored_categories(table, pandas_metadata(table.schema))
    columns = [
        convert_column(path, name, column, trim=False, retype=True)
        for name, column in zip(table.column_names, table.columns, strict=True)
    ]
    return pa.Table.from_arrays(columns, names=table.column_names)


class ParquetReader(_ArrowReader):
    """Parquet files of the same columns and types."""

    def __init__(self, name: str, paths: Sequence[Path], batch_size: int | None = None) -> None:
        self._parquet = optional_import("pyarrow.parquet", extra="data", purpose="read Parquet files")
        self.name, self._paths, self._batch_size = name, paths, batch_size
        stored = [self._metadata(path) for path in paths]
        schemas = [each.schema.to_arrow_schema() for each in stored]
        _check_same_schema(paths, schemas)
        duplicates = find_duplicates(schemas[0].names)
        if duplicates:
            raise ReadError.at(paths[0], f"has the column {duplicates[0][:60]!r} twice", hint="Rename or remove one.")
        self.n_rows = sum(each.num_rows for each in stored)
        self.columns = [each for each in schemas[0].names if not _UNNAMED_INDEX.fullmatch(each)]
        self.not_features = named_index(self.columns, pandas_metadata(schemas[0]))

    def _metadata(self, path: Path) -> Any:
        with _reading_parquet(path):
            return self._parquet.read_metadata(path)

    def _batches(self, columns: list[str], n_rows: int) -> Iterator[tuple[Path, Any]]:
        import pyarrow as pa

        for path in self._paths:
            with _reading_parquet(path):
                file = self._parquet.ParquetFile(path, pre_buffer=False, buffer_size=_BUFFER)
            with file:
                metadata, batches = file.schema_arrow.metadata, file.iter_batches(batch_size=n_rows, columns=columns)
                while True:
                    with _reading_parquet(path):
                        batch = next(batches, None)
                        if batch is None:
                            break
                        table = pa.Table.from_batches([batch]).replace_schema_metadata(metadata)
                        table.validate(full=True)  # a damaged file may hold offsets beyond its buffers
                    yield path, table

    def fingerprint(self) -> Fingerprint:
        """Return time of change and size of each file."""
        return file_fingerprint(self._paths)


@contextmanager
def _reading_parquet(path: Path) -> Iterator[None]:
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


class DatasetReader(_ArrowReader):
    """A pyarrow Dataset, read in the order of its fragments."""

    name = "the dataset"

    def __init__(self, dataset: Any, batch_size: int | None = None) -> None:
        self._dataset, self._batch_size = dataset, batch_size
        self.columns = dataset.schema.names

    def _batches(self, columns: list[str], n_rows: int) -> Iterator[tuple[Path, Any]]:
        import pyarrow as pa

        # Few batches are read ahead, because they take memory.
        options = {"batch_size": n_rows, "batch_readahead": 1, "fragment_readahead": 1}
        for batch in self._dataset.to_batches(columns=columns, **options):
            yield Path(self.name), pa.Table.from_batches([batch]).replace_schema_metadata(None)

    def fingerprint(self) -> Fingerprint:
        """Return time of change and size of the files, where they are local ones."""
        paths = [Path(path) for path in getattr(self._dataset, "files", ())]
        return file_fingerprint(paths) if paths and all(path.is_file() for path in paths) else ()


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


class FrameReader(SourceReader):
    """A frame in memory, in slices."""

    is_streamed = False

    def __init__(
        self, frame: Any, batch_size: int | None = None, name: str = "the frame", reading: Reading | None = None
    ) -> None:
        try:
            self._frame = nw.from_native(frame, eager_only=True)
        except TypeError as error:
            raise DataTypeError(
                "source must be the path of a file or folder of Parquet or CSV, a polars LazyFrame, a pyarrow Dataset, "
                f"a Dask frame or a frame; got {type(frame).__name__}."
            ) from error
        self.name, self._batch_size, self.columns = name, batch_size, self._frame.columns
        self.n_rows, self._reading = len(self._frame), reading

    @property
    def reading(self) -> Reading | None:
        """The layout of the file of the frame."""
        return self._reading

    def tables(self, roles: ColumnRoles) -> Iterator[tuple[str, Any]]:
        """Yield slices of rows."""
        n_rows = rows_of_a_part(len(roles.columns), self._batch_size)
        frame = self._frame.select(roles.columns)
        for begin in range(0, len(frame), n_rows):
            yield self.name, frame[begin : begin + n_rows].to_native()


class Partitions:
    """The partitions of a Dask collection, in order.

    Parameters
    ----------
    collection : dask.dataframe.DataFrame or dask.array.Array
        The columns of an array are named by their positions.
    """

    def __init__(self, collection: Any) -> None:
        self._collection = collection
        self.is_array = hasattr(collection, "chunks")
        self.name = "the Dask array" if self.is_array else "the Dask frame"
        if getattr(collection, "ndim", 0) != 2:
            raise DataTypeError(f"{self.name} must have two dimensions; got {type(collection).__name__}.")
        if self.is_array:
            self.columns = [str(position) for position in range(collection.shape[1])]
        else:
            self.columns = [str(name) for name in collection.columns]
            if repeated := find_duplicates(self.columns):
                raise SchemaError(f"{self.name} has several columns named {repeated[0]!r}. Rename them.")

    def delayed(self, names: Sequence[str]) -> tuple[list[Any], Callable[[Any, int], Any]]:
        """Return a delayed table for each partition, and what makes a pandas frame of it and its number, computed."""
        positions = [self.columns.index(name) for name in names]
        if self.is_array:
            whole = self._collection.rechunk({1: -1})
            return list(whole.to_delayed().ravel()), partial(_block_frame, tuple(names), positions)
        chosen = self._collection[[self._collection.columns[position] for position in positions]]
        expected = tuple((name, _dtype_name(chosen.dtypes.iloc[i])) for i, name in enumerate(names))
        return list(chosen.to_delayed()), partial(_checked, expected)


class PartitionReader(SourceReader):
    """A Dask collection whose partitions this process computes one after another."""

    def __init__(self, partitions: Partitions) -> None:
        self._partitions = partitions
        self.name, self.columns = partitions.name, partitions.columns

    def tables(self, roles: ColumnRoles) -> Iterator[tuple[str, Any]]:
        """Yield the partitions."""
        partitions, as_frame = self._partitions.delayed(roles.columns)
        for number, delayed in enumerate(partitions):
            yield f"partition {number}", as_frame(delayed.compute(), number)


def _block_frame(names: Sequence[str], positions: Sequence[int], block: Any, _number: int) -> Any:
    """Return some columns of a block of an array as a frame."""
    import pandas as pd

    return pd.DataFrame({name: block[:, position] for name, position in zip(names, positions, strict=True)})


def _checked(expected: Sequence[tuple[str, str]], frame: Any, number: int) -> Any:
    """Return a computed partition; raise if it has other columns or dtypes than the Dask frame declares."""
    names = [str(name) for name in frame.columns]
    if names != [name for name, _ in expected]:
        raise SchemaError(
            f"partition {number} of the Dask frame has the columns {', '.join(map(repr, names))}; the frame declares "
            f"{', '.join(repr(name) for name, _ in expected)}. Build the frame from partitions of the same columns."
        )
    for position, (name, dtype) in enumerate(expected):
        found = _dtype_name(frame.dtypes.iloc[position])
        if found != dtype:
            raise SchemaError(
                f"column {name!r} of partition {number} of the Dask frame is of dtype {found}; the frame declares "
                f"{dtype}. Convert it with astype, or correct the meta of the frame."
            )
    return frame.set_axis(names, axis=1)


def _dtype_name(dtype: Any) -> str:
    """Return the name of a dtype; text is text, however it is stored."""
    return "str" if str(dtype) in ("object", "str", "string") else str(dtype)
