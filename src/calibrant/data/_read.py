"""`read_table`: any table of the field's formats, by the ending of its name or its first bytes."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from calibrant._optional import optional_import
from calibrant.data._frames.columns import Nominal
from calibrant.data._readers.arrow import read_feather, read_parquet
from calibrant.data._readers.delimited import read_delimited
from calibrant.data._readers.first_bytes import refuse_foreign, told_format
from calibrant.data._readers.options import Target, as_nominal_items, as_path, as_target, check_arguments
from calibrant.data._readers.parsed import Parsed
from calibrant.data._readers.source import decode, read_bytes
from calibrant.data._tables.assemble import assemble, refuse_one_column, table_name, told_nominal
from calibrant.data._tables.table import Table

__all__ = ["read_table"]

_DELIMITED = (".csv", ".tsv", ".tab", ".txt")
_PARQUET = (".parquet", ".pq")
_FEATHER = (".feather", ".arrow", ".ipc")
_C45 = (".data", ".test")


def read_table(
    path: str | os.PathLike[str],
    target: Target = None,
    names: str | os.PathLike[str] | Sequence[str] | None = None,
    nominal: Nominal = None,
    *,
    positive: object = None,
    sep: str | None = None,
    header: bool | None = None,
    encoding: str | None = None,
) -> Table:
    r"""Read a table: CSV or TSV (gzip too), Parquet, Feather, ARFF, or C4.5's ``.names`` and ``.data``.

    Numbers are numeric, also whole numbers of few values unless ``nominal`` says otherwise; strings and truth values
    are nominal; dates are numeric. ``?``, ``NA``, ``NaN``, ``null``, ``None`` and nothing are missing. Show the table
    to see what was decided: its ``notes`` name what may surprise.

    Parameters
    ----------
    path : str or path
        The file. ``x.names`` reads ``x.data`` with it; ``x.data`` finds ``x.names`` beside it.
    target : str, int or False, optional
        The class column, by name or position; the last one unless told. False: the table has no class.
    names : path or sequence of str, optional
        The ``.names`` file that describes a ``.data`` or ``.test`` file, or the columns' names of a CSV file that has
        no header.
    nominal : "all", or a sequence of names, positions or truth values, optional
        Columns to take as nominal whatever they hold. Positions and truth values count the features, the columns of
        ``Table.X``. In a CSV file the columns keep their characters, such as ``007``.
    positive : object, optional
        The class of interest.
    sep : str, optional
        The mark between the columns of a CSV file; told from its first lines unless given.
    header : bool, optional
        Whether the first line of a CSV file names the columns; told from its first lines unless given.
    encoding : str, optional
        The encoding of a text file; UTF-8, or UTF-16 where it is marked, unless given.

    Returns
    -------
    Table
        Features, class and what was decided about each column.

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
    """
    file = as_path(path)
    check_arguments(target=target, names=names, sep=sep, header=header, encoding=encoding)
    told, place = as_nominal_items(nominal), as_target(target)
    described = as_path(names, "names") if isinstance(names, str | os.PathLike) else _names_beside(file, names)
    if file.suffix.lower() == ".names":
        file, described = _data_beside(file), file
    delimited = False
    if described is not None:
        parsed = _read_c45(file, described, encoding)
    else:
        listed = None if names is None or isinstance(names, str | os.PathLike) else list(names)
        as_text = partial(_features_told, target=place, nominal=told)
        options = _CsvOptions(sep, header, encoding, listed, as_text)
        parsed, delimited = _read_other(file, options)
    if place is not False:
        refuse_one_column(file, parsed, delimited=delimited)
    return assemble(parsed, name=table_name(file), target=place, nominal=told, positive=positive)


@dataclass(frozen=True)
class _CsvOptions:
    """What the caller says of a delimited file."""

    sep: str | None
    header: bool | None
    encoding: str | None
    names: list[str] | None
    as_text: Callable[[Sequence[str]], set[str]]


def _beside(file: Path, ending: str) -> Path | None:
    """Find the file of another ending, in small letters or capitals, packed or not."""
    endings = [case + packed for packed in ("", ".gz") for case in (ending, ending.upper(), ending.title())]
    return next((other for other in map(file.with_suffix, endings) if _is_file(other)), None)


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # a name too long, say, which is told when the file itself is opened
        return False


def _names_beside(file: Path, names: object) -> Path | None:
    """Find the description of a C4.5 file that stands beside it."""
    unpacked = Path(re.sub(r"(?i)\.gz$", "", str(file)))
    return _beside(unpacked, ".names") if names is None and unpacked.suffix.lower() in _C45 else None


def _data_beside(file: Path) -> Path:
    return _beside(file, ".data") or file.with_suffix(".data")


def _read_c45(file: Path, described: Path, encoding: str | None) -> Parsed:
    optional_import("pandas", extra="data", purpose="read tables")
    from calibrant.data._readers.c45 import read_c45
    from calibrant.data._readers.c45_names import read_names

    description = read_names(described, _text_of(described, encoding))
    return read_c45(file, _text_of(file, encoding), description)


def _text_of(file: Path, encoding: str | None) -> str:
    raw = read_bytes(file)
    refuse_foreign(file, raw)
    return decode(file, raw, encoding)


def _read_other(file: Path, options: _CsvOptions) -> tuple[Parsed, bool]:
    """Read what is not C4.5, and say whether it was a delimited file."""
    optional_import("pandas", extra="data", purpose="read tables")
    raw = read_bytes(file)
    ending = _ending(file, raw)
    if ending in _PARQUET:
        return read_parquet(file, raw), False
    if ending in _FEATHER:
        return read_feather(file, raw), False
    if ending == ".arff":
        from calibrant.data._readers.arff import read_arff

        refuse_foreign(file, raw)
        return read_arff(file, decode(file, raw, options.encoding)), False
    return read_delimited(file, raw, **vars(options)), True


def _ending(file: Path, raw: bytes) -> str:
    """Tell the format: by the ending of the name where it is one of ours, else by the first bytes."""
    ending = Path(file.name.lower().removesuffix(".gz")).suffix
    if ending in (*_DELIMITED, *_PARQUET, *_FEATHER, ".arff"):
        return ending
    known = told_format(raw)
    if known is not None:
        return known
    start = raw[:4096].lstrip(b"\xef\xbb\xbf").lower()
    lines = [line.strip() for line in start.splitlines() if line.strip() and not line.lstrip().startswith(b"%")]
    return ".arff" if lines and lines[0].startswith(b"@relation") else ".csv"


def _features_told(columns: Sequence[str], *, target: Target, nominal: Nominal) -> set[str]:
    """Give the features that ``nominal`` names; the class is none, nor are the columns set apart."""
    place = -1 if target is None else target
    by_position = isinstance(place, int) and place is not False and -len(columns) <= place < len(columns)
    label = columns[place] if by_position else target  # type: ignore[index]
    return told_nominal(nominal, [name for name in columns if name != label])
