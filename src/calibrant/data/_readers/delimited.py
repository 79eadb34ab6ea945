"""CSV and TSV files: Arrow's parser, and around it what a person expects of one."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from calibrant._optional import optional_import
from calibrant.data._readers.arrow import to_parsed
from calibrant.data._readers.csv_header import HOLES
from calibrant.data._readers.csv_rows import Row, split_rows
from calibrant.data._readers.csv_shape import CsvShape, csv_shape
from calibrant.data._readers.first_bytes import refuse_foreign
from calibrant.data._readers.parsed import Parsed
from calibrant.data._readers.source import decode
from calibrant.exceptions import DataError, ReadError

__all__ = ["read_delimited"]

AsText = Callable[[Sequence[str]], set[str]]

_FIRST_BLOCK = 2**20
_LARGEST_BLOCK = 2**31 - 1
# Text in another encoding, or no text, shows zero bytes early; one further on is a character like others.
_SNIFFED = 2**16
_UTF_8 = ("utf-8", "utf8", "utf-8-sig", "ascii", "us-ascii")


def read_delimited(
    path: Path,
    raw: bytes,
    *,
    sep: str | None = None,
    header: bool | None = None,
    encoding: str | None = None,
    names: Sequence[str] | None = None,
    as_text: AsText = lambda names: set(),  # noqa: ARG005
) -> Parsed:
    r"""Read a delimited file; columns that ``as_text`` picks keep the characters of the file, such as ``007``.

    ``as_text`` is given the columns that may be features or the class, without those set apart.

    Examples
    --------
    >>> read_delimited(Path("a.csv"), b"age,town\n31,Bern\n?,Rome\n").frame
        age  town
    0  31.0  Bern
    1   NaN  Rome
    """
    refuse_foreign(path, raw)
    raw = _as_utf8(path, raw, encoding)
    shape = csv_shape(path, raw, sep=sep, header=header, names=names)
    text = _told_text(shape, shape.apart, as_text)
    parsed = _read(path, raw, shape, text)
    apart = _borne_out(parsed, shape)
    again = text if apart == shape.apart else _told_text(shape, apart, as_text)
    parsed = parsed if again == text else _read(path, raw, shape, again)
    return _without(parsed, shape, apart, again)


def _told_text(shape: CsvShape, apart: frozenset[str], as_text: AsText) -> set[str]:
    try:
        return as_text([name for name in shape.names if name not in apart])
    except DataError:  # said again, in the same words, when the table is put together
        return set()


def _read(path: Path, raw: bytes, shape: CsvShape, text: set[str]) -> Parsed:
    table = _parse(path, raw, shape, text)
    if table.num_rows == 0:
        raise ReadError.at(path, "has a header but no rows", hint="Pass a file with at least one row.")
    _refuse_other_encodings(path, raw, table)
    return to_parsed(path, table, trim=b" " in raw or b"\t" in raw, keep_text=text, notes=shape.notes)


def _as_utf8(path: Path, raw: bytes, encoding: str | None) -> bytes:
    """Recode where the file says or the caller knows that it is not UTF-8; Arrow reads nothing else."""
    is_utf8 = (encoding or "utf-8").lower().replace("_", "-") in _UTF_8
    if raw.startswith((b"\xff\xfe", b"\xfe\xff")) or b"\0" in raw[:_SNIFFED] or not is_utf8:
        try:
            return decode(path, raw, encoding).encode()
        except UnicodeEncodeError as error:
            hint = "Check the encoding."
            raise ReadError.at(path, f"holds halves of characters in {encoding!r:.60}", hint=hint) from error
    return raw.removeprefix(b"\xef\xbb\xbf")


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

    parse = arrow_csv.ParseOptions(
        delimiter=shape.separator, newlines_in_values=line_ends_in_values, invalid_row_handler=_skip_blanks
    )
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


def _skip_blanks(row: Any) -> str:
    return "error" if row.text.strip() else "skip"


def _parse_error(path: Path, raw: bytes, shape: CsvShape, message: str) -> ReadError:
    """Find the first row of another width, for Arrow's threads do not know their line."""
    for row in split_rows(decode(path, raw), shape.separator):
        if row.line > shape.skip and not row.blank and len(row.cells) != len(shape.names):
            return _ragged(path, row, shape)
    message = re.sub(r"\s+", " ", message)[:200].rstrip(".")
    return ReadError.at(path, f"cannot be parsed ({message})", hint="Check quotes and separators.")


def _ragged(path: Path, row: Row, shape: CsvShape) -> ReadError:
    width, expected = len(row.cells), len(shape.names)
    problem = f"has {width} field(s) where the first row has {expected}"
    hint = "Mend the row, quote the separators inside values, or pass sep=."
    if width == expected + 1 and not row.cells[-1].strip():
        problem += f", for it ends in a {shape.separator!r} that the first row does not have"
        hint = f"Take the {shape.separator!r} off the ends of the rows, or give the first row one."
    elif width == expected - 1 and shape.header and not shape.header[-1].strip():
        problem += f", for the header ends in a {shape.separator!r} that the row does not have"
        hint = f"Take the {shape.separator!r} off the end of the header."
    return ReadError.at(path, problem, line=row.line, hint=hint)


def _refuse_other_encodings(path: Path, raw: bytes, table: Any) -> None:
    """Arrow takes text that is not UTF-8 for binary columns; say where it is instead."""
    if any(str(column_type) in ("binary", "large_binary") for column_type in table.schema.types):
        decode(path, raw)


def _borne_out(parsed: Parsed, shape: CsvShape) -> frozenset[str]:
    """Give the columns set apart of which all rows say what the first rows said."""
    return frozenset(name for name in shape.apart if _fits(parsed.frame[name], name, shape))


def _fits(column: Any, name: str, shape: CsvShape) -> bool:
    if name != shape.names[0]:
        return bool(column.isna().all())
    named_by_r = len(shape.header) == len(shape.names) - 1
    return named_by_r or (column.dtype.kind == "i" and bool((column.diff().iloc[1:] == 1).all()))


def _without(parsed: Parsed, shape: CsvShape, apart: frozenset[str], text: set[str]) -> Parsed:
    """Set row names and numbers apart, drop what separators at the ends of lines made, and say so."""
    first = shape.names[0]
    empty = [name for name in shape.names if name in apart and name != first]
    notes = [*parsed.notes]
    if first in apart and len(shape.header) == len(shape.names):
        notes.append("The nameless first column counts the rows, so it is no feature.")
    if empty:
        notes.append("Every line ends in a separator; the nameless, empty column after it is left out.")
    frame = parsed.frame.drop(columns=empty) if empty else parsed.frame
    notes += [
        note for name in shape.padded if name in frame and name not in text for note in _padding(frame, name, shape)
    ]
    return replace(parsed, frame=frame, extra=(first,) if first in apart else (), notes=tuple(notes))


def _padding(frame: Any, name: str, shape: CsvShape) -> list[str]:
    if frame[name].dtype.kind not in "iuf":
        return []
    zeros = f"{name!r} has leading zeros, such as {shape.padded[name]!r:.40}, and is read as numbers"
    return [f"{zeros}; nominal=[{name!r}] keeps its characters."]
