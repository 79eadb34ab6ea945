"""CSV and TSV files: Arrow's parser, and around it what a person expects of one."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from calibrant._optional import optional_import
from calibrant.data._parsed import Parsed
from calibrant.data._readers.arrow import to_parsed
from calibrant.data._readers.csv_shape import HOLES, CsvShape, csv_shape
from calibrant.data._readers.source import decode
from calibrant.exceptions import ReadError

__all__ = ["read_delimited"]

_FIRST_BLOCK = 2**20
_LARGEST_BLOCK = 2**31 - 1


def read_delimited(
    path: Path,
    raw: bytes,
    *,
    sep: str | None = None,
    header: bool | None = None,
    encoding: str | None = None,
    names: Sequence[str] | None = None,
    as_text: Callable[[Sequence[str]], set[str]] = lambda names: set(),  # noqa: ARG005
) -> Parsed:
    r"""Read a delimited file; columns that ``as_text`` picks keep the characters of the file, such as ``007``.

    Examples
    --------
    >>> read_delimited(Path("a.csv"), b"age,town\n31,Bern\n?,Rome\n").frame
        age  town
    0  31.0  Bern
    1   NaN  Rome
    """
    raw = _as_utf8(path, raw, encoding)
    shape = csv_shape(path, raw, sep=sep, header=header, names=names)
    text = as_text(shape.names)
    table = _parse(path, raw, shape, text)
    if table.num_rows == 0:
        raise ReadError.at(path, "has a header but no rows", hint="Pass a file with at least one row.")
    _refuse_other_encodings(path, raw, table)
    parsed = to_parsed(path, table, trim=b" " in raw or b"\t" in raw, keep_text=text, notes=shape.notes)
    return _without_row_numbers(parsed, shape)


def _as_utf8(path: Path, raw: bytes, encoding: str | None) -> bytes:
    """Recode where the file says or the caller knows that it is not UTF-8; Arrow reads nothing else."""
    if encoding is None and raw.startswith(b"\xef\xbb\xbf"):
        return raw[3:]
    marked = raw.startswith((b"\xff\xfe", b"\xfe\xff"))
    if marked or b"\0" in raw or (encoding or "utf-8").lower().replace("_", "-") not in ("utf-8", "utf8", "ascii"):
        return decode(path, raw, encoding).encode()
    return raw


def _parse(path: Path, raw: bytes, shape: CsvShape, text: set[str]) -> Any:
    """Parse fast where no quoted value holds a line end, which shows when every line has become a row."""
    pa = optional_import("pyarrow", extra="data", purpose="read CSV files")
    if b'"' not in raw:
        return _parse_with(path, raw, shape, text, line_ends_in_values=False)
    try:
        table = _parse_with(path, raw, shape, text, line_ends_in_values=False)
    except ReadError:
        table = pa.table({})
    n_lines = _count_line_ends(raw) - shape.skip + (not raw.endswith(b"\n"))
    return table if table.num_rows == n_lines else _parse_with(path, raw, shape, text, line_ends_in_values=True)


def _count_line_ends(raw: bytes) -> int:
    """Count as `bytes.count` does, in pieces that stay in the cache."""
    content = np.frombuffer(raw, dtype=np.uint8)
    return sum(int(np.count_nonzero(content[at : at + 2**18] == ord("\n"))) for at in range(0, len(raw), 2**18))


def _parse_with(path: Path, raw: bytes, shape: CsvShape, text: set[str], *, line_ends_in_values: bool) -> Any:
    import pyarrow as pa
    import pyarrow.csv as arrow_csv

    parse = arrow_csv.ParseOptions(delimiter=shape.separator, newlines_in_values=line_ends_in_values)
    convert = arrow_csv.ConvertOptions(
        null_values=list(HOLES),
        strings_can_be_null=True,
        decimal_point=shape.decimal,
        column_types={name: pa.string() for name in text},
    )
    block = max(_FIRST_BLOCK, 2 * sum(map(len, shape.names)))
    while True:
        read = arrow_csv.ReadOptions(
            column_names=shape.names, skip_rows=shape.skip, block_size=min(block, _LARGEST_BLOCK)
        )
        try:
            return arrow_csv.read_csv(
                pa.BufferReader(raw), read_options=read, parse_options=parse, convert_options=convert
            )
        except (pa.ArrowInvalid, pa.ArrowKeyError) as error:
            if "straddling" not in str(error) or block > min(len(raw), _LARGEST_BLOCK):
                raise _parse_error(path, raw, shape, str(error)) from error
            block *= 32


def _parse_error(path: Path, raw: bytes, shape: CsvShape, message: str) -> ReadError:
    """Find the first row of another width, for Arrow's threads do not know their line."""
    reader = csv.reader(io.StringIO(raw.decode(errors="replace"), newline=""), delimiter=shape.separator)
    try:
        for row in reader:
            if row and len(row) != len(shape.names):
                problem = f"has {len(row)} field(s) where the first row has {len(shape.names)}"
                hint = "Mend the row, quote the separators inside values, or pass sep=."
                return ReadError.at(path, problem, line=reader.line_num, hint=hint)
    except csv.Error as error:
        message = str(error)
    message = re.sub(r"\s+", " ", message)[:200].rstrip(".")
    return ReadError.at(path, f"cannot be parsed ({message})", hint="Check quotes and separators.")


def _refuse_other_encodings(path: Path, raw: bytes, table: Any) -> None:
    """Arrow takes text that is not UTF-8 for binary columns; say where it is instead."""
    if any(str(column_type) in ("binary", "large_binary") for column_type in table.schema.types):
        decode(path, raw)


def _without_row_numbers(parsed: Parsed, shape: CsvShape) -> Parsed:
    """Set apart a nameless first column that counts the rows: the index that pandas and R write."""
    name = shape.names[0]
    column = parsed.frame[name]
    if not shape.skip or name != "column_0" or len(shape.names) < 3 or column.dtype.kind != "i":
        return parsed
    if not (column.diff().iloc[1:] == 1).all() or column.iloc[0] not in (0, 1):
        return parsed
    note = "The nameless first column counts the rows, so it is no feature."
    return Parsed(parsed.frame, extra=(name,), notes=(*parsed.notes, note))
