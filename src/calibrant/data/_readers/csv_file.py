"""CSV and TSV files, parsed by Arrow; the layout is inferred, and errors name the line."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from calibrant.data._readers.arrow import to_parsed_file
from calibrant.data._readers.csv_layout import CsvLayout, read_layout
from calibrant.data._readers.csv_parser import ColumnTypes, parse_csv
from calibrant.data._readers.file_format import check_text_format
from calibrant.data._readers.parsed_file import ParsedFile
from calibrant.data._readers.source import decode
from calibrant.exceptions import DataError, ReadError

__all__ = ["read_csv"]

AsText = Callable[[Sequence[str]], set[str]]

# Text in another encoding, or binary data, has zero bytes early; a later one is treated as a character.
_ZERO_BYTE_SAMPLE = 2**16
_UTF_8 = ("utf-8", "utf8", "utf-8-sig", "ascii", "us-ascii")


def read_csv(
    path: Path,
    raw: bytes,
    *,
    sep: str | None = None,
    header: bool | None = None,
    encoding: str | None = None,
    names: Sequence[str] | None = None,
    as_text: AsText = lambda names: set(),  # noqa: ARG005
) -> ParsedFile:
    r"""Read a CSV file; the columns that ``as_text`` returns are kept as text, such as ``007``.

    ``as_text`` is called with the columns that may be features or the class.

    Examples
    --------
    >>> read_csv(Path("a.csv"), b"age,town\n31,Bern\n?,Rome\n").frame
        age  town
    0  31.0  Bern
    1   NaN  Rome
    """
    check_text_format(path, raw)
    raw = _as_utf8(path, raw, encoding)
    layout = read_layout(path, raw, sep=sep, header=header, names=names)
    text = _text_columns(layout, layout.not_features, as_text)
    parsed = _read(path, raw, layout, text)
    not_features = _confirmed(parsed, layout)
    new_text = text if not_features == layout.not_features else _text_columns(layout, not_features, as_text)
    parsed = parsed if new_text == text else _read(path, raw, layout, new_text)
    return _separate(parsed, layout, not_features, new_text)


def _text_columns(layout: CsvLayout, not_features: frozenset[str], as_text: AsText) -> set[str]:
    try:
        return as_text([name for name in layout.names if name not in not_features])
    except DataError:  # raised again when the table is assembled
        return set()


def _read(path: Path, raw: bytes, layout: CsvLayout, text: set[str]) -> ParsedFile:
    table = parse_csv(path, raw, layout, ColumnTypes.text(text))
    if table.num_rows == 0:
        raise ReadError.at(path, "has a header but no rows", hint="Pass a file with at least one row.")
    _check_encoding(path, raw, table)
    return to_parsed_file(path, table, trim=b" " in raw or b"\t" in raw, keep_text=text, notes=layout.notes)


def _as_utf8(path: Path, raw: bytes, encoding: str | None) -> bytes:
    """Return the bytes encoded as UTF-8, the only encoding that Arrow reads."""
    is_utf8 = (encoding or "utf-8").lower().replace("_", "-") in _UTF_8
    if raw.startswith((b"\xff\xfe", b"\xfe\xff")) or b"\0" in raw[:_ZERO_BYTE_SAMPLE] or not is_utf8:
        try:
            return decode(path, raw, encoding).encode()
        except UnicodeEncodeError as error:
            hint = "Check the encoding."
            raise ReadError.at(path, f"holds halves of characters in {encoding!r:.60}", hint=hint) from error
    return raw.removeprefix(b"\xef\xbb\xbf")


def _check_encoding(path: Path, raw: bytes, table: Any) -> None:
    """Raise if a column is binary: Arrow reads text that is not UTF-8 as such."""
    if any(str(column_type) in ("binary", "large_binary") for column_type in table.schema.types):
        decode(path, raw)


def _confirmed(parsed: ParsedFile, layout: CsvLayout) -> frozenset[str]:
    """Return those columns that are not features by the first rows for which all rows confirm it."""
    return frozenset(name for name in layout.not_features if _is_confirmed(parsed.frame[name], name, layout))


def _is_confirmed(column: Any, name: str, layout: CsvLayout) -> bool:
    if name != layout.names[0]:
        return bool(column.isna().all())
    named_by_r = len(layout.header) == len(layout.names) - 1
    return named_by_r or (column.dtype.kind == "i" and bool((column.diff().iloc[1:] == 1).all()))


def _separate(parsed: ParsedFile, layout: CsvLayout, not_features: frozenset[str], text: set[str]) -> ParsedFile:
    """Move row names and numbers to ``extra``, drop the empty columns after final separators, and note both."""
    first = layout.names[0]
    empty = [name for name in layout.names if name in not_features and name != first]
    notes = [*parsed.notes]
    if first in not_features and len(layout.header) == len(layout.names):
        notes.append("The unnamed first column numbers the rows, so it is not a feature.")
    if empty:
        notes.append("Every line ends in a separator; the unnamed, empty column after it is dropped.")
    frame = parsed.frame.drop(columns=empty) if empty else parsed.frame
    notes += [
        note
        for name in layout.padded
        if name in frame and name not in text
        for note in _zeros_note(frame, name, layout)
    ]
    return replace(parsed, frame=frame, extra=(first,) if first in not_features else (), notes=tuple(notes))


def _zeros_note(frame: Any, name: str, layout: CsvLayout) -> list[str]:
    if frame[name].dtype.kind not in "iuf":
        return []
    zeros = f"{name!r} has leading zeros, such as {layout.padded[name]!r:.40}, and is read as numbers"
    return [f"{zeros}; nominal=[{name!r}] keeps them."]
