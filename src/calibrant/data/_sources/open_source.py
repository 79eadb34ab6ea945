"""What counts as a source, and the opening of one."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from calibrant._dask.client import Connection, active_client
from calibrant.data._frames.columns import Nominal
from calibrant.data._sources.column_roles import choose_roles
from calibrant.data._sources.dask_source import DaskSource
from calibrant.data._sources.readers.files import open_files
from calibrant.data._sources.readers.frame_readers import DatasetReader, FrameReader, LazyFrameReader
from calibrant.data._sources.readers.partitions import PartitionReader, Partitions
from calibrant.data._sources.readers.reader import SourceReader
from calibrant.data._sources.source import LocalSource, Source
from calibrant.exceptions import ParameterError

__all__ = ["is_source", "open_source"]


def is_source(X: Any) -> bool:
    """Return whether a table is read part by part: a path, a LazyFrame, a pyarrow Dataset or a Dask collection.

    Examples
    --------
    >>> is_source("rows.parquet"), is_source([[1.0, 2.0]])
    (True, False)
    """
    return isinstance(X, str | os.PathLike) or _is_dask(X) or _is_lazy(X) or _is_dataset(X)


def open_source(
    X: Any,
    *,
    target: str | None,
    sample_weight: str | None = None,
    groups: str | None = None,
    columns: Sequence[str] | None = None,
    nominal: Nominal = "auto",
    batch_size: int | None = None,
    client: Any = None,
) -> Source:
    """Open a table that is read part by part; a frame in memory is accepted too.

    Parameters
    ----------
    X : path, polars LazyFrame, pyarrow Dataset, Dask collection, or frame
        The table. A path is that of a file, or of a folder of Parquet or CSV files, which are read by name.
    target, sample_weight, groups : str, optional
        The columns of classes, weights and groups.
    columns : sequence of str, optional
        The features; by default all other columns.
    nominal : "auto", "all", or a sequence of names, positions or booleans
        The columns to treat as nominal, in addition to those whose values are not numbers.
    batch_size : int, optional
        The largest number of rows of a part, where the source allows a choice.
    client : distributed.Client, optional
        The cluster that reads a Dask collection; by default the active one. Other sources take none.

    Returns
    -------
    Source
        To be closed, or opened with ``with``.

    Examples
    --------
    >>> import polars
    >>> lazy = polars.LazyFrame({"age": [31, 64, 45], "ill": ["no", "yes", "no"]})
    >>> with open_source(lazy, target="ill", batch_size=2) as source:
    ...     [(part.number, part.first_row, part.y.tolist()) for part in source]
    [(0, 0, ['no', 'yes']), (1, 2, ['no'])]
    """
    roles: dict[str, Any] = {"target": target, "sample_weight": sample_weight, "groups": groups}
    if _is_dask(X):
        return _open_dask(X, client, {**roles, "columns": columns, "nominal": nominal})
    if client is not None:
        raise ParameterError(
            "client must be None unless the source is a Dask frame or array; got a client. To learn on its workers, "
            "pass dask.dataframe.read_parquet(path) or the like."
        )
    reader = _reader(X, batch_size)
    return LocalSource(
        reader, choose_roles(reader.columns, reader.not_features, **roles, columns=columns, nominal=nominal)
    )


def _open_dask(X: Any, client: Any, roles: dict[str, Any]) -> Source:
    """Open a Dask collection on a cluster: that of the client, or of the active one, else in this process."""
    partitions = Partitions(X)
    for role in ("target", "sample_weight", "groups"):
        if partitions.is_array and isinstance(roles[role], int):
            roles[role] = str(roles[role])
    chosen = choose_roles(partitions.columns, **roles, named=not partitions.is_array)
    client = client if client is not None else active_client()
    if client is None:
        return LocalSource(PartitionReader(partitions), chosen)
    return DaskSource(partitions, chosen, Connection(client))


def _reader(X: Any, batch_size: int | None) -> SourceReader:
    if isinstance(X, str | os.PathLike):
        return open_files(Path(X), batch_size)
    if _is_lazy(X):
        return LazyFrameReader(X, batch_size)
    return DatasetReader(X, batch_size) if _is_dataset(X) else FrameReader(X, batch_size)


def _is_dask(X: Any) -> bool:
    return type(X).__module__.partition(".")[0] in ("dask", "dask_expr") and hasattr(X, "to_delayed")


def _is_lazy(X: Any) -> bool:
    return hasattr(X, "collect") and hasattr(X, "collect_schema") and hasattr(X, "lazy")


def _is_dataset(X: Any) -> bool:
    return type(X).__module__.startswith("pyarrow") and hasattr(X, "get_fragments")
