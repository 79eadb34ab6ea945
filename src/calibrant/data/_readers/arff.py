"""ARFF, the attribute-relation file format of Weka.

Described in Witten, Frank, Hall and Pal, *Data Mining*, 4th edition (2016), and in Weka's manual.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from calibrant.data._readers.arff_header import Lines, read_header
from calibrant.data._readers.arff_rows import DenseRow, parse_row, split_plain
from calibrant.data._readers.arff_values import BLANKS, LineError
from calibrant.data._readers.cells import Column, TextColumn
from calibrant.data._readers.file_text import PathLike, lines_of, plain_text
from calibrant.data._readers.gather import Gatherer
from calibrant.data._readers.parsed import Parsed
from calibrant.exceptions import ReadError

__all__ = ["read_arff"]


def read_arff(path: PathLike, text: str) -> Parsed:
    r"""Read the text of an ARFF file; ``path`` names it in messages.

    Numbers become float64, those declared ``integer`` int64 where all are whole and none is missing; nominal
    attributes become categorical with the declared values in declared order; dates become datetime64, strings
    ``str``. An unquoted ``?`` is a hole, and so is the number ``NaN``; ``inf`` and ``-inf`` are numbers.

    A value that a sparse row leaves out is 0, the first declared value, or the start of 1970. The format has
    none for a string (Weka's answer depends on what it read before), so a string left out is a hole.

    Values end at commas and tabs. Where these do not give as many values as there are attributes, they end at
    blanks, too, as in Weka. A comma at the end of a row is passed over.

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
    lines = lines_of(plain_text(path, text))
    header = read_header(path, lines)
    rows = _Rows(path, header.columns)
    rows.take(lines)
    notes = header.notes + rows.notes()
    return Parsed(rows.gathered.frame(), sample_weight=rows.sample_weight(), notes=notes)


class _Rows:
    """The rows below ``@data``."""

    def __init__(self, path: PathLike, columns: Sequence[Column]) -> None:
        self._path, self._columns = path, columns
        self._weights: dict[int, float] = {}
        self._sparse = False
        self.gathered = Gatherer(path, columns)

    def take(self, lines: Lines) -> None:
        """Take all rows."""
        line, width, add = 0, len(self._columns), self.gathered.add
        for line, text in lines:
            row = text.strip(BLANKS)
            if not row or row[0] == "%":
                continue
            cells = split_plain(row, width)
            if cells is None:
                self._look_closer(line, row)
            else:
                add(line, cells)
        if not self.gathered.n_rows:
            hint = "There is nothing to learn from; check that the file is whole."
            raise ReadError.at(self._path, "has no rows after @data", line=line or None, hint=hint)

    def _look_closer(self, line: int, text: str) -> None:
        try:
            row = parse_row(text, len(self._columns))
        except LineError as error:
            if error.place is not None and error.place < len(self._columns):
                error.column = self._columns[error.place].name
            raise error.at(self._path, line) from None
        if row.weight is not None:
            self._weights[self.gathered.n_rows] = row.weight
        if isinstance(row, DenseRow):
            self.gathered.add(line, row.cells)
        else:
            self._sparse = True
            self.gathered.add_sparse(line, row.indices, row.cells)

    def notes(self) -> tuple[str, ...]:
        """Say what was decided about sparse rows."""
        if not self._sparse or not any(isinstance(column, TextColumn) for column in self._columns):
            return ()
        return ("Strings that sparse rows leave out are read as missing.",)

    def sample_weight(self) -> NDArray[np.float64] | None:
        """Give the weight of each row, 1 where it has none; None where no row has one."""
        if not self._weights:
            return None
        weights = np.ones(self.gathered.n_rows)
        weights[list(self._weights)] = list(self._weights.values())
        return weights
