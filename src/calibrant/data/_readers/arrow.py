"""Parquet, Feather or Arrow IPC files as frames."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from calibrant._optional import optional_import
from calibrant.data._frames.columns import find_duplicates
from calibrant.data._readers.cells import MISSING, CellRules, ReadCells, near_number_note, read_cells
from calibrant.data._readers.csv_layout import NUMBER
from calibrant.data._readers.frame_builder import ParsedFile
from calibrant.data._readers.reading import ColumnType, Reading, ReadOptions
from calibrant.data._readers.source import check_not_text, check_text_format, check_width, columnar_extension
from calibrant.exceptions import ReadError

if TYPE_CHECKING:
    import pandas as pd


def is_text(kind: Any) -> bool:
    """Return whether an Arrow type is one of its string types."""
    import pyarrow as pa

    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))


def convert_column(path: Path, name: str, column: Any, *, trim: bool, retype: bool) -> Any:
    """Cast a column that pandas would read as objects; raise if its type is not supported.

    Times of day become microseconds since midnight, the unit of all validated times.

    Examples
    --------
    >>> import pyarrow as pa
    >>> at = pa.chunked_array([[1_000, None]], pa.time32("ms"))
    >>> convert_column(Path("a.parquet"), "at", at, trim=False, retype=True).to_pylist()
    [1000000.0, None]
    """
    import pyarrow as pa

    kind, is_ = column.type, pa.types
    if is_text(kind):
        column = column.cast(pa.large_string()) if is_.is_string_view(kind) else column
        column = trim_column(column, retype) if trim and _is_padded(column) else column
        kind = column.type
    if is_.is_decimal(kind) or is_.is_float16(kind) or is_.is_null(kind):
        return column.cast(pa.float64())
    if is_.is_time(kind):
        return column.cast(pa.time64("us"), safe=False).cast(pa.int64()).cast(pa.float64())
    if is_.is_dictionary(kind):
        return _convert_dictionary(path, name, column)
    if is_text(kind) or is_.is_integer(kind) or is_.is_floating(kind) or is_.is_boolean(kind) or is_.is_temporal(kind):
        return column
    hint = "Drop the column, or write it as numbers or strings."
    raise ReadError.at(
        path, f"holds values of type {kind}, which is neither a number nor a string", column=name, hint=hint
    )


def _convert_dictionary(path: Path, name: str, column: Any) -> Any:
    import pyarrow as pa

    values = column.type.value_type
    if not is_text(values) and not pa.types.is_primitive(values):
        hint = "Drop the column, or write it as strings."
        raise ReadError.at(path, f"is a dictionary of {values}", column=name, hint=hint)
    chunks = [plain_dictionary(chunk) for chunk in column.chunks]
    return pa.chunked_array(chunks, chunks[0].type).unify_dictionaries() if chunks else column


def plain_dictionary(chunk: Any) -> Any:
    """Return a dictionary as pandas requires it: signed codes, distinct values and none missing."""
    import pyarrow as pa
    import pyarrow.compute as pc

    values = chunk.dictionary
    values = values.cast(pa.large_string()) if pa.types.is_string_view(values.type) else values
    distinct = pc.unique(values).drop_null()
    if pa.types.is_floating(values.type):
        distinct = distinct.filter(pc.invert(pc.is_nan(distinct)))
    codes = chunk.indices.cast(pa.int32())
    if len(distinct) < len(values):
        codes = pc.index_in(values, value_set=distinct, skip_nulls=True).take(codes)
    return pa.DictionaryArray.from_arrays(codes, distinct, ordered=chunk.type.ordered)


def _is_padded(column: Any) -> bool:
    """Return whether a value begins or ends with a blank; this takes a tenth of the time of trimming."""
    import pyarrow.compute as pc

    sides = (pc.starts_with, pc.ends_with)
    return any(pc.any(side(column, pattern=blank)).as_py() for blank in " \t" for side in sides)


def trim_column(column: Any, retype: bool) -> Any:
    """Strip blanks and read missing values again, and with ``retype`` numbers, booleans and dates too."""
    import pyarrow as pa
    import pyarrow.compute as pc

    column = pc.utf8_trim_whitespace(column)
    column = pc.if_else(pc.is_in(column, value_set=pa.array(MISSING)), pa.scalar(None, column.type), column)
    if retype and column.null_count == len(column):
        return column.cast(pa.float64())
    types = (
        pa.int64(),
        pa.float64(),
        pa.bool_(),
        pa.date32(),
        pa.timestamp("s"),
        pa.timestamp("us"),
        pa.timestamp("us", "UTC"),
    )
    for kind in types if retype else ():
        try:
            return column.cast(kind)
        except pa.ArrowInvalid:
            continue
    return _times_of_day(column) if retype else column


def _times_of_day(column: Any) -> Any:
    """Return strings such as 10:30 or 10:30:00 as times of day, which Arrow does not cast; others unchanged."""
    import pyarrow as pa
    import pyarrow.compute as pc

    start = column.drop_null()[0].as_py()
    if len(start) not in (5, 8) or start[2] != ":":
        return column
    if not pc.all(pc.match_substring_regex(column, "^([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9])?$")).as_py():
        return column
    moments = pc.binary_join_element_wise(pa.scalar("1970-01-01", column.type), column, pa.scalar(" ", column.type))
    return moments.cast(pa.timestamp("s")).cast(pa.time32("s"))


# One pandas block per column saves copying long columns, but in wider tables takes longer than the copies.
_MAX_SPLIT_BLOCKS = 1000
_UNNAMED_INDEX = re.compile(r"__index_level_\d+__")


def read_parquet(path: Path, raw: bytes, options: ReadOptions | None = None) -> ParsedFile:
    """Read a Parquet file; only text columns with a declared type are converted.

    Examples
    --------
    >>> read_parquet(Path("half.parquet"), b"PAR1....")
    Traceback (most recent call last):
    calibrant.exceptions.ReadError: half.parquet: is not a complete Parquet file (...). Copy or download it again.
    """
    parquet = optional_import("pyarrow.parquet", extra="data", purpose="read Parquet files")
    return _read(path, raw, "Parquet", lambda source: parquet.ParquetFile(source).read(), options)


def read_feather(path: Path, raw: bytes, options: ReadOptions | None = None) -> ParsedFile:
    """Read a Feather or Arrow IPC file."""
    feather = optional_import("pyarrow.feather", extra="data", purpose="read Feather files")
    ipc = optional_import("pyarrow.ipc", extra="data", purpose="read Feather files")
    if raw.startswith((b"ARROW1", b"FEA1")):
        return _read(path, raw, "Feather", feather.read_table, options)
    return _read(path, raw, "Feather", lambda source: ipc.open_stream(source).read_all(), options)


def _read(path: Path, raw: bytes, what: str, read: Callable[[Any], Any], options: ReadOptions | None) -> ParsedFile:
    pa = optional_import("pyarrow", extra="data", purpose=f"read {what} files")
    if columnar_extension(raw) != f".{what.lower()}":
        check_text_format(path, raw)
        check_not_text(path, raw, what)
    try:
        table = read(pa.BufferReader(raw))
        table.validate(full=True)
        return _from_table(path, table, options)
    except (pa.ArrowException, OSError, MemoryError, UnicodeDecodeError, OverflowError) as error:
        reason = re.sub(r"\s+", " ", str(error))[:200].rstrip(".")
        raise ReadError.at(
            path, f"is not a complete {what} file ({reason})", hint="Copy or download it again."
        ) from error


def _from_table(path: Path, table: Any, options: ReadOptions | None) -> ParsedFile:
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
    table = table.replace_schema_metadata(None)
    if options is None or not (options.missing or options.of_type("number", "date", "text")):
        return to_parsed_file(path, table, notes=notes, extra=index)
    table = with_missing(table, options.missing)
    return to_parsed_file(
        path, table, notes=notes, extra=index, rules=CellRules.of(options), types=options.types, only_declared=True
    )


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


def with_missing(table: Any, texts: Collection[str]) -> Any:
    """Return a table in which cells that are one of some texts, or the number of one, are missing.

    Examples
    --------
    >>> import pyarrow as pa
    >>> with_missing(pa.table({"age": [31, 999], "town": ["unknown", "Bern"]}), ("unknown", "999")).to_pydict()
    {'age': [31, None], 'town': [None, 'Bern']}
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    numbers = [float(text) for text in texts if NUMBER.fullmatch(text) and "," not in text]
    columns = []
    for column in table.columns:
        kind, known = column.type, None
        if is_text(kind) and texts:
            known = pc.is_in(column, value_set=pa.array(list(texts), kind))
        elif numbers and (pa.types.is_integer(kind) or pa.types.is_floating(kind)):
            known = pc.is_in(column.cast(pa.float64(), safe=False), value_set=pa.array(numbers))
        columns.append(column if known is None else pc.if_else(known, pa.scalar(None, kind), column))
    return pa.Table.from_arrays(columns, names=table.column_names)


def to_parsed_file(
    path: Path,
    table: Any,
    *,
    trim: bool = False,
    keep_text: Collection[str] = (),
    notes: Sequence[str] = (),
    extra: tuple[str, ...] = (),
    rules: CellRules | None = None,
    types: Mapping[str, ColumnType] | None = None,
    only_declared: bool = False,
) -> ParsedFile:
    """Return an Arrow table as a `ParsedFile`, its columns converted to the types documented there.

    With ``rules`` text is read as numbers or dates where all cells of a column are, and the reading says how; with
    ``only_declared`` in those columns alone that ``types`` declares so.
    """
    import pyarrow as pa

    names, types = table.column_names, types or {}
    columns = [
        convert_column(path, name, column, trim=trim, retype=name not in keep_text and types.get(name) != "date")
        for name, column in zip(names, table.columns, strict=True)
    ]
    found: list[ReadCells] = []
    hints: list[str | None] = []
    for position, (name, column) in enumerate(zip(names, columns, strict=True)):
        kind = types.get(name)
        if kind in ("date", "text") and (pa.types.is_integer(column.type) or pa.types.is_floating(column.type)):
            column = columns[position] = column.cast(pa.string())  # such as 20210131
        if not is_text(column.type) or name in keep_text or kind in ("text", "nominal", "drop"):
            continue
        is_read = rules is not None and not (only_declared and kind is None)
        read = read_cells(path, name, column, rules, kind) if rules is not None and is_read else None
        if read is None:
            hints.append(near_number_note(name, column))
        else:
            found.append(read)
            columns[position] = read.column
    del table
    frame = to_frame(pa.Table.from_arrays(columns, names=names))
    reading = None if rules is None else _reading_of(found, rules)
    return ParsedFile(frame, extra=extra, notes=(*notes, *filter(None, hints)), reading=reading)


def _reading_of(found: Sequence[ReadCells], rules: CellRules) -> Reading:
    """Return the notation that the columns of a file show, an example of each of them first."""
    decimals = [each.decimal for each in found if each.decimal]
    return Reading(
        ".csv",
        decimal="," if "," in (rules.decimal, *decimals) else ".",
        thousands=rules.thousands or next((each.thousands for each in found if each.thousands), None),
        dates=rules.dates or next((each.dates for each in found if each.dates), None),
        percent=tuple(each.name for each in found if each.is_percent),
        examples=tuple(each.example for each in found if each.example),
    )


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
