"""The memory of the workers of a Dask cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from calibrant._memory import machine_memory

if TYPE_CHECKING:
    from calibrant._dask.client import Connection

__all__ = ["smallest_memory"]


def smallest_memory(connection: Connection) -> int:
    """Return the least memory limit of a worker, in bytes; the memory of this machine where none has a limit."""
    limits = [int(worker.get("memory_limit") or 0) for worker in _workers(connection.client).values()]
    return min((limit for limit in limits if limit), default=machine_memory())


def _workers(client: Any) -> dict[str, Any]:
    try:
        info = client.scheduler_info(n_workers=-1)  # newer versions describe five workers by default
    except TypeError:
        info = client.scheduler_info()
    return dict(info["workers"])
