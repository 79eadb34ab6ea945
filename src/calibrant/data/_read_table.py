"""`read_table`: a table from a file of any supported format."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from calibrant._optional import optional_import
from calibrant.data._frames.columns import Nominal
from calibrant.data._readers.arguments import (
    Target,
    as_nominal_items,
    as_path,
    as_target,
    check_arguments,
    nominal_features,
    nominal_names,
)
from calibrant.data._readers.arrow import read_feather, read_parquet, to_parsed_file, with_missing
from calibrant.data._readers.cells import MISSING, CellRules
from calibrant.data._readers.compression import COMPRESSED, uncompressed_name
from calibrant.data._readers.csv_file import read_csv
from calibrant.data._readers.frame_builder import ParsedFile
from calibrant.data._readers.reading import ColumnType, DateOrder, ReadOptions
from calibrant.data._readers.source import (
    FEATHER,
    JSON,
    PARQUET,
    STATISTICS,
    WORKBOOKS,
    check_text_format,
    decode,
    detect_format,
    read_bytes,
)
from calibrant.data._tables.assemble import (
    assemble,
    check_has_features,
    note_guessed_class,
    note_id_columns,
    table_name,
)
from calibrant.data._tables.table import Table
from calibrant.exceptions import ReadError, nearest

_C45 = (".data", ".test")


def read_table(
    path: str | os.PathLike[str],
    target: Target = None,
    names: str | os.PathLike[str] | Sequence[str] | None = None,
    nominal: Nominal = None,
    *,
    positive: object = None,
    sep: str | None = None,
    decimal: str | None = None,
    thousands: str | None = None,
    header: bool | None = None,
    encoding: str | None = None,
    dates: DateOrder | None = None,
    missing: Sequence[str] | None = None,
    sheet: str | int | None = None,
    types: Mapping[str, ColumnType] | None = None,
    drop_ids: bool = False,
) -> Table:
    r"""Read a table from a file of almost any program.

    The formats are CSV and other text with separators, workbooks (``.xlsx``, ``.xls``, ``.ods``), Parquet, Feather,
    JSON, ARFF, C4.5's ``.names`` and ``.data``, and files of Stata (``.dta``), SPSS (``.sav``) and SAS
    (``.sas7bdat``); text may be compressed with gzip, zstd or zip. Workbooks and files of these programs need
    ``pip install "calibrant[tables]"``.

    Numbers are numeric, including integers of few values unless ``nominal`` lists the column; strings and booleans are
    nominal; dates are numeric. ``?``, ``NA``, ``NaN``, ``null``, ``None`` and empty cells are missing values. Print the
    table to see how it was read: its ``notes`` explain unexpected decisions.

    Parameters
    ----------
    path : str or path
        The file. ``x.names`` and ``x.data`` are read together, whichever of them is passed.
    target : str, int or False, optional
        The class column, by name or position; by default the last one. False: the table has no class.
    names : path or sequence of str, optional
        The ``.names`` file that describes a ``.data`` or ``.test`` file, or the column names of a CSV file that has
        no header.
    nominal : "all", or a sequence of names, positions or booleans, optional
        Columns to read as nominal whatever their values. Positions and booleans refer to the features, the columns of
        ``Table.X``. In a CSV file these columns are read as text, such as ``007``.
    positive : object, optional
        The class of interest.
    sep : str, optional
        The separator of a CSV file; by default inferred from its first lines.
    decimal, thousands : str, optional
        The decimal mark, ``"."`` or ``","``, and the character between thousands; by default inferred from all cells
        of a column, and from the whole file where a column such as ``1,234`` does not show it.
    header : bool, optional
        Whether the first line of a CSV file is a header; by default inferred from its first lines.
    encoding : str, optional
        The encoding of a text file; by default that of its byte order mark, else UTF-8 if all bytes are, else UTF-16
        if every other byte is zero, else cp1252.
    dates : {"dmy", "mdy", "ymd"}, optional
        The order of day, month and year; needed for a column in which both orders fit all dates, such as 03/04/2021.
    missing : sequence of str, optional
        Further texts that mean missing values.
    sheet : str or int, optional
        The sheet of a workbook, by name or number from 1; by default the first that has a table.
    types : dict of column to {"nominal", "number", "date", "text", "drop"}, optional
        The types of columns, instead of those that their values show; ``"drop"`` leaves a column out.
    drop_ids : bool, default=False
        Whether to leave out columns that look like ids: a different value in every one of 20 rows or more, unless they
        are measured numbers, free text (20 values or more, most of them distinct, of three words on average) or in
        ``nominal``. They are in ``Table.extra``. By default they are features, and a note names them.

    Returns
    -------
    Table
        Features and class, with the kind of each column.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "donors.csv"
    >>> _ = path.write_text("age,town,gives\n31,Bern,yes\n?,Rome,no\n64,Bern,no\n")
    >>> table = read_table(path)
    >>> table.kinds
    {'age': 'numeric', 'town': 'nominal'}
    >>> table.class_counts
    {'no': 2, 'yes': 1}
    >>> table.notes
    ("The class is the last column, 'gives'; pass target= for another.",)
    """
    file = as_path(path)
    layout: dict[str, Any] = {"sep": sep, "decimal": decimal, "thousands": thousands, "header": header}
    layout |= {"encoding": encoding, "dates": dates, "missing": missing, "sheet": sheet, "types": types}
    check_arguments(target=target, names=names, drop_ids=drop_ids, **layout)
    options = ReadOptions(**{**layout, "missing": tuple(missing or ()), "types": dict(types or {})})
    nominal, target = _with_types(as_nominal_items(nominal), options), as_target(target)
    names_file = as_path(names, "names") if isinstance(names, str | os.PathLike) else _find_names_file(file, names)
    if file.suffix.lower() == ".names":
        file, names_file = (_sibling(file, ".data") or file.with_suffix(".data"), file)
    delimited = False
    if names_file is not None:
        parsed = _read_c45(file, names_file, encoding)
    else:
        columns = None if names is None or isinstance(names, str | os.PathLike) else list(names)
        parsed, delimited = _read_other(
            file, options, columns, partial(nominal_features, target=target, nominal=nominal)
        )
    if target is not False:
        check_has_features(file, parsed, delimited=delimited)
    parsed = _without_dropped(file, parsed, options)
    table = assemble(parsed, name=table_name(file), target=target, nominal=nominal, positive=positive)
    if target is None and parsed.target is None:
        table = note_guessed_class(table)
    return note_id_columns(table, nominal_names(nominal, [str(name) for name in table.X]), drop=bool(drop_ids))


def _with_types(nominal: Nominal, options: ReadOptions) -> Nominal:
    """Return the columns to read as nominal with those that ``types`` declares so."""
    declared = options.of_type("nominal")
    if not declared or nominal == "all":
        return nominal
    return [*(nominal or []), *sorted(declared)]


def _without_dropped(file: Path, parsed: ParsedFile, options: ReadOptions) -> ParsedFile:
    """Return the columns without those that ``types`` drops, and the line of what was understood among the notes."""
    names = [str(name) for name in parsed.frame]
    for name in options.types:
        if name not in names:
            raise ReadError.at(
                file, f"types names {name!r:.60}, which is not a column", hint=nearest(name, names).strip()
            )
    dropped = options.of_type("drop")
    frame = parsed.frame.drop(columns=[name for name in parsed.frame if str(name) in dropped])
    frame, reading = frame if dropped else parsed.frame, parsed.reading
    if reading is None:
        return replace(parsed, frame=frame)
    declared = {name: kind for name, kind in options.types.items() if kind != "drop"}
    return replace(
        parsed,
        frame=frame,
        notes=(*parsed.notes, *((f"Read as {reading.text}.",) if reading.text else ())),
        reading=replace(reading, types=declared),
    )


def _sibling(file: Path, extension: str) -> Path | None:
    """Return the file with another extension, in any case, compressed or not; None if there is none."""
    cases = (extension, extension.upper(), extension.title())
    extensions = [case + compressed for compressed in ("", *COMPRESSED) for case in cases]
    return next((other for other in map(file.with_suffix, extensions) if _is_file(other)), None)


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # such as a name too long, which is reported when the file itself is opened
        return False


def _find_names_file(file: Path, names: object) -> Path | None:
    """Return the ``.names`` file in the folder of a C4.5 data file, if there is one."""
    uncompressed = file.with_suffix("") if file.suffix.lower() in COMPRESSED else file
    return _sibling(uncompressed, ".names") if names is None and uncompressed.suffix.lower() in _C45 else None


def _read_c45(file: Path, names_file: Path, encoding: str | None) -> ParsedFile:
    optional_import("pandas", extra="data", purpose="read tables")
    from calibrant.data._readers.c45 import read_c45, read_names

    description = read_names(names_file, _text_of(names_file, encoding))
    return read_c45(file, _text_of(file, encoding), description)


def _text_of(file: Path, encoding: str | None) -> str:
    raw = read_bytes(file)
    check_text_format(file, raw)
    return decode(file, raw, encoding)


def _read_other(
    file: Path, options: ReadOptions, names: list[str] | None, as_text: Callable[[Sequence[str]], set[str]]
) -> tuple[ParsedFile, bool]:
    """Read a file that is not C4.5; return also whether it is a CSV file."""
    optional_import("pandas", extra="data", purpose="read tables")
    raw = read_bytes(file)
    extension = detect_format(file, raw)
    if extension in PARQUET:
        return read_parquet(file, raw, options), False
    if extension in FEATHER:
        return read_feather(file, raw, options), False
    if extension == ".arff":
        from calibrant.data._readers.arff import read_arff

        check_text_format(file, raw)
        return read_arff(file, decode(file, raw, options.encoding)), False
    if extension in WORKBOOKS:
        return _read_workbook(file, raw, extension, options, names, as_text), False
    if extension in (*JSON, *STATISTICS):
        return _read_records(file, raw, extension, options), False
    parsed = read_csv(file, raw, options, names, as_text)
    if Path(uncompressed_name(file)).suffix in WORKBOOKS:
        parsed = replace(parsed, notes=("It is text in spite of its name, and read as CSV.", *parsed.notes))
    return parsed, True


def _read_workbook(
    file: Path,
    raw: bytes,
    extension: str,
    options: ReadOptions,
    names: list[str] | None,
    as_text: Callable[[Sequence[str]], set[str]],
) -> ParsedFile:
    """Read the sheet of a workbook as the CSV file that it would be."""
    from calibrant.data._readers.workbook import sheet_as_csv

    text, sheet, notes = sheet_as_csv(file, raw, options)
    parsed = read_csv(file, text, replace(options, sep=",", encoding="utf-8"), names, as_text)
    own: dict[str, Any] = {"format": extension, "sep": None, "encoding": None, "sheet": sheet, "given": options.given}
    reading = None if parsed.reading is None else replace(parsed.reading, **own)
    return replace(parsed, notes=(*notes, *parsed.notes), reading=reading)


def _read_records(file: Path, raw: bytes, extension: str, options: ReadOptions) -> ParsedFile:
    """Read a table of JSON, in which dates are text, or of a statistics program, whose types are known."""
    from calibrant.data._readers.records import read_json, read_statistics

    is_json = extension in JSON
    table, notes = (read_json(file, raw, options.encoding), ()) if is_json else read_statistics(file, raw, extension)
    parsed = to_parsed_file(
        file,
        with_missing(table, (*MISSING, *options.missing) if is_json else options.missing),
        trim=is_json,
        notes=notes,
        rules=CellRules.of(options),
        types=options.types,
        only_declared=not is_json,
    )
    reading = None if parsed.reading is None else replace(parsed.reading, format=extension, given=options.given)
    return replace(parsed, reading=reading)
