"""Work on folds in threads, which Ctrl-C and a time limit can stop."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from calibrant.blending._table.blend_table import BlendTable

__all__ = ["run_in_threads", "wait_for"]

T = TypeVar("T")

_POLL_SECONDS = 0.1  # a main thread that waits without a timeout does not receive Ctrl-C


def run_in_threads(work: Callable[..., T], arguments: Sequence[tuple[Any, ...]], table: BlendTable) -> list[T]:
    """Return the results of the work in the order of its arguments; the same for any number of threads.

    The stop of the table ends the work, and so does an exception, such as Ctrl-C: at once in the core, elsewhere
    before the next arguments.
    """

    def run(*each: Any) -> T:
        table.stop.check()
        return work(*each)

    if table.n_threads == 1 or len(arguments) == 1:
        return [run(*each) for each in arguments]
    with ThreadPoolExecutor(table.n_threads, initializer=table.stop.watch) as pool:
        running = [pool.submit(run, *each) for each in arguments]
        try:
            return [wait_for(each) for each in running]
        except BaseException:  # only the main thread receives Ctrl-C
            table.stop.request()
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def wait_for(running: Future[T]) -> T:
    """Return the result of work in another thread; Ctrl-C is received meanwhile."""
    while wait([running], _POLL_SECONDS).not_done:
        pass
    return running.result()
