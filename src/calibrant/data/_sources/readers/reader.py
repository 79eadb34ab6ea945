"""What a form of source provides: its columns and, in every pass, its tables in order."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from calibrant.exceptions import DataError

if TYPE_CHECKING:
    from calibrant.data._sources.column_roles import ColumnRoles

__all__ = ["Fingerprint", "SourceReader", "TypesWidenedError", "file_fingerprint", "rows_of_a_part"]

# Time of change and size of each file.
Fingerprint = tuple[tuple[str, int, int], ...]

# Of a part: 8 MB of floats, with copies and what Arrow reads ahead some 70 MB; few enough parts that their overhead
# does not count.
_CELLS = 2**20
_MOST_ROWS = 2**18


class TypesWidenedError(Exception):
    """A column of a CSV file does not have the type of its first rows: the pass starts again with a wider one."""


class SourceReader(ABC):
    """A form of source: what messages call it, all its columns, and those that are no features."""

    name: str
    columns: Sequence[str]
    not_features: Sequence[str] = ()

    @abstractmethod
    def tables(self, roles: ColumnRoles) -> Iterator[tuple[str, Any]]:
        """Yield the rows in order as frames of bounded size, each with where it stands."""

    def fingerprint(self) -> Fingerprint:
        """Return what changes when a file is written to; () where that is not known."""
        return ()


def rows_of_a_part(n_columns: int, wanted: int | None = None) -> int:
    """Return the number of rows of a part.

    Examples
    --------
    >>> rows_of_a_part(20), rows_of_a_part(1), rows_of_a_part(20, 500)
    (52428, 262144, 500)
    """
    return wanted or max(1, min(_MOST_ROWS, _CELLS // max(1, n_columns)))


def file_fingerprint(paths: Sequence[Path]) -> Fingerprint:
    """Return time of change and size of files; raise if one is no longer there."""
    try:
        states = [(str(path), path.stat()) for path in paths]
    except OSError as error:
        raise DataError(f"{error.filename} was removed while it was read. Read it again from the start.") from error
    return tuple((path, state.st_mtime_ns, state.st_size) for path, state in states)
