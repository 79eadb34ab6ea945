"""The kinds of fault that studies are tested with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from tests.faults import dask_faults, database_faults, disk_faults, kills
from tests.faults.counts import FaultCounts
from tests.faults.trial_ground import Ground
from tests.studies.postgres_server import PostgresServer

__all__ = ["KINDS", "Kind"]

StoreKind = Literal["SQLite", "PostgreSQL"]


@dataclass(frozen=True)
class Kind:
    """A kind of fault.

    Parameters
    ----------
    name : str
        What it is called in tests.
    title : str
        What it is called in the table.
    store : str
        The kind of store.
    run : function
        Disturbs studies a number of times.
    few, many : int
        Times in `make test`, and in the table and the long tests; 0: not there.
    """

    name: str
    title: str
    store: StoreKind
    run: Callable[[Ground, PostgresServer | None, int], FaultCounts]
    few: int
    many: int


def _plain(run: Callable[[Ground, int], FaultCounts]) -> Callable[[Ground, PostgresServer | None, int], FaultCounts]:
    return lambda ground, _, n_times: run(ground, n_times)


def _served(
    run: Callable[[Ground, PostgresServer, int], FaultCounts],
) -> Callable[[Ground, PostgresServer | None, int], FaultCounts]:
    def checked(ground: Ground, server: PostgresServer | None, n_times: int) -> FaultCounts:
        assert server is not None
        return run(ground, server, n_times)

    return checked


def _on_small_disk(ground: Ground, n_times: int) -> FaultCounts:
    with disk_faults.small_disk(ground.folder) as disk:
        return disk_faults.fill_disk(ground, disk, n_times)


def _both(name: str, title: str, run: Callable[[Ground, int], FaultCounts], *times: tuple[int, int]) -> list[Kind]:
    stores: tuple[StoreKind, StoreKind] = ("SQLite", "PostgreSQL")
    return [Kind(name, title, store, _plain(run), *each) for store, each in zip(stores, times, strict=True)]


KINDS = (
    *_both("kill", "SIGKILL at a random moment", kills.kill_only_process, (10, 200), (10, 200)),
    *_both("kill in commits", "SIGKILL aimed at commits", kills.kill_in_commits, (4, 200), (2, 200)),
    *_both("terminate", "SIGTERM", kills.terminate, (0, 50), (0, 50)),
    *_both("interrupt", "SIGINT (Ctrl-C)", kills.interrupt, (1, 50), (1, 50)),
    *_both("kill one of two", "SIGKILL of one of two processes", kills.kill_one_of_two, (1, 50), (1, 50)),
    *_both("stop", "SIGSTOP beyond the lease, then SIGCONT", kills.stop_beyond_lease, (1, 20), (0, 20)),
    *_both("kill workers", "SIGKILL of a worker of run(workers=2)", kills.kill_workers, (0, 30), (0, 10)),
    Kind("kill Dask workers", "SIGKILL of a Dask worker", "SQLite", _plain(dask_faults.kill_dask_workers), 0, 10),
    Kind("connections", "Connections lost", "PostgreSQL", _served(database_faults.lose_connections), 6, 50),
    Kind("restart", "Server stopped and started", "PostgreSQL", _served(database_faults.restart_server), 1, 10),
    Kind("crash", "Server crashed and started", "PostgreSQL", _served(database_faults.crash_server), 0, 10),
    Kind("pages", "Disk full (page limit)", "SQLite", _plain(disk_faults.fill_pages), 2, 50),
    Kind("disk", "Disk full (small file system)", "SQLite", _plain(_on_small_disk), 2, 50),
    Kind("damage", "Bytes overwritten in the file", "SQLite", _plain(disk_faults.damage_store), 4, 100),
)
