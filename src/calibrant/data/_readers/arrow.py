"""Parquet, Feather and Arrow IPC files, and Arrow tables as frames."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from calibrant._optional import optional_import
from calibrant.data._frames.columns import find_duplicates
from calibrant.data._readers.arrow_columns import convert_column, is_text
from calibrant.data._readers.file_format import check_not_text, check_text_format, columnar_extension
from calibrant.data._readers.file_text import check_width
from calibrant.data._readers.near_numbers import near_number_note
from calibrant.data._readers.parsed_file import ParsedFile
from calibrant.exceptions import ReadError

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "as_stored_categories",
    "named_index",
    "pandas_metadata",
    "read_feather",
    "read_parquet",
    "to_frame",
    "to_parsed_file",
]

# One pandas block per column saves copying long columns, but in wider tables takes longer than the copies.
_MAX_SPLIT_BLOCKS = 1000
_UNNAMED_INDEX = re.compile(r"__index_level_\d+__")


def read_parquet(path: Path, raw: bytes) -> ParsedFile:
    """Read a Parquet file.

    Examples
    --------
    >>> read_parquet(Path("half.parquet"), b"PAR1....")
    Traceback (most recent call last):
    calibrant.exceptions.ReadError: half.parquet: is not a complete Parquet file (...). Copy or download it again.
    """
    parquet = optional_import("pyarrow.parquet", extra="data", purpose="read Parquet files")
    return _read(path, raw, "Parquet", lambda source: parquet.ParquetFile(source).read())


def read_feather(path: Path, raw: bytes) -> ParsedFile:
    """Read a Feather or Arrow IPC file."""
    feather = optional_import("pyarrow.feather", extra="data", purpose="read Feather files")
    ipc = optional_import("pyarrow.ipc", extra="data", purpose="read Feather files")
    if raw.startswith((b"ARROW1", b"FEA1")):
        return _read(path, raw, "Feather", feather.read_table)
    return _read(path, raw, "Feather", lambda source: ipc.open_stream(source).read_all())


def _read(path: Path, raw: bytes, what: str, read: Callable[[Any], Any]) -> ParsedFile:
    pa = optional_import("pyarrow", extra="data", purpose=f"read {what} files")
    if columnar_extension(raw) != f".{what.lower()}":
        check_text_format(path, raw)
        check_not_text(path, raw, what)
    try:
        table = read(pa.BufferReader(raw))
        table.validate(full=True)
        return _from_table(path, table)
    except (pa.ArrowException, OSError, MemoryError, UnicodeDecodeError, OverflowError) as error:
        reason = re.sub(r"\s+", " ", str(error))[:200].rstrip(".")
        raise ReadError.at(
            path, f"is not a complete {what} file ({reason})", hint="Copy or download it again."
        ) from error


def _from_table(path: Path, table: Any) -> ParsedFile:
    check_width(path, table.num_columns)
    duplicates = find_duplicates(table.column_names)
    if duplicates:
        raise ReadError.at(path, f"has the column {duplicates[0][:60]!r} twice", hint="Rename or remove one.")
    stored = pandas_metadata(table.schema)
    unnamed = [name for name in table.column_names if _UNNAMED_INDEX.fullmatch(name)]
    table = as_stored_categories(table.drop_columns(unnamed) if unnamed else table, stored)
    if table.num_columns == 0 or table.num_rows == 0:
        shape = f"{table.num_rows} rows and {table.num_columns} columns"
        raise ReadError.at(path, f"has {shape}", hint="Pass a table with rows.")
    index = named_index(table.column_names, stored)
    notes = ["The stored pandas index is dropped."] if unnamed else []
    notes += [f"{name!r} is the stored pandas index, so it is not a feature." for name in index]
    return to_parsed_file(path, table.replace_schema_metadata(None), notes=notes, extra=index)


def pandas_metadata(schema: Any) -> dict[str, Any]:
    """Return the metadata that pandas stored in an Arrow schema, {} if it is absent or damaged."""
    try:
        stored = schema.pandas_metadata
    except ValueError:
        return {}
    return stored if isinstance(stored, dict) else {}


def named_index(columns: Sequence[str], stored: dict[str, Any]) -> tuple[str, ...]:
    """Return the columns that are the stored index of pandas, none if there are no others."""
    listed = stored.get("index_columns")
    names = {name for name in listed if isinstance(name, str)} if isinstance(listed, list) else set()
    index = tuple(name for name in columns if name in names)
    return index if len(index) < len(columns) else ()


def as_stored_categories(table: Any, stored: dict[str, Any]) -> Any:
    """Return the table with the categorical columns of pandas restored: Parquet keeps only those of strings."""
    import pyarrow as pa

    listed = stored.get("columns")
    entries = [entry for entry in listed if isinstance(entry, dict)] if isinstance(listed, list) else []
    names = {str(entry.get("field_name")) for entry in entries if entry.get("pandas_type") == "categorical"}
    if not names:
        return table
    columns = [
        _sorted_categories(column) if name in names and pa.types.is_primitive(column.type) else column
        for name, column in zip(table.column_names, table.columns, strict=True)
    ]
    return pa.Table.from_arrays(columns, names=table.column_names)


def _sorted_categories(column: Any) -> Any:
    import pyarrow as pa
    import pyarrow.compute as pc

    values = pc.unique(column).drop_null()
    values = values.take(pc.sort_indices(values))
    codes = pc.index_in(column, value_set=values)
    return pa.chunked_array([pa.DictionaryArray.from_arrays(codes.combine_chunks(), values)])


def to_parsed_file(
    path: Path,
    table: Any,
    *,
    trim: bool = False,
    keep_text: Collection[str] = (),
    notes: Sequence[str] = (),
    extra: tuple[str, ...] = (),
) -> ParsedFile:
    """Return an Arrow table as a `ParsedFile`, its columns converted to the types documented there."""
    import pyarrow as pa

    names = table.column_names
    columns = [
        convert_column(path, name, column, trim=trim, retype=name not in keep_text)
        for name, column in zip(names, table.columns, strict=True)
    ]
    found = (
        near_number_note(n, c) for n, c in zip(names, columns, strict=True) if is_text(c.type) and n not in keep_text
    )
    hints = [note for note in found if note is not None]
    del table
    return ParsedFile(to_frame(pa.Table.from_arrays(columns, names=names)), extra=extra, notes=(*notes, *hints))


def to_frame(table: Any) -> pd.DataFrame:
    """Return a frame in which booleans with missing values have pandas' nullable type instead of object."""
    import pandas as pd
    import pyarrow as pa

    columns = dict(zip(table.column_names, table.columns, strict=True))
    nullable = {name: c for name, c in columns.items() if pa.types.is_boolean(c.type) and c.null_count}
    options = {"split_blocks": len(columns) <= _MAX_SPLIT_BLOCKS, "self_destruct": True, "date_as_object": False}
    if not nullable:
        del columns
        frame: pd.DataFrame = table.to_pandas(**options)
        return frame
    # separated here because dropping columns in Arrow takes quadratic time
    booleans = pa.table(nullable).to_pandas(types_mapper={pa.bool_(): pd.BooleanDtype()}.get)
    rest = pa.table({name: column for name, column in columns.items() if name not in nullable})
    series = {**dict(rest.to_pandas(**options).items()), **dict(booleans.items())}
    return pd.DataFrame({name: series[name] for name in columns}, copy=False)
