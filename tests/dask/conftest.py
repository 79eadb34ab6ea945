"""A real Dask cluster for the tests of this folder: two worker processes of one thread, with a memory limit."""

from __future__ import annotations

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
def join(cluster: Any, client: Any) -> Iterator[Callable[[], str]]:
    """Start a third worker while others work, and end it; returns its address."""

    def wait(n_workers: int) -> set[str]:
        until = time.monotonic() + 60
        while len(client.nthreads()) != n_workers and time.monotonic() < until:
            time.sleep(0.05)
        return set(client.nthreads())

    def joined() -> str:
        known = set(client.nthreads())
        cluster.scale(3)
        (new,) = wait(3) - known
        return new

    yield joined
    cluster.scale(2)
    wait(2)
