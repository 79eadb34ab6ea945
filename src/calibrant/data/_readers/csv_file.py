"""CSV files as Arrow tables; an error names the line."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Self, cast

import numpy as np

from calibrant._optional import optional_import
from calibrant.data._readers.arrow import to_parsed_file
from calibrant.data._readers.cells import MISSING, CellRules
from calibrant.data._readers.csv_layout import CsvLayout, Row, read_layout, split_rows
from calibrant.data._readers.frame_builder import ParsedFile
from calibrant.data._readers.reading import Reading, ReadOptions
from calibrant.data._readers.source import as_utf8, check_text_format, decode
from calibrant.exceptions import DataError, ReadError

# Arrow's default block; it is multiplied until the longest row fits, up to the largest that Arrow allows.
_FIRST_BLOCK = 2**20
_LARGEST_BLOCK = 2**31 - 1


class ConversionError(ReadError):
    """A value does not have the type that its column is read as."""


@dataclass(frozen=True)
class ColumnTypes:
    """The Arrow types that columns are read as, inferred for columns without one; `only` these columns are read."""

    types: Mapping[str, Any] = field(default_factory=dict)
    only: Sequence[str] | None = None
    text_can_be_missing: bool = True
    missing: tuple[str, ...] = ()

    @classmethod
    def text(cls, names: Iterable[str]) -> Self:
        """Return the types of a file in which some columns are text."""
        pa = optional_import("pyarrow", extra="data", purpose="read CSV files")
        return cls({name: pa.string() for name in names})


def parse_csv(path: Path, raw: bytes, layout: CsvLayout, columns: ColumnTypes, lines_before: int = 0) -> Any:
    r"""Return rows as an Arrow table; ``lines_before`` are the lines of the file that precede ``raw``.

    Rows are parsed without line ends in quoted values, which is faster, and again if there are fewer rows than lines.

    Examples
    --------
    >>> from calibrant.data._readers.csv_layout import read_layout
    >>> raw = b"age,town\n31,Bern\n?,Rome\n"
    >>> layout = read_layout(Path("a.csv"), raw, sep=None, header=None, names=None)
    >>> parse_csv(Path("a.csv"), raw, layout, ColumnTypes()).to_pydict()
    {'age': [31, None], 'town': ['Bern', 'Rome']}
    """
    table = parse_lines(path, raw, layout, columns, lines_before)
    if table is not None:
        return table
    return _parse(_CsvRows(path, raw, layout, columns, lines_before), line_ends_in_values=True)


def parse_lines(path: Path, raw: bytes, layout: CsvLayout, columns: ColumnTypes, lines_before: int = 0) -> Any:
    """Return rows as `parse_csv` does, or None if they are not one a line, because values hold line ends."""
    optional_import("pyarrow", extra="data", purpose="read CSV files")
    rows = _CsvRows(path, raw, layout, columns, lines_before)
    if b'"' not in raw:
        return _parse(rows, line_ends_in_values=False)
    try:
        table = _parse(rows, line_ends_in_values=False)
    except ConversionError:
        raise
    except ReadError:
        return None
    n_lines = count_line_ends(raw) - layout.skip + (not raw.endswith(b"\n"))
    return table if table.num_rows == n_lines else None


@dataclass(frozen=True)
class _CsvRows:
    """Rows to parse: the arguments of `parse_csv`."""

    path: Path
    raw: bytes
    layout: CsvLayout
    columns: ColumnTypes
    lines_before: int


def count_line_ends(raw: bytes) -> int:
    r"""Count line ends in blocks that fit the cache: 0.04 s for 100 MB, where `bytes.count` takes 0.12 s.

    Examples
    --------
    >>> count_line_ends(b"a,b\n1,2\n")
    2
    """
    content = np.frombuffer(raw, dtype=np.uint8)
    return sum(int(np.count_nonzero(content[at : at + 2**18] == ord("\n"))) for at in range(0, len(raw), 2**18))


def _parse(rows: _CsvRows, *, line_ends_in_values: bool) -> Any:
    import pyarrow as pa
    import pyarrow.csv as arrow_csv

    layout, columns = rows.layout, rows.columns
    parse = arrow_csv.ParseOptions(
        delimiter=layout.separator, newlines_in_values=line_ends_in_values, invalid_row_handler=_skip_blanks
    )
    convert = arrow_csv.ConvertOptions(
        null_values=[*MISSING, *columns.missing],
        strings_can_be_null=columns.text_can_be_missing,
        decimal_point=layout.decimal,
        column_types=dict(columns.types),
        include_columns=None if columns.only is None else list(columns.only),
    )
    block = max(_FIRST_BLOCK, 2 * sum(map(len, layout.names)))
    while True:
        read = arrow_csv.ReadOptions(
            column_names=layout.names, skip_rows=layout.skip, block_size=min(block, _LARGEST_BLOCK)
        )
        try:
            return arrow_csv.read_csv(
                pa.BufferReader(rows.raw), read_options=read, parse_options=parse, convert_options=convert
            )
        except (pa.ArrowInvalid, pa.ArrowKeyError) as error:
            if "straddling" not in str(error) or block > min(len(rows.raw), _LARGEST_BLOCK):
                raise _parse_error(rows, str(error)) from error
            block *= 32  # large steps, because every attempt parses the rows again


def _skip_blanks(row: Any) -> str:
    return "error" if row.text.strip() else "skip"


def _parse_error(rows: _CsvRows, message: str) -> ReadError:
    """Return an error that names the first row of another width, whose line Arrow's threads do not know."""
    layout, message = rows.layout, re.sub(r"\s+", " ", message)[:200].rstrip(".")
    if "conversion error" in message and "UTF8" not in message:
        return ConversionError.at(rows.path, message)
    for row in split_rows(decode(rows.path, rows.raw, lines_before=rows.lines_before), layout.separator):
        if row.line > layout.skip and not row.blank and len(row.cells) != len(layout.names):
            return _width_error(rows, row)
    return ReadError.at(rows.path, f"cannot be parsed ({message})", hint="Check quotes and separators.")


def _width_error(rows: _CsvRows, row: Row) -> ReadError:
    layout = rows.layout
    width, expected = len(row.cells), len(layout.names)
    problem = f"has {width} field(s) where the first row has {expected}"
    hint = "Correct the row, quote the separators inside values, or pass sep=."
    if width == expected + 1 and not row.cells[-1].strip():
        problem += f", because it ends in a {layout.separator!r} that the first row does not have"
        hint = f"Remove the {layout.separator!r} from the ends of the rows, or add one to the first row."
    elif width == expected - 1 and layout.header and not layout.header[-1].strip():
        problem += f", because the header ends in a {layout.separator!r} that the row does not have"
        hint = f"Remove the {layout.separator!r} from the end of the header."
    return ReadError.at(rows.path, problem, line=rows.lines_before + row.line, hint=hint)


AsText = Callable[[Sequence[str]], set[str]]


def read_csv(
    path: Path,
    raw: bytes,
    options: ReadOptions | None = None,
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
    options = options or ReadOptions()
    check_text_format(path, raw)
    raw, encoding = as_utf8(path, raw, options.encoding)
    layout = read_layout(path, raw, sep=options.sep, header=options.header, names=names)
    layout = replace(layout, decimal=CellRules.of(options, layout.decimal).decimal)
    text = _text_columns(layout, layout.not_features, options, as_text)
    parsed = _read(path, raw, layout, text, options)
    not_features = _confirmed(parsed, layout)
    new_text = text
    if not_features != layout.not_features:
        new_text = _text_columns(layout, not_features, options, as_text)
    parsed = parsed if new_text == text else _read(path, raw, layout, new_text, options)
    parsed = _separate(parsed, layout, not_features, new_text)
    understood = replace(
        cast("Reading", parsed.reading),
        sep=layout.separator,
        encoding=encoding,
        header=bool(layout.header),
        missing=options.missing,
        given=options.given,
    )
    return replace(parsed, reading=understood)


def _text_columns(layout: CsvLayout, not_features: frozenset[str], options: ReadOptions, as_text: AsText) -> set[str]:
    """Return the columns that are kept as text: nominal ones, and those declared to be free text."""
    try:
        nominal = as_text([name for name in layout.names if name not in not_features])
    except DataError:  # raised again when the table is assembled
        nominal = set()
    return nominal | (options.of_type("text") & {*layout.names})


def _read(path: Path, raw: bytes, layout: CsvLayout, text: set[str], options: ReadOptions) -> ParsedFile:
    as_they_are = (text | options.of_type("date")) & {*layout.names}
    table = parse_csv(path, raw, layout, replace(ColumnTypes.text(as_they_are), missing=options.missing))
    if table.num_rows == 0:
        raise ReadError.at(path, "has a header but no rows", hint="Pass a file with at least one row.")
    return to_parsed_file(
        path,
        table,
        trim=b" " in raw or b"\t" in raw,
        keep_text=text,
        notes=layout.notes,
        rules=CellRules.of(options, layout.decimal),
        types=options.types,
    )


def _confirmed(parsed: ParsedFile, layout: CsvLayout) -> frozenset[str]:
    """Return the columns that are no features by the first rows, as far as all rows confirm it."""
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
