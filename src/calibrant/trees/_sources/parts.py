"""The parts of the rows that trees are grown from, on the workers of a Dask cluster."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial, reduce
from operator import add, itemgetter
from typing import Any

from calibrant._dask.client import Connection
from calibrant._dask.tasks import FIRST, count_own, deliver, gather, pass_on, share, submit, submit_each

_MERGED_AT_ONCE = 8  # results that one task adds up
_JOBS_PER_THREAD = 4  # so that a worker that is done early takes another
_MEMORY_SHARE = 4  # of the memory of a worker: its partitions, codes and results take others


def add_up(several: Sequence[Any]) -> Any:
    """Return the sum of results: of numbers, arrays or exact sums, or of lists the joined one.

    Examples
    --------
    >>> add_up([1, 2, 3]), add_up([["a"], ["b"]])
    (6, ['a', 'b'])
    """
    return reduce(add, several)


def merged_items(merge: Callable[[Sequence[Any]], Any], several: Sequence[Sequence[Any]]) -> list[Any]:
    """Return lists merged item by item.

    Examples
    --------
    >>> merged_items(add_up, [[1, 2], [10, 20]])
    [11, 22]
    """
    return [merge(items) for items in zip(*several, strict=True)]


class Parts:
    """Futures of parts of the rows, in order, on their workers; Dask computes those of a lost worker again.

    A function is called where a part is, with the jobs of a whole batch, such as all trees that are grown together.
    """

    def __init__(self, connection: Connection, futures: Sequence[Any], description: str = "Growing trees") -> None:
        self._connection, self._parts, self._description = connection, list(futures), description
        threads = connection.n_threads()
        self.n_jobs = max(2, _JOBS_PER_THREAD * sum(threads.values()))  # that `collect` is best passed at once
        self.n_processes = max(1, len(threads))  # that hold parts

    @property
    def free_bytes(self) -> int:
        """A quarter of the memory of the smallest worker, for the rows of the trees that are grown together."""
        return self._connection.memory() // _MEMORY_SHARE

    def reduce(
        self,
        function: Callable[..., Any],
        *args: Any,
        merge: Callable[[Sequence[Any]], Any] = add_up,
        by_item: bool = False,
    ) -> Any:
        """Return the results of ``function(*args, part)`` for all parts, merged on the workers; lists `by_item`."""
        merge = partial(merged_items, merge) if by_item else merge
        level = [each for several in self._call_groups(_reduce_parts, (function, merge), args) for each in several]
        # A tree of additions: no task holds more than a few results, however many partitions there are, and each is
        # released as soon as it is added.
        while len(level) > 1:
            groups = [level[i : i + _MERGED_AT_ONCE] for i in range(0, len(level), _MERGED_AT_ONCE)]
            level = [submit(self._connection, merge, group, priority=FIRST) for group in groups]
        return gather(self._connection, level, self._description)[0]

    def collect(
        self, take: Callable[..., Any], finish: Callable[..., Any], jobs: Sequence[Any], *args: Any
    ) -> list[Any]:
        """Return ``finish(job, *args, pieces)`` for each job; a part has the pieces ``take(jobs, *args, part)``."""
        connection, taken = self._connection, self._call_groups(_take_parts, (take,), (jobs, *args), numbered=True)
        # What a worker took is picked by job there: jobs x workers tasks, where jobs x parts would choke the scheduler
        held = list[Any]()
        for groups in taken:
            together = groups[0] if len(groups) == 1 else submit(connection, _by_job, groups)
            held.append(submit_each(connection, _pick, over=[[together] * len(jobs), range(len(jobs))]))
        passed = pass_on(connection, args, len(jobs))
        finished = [
            submit(connection, _finish, finish, job, passed, list(pieces))
            for job, pieces in zip(jobs, zip(*held, strict=True), strict=True)
        ]
        del taken, groups, held, together  # workers release them as jobs are finished
        return gather(connection, finished, self._description)

    def _groups(self) -> list[list[list[int]]]:
        """Return the numbers of the parts by worker that holds them, in as many groups as it has threads.

        A group is one task: what a task costs the scheduler would otherwise be paid for every part in every pass.
        """
        holders, threads = self._connection.client.who_has(self._parts), self._connection.n_threads()
        by_worker = dict[str, list[int]]()
        for i, future in enumerate(self._parts):
            by_worker.setdefault(min(holders.get(future.key, ()), default=""), []).append(i)
        # Parts that no worker holds now are computed wherever there is room, so that each is a group.
        return [
            [numbers[i::n] for i in range(n)]
            for address, numbers in by_worker.items()
            for n in [min(len(numbers), threads.get(address, len(numbers)))]
        ]

    def _call_groups(
        self, call: Callable[..., Any], functions: tuple[Any, ...], args: tuple[Any, ...], *, numbered: bool = False
    ) -> list[list[Any]]:
        """Return by worker the futures of ``call(*functions, *args, parts)`` of each group of parts."""
        n_own, by_worker = count_own(args), self._groups()
        passed = pass_on(self._connection, args[:n_own], sum(map(len, by_worker)))
        return [
            [
                submit(
                    self._connection,
                    call,
                    *functions,
                    *([numbers] if numbered else []),
                    passed,
                    list(args[n_own:]),
                    [self._parts[i] for i in numbers],
                )
                for numbers in groups
            ]
            for groups in by_worker
        ]

    def share(self, value: Any) -> Any:
        """Return the future of a value for the last arguments of `reduce` and `each`, sent once to each worker.

        Workers fetch it from each other, and it is made again if they die.
        """
        return share(self._connection, value)

    def each(self, function: Callable[..., Any], *args: Any, receive: Callable[[Any], None]) -> None:
        """Pass ``function(*args, part)`` of each part to `receive` as it comes, and release it on its worker."""
        futures = iter(self._call_each(function, *args))  # an iterator that is used up holds no future
        deliver(self._connection, futures, self._description, lambda _, result: receive(result))

    def _call_each(self, function: Callable[..., Any], *args: Any) -> list[Any]:
        """Return the futures of ``function(*args, part)`` for all parts; futures come last in `args`."""
        n_own, n_parts = count_own(args), len(self._parts)
        passed, over = (
            pass_on(self._connection, args[:n_own], n_parts),
            [*([each] * n_parts for each in args[n_own:]), self._parts],
        )
        if isinstance(passed, tuple):
            return submit_each(self._connection, function, *passed, over=over)
        return submit_each(self._connection, _call, function, over=[[passed] * n_parts, *over])


def _call(function: Callable[..., Any], args: tuple[Any, ...], *further: Any) -> Any:
    return function(*args, *further)


def _reduce_parts(
    function: Callable[..., Any],
    merge: Callable[[Sequence[Any]], Any],
    args: tuple[Any, ...],
    shared: Sequence[Any],
    parts: Sequence[Any],
) -> Any:
    """Return the merged results of a group of parts, of which a few are held at a time."""
    found = list[Any]()
    for part in parts:
        found.append(function(*args, *shared, part))
        if len(found) == _MERGED_AT_ONCE:
            found = [merge(found)]
    return merge(found)


def _take_parts(
    take: Callable[..., Any], numbers: Sequence[int], args: tuple[Any, ...], shared: Sequence[Any], parts: Sequence[Any]
) -> list[list[tuple[int, Any]]]:
    """Return for each job what the parts of a group have, with their numbers."""
    several = [take(*args, *shared, part) for part in parts]
    return [list(zip(numbers, pieces, strict=True)) for pieces in zip(*several, strict=True)]


def _by_job(groups: Sequence[Sequence[Sequence[tuple[int, Any]]]]) -> list[list[tuple[int, Any]]]:
    """Return for each job what all groups of a worker have."""
    return [[piece for pieces in of_job for piece in pieces] for of_job in zip(*groups, strict=True)]


def _pick(by_job: Sequence[Any], number: int) -> Any:
    return by_job[number]


def _finish(finish: Callable[..., Any], job: Any, args: tuple[Any, ...], picked: Sequence[Any]) -> Any:
    """Return the result of a job from the pieces of all parts, in their order."""
    pieces = sorted((each for of_worker in picked for each in of_worker), key=itemgetter(0))
    return finish(job, *args, [piece for _, piece in pieces])
