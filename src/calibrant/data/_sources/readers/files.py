"""A file, or the files of a folder by name, as a source."""

from __future__ import annotations

import re
from pathlib import Path

from calibrant.data._readers.file_format import FEATHER, PARQUET, detect_format
from calibrant.data._readers.source import check_is_file
from calibrant.data._sources.readers.csv_reader import CsvReader
from calibrant.data._sources.readers.frame_readers import FrameReader
from calibrant.data._sources.readers.parquet_reader import ParquetReader
from calibrant.data._sources.readers.reader import SourceReader
from calibrant.exceptions import ReadError

__all__ = ["open_files"]

_TEXT = (".csv", ".tsv", ".tab", ".txt")
_C45 = (".names", ".data", ".test")


def open_files(path: Path, batch_size: int | None = None) -> SourceReader:
    """Open a file or a folder of Parquet or CSV files; other formats are read whole."""
    if path.is_dir():
        paths = _files(path)
        is_parquet = _extension(paths[0]) in PARQUET
        return (ParquetReader if is_parquet else CsvReader)(str(path), paths, batch_size)
    check_is_file(path)
    with path.open("rb") as file:
        extension = detect_format(path, file.read(2**12))
    if extension in PARQUET:
        return ParquetReader(str(path), [path], batch_size)
    if extension in (*FEATHER, ".arff") or _extension(path) in _C45:
        return _whole_file(path, batch_size)
    return CsvReader(str(path), [path], batch_size)


def _whole_file(path: Path, batch_size: int | None) -> SourceReader:
    import pandas as pd

    from calibrant.data._read_table import read_table  # a circular import otherwise

    table = read_table(path, target=False)
    frame = table.X if table.extra is None else pd.concat([table.X, table.extra], axis=1)
    return FrameReader(frame, batch_size, str(path))


def _files(folder: Path) -> list[Path]:
    """Return the files of a folder in the order of their names, numbers in them by size as Dask orders them."""
    found = [path for path in folder.iterdir() if path.is_file() and path.name[0] not in "._"]
    known = [path for path in found if _is_table(path)]
    if not known:
        hint = "Pass a folder of such files; for one with folders in it, pass pyarrow.dataset.dataset(folder)."
        raise ReadError.at(folder, "has no Parquet or CSV files", hint=hint)
    if below := _inner_folder(folder):
        hint = "Move them into one folder, or pass pyarrow.dataset.dataset(folder)."
        raise ReadError.at(folder, f"has files and a folder of files, {below.name!r}", hint=hint)
    if len({_extension(path) in PARQUET for path in known}) > 1:
        raise ReadError.at(folder, "has both Parquet and CSV files", hint="Pass a folder of one of them.")
    return sorted(known, key=lambda path: natural_key(path.name))


def _is_table(path: Path) -> bool:
    return _extension(path) in (*PARQUET, *_TEXT)


def _inner_folder(folder: Path) -> Path | None:
    """Return a folder in another one that has Parquet or CSV files, whose rows nobody would read."""
    inner = (path for path in sorted(folder.iterdir()) if path.is_dir() and path.name[0] not in "._")
    return next((path for path in inner if any(map(_is_table, path.iterdir()))), None)


def natural_key(name: str) -> list[tuple[int, int, str]]:
    """Return a key by which part.2 precedes part.10.

    Examples
    --------
    >>> sorted(["part.10.csv", "part.2.csv"], key=natural_key)
    ['part.2.csv', 'part.10.csv']
    """
    pieces = re.split(r"([0-9]+)", name)
    return [(0, int(piece), piece) if piece.isascii() and piece.isdigit() else (1, 0, piece) for piece in pieces]


def _extension(path: Path) -> str:
    return Path(path.name.lower().removesuffix(".gz")).suffix
