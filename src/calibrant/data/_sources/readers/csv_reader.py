"""CSV files, each read in blocks of whole rows; a column has one type in all blocks, which the first rows suggest."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

from calibrant._optional import optional_import
from calibrant.data._readers.csv_layout import CsvLayout, read_layout
from calibrant.data._readers.csv_parser import ColumnTypes, ConversionError, count_line_ends, parse_csv
from calibrant.data._readers.file_format import check_text_format
from calibrant.data._sources.readers.csv_types import CsvType, infer_types, read_columns, widen_types
from calibrant.data._sources.readers.file_schemas import check_same_columns
from calibrant.data._sources.readers.reader import Fingerprint, SourceReader, TypesWidenedError, file_fingerprint
from calibrant.data._streaming.byte_source import open_bytes, utf8_blocks
from calibrant.data._streaming.csv_chunks import is_row_a_line
from calibrant.data._streaming.row_blocks import RowBlocks
from calibrant.exceptions import ReadError

if TYPE_CHECKING:
    from calibrant.data._sources.column_roles import ColumnRoles

__all__ = ["CsvReader"]

_BLOCK = 2**23  # bytes: some 50,000 rows of 20 numbers, few enough blocks that their overhead does not count


class CsvReader(SourceReader):
    """CSV files of the same columns."""

    def __init__(self, name: str, paths: Sequence[Path], batch_size: int | None = None) -> None:
        optional_import("pyarrow.csv", extra="data", purpose="read CSV files")
        self.name, self._paths, self._batch_size = name, paths, batch_size
        self._types: dict[str, CsvType] = {}
        self._layouts = [_layout(path, is_one_of_many=len(paths) > 1) for path in paths]
        self.columns = list(self._layouts[0].names)
        with_rows = next((layout for layout in self._layouts if layout.has_rows), self._layouts[0])
        self.not_features = tuple(with_rows.not_features)
        for path, layout in zip(paths[1:], self._layouts[1:], strict=True):
            check_same_columns(paths[0], self.columns, path, layout.names)

    def tables(self, roles: ColumnRoles) -> Iterator[tuple[str, Any]]:
        """Yield blocks of rows; raise TypesWidenedError where one does not have the types of those before it."""
        for path, layout in zip(self._paths, self._layouts, strict=True):
            if not layout.has_rows:
                continue
            for block, of_block, n_lines in _blocks(path, layout):
                for table in self._slices(self._parse(path, block, of_block, roles, n_lines)):
                    yield str(path), table

    def _parse(self, path: Path, block: bytes, layout: CsvLayout, roles: ColumnRoles, n_lines: int) -> Any:
        unknown = [name for name in roles.columns if name not in self._types]
        if unknown:
            self._types |= infer_types(path, block, layout, unknown, roles.features)
        known = {name: kind for name, kind in self._types.items() if name in roles.columns}
        types = ColumnTypes({name: kind.parsed for name, kind in known.items()}, roles.columns)
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
        return file_fingerprint(self._paths)


def _layout(path: Path, *, is_one_of_many: bool) -> CsvLayout:
    with open_bytes(path, 2**20) as source:
        check_text_format(path, source.head + source.tail)
        start = utf8_blocks(source, None)[0]
        return read_layout(path, start, sep=None, header=None, names=None, may_lack_rows=is_one_of_many)


def _blocks(path: Path, layout: CsvLayout) -> Iterator[tuple[bytes, CsvLayout, int]]:
    """Yield blocks of whole rows, with the layout of each and the number of lines before it."""
    with open_bytes(path, _BLOCK) as source:
        first, read = utf8_blocks(source, None)
        blocks, n_lines = RowBlocks(first, read, layout.separator), 0
        for number, lines in zip(count(), blocks, strict=False):
            of_block = replace(layout, skip=0) if number else layout
            by_line = b'"' not in lines or is_row_a_line(path, lines, of_block, n_lines)
            block = lines if by_line else blocks.end_at_row()
            if block.strip():
                yield block, of_block, n_lines
            n_lines += count_line_ends(block)
