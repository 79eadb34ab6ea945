"""A request to stop that reaches the core and work in Python."""

from __future__ import annotations

import threading

from calibrant._core import Stop

__all__ = ["StopRequest"]


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
