"""Connections to a cluster, and its tasks: other versions are found, errors explained, Ctrl-C cancels."""

from __future__ import annotations

import logging
import os
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import distributed
import pytest

import calibrant
from calibrant._dask.client import Connection, active_client
from calibrant._dask.tasks import gather, submit
from calibrant.exceptions import ClusterError, DataError, ParameterError


def double(number: int) -> int:
    return 2 * number


def fail(message: str) -> None:
    raise DataError(message)


def end_worker(seconds: float) -> None:
    time.sleep(seconds)
    os._exit(1)


def test_results_come_in_the_order_of_the_tasks(client: Any) -> None:
    connection = Connection(client)
    sent = submit(connection, double, 10)
    assert gather(connection, [submit(connection, double, each) for each in (3, 1, sent)], "Doubling") == [6, 2, 40]


def test_an_error_of_a_task_is_raised_as_it_is(client: Any) -> None:
    connection = Connection(client)
    with pytest.raises(DataError, match="a partition is bad"):
        gather(connection, [submit(connection, fail, "a partition is bad")], "Failing")


def test_a_worker_without_calibrant_is_named(client: Any, join: Any, tmp_path: Path) -> None:
    connection = Connection(client)
    # imported when Python starts, so that it comes before calibrant however that is installed
    fake = "import sys, types; sys.modules['calibrant'] = types.ModuleType('calibrant'); "
    (tmp_path / "sitecustomize.py").write_text(fake + "sys.modules['calibrant'].__version__ = '0.0.1'")
    address = join(PYTHONPATH=f"{tmp_path}{os.pathsep}{os.environ.get('PYTHONPATH', '')}")
    with pytest.raises(ClusterError, match=r"a Dask worker that joined has calibrant 0.0.1; here"):
        gather(connection, [submit(connection, double, 1, workers=[address])], "Doubling")
    with pytest.raises(ClusterError, match=rf"{address} has Python [\d.]+ and calibrant 0.0.1; here"):
        Connection(client)


def test_a_worker_that_joins_with_another_version_is_an_error(client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    connection = Connection(client)
    monkeypatch.setattr(calibrant, "__version__", "99.0")
    with pytest.raises(ClusterError, match="a Dask worker that joined has calibrant"):
        gather(connection, [submit(connection, double, 1)], "Doubling")


def test_a_client_is_a_client_or_an_address() -> None:
    with pytest.raises(ParameterError, match="client must be the address of a scheduler"):
        Connection(3)


def test_no_client_is_active_unless_it_is_the_default(client: Any) -> None:
    assert active_client() is None
    with client.as_current():
        assert active_client() is client


def test_no_client_is_active_within_a_task(client: Any) -> None:
    assert client.submit(active_client, pure=False).result() is None


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_ctrl_c_cancels_what_runs(client: Any, cluster: Any) -> None:
    connection = Connection(client)
    futures = [submit(connection, time.sleep, 0.2) for _ in range(40)]
    threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        gather(connection, futures, "Sleeping")
    assert all(future.status == "cancelled" for future in futures if future.status != "finished")
    keys = {future.key for future in futures}
    del futures
    until = time.monotonic() + 10
    while keys & set(cluster.scheduler.tasks) and time.monotonic() < until:
        time.sleep(0.05)
    assert not keys & set(cluster.scheduler.tasks)


@pytest.fixture
def impatience(monkeypatch: pytest.MonkeyPatch) -> None:
    """Workers that may stand still for a moment only."""
    monkeypatch.setattr("calibrant._dask.tasks._STILL_SECONDS", 0.2)
    monkeypatch.setattr("calibrant._dask.tasks._LOOK_SECONDS", 0.1)


@pytest.fixture
def threads() -> Iterator[Any]:
    """A cluster of one worker in this process, without a limit of memory, so that it is paused by the test alone."""
    options: dict[str, Any] = {"threads_per_worker": 1, "processes": False, "memory_limit": 0}
    with distributed.LocalCluster(n_workers=1, dashboard_address=":0", **options) as cluster:
        yield cluster


@pytest.mark.usefixtures("impatience")
def test_paused_workers_are_an_error_that_names_what_to_change(threads: Any) -> None:
    with distributed.Client(threads, set_as_default=False) as client:
        connection, (worker,) = Connection(client), threads.workers.values()
        worker.status = distributed.core.Status.paused
        with pytest.raises(ClusterError, match=r"1 of 1 Dask workers are paused.* more memory, or pass smaller part"):
            gather(connection, [submit(connection, double, 1)], "Doubling")
        worker.status = distributed.core.Status.running
        assert gather(connection, [submit(connection, double, 1)], "Doubling") == [2]


@pytest.mark.usefixtures("impatience")
def test_workers_that_are_gone_are_an_error(threads: Any) -> None:
    with distributed.Client(threads, set_as_default=False) as client:
        connection = Connection(client)
        threads.scale(0)
        with pytest.raises(ClusterError, match=r"all Dask workers are gone"):
            gather(connection, [submit(connection, double, 1) for _ in range(100)], "Doubling")


def test_workers_that_die_again_and_again_are_an_error() -> None:
    # On workers of its own: Dask may give up starting them.
    with (
        distributed.LocalCluster(2, threads_per_worker=1, dashboard_address=":0", silence_logs=logging.CRITICAL) as own,
        distributed.Client(own, set_as_default=False) as client,
    ):
        own.scheduler.allowed_failures = 1_000  # Dask itself raises after a task has ended four workers
        connection, started = Connection(client), time.monotonic()
        with pytest.raises(ClusterError, match=r"workers die again and again.* more memory, or pass smaller part"):
            gather(connection, [submit(connection, end_worker, 2.0) for _ in range(2)], "Ending workers")
        assert time.monotonic() - started < 60


@pytest.mark.usefixtures("impatience")
def test_a_long_task_beside_a_paused_worker_is_waited_for(client: Any) -> None:
    connection = Connection(client)
    assert gather(connection, [submit(connection, time.sleep, 2)], "Sleeping") == [None]
