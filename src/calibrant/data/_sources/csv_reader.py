"""CSV files in blocks of whole rows: by one type a column for a fit, by the columns of a fitted model otherwise."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from calibrant._optional import optional_import
from calibrant.data._frames.columns import fit_columns
from calibrant.data._readers.arrow import convert_column, is_text, plain_dictionary, to_frame, trim_column
from calibrant.data._readers.cells import MISSING, CellRules, read_cells
from calibrant.data._readers.csv_file import ColumnTypes, ConversionError, count_line_ends, parse_csv, parse_lines
from calibrant.data._readers.csv_layout import CsvLayout, read_layout
from calibrant.data._readers.reading import Reading, ReadOptions
from calibrant.data._readers.source import check_text_format
from calibrant.data._sources.csv_blocks import ByteSource, RowBlocks, Utf8Blocks, open_bytes
from calibrant.data._sources.model_columns import Chunk, SelectedColumns
from calibrant.data._sources.source_part import ColumnRoles
from calibrant.data._sources.table_readers import (
    Fingerprint,
    SourceReader,
    TypesWidenedError,
    check_same_columns,
    file_fingerprint,
)
from calibrant.exceptions import ReadError

if TYPE_CHECKING:
    import pandas as pd

# Bytes of a file at a time: larger blocks take more memory, smaller ones more calls (benchmarks/cli.py).
BLOCK = 2**22
_HEAD = 2**20  # bytes by which a layout is inferred


class _CsvFile:
    """One CSV file, opened in every pass, or a stream, which is read once."""

    def __init__(
        self, source: Path | ByteSource, options: ReadOptions, names: Sequence[str] = (), *, may_lack_rows: bool = False
    ) -> None:
        self._source, self._encoding = source, options.encoding
        if isinstance(source, ByteSource):
            self._find_layout(source, options, names, may_lack_rows)
        else:
            with open_bytes(source, _HEAD) as opened:
                self._find_layout(opened, options, names, may_lack_rows)

    def _find_layout(self, source: ByteSource, options: ReadOptions, names: Sequence[str], may_lack_rows: bool) -> None:
        self.path = source.path
        check_text_format(source.path, source.head + source.tail)
        start = Utf8Blocks(source, options.encoding)
        self.encoding = start.encoding
        layout = _read_layout(source.path, start.first, options, names, may_lack_rows)
        self.layout = replace(layout, decimal=CellRules.of(options, layout.decimal).decimal)
        self.n_expected = None if source.size is None else _n_expected(source, source.size, self.layout)

    def blocks(self) -> Iterator[tuple[bytes, CsvLayout, int]]:
        """Yield blocks of whole rows, with the layout of each and the number of lines before it."""
        if isinstance(self._source, ByteSource):
            yield from self._blocks(self._source)
            return
        with open_bytes(self._source, BLOCK) as opened:
            yield from self._blocks(opened)

    def _blocks(self, source: ByteSource) -> Iterator[tuple[bytes, CsvLayout, int]]:
        text = Utf8Blocks(source, self._encoding)
        blocks, layout, n_lines = RowBlocks(text.first, text.read, self.layout.separator), self.layout, 0
        for lines in blocks:
            by_line = b'"' not in lines or self._is_row_a_line(lines, layout, n_lines)
            block = lines if by_line else blocks.end_at_row()
            if block.strip():
                yield block, layout, n_lines
                layout = replace(layout, skip=0)
            n_lines += count_line_ends(block)
            self.encoding = text.encoding

    def _is_row_a_line(self, lines: bytes, layout: CsvLayout, n_lines: int) -> bool:
        """Return whether each line of a block with quotes is a row, by parsing its first column."""
        import pyarrow as pa

        first = layout.names[0]
        return parse_lines(self.path, lines, layout, ColumnTypes({first: pa.binary()}, [first]), n_lines) is not None


def _read_layout(
    path: Path, start: bytes, options: ReadOptions, columns: Sequence[str], may_lack_rows: bool
) -> CsvLayout:
    """Return the layout; a first line that holds all names of a model is a header, whatever is below it."""
    arguments: dict[str, Any] = {"sep": options.sep, "names": None, "may_lack_rows": may_lack_rows}
    layout = read_layout(path, start, header=options.header, **arguments)
    names = set(columns)
    if layout.header or options.header is not None or names <= {*layout.names}:
        return layout
    try:
        named = read_layout(path, start, header=True, **arguments)
    except ReadError:
        return layout
    return named if names <= {*named.names} else layout


def _n_expected(source: ByteSource, size: int, layout: CsvLayout) -> int:
    """Return about how many rows a file has, by the lines of its first bytes."""
    n_lines = count_line_ends(source.head) + (not source.head.endswith(b"\n"))
    return max(1, round(n_lines * size / len(source.head)) - layout.skip)


class CsvReader(SourceReader):
    """CSV files of the same columns, or one stream.

    Parameters
    ----------
    name : str
        What messages call the source.
    sources : sequence of paths, or of one stream
        The files in order.
    batch_size : int, optional
        The largest number of rows of a table.
    options : ReadOptions
        How the files are laid out, where it is known.
    names : sequence of str
        Columns of a model, which make the first line a header.
    """

    def __init__(
        self,
        name: str,
        sources: Sequence[Path | ByteSource],
        batch_size: int | None = None,
        options: ReadOptions | None = None,
        names: Sequence[str] = (),
    ) -> None:
        optional_import("pyarrow.csv", extra="data", purpose="read CSV files")
        self.name, self._batch_size = name, batch_size
        self._types: dict[str, CsvType] = {}
        self._options = options or ReadOptions()
        self._files = [_CsvFile(each, self._options, names, may_lack_rows=len(sources) > 1) for each in sources]
        self._examples: dict[str, str] = {}
        first, *others = self._files
        self.columns = list(first.layout.names)
        with_rows = next((file for file in self._files if file.layout.has_rows), first)
        self.not_features = tuple(with_rows.layout.not_features)
        expected = [file.n_expected for file in self._files]
        self.n_expected = None if None in expected else sum(n for n in expected if n is not None)
        for other in others:
            check_same_columns(first.path, self.columns, other.path, other.layout.names)

    @property
    def reading(self) -> Reading:
        """The layout of the first file, and the notation of the cells read so far."""
        layout, options = self._files[0].layout, self._options
        return Reading(
            ".csv",
            sep=layout.separator,
            decimal=layout.decimal,
            thousands=options.thousands,
            encoding=self._files[0].encoding,
            dates=options.dates,
            missing=options.missing,
            header=bool(layout.header),
            given=options.given,
            examples=tuple(filter(None, self._examples.values())),
        )

    def _blocks(self) -> Iterator[tuple[Path, bytes, CsvLayout, int]]:
        for file in self._files:
            if file.layout.has_rows:
                yield from ((file.path, *block) for block in file.blocks())

    def tables(self, roles: ColumnRoles) -> Iterator[tuple[str, Any]]:
        """Yield blocks of rows; raise TypesWidenedError where one does not have the types of those before it."""
        for path, block, layout, n_lines in self._blocks():
            for table in self._slices(self._parse(path, block, layout, roles, n_lines)):
                yield str(path), table

    def chunks(self, selection: SelectedColumns) -> Iterator[Chunk]:
        """Yield the rows with the types that a model knows; kept columns are their text in the file."""
        types, n_rows = selection.arrow_types(), 0
        for path, block, layout, n_lines in self._blocks():
            if not n_rows and None in selection.features.values():
                table = parse_csv(path, block, layout, self._columns_of(selection, {}))
                schema = fit_columns(self._frame(path, table, selection)).schema
                selection = replace(selection, features={feature.name: feature for feature in schema.features})
                types = selection.arrow_types()
            table, types = self._parse_by_model(path, block, layout, selection, types, n_lines)
            if table.num_rows:
                chunk = Chunk(self._frame(path, table, selection), _kept(path, block, layout, selection, n_lines))
                yield from chunk.split(self._batch_size or table.num_rows)
            n_rows += table.num_rows
        if not n_rows:
            raise ReadError.at(self.name, "has a header but no rows", hint="Pass a file with at least one row.")

    def _columns_of(self, selection: SelectedColumns, types: Mapping[str, Any]) -> ColumnTypes:
        import pyarrow as pa

        dates = {name: pa.string() for name in self._options.of_type("date") & selection.features.keys()}
        return ColumnTypes({**types, **dates}, list(selection.features), missing=self._options.missing)

    def _parse_by_model(
        self,
        path: Path,
        block: bytes,
        layout: CsvLayout,
        selection: SelectedColumns,
        types: dict[str, Any],
        n_lines: int,
    ) -> tuple[Any, dict[str, Any]]:
        """Return the features of a block, and the types for the next one: numbers only while all cells are numbers.

        A cell may be padded, a date or a word; then the type of the columns of numbers is inferred as by `read_table`.
        """
        import pyarrow as pa

        try:
            return parse_csv(path, block, layout, self._columns_of(selection, types), n_lines), types
        except ConversionError:
            types = {name: kind for name, kind in types.items() if not pa.types.is_floating(kind)}
            return parse_csv(path, block, layout, self._columns_of(selection, types), n_lines), types

    def _frame(self, path: Path, table: Any, selection: SelectedColumns) -> pd.DataFrame:
        """Return the features of a block; text where a model has numbers is read in the notation of the file."""
        import pyarrow as pa

        options = self._options
        rules = CellRules(self._files[0].layout.decimal, options.thousands, options.dates, is_fixed=True)
        columns = []
        for name, column in zip(table.column_names, table.columns, strict=True):
            if pa.types.is_dictionary(column.type):
                columns.append(_clean_dictionary(column, as_text=selection.as_text))
                continue
            feature, kind = selection.features.get(name), options.types.get(name)
            converted = convert_column(path, name, column, trim=True, retype=kind != "date")
            if is_text(converted.type) and (feature is None or feature.kind == "numeric"):
                read = read_cells(path, name, converted, rules, kind)
                converted = converted if read is None else read.column
                self._examples.setdefault(name, "" if read is None else read.example)
            columns.append(converted)
        return to_frame(pa.Table.from_arrays(columns, names=table.column_names))

    def _parse(self, path: Path, block: bytes, layout: CsvLayout, roles: ColumnRoles, n_lines: int) -> Any:
        unknown = [name for name in roles.columns if name not in self._types]
        if unknown:
            self._types |= infer_types(path, block, layout, unknown, roles.features)
        known = {name: kind for name, kind in self._types.items() if name in roles.columns}
        types = ColumnTypes({name: kind.parsed for name, kind in known.items()}, roles.columns)
        # A later row may need a wider type than the rows before it had; then the whole pass starts again with it.
        error: ConversionError | None = None
        try:
            table = read_columns(path, parse_csv(path, block, layout, types, n_lines), known)
        except ConversionError as raised:
            table, error = None, raised
        if table is None:
            wider = widen_types(known, infer_types(path, block, layout, roles.columns, roles.features))
            if wider.items() <= known.items():
                raise error or ReadError.at(path, "cannot be parsed", hint="Save the table as Parquet.")
            self._types |= wider
            raise TypesWidenedError
        return table

    def _slices(self, table: Any) -> Iterator[Any]:
        step = self._batch_size or max(1, table.num_rows)
        return (table.slice(begin, step) for begin in range(0, table.num_rows, step))

    def fingerprint(self) -> Fingerprint:
        """Return time of change and size of each file."""
        return file_fingerprint([file.path for file in self._files])


def _kept(path: Path, block: bytes, layout: CsvLayout, selection: SelectedColumns, n_lines: int) -> Any:
    """Return the columns to keep, as their text in the file."""
    import pyarrow as pa

    if not selection.keep:
        return None
    types = {name: pa.string() for name in selection.keep}
    return parse_csv(path, block, layout, ColumnTypes(types, selection.keep, text_can_be_missing=False), n_lines)


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
