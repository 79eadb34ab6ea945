"""ARFF, the attribute-relation file format of Weka (Witten, Frank, Hall and Pal, *Data Mining*, 4th edition, 2016).

Written here because the libraries lack features: scipy.io.arff reads no strings and no sparse rows, liac-arff no dates,
no row weights and no rows split at blanks. Of the 148 readable files in our tests they read 21 and 101 the same way.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from calibrant.data._readers.arff_header import Lines, read_header
from calibrant.data._readers.arff_rows import DenseRow, parse_row, split_simple
from calibrant.data._readers.arff_values import BLANKS, LineError
from calibrant.data._readers.column_converters import ColumnConverter, TextColumn
from calibrant.data._readers.file_text import PathLike, iter_lines, normalize_text
from calibrant.data._readers.frame_builder import FrameBuilder
from calibrant.data._readers.parsed_file import ParsedFile
from calibrant.exceptions import ReadError

__all__ = ["read_arff"]


def read_arff(path: PathLike, text: str) -> ParsedFile:
    r"""Read the text of an ARFF file; ``path`` is for error messages.

    Numbers become float64, those declared ``integer`` int64 if all are integral and none is missing; nominal
    attributes become categorical with the declared values in declared order; dates become datetime64, strings
    ``str``. An unquoted ``?`` is a missing value, and so is the number ``NaN``; ``inf`` and ``-inf`` are numbers.

    A value that a sparse row omits is 0, the first declared value, or the start of 1970. The format defines none
    for a string (in Weka it depends on the rows before), so an omitted string is a missing value.

    Values are separated by commas and tabs, and by blanks too, as in Weka, if a row would otherwise have fewer
    values than there are attributes. A comma at the end of a row is ignored.

    Examples
    --------
    >>> header = "@relation loans\n@attribute age numeric\n@attribute y {no, yes}\n@data\n"
    >>> read_arff("a.arff", header + "31, yes\n64, ?, {2}").frame
        age    y
    0  31.0  yes
    1  64.0  NaN
    >>> read_arff("a.arff", header + "31, yse")
    Traceback (most recent call last):
    calibrant.exceptions.ReadError: a.arff, line 5, column 'y': 'yse' is not a declared value. ...
    """
    lines = iter_lines(normalize_text(path, text))
    header = read_header(path, lines)
    rows = _RowReader(path, header.columns)
    rows.read(lines)
    notes = header.notes + rows.notes()
    return ParsedFile(rows.builder.frame(), sample_weight=rows.sample_weight(), notes=notes)


class _RowReader:
    """Reads the rows below ``@data``."""

    def __init__(self, path: PathLike, columns: Sequence[ColumnConverter]) -> None:
        self._path, self._columns = path, columns
        self._weights: dict[int, float] = {}
        self._sparse = False
        self.builder = FrameBuilder(path, columns)

    def read(self, lines: Lines) -> None:
        """Read all rows."""
        line, width, add = 0, len(self._columns), self.builder.add
        for line, text in lines:
            row = text.strip(BLANKS)
            if not row or row[0] == "%":
                continue
            cells = split_simple(row, width)
            if cells is None:
                self._add_unusual_row(line, row)
            else:
                add(line, cells)
        if not self.builder.n_rows:
            hint = "Check that the file is complete."
            raise ReadError.at(self._path, "has no rows after @data", line=line or None, hint=hint)

    def _add_unusual_row(self, line: int, text: str) -> None:
        try:
            row = parse_row(text, len(self._columns))
        except LineError as error:
            if error.position is not None and error.position < len(self._columns):
                error.column = self._columns[error.position].name
            raise error.at(self._path, line) from None
        if row.weight is not None:
            self._weights[self.builder.n_rows] = row.weight
        if isinstance(row, DenseRow):
            self.builder.add(line, row.cells)
        else:
            self._sparse = True
            self.builder.add_sparse(line, row.indices, row.cells)

    def notes(self) -> tuple[str, ...]:
        """Return a note if sparse rows omit strings."""
        if not self._sparse or not any(isinstance(column, TextColumn) for column in self._columns):
            return ()
        return ("Strings that sparse rows omit are read as missing values.",)

    def sample_weight(self) -> NDArray[np.float64] | None:
        """Return the weight of each row, 1 by default; None if no row has a weight."""
        if not self._weights:
            return None
        weights = np.ones(self.builder.n_rows)
        weights[list(self._weights)] = list(self._weights.values())
        return weights
