"""The types of the columns of CSV files: one for all blocks, wide enough for each of them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from calibrant.data._readers.arrow_columns import convert_column, is_text, trim_column
from calibrant.data._readers.csv_layout import CsvLayout
from calibrant.data._readers.csv_parser import ColumnTypes, parse_csv

__all__ = ["CsvType", "infer_types", "read_columns", "widen_types"]


@dataclass(frozen=True)
class CsvType:
    """The Arrow type that cells are parsed as, and the one of the column: padded numbers are parsed as strings."""

    parsed: Any
    column: Any


def infer_types(
    path: Path, block: bytes, layout: CsvLayout, names: Sequence[str], features: Collection[str]
) -> dict[str, CsvType]:
    """Return the types of the columns of a block, without those that have no value in it; features are floats."""
    import pyarrow as pa

    table = parse_csv(path, block, layout, ColumnTypes(only=list(names)))
    found: dict[str, CsvType] = {}
    for name, column in zip(table.column_names, table.columns, strict=True):
        if column.null_count < len(column):
            converted = convert_column(path, name, column, trim=True, retype=True)
            parsed, kind = (
                pa.float64() if pa.types.is_integer(each) and name in features else each
                for each in (column.type, converted.type)
            )
            if converted.null_count < len(converted):
                found[name] = CsvType(parsed, kind)
    return found


def read_columns(path: Path, table: Any, types: Mapping[str, CsvType]) -> Any | None:
    """Return a table whose columns have their types; None if one does not fit its type."""
    import pyarrow as pa

    columns = []
    for name, column in zip(table.column_names, table.columns, strict=True):
        try:
            columns.append(_as_type(path, name, column, types.get(name)))
        except pa.ArrowInvalid:
            return None
    return pa.Table.from_arrays(columns, names=table.column_names)


def _as_type(path: Path, name: str, column: Any, kind: CsvType | None) -> Any:
    """Return a column as its type; raise ArrowInvalid if it does not fit."""
    if kind is None:  # without a value so far
        return convert_column(path, name, column, trim=True, retype=True)
    if is_text(kind.column):
        return convert_column(path, name, column, trim=True, retype=False)
    retyped = trim_column(column, True) if is_text(column.type) else column
    return convert_column(path, name, retyped, trim=False, retype=False).cast(kind.column)


def widen_types(known: Mapping[str, CsvType], found: Mapping[str, CsvType]) -> dict[str, CsvType]:
    """Return the types that hold what both hold."""
    return {
        name: CsvType(_wider(kind.parsed, found[name].parsed), _wider(kind.column, found[name].column))
        for name, kind in known.items()
        if name in found
    }


def _wider(one: Any, other: Any) -> Any:
    import pyarrow as pa

    is_ = pa.types
    if one.equals(other):
        return one
    if all(is_.is_integer(kind) or is_.is_floating(kind) for kind in (one, other)):
        return pa.float64()
    if all(is_.is_date(kind) or is_.is_timestamp(kind) for kind in (one, other)):
        zones = {kind.tz for kind in (one, other) if is_.is_timestamp(kind)}
        return pa.timestamp("us", *(zones - {None})) if len(zones) == 1 else pa.string()
    return pa.string()
