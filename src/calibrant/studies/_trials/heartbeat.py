"""The heartbeat of a worker: a thread that renews its lease while trials run."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from typing import TYPE_CHECKING

from calibrant.exceptions import StoreError

if TYPE_CHECKING:
    from calibrant.studies._store.leases import Worker
    from calibrant.studies._store.store import Store

__all__ = ["beating"]


@contextmanager
def beating(open_store: Callable[[], AbstractContextManager[Store]], worker: Worker, interval: float) -> Iterator[None]:
    """Renew the lease of a worker every `interval` seconds, over a connection of its own, until the block ends.

    A heartbeat that cannot be written is left out: at worst the lease expires, another worker takes the trials, and
    the first to record one wins.
    """
    stopped = threading.Event()

    def beat() -> None:
        while not stopped.wait(interval):
            with suppress(StoreError), open_store() as store:
                while not stopped.wait(interval):
                    store.heartbeat(worker)

    thread = threading.Thread(target=beat, name="calibrant-heartbeat", daemon=True)
    thread.start()
    try:
        yield
    finally:
        stopped.set()
        thread.join(timeout=interval)
