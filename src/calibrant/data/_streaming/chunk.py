"""A chunk of a table, and the chunks of one file."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

    from calibrant.data._streaming.wanted_columns import SelectedColumns

__all__ = ["Chunk", "TableChunks"]


@dataclass(frozen=True, eq=False)
class Chunk:
    """Some rows: the features, and as an Arrow table the columns to keep, None if there are none."""

    X: pd.DataFrame
    kept: Any = None

    def split(self, n_rows: int) -> Iterator[Chunk]:
        """Yield chunks of at most ``n_rows`` rows."""
        if len(self.X) <= n_rows:
            yield self
            return
        for first in range(0, len(self.X), n_rows):
            kept = None if self.kept is None else self.kept.slice(first, n_rows)
            yield Chunk(self.X.iloc[first : first + n_rows], kept)


@dataclass(frozen=True, eq=False)
class TableChunks:
    """The chunks of a file, with the names of all its columns and those that are read.

    ``n_rows`` is the number of rows that the file states, None if it states none, and ``n_expected`` an estimate for
    progress bars; ``is_streamed`` is False where the whole file was read at once because its format requires that.
    """

    columns: tuple[str, ...]
    selection: SelectedColumns
    chunks: Iterator[Chunk]
    notes: tuple[str, ...] = ()
    n_rows: int | None = None
    n_expected: int | None = None
    is_streamed: bool = True
