"""The store of studies: what it costs to claim, record and read a trial, the sync to the disk apart."""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from _side_by_side import machine
from calibrant.studies._store.leases import Worker
from calibrant.studies._store.store import Store
from calibrant.studies._trials.records import TrialRecord, TrialRef

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from tests.studies.postgres_server import NoPostgresError, PostgresServer

N_TRIALS = 2000
METRICS = ("accuracy", "auc", "brier", "log_loss", "mse")
MEMORY = "/dev/shm"  # noqa: S108 - a folder whose sync takes no time


def record(number: int) -> TrialRecord:
    ref = TrialRef(f"{number:032x}", f"set {number % 10}", f"method {number // 10 % 10}", number // 100)
    scores = {"test": dict.fromkeys(METRICS, number / 7)}
    return TrialRecord(ref, f"{number:032x}", split_name="fold", versions={"calibrant": "0.1.0"}, scores=scores)


@contextmanager
def timed(name: str) -> Iterator[None]:
    """Print the time of a trial: on the clock, and of the processor in this process."""
    clock, processor = time.perf_counter(), time.process_time()
    yield
    clock, processor = time.perf_counter() - clock, time.process_time() - processor
    print(
        f"  {name}: {1e6 * clock / N_TRIALS:.0f} µs a trial, {1e6 * processor / N_TRIALS:.0f} µs of our processor time"
    )


def measure(url: str) -> None:
    with Store.open(url) as store:
        store.save_definition("bench", {})
        worker = store.start_worker("bench")
        records = [record(number) for number in range(N_TRIALS + 1)]
        store.record("bench", worker, records.pop())
        with timed("claim, all at once"):
            store.claim("bench", worker, [each.ref.key for each in records])
        with timed("record, a commit each"):
            record_all(store, worker, records)
        with timed("read as columns"):
            store.trials("bench", ["brier"])


def record_all(store: Store, worker: Worker, records: list[TrialRecord]) -> None:
    for each in records:
        assert store.record("bench", worker, each) == "recorded"


def sync_seconds(folder: str | None, n_bytes: int) -> float:
    """Return the time of writing and syncing as many bytes as the log of SQLite grows by with a trial."""
    with tempfile.TemporaryFile(dir=folder) as file:
        content = os.urandom(n_bytes)
        begin = time.perf_counter()
        for _ in range(N_TRIALS):
            os.pwrite(file.fileno(), content, 0)
            os.fdatasync(file.fileno())
        return (time.perf_counter() - begin) / N_TRIALS


def in_folder(folder: str | None) -> None:
    with tempfile.TemporaryDirectory(dir=folder) as path:
        measure(f"{path}/store.db")
    print(f"  of which writing 24 KB and fdatasync: {1e6 * sync_seconds(folder, 24_576):.0f} µs")


def in_postgres() -> None:
    try:
        server = PostgresServer()
    except NoPostgresError as error:
        print(f"  skipped: {error}")
        return
    try:
        measure(server.new_url())
    finally:
        server.close()


def main() -> None:
    print(machine())
    cases: dict[str, Callable[[], None]] = {
        "SQLite in memory": lambda: in_folder(MEMORY if Path(MEMORY).is_dir() else None),
        "SQLite on the disk": lambda: in_folder(None),
        "PostgreSQL on this host": in_postgres,
    }
    for name, case in cases.items():
        print(name)
        case()


if __name__ == "__main__":
    main()
