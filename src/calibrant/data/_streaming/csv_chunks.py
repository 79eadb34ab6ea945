"""The rows of a CSV file, chunk by chunk, each read as `read_table` reads the columns of a fitted model."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from calibrant.data._frames.columns import fit_columns
from calibrant.data._readers.arrow import to_frame
from calibrant.data._readers.arrow_columns import convert_column, plain_dictionary
from calibrant.data._readers.csv_header import MISSING
from calibrant.data._readers.csv_layout import CsvLayout, read_layout
from calibrant.data._readers.csv_parser import ColumnTypes, ConversionError, count_line_ends, parse_csv, parse_lines
from calibrant.data._readers.file_format import check_text_format
from calibrant.data._streaming.byte_source import ByteSource, utf8_blocks
from calibrant.data._streaming.chunk import Chunk, TableChunks
from calibrant.data._streaming.row_blocks import RowBlocks
from calibrant.data._streaming.wanted_columns import SelectedColumns, WantedColumns
from calibrant.exceptions import ReadError

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["CsvOptions", "csv_chunks", "is_row_a_line"]


@dataclass(frozen=True)
class CsvOptions:
    """The arguments of `read_table` that concern CSV files."""

    sep: str | None = None
    header: bool | None = None
    encoding: str | None = None


def csv_chunks(source: ByteSource, wanted: WantedColumns, options: CsvOptions) -> TableChunks:
    """Return the chunks of a CSV file; its layout is inferred from the first block."""
    check_text_format(source.path, source.head + source.tail)
    first, read = utf8_blocks(source, options.encoding)
    layout = _read_layout(source.path, first, wanted, options)
    candidates = [name for name in layout.names if name not in layout.not_features]
    selection = wanted.select(layout.names, candidates, str(source.path))
    blocks = RowBlocks(first, read, layout.separator)
    chunks = _chunks(source.path, blocks, layout, selection)
    return TableChunks(layout.names, selection, chunks, layout.notes, n_expected=_n_expected(source, layout))


def _n_expected(source: ByteSource, layout: CsvLayout) -> int | None:
    """Return about how many rows a file has, by the lines of its first block."""
    if source.size is None:
        return None
    n_lines = count_line_ends(source.head) + (not source.head.endswith(b"\n"))
    return max(1, round(n_lines * source.size / len(source.head)) - layout.skip)


def _read_layout(path: Path, first: bytes, wanted: WantedColumns, options: CsvOptions) -> CsvLayout:
    """Return the layout; a first line that holds all names of the model is a header, whatever is below it."""
    layout = read_layout(path, first, sep=options.sep, header=options.header, names=None)
    if layout.header or options.header is not None or wanted.names is None or set(wanted.names) <= {*layout.names}:
        return layout
    try:
        named = read_layout(path, first, sep=options.sep, header=True, names=None)
    except ReadError:
        return layout
    return named if set(wanted.names) <= {*named.names} else layout


def _chunks(path: Path, blocks: RowBlocks, layout: CsvLayout, selection: SelectedColumns) -> Iterator[Chunk]:
    types, n_lines, n_rows = selection.arrow_types(), 0, 0
    for lines in blocks:
        block = lines if b'"' not in lines or is_row_a_line(path, lines, layout, n_lines) else blocks.end_at_row()
        if not block.strip():
            continue
        if not n_rows and None in selection.features.values():
            selection = _inferred(path, block, layout, selection)
            types = selection.arrow_types()
        table, types = _parse(path, block, layout, selection, types, n_lines)
        if table.num_rows:
            yield Chunk(_frame(path, table, selection), _kept(path, block, layout, selection, n_lines))
        n_rows += table.num_rows
        n_lines += count_line_ends(block)
        layout = replace(layout, skip=0)
    if not n_rows:
        raise ReadError.at(path, "has a header but no rows", hint="Pass a file with at least one row.")


def is_row_a_line(path: Path, lines: bytes, layout: CsvLayout, n_lines: int) -> bool:
    """Return whether each line of a block with quotes is a row, by parsing its first column."""
    import pyarrow as pa

    first = layout.names[0]
    columns = ColumnTypes({first: pa.binary()}, [first])
    return parse_lines(path, lines, layout, columns, n_lines) is not None


def _parse(
    path: Path, block: bytes, layout: CsvLayout, selection: SelectedColumns, types: dict[str, Any], n_lines: int
) -> tuple[Any, dict[str, Any]]:
    """Return the features of a block, and the types for the next one: numbers only while all cells are numbers.

    A cell may be padded, a date or a word; then the type of the columns of numbers is inferred as by `read_table`.
    """
    import pyarrow as pa

    only = list(selection.features)
    try:
        return parse_csv(path, block, layout, ColumnTypes(types, only), n_lines), types
    except ConversionError:
        types = {name: kind for name, kind in types.items() if not pa.types.is_floating(kind)}
        return parse_csv(path, block, layout, ColumnTypes(types, only), n_lines), types


def _kept(path: Path, block: bytes, layout: CsvLayout, selection: SelectedColumns, n_lines: int) -> Any:
    """Return the columns to keep, as their text in the file."""
    import pyarrow as pa

    if not selection.keep:
        return None
    types = {name: pa.string() for name in selection.keep}
    return parse_csv(path, block, layout, ColumnTypes(types, selection.keep, text_can_be_missing=False), n_lines)


def _inferred(path: Path, block: bytes, layout: CsvLayout, selection: SelectedColumns) -> SelectedColumns:
    """Return the selection with the kinds of features that the first rows have."""
    table = parse_csv(path, block, layout, ColumnTypes(only=list(selection.features)))
    schema = fit_columns(_frame(path, table, selection)).schema
    return replace(selection, features={feature.name: feature for feature in schema.features})


def _frame(path: Path, table: Any, selection: SelectedColumns) -> pd.DataFrame:
    import pyarrow as pa

    columns = [
        _clean_dictionary(column, as_text=selection.as_text)
        if pa.types.is_dictionary(column.type)
        else convert_column(path, name, column, trim=True, retype=True)
        for name, column in zip(table.column_names, table.columns, strict=True)
    ]
    return to_frame(pa.Table.from_arrays(columns, names=table.column_names))


def _clean_dictionary(column: Any, *, as_text: bool) -> Any:
    """Return categories without blanks around them, of which some then are missing values."""
    import pyarrow as pa
    import pyarrow.compute as pc

    chunks = column.unify_dictionaries().chunks
    values = chunks[0].dictionary if chunks else pa.array([], pa.string())
    if any(text[:1] in (" ", "\t") or text[-1:] in (" ", "\t") for text in values.to_pylist() if text):
        values = pc.utf8_trim_whitespace(values)
        values = pc.if_else(pc.is_in(values, value_set=pa.array(MISSING)), pa.scalar(None, values.type), values)
        chunks = [plain_dictionary(pa.DictionaryArray.from_arrays(chunk.indices, values)) for chunk in chunks]
    cleaned = pa.chunked_array(chunks, column.type)
    return cleaned.cast(pa.string()) if as_text else cleaned
