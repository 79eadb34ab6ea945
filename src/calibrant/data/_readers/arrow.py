"""Arrow tables into frames, and the files that hold them: Parquet, Feather and Arrow IPC."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from calibrant._optional import optional_import
from calibrant.data._frames import repeated
from calibrant.data._parsed import Parsed
from calibrant.data._readers.csv_shape import HOLES, check_width
from calibrant.exceptions import ReadError

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["read_feather", "read_parquet", "to_parsed"]

_PANDAS_INDEX = re.compile(r"__index_level_\d+__")


def read_parquet(path: Path, raw: bytes) -> Parsed:
    """Read a Parquet file.

    Examples
    --------
    >>> read_parquet(Path("half.parquet"), b"PAR1....")
    Traceback (most recent call last):
    calibrant.exceptions.ReadError: half.parquet: is not a whole Parquet file (...). Copy or download it again.
    """
    parquet = optional_import("pyarrow.parquet", extra="data", purpose="read Parquet files")
    return _read(path, raw, "Parquet", lambda source: parquet.ParquetFile(source).read())


def read_feather(path: Path, raw: bytes) -> Parsed:
    """Read a Feather or Arrow IPC file."""
    feather = optional_import("pyarrow.feather", extra="data", purpose="read Feather files")
    ipc = optional_import("pyarrow.ipc", extra="data", purpose="read Feather files")
    if raw.startswith((b"ARROW1", b"FEA1")):
        return _read(path, raw, "Feather", feather.read_table)
    return _read(path, raw, "Feather", lambda source: ipc.open_stream(source).read_all())


def _read(path: Path, raw: bytes, what: str, read: Callable[[Any], Any]) -> Parsed:
    pa = optional_import("pyarrow", extra="data", purpose=f"read {what} files")
    try:
        table = read(pa.BufferReader(raw))
        table.validate(full=True)
        return _from_table(path, table)
    except (pa.ArrowException, OSError, MemoryError, UnicodeDecodeError, OverflowError) as error:
        reason = re.sub(r"\s+", " ", str(error))[:200].rstrip(".")
        raise ReadError.at(path, f"is not a whole {what} file ({reason})", hint="Copy or download it again.") from error


def _from_table(path: Path, table: Any) -> Parsed:
    check_width(path, table.num_columns)
    table = table.replace_schema_metadata(None)
    index = [name for name in table.column_names if _PANDAS_INDEX.fullmatch(name)]
    table = table.drop_columns(index) if index else table
    if table.num_columns == 0 or table.num_rows == 0:
        shape = f"{table.num_rows} rows and {table.num_columns} columns"
        raise ReadError.at(path, f"has {shape}", hint="Pass a table with rows.")
    twice = repeated(table.column_names)
    if twice:
        raise ReadError.at(path, f"has the column {twice[0][:60]!r} twice", hint="Rename or remove one.")
    return to_parsed(path, table, notes=("The stored pandas index is left out.",) if index else ())


def to_parsed(
    path: Path, table: Any, *, trim: bool = False, keep_text: Collection[str] = (), notes: Sequence[str] = ()
) -> Parsed:
    """Turn an Arrow table into a `Parsed`, its columns of the types that `Parsed` promises."""
    more: list[str] = []
    for position, name in enumerate(table.column_names):
        column = _settle(path, name, table.column(position), trim, name not in keep_text)
        table = table.set_column(position, name, column) if column is not table.column(position) else table
    frame = table.to_pandas(split_blocks=True, self_destruct=True, date_as_object=False)
    for name in frame.columns[[dtype.kind == "O" and dtype.name == "object" for dtype in frame.dtypes]]:
        frame[name] = _settle_objects(frame[name])
    more.extend(_doubts(frame))
    return Parsed(frame, notes=(*notes, *more))


def _settle(path: Path, name: str, column: Any, trim: bool, retype: bool) -> Any:
    """Cast what pandas would make objects of; refuse what is no column of a table."""
    import pyarrow as pa

    kind = column.type
    is_ = pa.types
    if is_.is_decimal(kind) or is_.is_float16(kind):
        return column.cast(pa.float64())
    if is_.is_time(kind):
        return column.cast(pa.int32() if is_.is_time32(kind) else pa.int64()).cast(pa.float64())
    if is_.is_null(kind):
        return column.cast(pa.float64())
    if is_.is_dictionary(kind):
        return _settle_dictionary(path, name, column)
    if is_.is_string(kind) or is_.is_large_string(kind) or is_.is_string_view(kind):
        return _trimmed(column, retype) if trim else column
    if is_.is_integer(kind) or is_.is_floating(kind) or is_.is_boolean(kind) or is_.is_temporal(kind):
        return column
    hint = "Drop the column, or write it as numbers or strings."
    raise ReadError.at(path, f"holds values of type {kind}, which is neither number nor string", column=name, hint=hint)


def _settle_dictionary(path: Path, name: str, column: Any) -> Any:
    import pyarrow as pa

    values = column.type.value_type
    plain = pa.types.is_string(values) or pa.types.is_large_string(values) or pa.types.is_primitive(values)
    if not plain:
        hint = "Drop the column, or write it as strings."
        raise ReadError.at(path, f"is a dictionary of {values}", column=name, hint=hint)
    return column.unify_dictionaries()


def _trimmed(column: Any, retype: bool) -> Any:
    """Strip blanks; holes hidden by them come out, and numbers too where ``retype``."""
    import pyarrow as pa
    import pyarrow.compute as pc

    column = pc.utf8_trim_whitespace(column)
    column = pc.if_else(pc.is_in(column, value_set=pa.array(HOLES)), pa.scalar(None, column.type), column)
    for better in (pa.int64(), pa.float64(), pa.bool_()) if retype else ():
        try:
            return column.cast(better if column.null_count < len(column) else pa.float64())
        except pa.ArrowInvalid:
            continue
    return column


def _settle_objects(column: pd.Series[Any]) -> pd.Series[Any]:
    """Give truth values with holes a type of their own; strings stay strings on every version of pandas."""
    known = column.dropna()
    return column.astype("boolean") if len(known) and all(isinstance(value, bool) for value in known) else column


def _doubts(frame: pd.DataFrame) -> list[str]:
    """Name the columns of strings most of which are numbers: one odd cell decides their kind."""
    doubts = []
    for name, dtype in frame.dtypes.items():
        if dtype.kind != "O":
            continue
        sample = frame[name].iloc[:1000].dropna()
        odd = [value for value in sample if not _is_number(value)] if len(sample) > 1 else sample
        if 0 < len(odd) < len(sample) / 2:
            doubts.append(f"{name!r} is nominal because of values such as {odd[0]!r:.40}; most others are numbers.")
    return doubts


def _is_number(value: object) -> bool:
    try:
        float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return False
    return True
