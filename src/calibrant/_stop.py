"""Work in threads that Ctrl-C and requests stop."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import Any, TypeVar

from calibrant._core import Stop

T = TypeVar("T")

_POLL_SECONDS = 0.1  # a main thread that waits without a timeout does not receive Ctrl-C


class StopRequest:
    """A request to stop work in threads: the core stops at once, work in Python where it checks.

    Examples
    --------
    >>> stop = StopRequest()
    >>> stop.check()  # nothing happens before a request
    >>> stop.request()
    """

    def __init__(self) -> None:
        self._core, self._is_requested = Stop(), threading.Event()

    def watch(self) -> None:
        """Make the request stop what the calling thread does in the core."""
        self._core.watch()

    def request(self) -> None:
        """Stop the work, and any that is started later."""
        self._is_requested.set()
        self._core.request()

    def check(self) -> None:
        """Raise `KeyboardInterrupt`, as the core does, if there is a request."""
        if self._is_requested.is_set():
            raise KeyboardInterrupt

    def run(self, work: Callable[[Any], T], arguments: Sequence[Any], n_threads: int) -> list[T]:
        """Return the results of the work in the order of its arguments; the same for any number of threads.

        A request ends the work, and so does an exception, such as Ctrl-C: at once in the core, elsewhere before the
        next argument.
        """

        def run(argument: Any) -> T:
            self.check()
            return work(argument)

        if n_threads == 1 or len(arguments) == 1:
            return [run(each) for each in arguments]
        with ThreadPoolExecutor(n_threads, initializer=self.watch) as pool:
            running = [pool.submit(run, each) for each in arguments]
            try:
                return [_wait_for(each) for each in running]
            except BaseException:  # only the main thread receives Ctrl-C
                self.request()
                pool.shutdown(wait=False, cancel_futures=True)
                raise


def _wait_for(running: Future[T]) -> T:
    """Return the result of work in another thread; Ctrl-C is received meanwhile."""
    while wait([running], _POLL_SECONDS).not_done:
        pass
    return running.result()
