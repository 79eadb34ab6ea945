"""Batches of a CSV file, parsed by Arrow block by block."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import narwhals as nw

from calibrant._optional import optional_import
from calibrant.exceptions import ReadError, SchemaError, nearest

__all__ = ["check_columns", "csv_batches", "is_csv"]

_EXTENSIONS = (".csv", ".tsv", ".tab", ".txt")
_SEPARATORS = (",", ";", "\t", "|")
_MISSING = ("", "?", "NA", "N/A", "NaN", "nan", "NULL", "null", "None")
_BLOCK = 2**22  # bytes: some 100,000 rows of two columns, few enough blocks that their overhead does not count


def is_csv(path: Path) -> bool:
    """Return whether the extension of a file is one of CSV, also compressed.

    Examples
    --------
    >>> is_csv(Path("a.csv.gz")), is_csv(Path("a.parquet"))
    (True, False)
    """
    return path.name.lower().removesuffix(".gz").endswith(_EXTENSIONS)


def csv_batches(path: Path, columns: Sequence[str], batch_size: int, numbers: Sequence[str]) -> Iterator[Any]:
    """Yield some columns of a CSV file with a header, as narwhals frames of at most so many rows."""
    csv = optional_import("pyarrow.csv", extra="data", purpose="read CSV")
    arrow = optional_import("pyarrow", extra="data", purpose="read CSV")
    separator, names = _header(arrow, path)
    check_columns(columns, names)
    types = dict.fromkeys(numbers, arrow.float64())
    read = csv.ReadOptions(block_size=_BLOCK)
    convert = csv.ConvertOptions(
        include_columns=list(columns), column_types=types, null_values=list(_MISSING), strings_can_be_null=True
    )
    options = {"read_options": read, "convert_options": convert}
    try:
        with csv.open_csv(path, parse_options=csv.ParseOptions(delimiter=separator), **options) as reader:
            for block in reader:
                for begin in range(0, len(block), batch_size):
                    part = arrow.Table.from_batches([block.slice(begin, batch_size)])
                    yield nw.from_native(part, eager_only=True)
    except arrow.ArrowInvalid as error:
        hint = "The first rows decide the type of a column; save the table as Parquet if they differ from later ones."
        raise ReadError.at(path, f"cannot be parsed as CSV: {error}", hint=hint) from error


def _header(arrow: Any, path: Path) -> tuple[str, list[str]]:
    """Return the separator, the one that occurs most often in the first line, and the names of the columns."""
    with arrow.input_stream(str(path)) as stream:
        line = stream.read(2**16).partition(b"\n")[0].decode("utf-8-sig", errors="replace").strip()
    separator = max(_SEPARATORS, key=line.count)
    return separator, [name.strip().strip('"') for name in line.split(separator)]


def check_columns(columns: Sequence[str], found: Sequence[str]) -> None:
    """Raise if a column is named twice, or is not found.

    Examples
    --------
    >>> check_columns(["y", "p"], ["y", "p", "w"])
    """
    if len(set(columns)) < len(columns):
        raise SchemaError(f"target, proba and weight must be different columns; got {', '.join(map(repr, columns))}.")
    for name in columns:
        if name not in found:
            raise SchemaError(f"source has no column {name!r}.{nearest(name, found)}")
