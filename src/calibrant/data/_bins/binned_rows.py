"""The rows of a source in bins, for as long as a fit takes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from calibrant.data._bins.bins import MOST_BYTE_VALUES
from calibrant.data._bins.codes_folder import CodesFolder
from calibrant.data._bins.find_bins import find_bins
from calibrant.data._bins.write_codes import BinnedRows, write_codes
from calibrant.data._sources.source import Source

__all__ = ["binned_rows"]


@contextmanager
def binned_rows(source: Source, max_bins: int | None, *, n_jobs: int | None = 1) -> Iterator[BinnedRows]:
    """Yield the rows of a source in at most so many bins, 255 by default, mapped to files that are removed in the end.

    Examples
    --------
    >>> import polars
    >>> from calibrant.data._sources.open_source import open_source
    >>> lazy = polars.LazyFrame({"age": [31.0, 64.0, 45.0], "ill": ["no", "yes", "no"]})
    >>> with open_source(lazy, target="ill") as source, binned_rows(source, 2) as rows:
    ...     print(rows.table.codes(0))
    [0 1 0]
    """
    with CodesFolder() as folder:
        yield write_codes(source, find_bins(source, max_bins or MOST_BYTE_VALUES), folder, n_jobs=n_jobs)
