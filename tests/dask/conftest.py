"""A real Dask cluster for the tests of this folder: two worker processes of one thread, with a memory limit."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from tests.dask.clusters import two_workers

distributed = pytest.importorskip("distributed")

MEMORY_LIMIT = 1_500_000_000


@pytest.fixture(scope="session")
def cluster() -> Iterator[Any]:
    with two_workers(memory_limit=MEMORY_LIMIT) as cluster:
        yield cluster


@pytest.fixture(scope="session")
def client(cluster: Any) -> Iterator[Any]:
    with distributed.Client(cluster, set_as_default=False) as client:
        client.wait_for_workers(2)
        yield client


@pytest.fixture
def join(cluster: Any, client: Any) -> Iterator[Callable[..., str]]:
    """Start workers that join the cluster late, and end them; returns the address of one."""
    started: list[subprocess.Popen[bytes]] = []

    def joined(**environment: str) -> str:
        known = set(client.nthreads())
        command = [sys.executable, "-m", "distributed.cli.dask_worker", cluster.scheduler_address, "--nthreads", "1"]
        command += ["--no-nanny", "--no-dashboard", "--memory-limit", str(MEMORY_LIMIT)]
        started.append(
            subprocess.Popen(
                command, env=os.environ | environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
            )
        )
        until = time.monotonic() + 60
        while not (new := set(client.nthreads()) - known) and time.monotonic() < until:
            time.sleep(0.05)
        return new.pop()

    yield joined
    for process in started:
        process.terminate()
        process.wait(30)
    until = time.monotonic() + 30
    while started and len(client.nthreads()) > 2 and time.monotonic() < until:
        time.sleep(0.05)
