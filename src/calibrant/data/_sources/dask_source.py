"""A Dask frame or array as a source: each pass is a task a partition on the workers, and rows stay there."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, TypeVar

from calibrant._dask.client import Connection
from calibrant._dask.tasks import by_value, gather, submit
from calibrant.data._sources.source import Source
from calibrant.data._sources.source_part import SourcePart, make_part

if TYPE_CHECKING:
    from calibrant.data._sources.column_roles import ColumnRoles
    from calibrant.data._sources.readers.partitions import Partitions

__all__ = ["DaskSource"]

R = TypeVar("R")


class DaskSource(Source):
    """A Dask collection whose partitions the workers of a cluster read.

    Parameters
    ----------
    partitions : Partitions
        The partitions, not computed.
    roles : ColumnRoles
        What each column is.
    connection : Connection
        The cluster.
    """

    def __init__(self, partitions: Partitions, roles: ColumnRoles, connection: Connection) -> None:
        super().__init__(roles, partitions.name, connection.client)
        self.connection = connection
        self._delayed = partitions.delayed(roles.columns)

    def __iter__(self) -> Iterator[SourcePart]:
        """Yield the parts in order, for what only this process can do; one partition is read ahead."""
        numbers = range(len(self._delayed))
        following = self._start(numbers[:1], _identity)
        for number in numbers:
            (future,), following = following, self._start(numbers[number + 1 : number + 2], _identity)
            yield gather(self.connection, [future], "Reading")[0]

    def start(self, function: Callable[..., Any], *args: Any) -> list[Any]:
        """Return the futures of ``function(part, *args)`` of every part; their results stay on the workers."""
        return self._start(range(len(self._delayed)), function, *args)

    def _start(self, numbers: Sequence[int], function: Callable[..., Any], *args: Any) -> list[Any]:
        from dask.delayed import delayed

        firsts = [None] * len(self._delayed) if self._survey is None else self._survey.first_rows
        call = delayed(by_value(_call, function, args, self.roles), pure=False, traverse=False)
        tasks = [call(self._delayed[number], number, firsts[number]) for number in numbers]
        return list(self.connection.client.compute(tasks, optimize_graph=False))

    def map(self, function: Callable[..., R], *args: Any, description: str = "Reading") -> list[R]:
        """Return ``function(part, *args)`` of every part, in the order of the parts."""
        return gather(self.connection, self.start(function, *args), description)

    def reduce(
        self, function: Callable[..., R], *args: Any, merge: Callable[[R, R], R], description: str = "Reading"
    ) -> R:
        """Return ``function(part, *args)`` of all parts, merged on the workers in a tree of neighbors."""
        futures = self.start(function, *args)
        all_futures = list(futures)
        while len(futures) > 1:
            pairs = zip_longest(futures[::2], futures[1::2])
            futures = [one if other is None else submit(self.connection, merge, one, other) for one, other in pairs]
            all_futures += futures
        gather(self.connection, all_futures[: len(self._delayed)], description, fetch=False)
        merged: R = gather(self.connection, futures, description)[0]
        return merged

    def close(self) -> None:
        """Close a connection that was opened for this source."""
        super().close()
        self.connection.close()


def _call(
    function: Callable[..., R], args: Sequence[Any], roles: ColumnRoles, table: Any, number: int, first: int | None
) -> R:
    """Compute a function of a partition, on a worker."""
    return function(make_part(table, roles, number, origin=f"partition {number}", first_row=first), *args)


def _identity(part: SourcePart) -> SourcePart:
    return part
