"""The parts of the rows that trees are grown from, on the workers of a Dask cluster."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Sequence
from functools import partial, reduce
from operator import add
from typing import Any

from calibrant._dask.client import Connection
from calibrant._dask.tasks import deliver, gather, submit

_MERGED_AT_ONCE = 8  # results that one task adds up
_JOBS_PER_THREAD = 4  # so that a worker that is done early takes another
_MEMORY_SHARE = 4  # of the memory of a worker: its partitions, codes and results take others
_PIECE = 4 << 20  # bytes of one message to the scheduler: Dask warns of 10 MB


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
        level = [submit(self._connection, function, *args, part) for part in self._parts]
        futures = level
        # A tree of additions: no task holds more than a few results, however many partitions there are.
        while len(level) > 1:
            groups = [level[i : i + _MERGED_AT_ONCE] for i in range(0, len(level), _MERGED_AT_ONCE)]
            level = [submit(self._connection, merge, group) for group in groups]
            futures = futures + level
        return self._gather(level, futures)[0]

    def collect(
        self, take: Callable[..., Any], finish: Callable[..., Any], jobs: Sequence[Any], *args: Any
    ) -> list[Any]:
        """Return ``finish(job, *args, pieces)`` for each job; pieces are ``take(job, *args, part)`` of all parts."""
        pieces = [[submit(self._connection, take, job, *args, part) for part in self._parts] for job in jobs]
        finished = [
            submit(self._connection, finish, job, *args, of_job) for job, of_job in zip(jobs, pieces, strict=True)
        ]
        return self._gather(finished, [each for of_job in pieces for each in of_job] + finished)

    def share(self, value: Any) -> Any:
        """Return the future of a value for the last arguments of `reduce` and `each`, sent once to each worker.

        Workers fetch it from each other, and it is made again if they die.
        """
        # In pieces, since the scheduler passes a large value through one message; workers join them.
        whole = memoryview(pickle.dumps(value))
        pieces = [submit(self._connection, bytes, bytes(whole[i : i + _PIECE])) for i in range(0, len(whole), _PIECE)]
        return submit(self._connection, _unpickled, pieces)

    def each(self, function: Callable[..., Any], *args: Any, receive: Callable[[Any], None]) -> None:
        """Pass ``function(*args, part)`` of each part to `receive` as it comes, and release it on its worker."""
        futures = (submit(self._connection, function, *args, part) for part in self._parts)
        deliver(self._connection, futures, self._description, lambda _, result: receive(result))

    def _gather(self, wanted: Sequence[Any], submitted: Sequence[Any]) -> list[Any]:
        """Return the results of some tasks; all of them are cancelled after an error or Ctrl-C."""
        try:
            return gather(self._connection, wanted, self._description)
        except BaseException:
            # Dask would go on with tasks that nobody waits for.
            self._connection.cancel(submitted)
            raise


def _unpickled(pieces: Sequence[bytes]) -> Any:
    return pickle.loads(b"".join(pieces))  # noqa: S301
