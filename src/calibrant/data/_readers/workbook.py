"""Workbooks of Excel and LibreOffice: one sheet, as the CSV text that the program itself would write of it."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from datetime import date, time, timedelta
from pathlib import Path
from typing import Any

from calibrant._optional import optional_import
from calibrant._repr import listed
from calibrant.data._readers.cells import CellRules
from calibrant.data._readers.reading import ReadOptions
from calibrant.data._readers.source import check_width
from calibrant.exceptions import ReadError, nearest

_EXACT = 1e15  # larger whole numbers are not exact in a workbook
_ENCRYPTED = "EncryptedPackage".encode("utf-16-le")  # the stream of a workbook with a password
_CELLS = 50_000_000  # of a sheet, about 4 GB as Python has them


def sheet_as_csv(path: Path, raw: bytes, options: ReadOptions) -> tuple[bytes, str | None, tuple[str, ...]]:
    """Return a sheet as CSV with commas in UTF-8, with its name where it is one of several, and notes.

    By default it is the first visible sheet that has a table. Rows without a cell are left out, cells that were merged
    have their value in every row, and numbers have the decimal mark of ``options``.
    """
    calamine = optional_import("python_calamine", extra="tables", purpose="read workbooks")
    if _ENCRYPTED in raw:
        raise _encrypted(path)
    try:
        book = calamine.CalamineWorkbook.from_filelike(io.BytesIO(raw))
        sheet, rows = _chosen_sheet(path, book, options.sheet)
    except calamine.PasswordError as error:
        raise _encrypted(path) from error
    except (calamine.CalamineError, OSError) as error:
        hint = "Open it in the program that made it and save it again, or as CSV."
        raise ReadError.at(path, f"is no complete workbook ({str(error)[:80]})", hint=hint) from error
    merged = _fill_merged(path, sheet, rows)
    notes = (f"The value of merged cells ({merged}) is in each of their rows.",) if merged else ()
    decimal = CellRules.of(options).decimal
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([_text(cell, decimal) for cell in row] for row in rows if any(row))
    return text.getvalue().encode("utf-8", "replace"), sheet.name if len(book.sheet_names) > 1 else None, notes


def _encrypted(path: Path) -> ReadError:
    return ReadError.at(path, "is encrypted", hint="Save it without a password.")


def _chosen_sheet(path: Path, book: Any, wanted: str | int | None) -> tuple[Any, list[list[Any]]]:
    """Return the sheet that is wanted, or the first visible one that has a table, with its cells."""
    names = book.sheet_names
    if wanted is not None:
        name = names[wanted - 1] if isinstance(wanted, int) and 0 < wanted <= len(names) else wanted
        if name not in names:
            known = f"It has {listed(map(repr, names), 6)}.{nearest(str(name), names)}"
            raise ReadError.at(path, f"has no sheet {name!r:.60}", hint=known)
        candidates = [name]
    else:
        candidates = [each.name for each in book.sheets_metadata if each.visible == each.visible.Visible] or names
    for name in candidates:
        sheet = book.get_sheet_by_name(name)
        check_width(path, sheet.width)
        if sheet.width * sheet.height > _CELLS:
            size = f"{sheet.height:,} rows and {sheet.width:,} columns"
            raise ReadError.at(path, f"has a sheet of {size}", hint="Save it as CSV or Parquet.")
        rows = sheet.to_python()
        if sum(any(cell != "" for cell in row) for row in rows) > 1 and len(rows[0]) > 1:
            return sheet, rows
    which = f"the sheet {candidates[0]!r:.60}" if len(candidates) == 1 else f"none of its {len(candidates)} sheets"
    has = "has no table" if len(candidates) == 1 else "has a table"
    raise ReadError.at(path, f"{which} {has}", hint="A table has a row of names, and rows under it.")


def _fill_merged(path: Path, sheet: Any, rows: list[list[Any]]) -> str:
    """Write the value of cells that are merged over rows into each of them, and return the ranges as text."""
    top, left = sheet.start
    shown = []
    for (first, begin), (last, end) in sheet.merged_cell_ranges or ():
        at, column, stop = first - top, begin - left, last - top + 1
        if begin < end and _is_header(rows, at):
            name = f"{_letters(begin)}{first + 1}:{_letters(end)}{last + 1}"
            hint = "Unmerge them, so that each column has a name of its own."
            raise ReadError.at(path, f"has merged cells in its header ({name})", hint=hint)
        if first < last and begin == end and at >= 0 and stop <= len(rows):
            shown.append(f"{_letters(begin)}{first + 1}:{_letters(end)}{last + 1}")
            for row in rows[at + 1 : stop]:
                row[column] = rows[at][column]
    return listed(shown, 3) if shown else ""


def _is_header(rows: Sequence[Sequence[Any]], at: int) -> bool:
    """Return whether a row with merged cells is that of the names: below a title the rest of the row is empty."""
    if not 0 <= at < len(rows) - 1:
        return False
    filled = [sum(cell != "" for cell in row) for row in rows[at : at + 2]]
    return filled[0] > 1 and 2 * filled[0] >= filled[1] and not any(isinstance(cell, float) for cell in rows[at])


def _letters(column: int) -> str:
    """Return the letters of a column, from 0."""
    return (_letters(column // 26 - 1) if column >= 26 else "") + chr(ord("A") + column % 26)


def _text(cell: Any, decimal: str) -> str:
    """Return a cell as CSV has it."""
    if isinstance(cell, str):
        return cell
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if isinstance(cell, date):  # a datetime too
        return cell.isoformat(*([" "] if hasattr(cell, "hour") else []))
    if isinstance(cell, time):
        return cell.isoformat("seconds")
    value = cell.total_seconds() if isinstance(cell, timedelta) else float(cell)
    return str(int(value)) if value.is_integer() and abs(value) < _EXACT else repr(value).replace(".", decimal)
