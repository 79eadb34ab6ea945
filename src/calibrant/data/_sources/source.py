"""A source of rows: a table of any size, whose parts are read again in every pass."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from copy import copy
from functools import cached_property, reduce
from types import TracebackType
from typing import Any, Self, TypeVar

from calibrant._dask.client import Connection, import_distributed
from calibrant._dask.tasks import FIRST, by_value, deliver, gather, pass_on, submit
from calibrant._progress import progress
from calibrant.data._frames.schema import Schema
from calibrant.data._sources.source_part import ColumnRoles, SourcePart, make_part
from calibrant.data._sources.survey import Survey, check_same_length, merge_surveys, survey_part
from calibrant.data._sources.table_readers import Partitions, SourceReader, TypesWidenedError
from calibrant.exceptions import DataError

R = TypeVar("R")

_MOST_MERGED = 8  # results of parts that one task of a cluster merges
_COLUMNS_MERGED = 80  # and the most columns of them: a worker holds about a megabyte of each


class Source(ABC):
    """A table that is read part by part, as often as needed; its rows are numbered through all parts.

    A subclass defines ``__iter__``, and `map` and `reduce` where it computes elsewhere. The functions passed to these
    are defined at the top level of a module, so that they can be pickled, and depend on their arguments alone.

    Parameters
    ----------
    roles : ColumnRoles
        What each column is.
    name : str
        What messages call the source.
    client : distributed.Client, optional
        The cluster that computes, where there is one.
    """

    def __init__(self, roles: ColumnRoles, name: str, client: Any = None) -> None:
        self.roles, self.name, self.client = roles, name, client
        self._survey: Survey | None = None

    @abstractmethod
    def __iter__(self) -> Iterator[SourcePart]:
        """Yield the parts in order, one at a time, in this process."""

    def map(self, function: Callable[..., R], *args: Any, description: str = "Reading") -> list[R]:
        """Return ``function(part, *args)`` of every part, in the order of the parts."""
        return [function(part, *args) for part in progress(self, total=self._n_known, description=description)]

    def reduce(
        self,
        function: Callable[..., R],
        *args: Any,
        merge: Callable[[R, R], R],
        description: str = "Reading",
    ) -> R:
        """Return ``function(part, *args)`` of all parts, merged in order two by two as they come.

        ``merge`` is associative, and may put other items into its first argument; a cluster merges neighbors in a tree,
        and this process one after the other, so that only two results are held at a time.
        """
        merged: R | None = None
        for part in progress(self, total=self._n_known, description=description):
            found = function(part, *args)
            merged = found if merged is None else merge(merged, found)
        if merged is None:
            raise DataError(f"{self.name} has no rows. Pass a table with rows.")
        return merged

    @property
    def _n_known(self) -> int | None:
        return None if self._survey is None else len(self._survey.lengths)

    def survey(self, n_distinct: int = 0) -> Survey:
        """Return the facts of a pass over all rows, which is made once, and again for distinct values.

        The source does not keep these, nor samples: half a megabyte a column.
        """
        if self._survey is None or n_distinct:
            found = self.reduce(
                survey_part, self.roles, n_distinct, merge=merge_surveys, description="Reading the source"
            )
            found.check(self.name, self.roles)
            check_same_length(self._survey, found, self.name)
            self._survey = found.without_values()
            return found
        return self._survey

    @cached_property
    def schema(self) -> Schema:
        """Names, kinds and categories of the features."""
        return self.survey().schema(self.roles)

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the features."""
        return self.roles.features

    @property
    def n_parts(self) -> int:
        """Number of parts."""
        return len(self.survey().lengths)

    @property
    def n_rows(self) -> int:
        """Number of rows of weight above 0."""
        return self.survey().n_rows

    @property
    def first_rows(self) -> list[int]:
        """The number of the first row of each part."""
        return self.survey().first_rows

    def close(self) -> None:
        """Release what the source holds; the table itself stays."""
        self._survey = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class LocalSource(Source):
    """A source that this process reads, one part after another."""

    def __init__(self, reader: SourceReader, roles: ColumnRoles) -> None:
        super().__init__(roles, reader.name)
        self._reader = reader
        self._state = reader.fingerprint()

    def __iter__(self) -> Iterator[SourcePart]:
        self._check_unchanged()
        row = 0
        for number, (origin, table) in enumerate(self._reader.tables(self.roles)):
            part = make_part(table, self.roles, number, origin=origin, first_row=row)
            row += part.n_rows
            yield part
        self._check_unchanged()
        if self._survey is not None and row != self._survey.n_rows:
            raise self._changed(f"it had {self._survey.n_rows:,} rows, then {row:,}")

    def map(self, function: Callable[..., R], *args: Any, description: str = "Reading") -> list[R]:
        """Return ``function(part, *args)`` of every part; a pass starts again if a CSV file turns out otherwise."""
        again = super().map
        return self._again(lambda: again(function, *args, description=description))

    def reduce(
        self, function: Callable[..., R], *args: Any, merge: Callable[[R, R], R], description: str = "Reading"
    ) -> R:
        """Return ``function(part, *args)`` of all parts, merged in order."""
        again = super().reduce
        return self._again(lambda: again(function, *args, merge=merge, description=description))

    def _again(self, run: Callable[[], R]) -> R:
        """Run a pass, and once more whenever the type of a column of a CSV file had to be widened in it."""
        while True:
            try:
                return run()
            except TypesWidenedError:
                self._survey = None

    def _check_unchanged(self) -> None:
        if self._reader.fingerprint() != self._state:
            raise self._changed("its time of change or its size differs")

    def _changed(self, how: str) -> DataError:
        return DataError(f"{self.name} changed while it was read ({how}). Read it again when nobody writes to it.")


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
        delayed, self._as_frame = partitions.delayed(roles.columns)
        self._delayed = [_held(each) for each in delayed]

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
        passed = pass_on(self.connection, args, len(numbers))
        own, sent = ((args,), ()) if passed is args else ((), (passed,))
        call = delayed(
            by_value(_call_on_worker, function, self._as_frame, self.roles, *own), pure=False, traverse=False
        )
        tasks = [call(*sent, self._delayed[number], number, firsts[number]) for number in numbers]
        return list(self.connection.client.compute(tasks, optimize_graph=False))

    def map(self, function: Callable[..., R], *args: Any, description: str = "Reading") -> list[R]:
        """Return ``function(part, *args)`` of every part, in the order of the parts."""
        return gather(self.connection, self.start(function, *args), description)

    def reduce(
        self, function: Callable[..., R], *args: Any, merge: Callable[[R, R], R], description: str = "Reading"
    ) -> R:
        """Return ``function(part, *args)`` of all parts, merged on the workers in a tree of neighbors."""
        futures = self.start(function, *args)
        parts = iter(futures)  # which holds none when it is used up: a result is released as soon as it is merged
        at_once = max(2, min(_MOST_MERGED, _COLUMNS_MERGED // max(1, len(self.columns))))
        while len(futures) > 1:
            groups = [futures[i : i + at_once] for i in range(0, len(futures), at_once)]
            futures = [
                group[0] if len(group) == 1 else submit(self.connection, _merged, merge, group, priority=FIRST)
                for group in groups
            ]
        deliver(self.connection, parts, description, lambda *_: None, fetch=False)
        merged: R = gather(self.connection, futures, description)[0]
        return merged

    def close(self) -> None:
        """Close a connection that was opened for this source."""
        super().close()
        self.connection.close()


def _held(delayed: Any) -> Any:
    """Return the future of a partition that workers hold, the partition itself where it is yet to be computed.

    Dask would make a task of its own of each in every pass, only to give the future another name.
    """
    graph, key = delayed.dask, delayed.key
    while (target := getattr(graph.get(key), "target", None)) is not None:
        key = target
    found = graph.get(key)
    return found if isinstance(found, import_distributed().Future) else delayed


def _call_on_worker(
    function: Callable[..., R],
    as_frame: Callable[[Any, int], Any],
    roles: ColumnRoles,
    args: Sequence[Any],
    table: Any,
    number: int,
    first: int | None,
) -> R:
    """Compute a function of a partition, on a worker."""
    part = make_part(as_frame(table, number), roles, number, origin=f"partition {number}", first_row=first)
    return function(part, *args)


def _merged(merge: Callable[[R, R], R], several: Sequence[R]) -> R:
    """Merge results on a worker, which needs the first as it is if the merged one is lost."""
    return reduce(merge, several[1:], copy(several[0]))


def _identity(part: SourcePart) -> SourcePart:
    return part
