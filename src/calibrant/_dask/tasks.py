"""Tasks of a Dask cluster: what a worker checks before one, and results as they come, with progress and Ctrl-C."""

from __future__ import annotations

import pickle
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import calibrant
from calibrant._dask.client import Connection, import_distributed
from calibrant._memory import format_bytes
from calibrant._optional import optional_import
from calibrant._progress import progress
from calibrant.exceptions import CalibrantError, ClusterError

_NAPS = (0.001, 0.02)  # shortest and longest, between looks for finished tasks
_OTHER_VERSION = "a Dask worker that joined has calibrant"
FIRST = 1  # priority of tasks that add up results: workers would hold those of all parts before
_PIECE = 4 << 20  # bytes of arguments that pass through the scheduler at once: Dask warns of 10 MB
_POLL_SECONDS = 1.0  # between looks at the connection
_LOOK_SECONDS = 1.0  # between looks at the workers, while nothing ends
_STILL_SECONDS = 45.0  # without work on workers that are paused or gone, before this is an error
_LEAST_DEATHS = 2  # in that time, of workers that were started in place of others
_BUSY = ("executing", "long-running", "flight")  # states of tasks that go on by themselves
_MEMORY_HINT = "Start workers with more memory, or pass smaller partitions or fewer columns."


class SentByValue:
    """An object that arrives in another process as itself, with its functions of ``__main__``, lambdas and closures."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __reduce__(self) -> tuple[Any, ...]:
        cloudpickle = optional_import("cloudpickle", extra="dask", purpose="use a Dask cluster")
        return cloudpickle.loads, (cloudpickle.dumps(self.value, protocol=5),)


class TaskResults:
    """The results of tasks in the order in which they end; the main thread wakes up often enough for Ctrl-C."""

    def __init__(self, connection: Connection, *, fetch: bool = True) -> None:
        self._connection, self._fetch = connection, fetch
        self._completed = import_distributed().as_completed(
            loop=connection.client.loop, with_results=fetch, raise_errors=False
        )

    def add(self, future: Any) -> None:
        """Wait for another task."""
        self._completed.add(future)

    def take(self, timeout: float) -> list[tuple[Any, Any]]:
        """Return the next tasks that ended with their results, empty if none ends within `timeout` seconds."""
        deadline, nap = time.monotonic() + timeout, _NAPS[0]
        while True:
            self._connection.check()
            found = self._next()
            if found or time.monotonic() >= deadline:
                return found
            time.sleep(nap)
            nap = min(2 * nap, _NAPS[1])

    def _next(self) -> list[tuple[Any, Any]]:
        found = list(self._completed.next_batch(block=False))
        if self._fetch:
            return found
        return [(future, future.exception() if future.status == "error" else None) for future in found]


class StillWorkers:
    """Raises when no worker goes on: all that have tasks are paused for lack of memory, all are gone, or all die again.

    Dask itself would wait for ever, or until one task has ended four workers.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection, self._state, self._looked = connection, None, -_LOOK_SECONDS
        self._since = time.monotonic()
        self._first, self._present = frozenset[str](), frozenset[str]()  # workers at the first look, and at the last
        self._deaths: list[float] = []  # of workers that came later, by their times

    def check(self) -> None:
        """Look at the workers, now and then; call this when no task has ended for a moment."""
        now = time.monotonic()
        if now - self._looked < _LOOK_SECONDS:
            return
        workers, self._looked = self._connection.workers(), now
        self._check_deaths(frozenset(workers), now)
        counts = {address: worker.get("metrics", {}).get("task_counts", {}) for address, worker in workers.items()}
        paused = [address for address, worker in workers.items() if worker.get("status") == "paused"]
        is_busy = any(each.get(kind) for each in counts.values() for kind in _BUSY)
        state: Any = None if is_busy or (workers and not paused) else (counts, paused)
        if state is None or state != self._state:
            self._state, self._since = state, now
        elif now - self._since > _STILL_SECONDS:
            raise ClusterError(_why_still(len(workers), len(paused), self._connection.memory()))

    def _check_deaths(self, present: frozenset[str], now: float) -> None:
        """Raise if as many workers as there were have died that had been started in place of others."""
        # A worker that is lost once is Dask's own business: only those that follow it show that it will go on so
        self._first = self._first or present
        died = self._present - present - self._first
        self._present = present
        self._deaths = [*(each for each in self._deaths if now - each < _STILL_SECONDS), *(now for _ in died)]
        if len(self._deaths) >= max(_LEAST_DEATHS, len(self._first)):
            raise ClusterError(
                f"Dask workers die again and again, {len(self._deaths):,} of those that were started in place of "
                f"others in {now - self._deaths[0]:.0f} seconds, most often for lack of memory. {_MEMORY_HINT}"
            )


def _why_still(n_workers: int, n_paused: int, memory: int) -> str:
    if not n_workers:
        return f"all Dask workers are gone, most often for lack of memory. {_MEMORY_HINT}"
    return (
        f"{n_paused:,} of {n_workers:,} Dask workers are paused, because their memory is nearly used up (the smallest "
        f"has {format_bytes(memory)}), and no task goes on. {_MEMORY_HINT}"
    )


def by_value(function: Callable[..., Any], *args: Any) -> Callable[..., Any]:
    """Return a function of further arguments that any worker can load, and that checks its version of calibrant first.

    What it calls and the arguments travel as bytes: a worker that cannot load a task closes, and takes others with it.
    """
    payload, version = pickle.dumps((function, args)), calibrant.__version__

    def run(*further: Any) -> Any:
        import importlib
        import pickle

        try:
            found = importlib.import_module("calibrant").__version__
        except ImportError:
            found = "none"
        if found != version:
            raise RuntimeError(
                f"a Dask worker that joined has calibrant {found}; here it is {version}. "
                "Install the same version on all workers."
            )
        function, args = pickle.loads(payload)  # noqa: S301
        return function(*args, *further)

    return run


def submit(connection: Connection, function: Callable[..., Any], *args: Any, **options: Any) -> Any:
    """Return the future of a function called on a worker; arguments that are futures stay on the workers.

    The futures come last: ``submit(connection, function, 3, future)``.
    """
    n_own = count_own(args)
    return connection.client.submit(by_value(function, *args[:n_own]), *args[n_own:], pure=False, **options)


def submit_each(
    connection: Connection, function: Callable[..., Any], *args: Any, over: Sequence[Sequence[Any]], **options: Any
) -> list[Any]:
    """Return the futures of ``function(*args, *each)`` for each of some rows of futures or numbers, in one message.

    `over` has a sequence for each of the last arguments.
    """
    return list(connection.client.map(by_value(function, *args), *over, pure=False, **options))


def share(connection: Connection, value: Any) -> Any:
    """Return the future of a value, which is sent once to each worker that needs it.

    Workers fetch it from each other, and it is made again if they die.
    """
    # In pieces, since the scheduler passes a large value through one message; workers join them.
    whole = pickle.dumps(value)
    if len(whole) <= _PIECE:
        return submit(connection, _unpickled, [whole])
    pieces = [submit(connection, bytes, whole[i : i + _PIECE]) for i in range(0, len(whole), _PIECE)]
    return submit(connection, _unpickled, pieces)


def pass_on(connection: Connection, args: tuple[Any, ...], n_calls: int) -> Any:
    """Return arguments of some calls, or the future of those that would be too heavy to travel in every call."""
    return args if len(pickle.dumps(args)) * n_calls <= _PIECE else share(connection, args)


def _unpickled(pieces: Sequence[bytes]) -> Any:
    return pickle.loads(b"".join(pieces))  # noqa: S301


def count_own(args: Sequence[Any]) -> int:
    """Count the arguments before the first future, or list that holds one."""
    kind = import_distributed().Future
    held = ([each] if not isinstance(each, list) else each for each in args)
    return next((i for i, several in enumerate(held) if any(isinstance(each, kind) for each in several)), len(args))


def gather(connection: Connection, futures: Sequence[Any], description: str, *, fetch: bool = True) -> list[Any]:
    """Return the results of tasks in their order; what still runs is cancelled after an error or Ctrl-C.

    Without `fetch` the results stay on the workers, and the list is one of None.
    """
    found = dict[Any, Any]()
    try:
        deliver(connection, futures, description, found.__setitem__, fetch=fetch)
    except BaseException:
        connection.cancel(futures)
        raise
    return [found[future.key] for future in futures]


def deliver(
    connection: Connection,
    futures: Iterable[Any],
    description: str,
    receive: Callable[[Any, Any], None],
    *,
    fetch: bool = True,
) -> None:
    """Pass the key and the result of each task to `receive` as it ends; what still runs is cancelled after an error.

    A future that nobody else holds is released then, and its result with it.
    """
    stream, running = TaskResults(connection, fetch=fetch), {future.key: future for future in futures}
    still = StillWorkers(connection)
    try:
        with progress(total=len(running), description=description) as bar:
            for future in running.values():
                stream.add(future)
            while running:
                if not (ended := stream.take(_POLL_SECONDS)):
                    still.check()
                for future, result in ended:
                    if future.status != "finished":
                        raise task_error(future, result)
                    del running[future.key]
                    receive(future.key, result)
                    bar.advance()
    except BaseException:
        connection.cancel(running.values())
        raise


class TaskQueue:
    """Calls that are shared out over the workers, each a few at a time, so that a worker that joins late takes part.

    Parameters
    ----------
    connection : Connection
        The cluster.
    start : function
        Submits a call: of its arguments and Dask's options.
    """

    def __init__(self, connection: Connection, start: Callable[..., Any]) -> None:
        self._connection, self._start = connection, start
        self._open: dict[Any, tuple[int, str]] = {}  # number of the call and its worker, by future

    def run(self, calls: Sequence[tuple[Any, ...]], description: str) -> list[Any]:
        """Return the futures of all calls, in their order, when all have ended; their results stay on the workers.

        What runs is cancelled after an error or Ctrl-C.
        """
        stream, waiting = TaskResults(self._connection, fetch=False), deque(enumerate(calls))
        found: dict[int, Any] = {}
        still = StillWorkers(self._connection)
        try:
            with progress(total=len(calls), description=description) as bar:
                while len(found) < len(calls):
                    self._submit(waiting, stream)
                    if not (ended := stream.take(_POLL_SECONDS)):
                        still.check()
                    for future, result in ended:
                        if future.status != "finished":
                            raise task_error(future, result)
                        found[self._open.pop(future)[0]] = future
                        bar.advance()
        except BaseException:
            self._connection.cancel([*self._open, *found.values()])
            raise
        return [found[number] for number in range(len(calls))]

    def _submit(self, waiting: deque[tuple[int, tuple[Any, ...]]], stream: TaskResults) -> None:
        """Submit calls until every thread has one, and one more, so that it need not wait for the client."""
        for worker, n_threads in self._connection.n_threads().items():
            n_open = sum(at == worker for _, at in self._open.values())
            for _ in range(min(len(waiting), n_threads + 1 - n_open)):
                number, call = waiting.popleft()
                future = self._start(*call, workers=[worker], allow_other_workers=True)
                self._open[future] = (number, worker)
                stream.add(future)


def is_other_version(error: Any) -> bool:
    """Return whether an error says that a worker has another version of calibrant."""
    return isinstance(error, RuntimeError) and str(error).startswith(_OTHER_VERSION)


def task_error(future: Any, result: Any) -> BaseException:
    """Return the error of a task that failed: its own, or one that explains the end of its worker."""
    error = result[1] if isinstance(result, tuple) else result
    if is_other_version(error):
        return ClusterError(str(error))
    if isinstance(error, CalibrantError):
        return error
    if not isinstance(error, BaseException):
        return ClusterError(f"a Dask task was lost ({future.status}). Fit again.")
    if type(error).__name__ == "KilledWorker":
        return ClusterError(f"a task ended several Dask workers, most often for lack of memory: {error} {_MEMORY_HINT}")
    return error
