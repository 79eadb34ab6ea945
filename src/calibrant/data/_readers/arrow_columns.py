"""One column of an Arrow table cast to a type that pandas and input validation support."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from calibrant.data._readers.csv_header import MISSING
from calibrant.exceptions import ReadError

__all__ = ["convert_column", "is_text", "plain_dictionary", "trim_column"]


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
