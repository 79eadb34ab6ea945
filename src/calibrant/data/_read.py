"""`read_table`: any table of the field's formats, by the ending of its name or its first bytes."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Literal

from calibrant._optional import optional_import
from calibrant.data._assemble import assemble, refuse_one_column, table_name
from calibrant.data._frames import Nominal, choose_nominal
from calibrant.data._parsed import Parsed
from calibrant.data._readers.arrow import read_feather, read_parquet
from calibrant.data._readers.delimited import read_delimited
from calibrant.data._readers.source import decode, read_bytes
from calibrant.data._table import Table

__all__ = ["read_table"]

Target = str | int | Literal[False] | None

_DELIMITED = (".csv", ".tsv", ".tab", ".txt")
_PARQUET = (".parquet", ".pq")
_FEATHER = (".feather", ".arrow", ".ipc")
_C45 = (".data", ".test")
_FIRST_BYTES = {b"PAR1": ".parquet", b"ARROW1": ".feather", b"FEA1": ".feather"}


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
        Columns to take as nominal whatever they hold, counted without the class column. In a CSV file they keep their
        characters, such as ``007``.
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
    file = Path(path)
    described = Path(names) if isinstance(names, str | os.PathLike) else _names_beside(file, names)
    if file.suffix == ".names":
        file, described = file.with_suffix(".data"), file
    if described is not None:
        parsed = _read_c45(file, described, encoding)
    else:
        listed = None if names is None or isinstance(names, str | os.PathLike) else list(names)
        told = partial(_told_nominal, target=target, nominal=nominal)
        parsed = _read_other(file, told, sep=sep, header=header, encoding=encoding, names=listed)
    if target is not False:
        refuse_one_column(file, parsed)
    return assemble(parsed, name=table_name(file), target=target, nominal=nominal, positive=positive)


def _names_beside(file: Path, names: Sequence[str] | None) -> Path | None:
    """Find the description of a C4.5 file that stands beside it."""
    unpacked = file.with_name(file.name.removesuffix(".gz"))
    beside = unpacked.with_suffix(".names")
    return beside if names is None and unpacked.suffix in _C45 and beside.is_file() else None


def _read_c45(file: Path, described: Path, encoding: str | None) -> Parsed:
    optional_import("pandas", extra="data", purpose="read tables")
    from calibrant.data._readers.c45 import read_c45
    from calibrant.data._readers.c45_names import read_names

    description = read_names(described, decode(described, read_bytes(described), encoding))
    return read_c45(file, decode(file, read_bytes(file), encoding), description)


def _read_other(
    file: Path,
    as_text: Callable[[Sequence[str]], set[str]],
    *,
    sep: str | None,
    header: bool | None,
    encoding: str | None,
    names: list[str] | None,
) -> Parsed:
    optional_import("pandas", extra="data", purpose="read tables")
    raw = read_bytes(file)
    ending = _ending(file, raw)
    if ending in _PARQUET:
        return read_parquet(file, raw)
    if ending in _FEATHER:
        return read_feather(file, raw)
    if ending == ".arff":
        from calibrant.data._readers.arff import read_arff

        return read_arff(file, decode(file, raw, encoding))
    return read_delimited(file, raw, sep=sep, header=header, encoding=encoding, names=names, as_text=as_text)


def _ending(file: Path, raw: bytes) -> str:
    """Tell the format: by the ending of the name where it is one of ours, else by the first bytes."""
    ending = Path(file.name.removesuffix(".gz")).suffix.lower()
    if ending in (*_DELIMITED, *_PARQUET, *_FEATHER, ".arff"):
        return ending
    for magic, known in _FIRST_BYTES.items():
        if raw.startswith(magic):
            return known
    start = raw[:4096].lstrip(b"\xef\xbb\xbf").lower()
    lines = [line.strip() for line in start.splitlines() if line.strip() and not line.lstrip().startswith(b"%")]
    return ".arff" if lines and lines[0].startswith(b"@relation") else ".csv"


def _told_nominal(names: Sequence[str], *, target: Target, nominal: Nominal) -> set[str]:
    """Give the columns that ``nominal`` names, its positions counted without the class column."""
    place = -1 if target is None else target
    by_position = isinstance(place, int) and place is not False and -len(names) <= place < len(names)
    column = names[place] if by_position else target  # type: ignore[index]
    features = [name for name in names if name != column]
    return {features[position] for position in choose_nominal(nominal, features)}
