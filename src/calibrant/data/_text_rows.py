"""Small tables that are not read by column, such as costs: their cells as text, row by row."""

from __future__ import annotations

import os
from pathlib import Path

from calibrant.data._readers.arguments import as_path
from calibrant.data._readers.csv_layout import guess_separator, split_rows
from calibrant.data._readers.source import TEXT, check_text_format, decode, detect_format, read_bytes


def read_text_rows(path: str | os.PathLike[str]) -> list[tuple[int, list[str]]]:
    r"""Return the rows of a file that `read_table` can read as stripped texts, each with its line; blank ones left out.

    Encoding, compression and separator are found as by `read_table`; of a workbook or a Parquet file the first row has
    the names of the columns.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "costs.csv"
    >>> _ = path.write_text("actual;leave;write\n\nno;0;0,68\n")
    >>> read_text_rows(path)
    [(1, ['actual', 'leave', 'write']), (3, ['no', '0', '0,68'])]
    """
    file = as_path(path)
    raw = read_bytes(file)
    if detect_format(file, raw) not in TEXT:
        return _rows_of_frame(file)
    check_text_format(file, raw)
    text = decode(file, raw)
    rows = [(row.line, [cell.strip() for cell in row.cells]) for row in split_rows(text, guess_separator(file, text))]
    return [(line, cells) for line, cells in rows if any(cells)]


def _rows_of_frame(file: Path) -> list[tuple[int, list[str]]]:
    from calibrant.data._read_table import read_table  # a circular import otherwise

    frame = read_table(file, target=False).X.astype(object)
    rows = [list(frame), *frame.where(frame.notna(), "").to_numpy().tolist()]
    return [
        (line, [f"{cell:.12g}" if isinstance(cell, float) else str(cell) for cell in row])
        for line, row in enumerate(rows, 1)
    ]
