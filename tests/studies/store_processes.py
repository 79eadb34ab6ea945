"""Work of several processes on one store at once, for tests."""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
from collections.abc import Callable, Sequence
from typing import Any

from tests.studies.store_records import STUDY, key_of, make_record

from calibrant.exceptions import StoreError
from calibrant.studies._store.store import Store

_NOBODY = 65534


# What a store imports at first use; a user that may not read the library's files has it all the same.
_USED = ("sqlite", "postgres", "tables")
_USED = ("psutil", "sqlalchemy.dialects.postgresql.psycopg", *(f"calibrant.studies._store.{name}" for name in _USED))


def new_context() -> Any:
    """Return a way of starting processes that imports the library once, in a server without threads."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([__name__, *_USED])
    return context


def run_together(function: Callable[..., Any], arguments: Sequence[tuple[Any, ...]]) -> list[Any]:
    """Return the results of a function in processes that begin at the same moment."""
    context = new_context()
    barrier, results = context.Barrier(len(arguments)), context.Queue()
    processes = [
        context.Process(target=_call, args=(function, number, barrier, results, *each))
        for number, each in enumerate(arguments)
    ]
    for process in processes:
        process.start()
    found = dict(results.get(timeout=60) for _ in processes)
    for process in processes:
        process.join(60)
    return [found[number] for number in range(len(processes))]


def _call(function: Callable[..., Any], number: int, barrier: Any, results: Any, *arguments: Any) -> None:
    barrier.wait(60)
    results.put((number, function(*arguments)))


def share_work(url: str, n_trials: int) -> list[int]:
    """Claim and record trials, a few at a time, until all are finished; return those recorded here."""
    recorded = []
    with Store.open(url) as store:
        worker = store.start_worker(STUDY)
        while len(done := store.finished(STUDY)) < n_trials:
            missing = [number for number in range(n_trials) if key_of(number) not in done]
            for key in store.claim(STUDY, worker, [key_of(number) for number in missing[:20]])[:5]:
                number = int(key, 16)
                assert store.record(STUDY, worker, make_record(number, by=f"{os.getpid()}")) == "recorded"
                recorded.append(number)
            store.heartbeat(worker)
        store.end_worker(worker)
    return recorded


def record_all(url: str, n_trials: int, by: str) -> list[str]:
    """Record trials that nobody claimed."""
    with Store.open(url) as store:
        worker = store.start_worker(STUDY)
        return [store.record(STUDY, worker, make_record(number, by=by)) for number in range(n_trials)]


def define(url: str, name: str) -> list[str]:
    """Create a store, or open the one that another process creates, and add a study."""
    with Store.open(url) as store:
        store.save_definition(name, {})
        return [study.name for study in store.studies()]


def claim_and_die(url: str, keys: list[str], lease: float) -> None:
    """Claim trials and be killed."""
    store = Store.open(url)
    store.claim(STUDY, store.start_worker(STUDY, lease=lease), keys)
    os.kill(os.getpid(), signal.SIGKILL)


def claim_and_wait(url: str, keys: list[str], ready: Any) -> None:
    """Claim trials and live on."""
    with Store.open(url) as store:
        store.claim(STUDY, store.start_worker(STUDY), keys)
        ready.set()
        time.sleep(60)


def fork_and_record(url: str) -> tuple[int, list[str], list[str]]:
    """Record in this process and in one that it forks, by one object; return what the parent sees, and its results."""
    store = Store.open(url)
    worker = store.start_worker(STUDY)
    before = [store.record(STUDY, worker, make_record(number)) for number in range(3)]
    child = os.fork()
    if child == 0:
        ok = all(store.record(STUDY, worker, make_record(number)) == "recorded" for number in range(3, 6))
        os._exit(0 if ok else 1)
    during = [store.record(STUDY, worker, make_record(number)) for number in range(6, 9)]
    _, status = os.waitpid(child, 0)
    exits = os.fork()
    if exits == 0:
        raise SystemExit  # the interpreter of the child is torn down, with the inherited store in it
    os.waitpid(exits, 0)
    during += [store.record(STUDY, worker, make_record(9))]
    n_trials = len(store.trials(STUDY)["key"])
    store.close()
    assert status == 0
    return n_trials, before, during


def query_as_nobody(path: str) -> str:
    """Query a store as a user that owns nothing; return what was found, or the error."""
    _become_nobody()
    try:
        with Store.open(path, read_only=True) as store:
            return (
                f"{len(store.trials(STUDY)['key'])} trials, {len(store.finished(STUDY, {'test': ['brier']}))} finished"
            )
    except StoreError as error:
        return str(error)


def write_as_nobody(path: str) -> str:
    """Add a study to a store as a user that owns nothing; return the error."""
    _become_nobody()
    try:
        with Store.open(path) as store:
            store.save_definition("more", {})
            return "written"
    except StoreError as error:
        return str(error)


def _become_nobody() -> None:
    if os.geteuid() == 0:
        os.setgroups([])
        os.setgid(_NOBODY)
        os.setuid(_NOBODY)
