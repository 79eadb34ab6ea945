"""Forests grown level by level on a cluster of two workers, one of which is killed."""

from __future__ import annotations

import os
import signal
import sys
from itertools import pairwise
from typing import Any

import cloudpickle
import numpy as np
import pytest
from tests.local_parts import LocalParts, source_facts

from calibrant import _core
from calibrant._dask.client import Connection
from calibrant._dask.tasks import SentByValue
from calibrant.data._bins.bins import bins_of
from calibrant.data._internal import CodedPart, fit_columns
from calibrant.ensembles import BaggedTreesClassifier
from calibrant.ensembles._levels.cluster_forest import forest_plan, grow_forest_levels
from calibrant.trees._sources.parts import Parts

N_ROWS = 20_000
EDGES = [0, 3_000, 3_000, 9_000, 15_000, N_ROWS]
BAGGED = BaggedTreesClassifier(prune=None, max_features="sqrt")
SEED = np.random.SeedSequence(1)


def make_parts() -> tuple[Any, list[CodedPart]]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(N_ROWS, 5))
    y = (X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(size=N_ROWS) > 0).astype(np.uint16)
    columns = fit_columns(X)
    bins = bins_of(columns, None, 255)
    matrix = bins.code(columns)
    return bins, [CodedPart(i, matrix[i:j], y[i:j]) for i, j in pairwise(EDGES)]


def load_part(number: int) -> CodedPart:
    """Return a part; a worker that takes over from one that died calls it again."""
    return make_parts()[1][number]


def grow(parts: Any, bins: Any, n_trees: int) -> list[_core.Tree]:
    plan = forest_plan(parts, source_facts(bins, N_ROWS), BAGGED, SEED)
    return grow_forest_levels(parts, plan, SEED, range(n_trees))


def same(some: list[Any], others: list[Any]) -> bool:
    return all(
        np.array_equal(x, y) for a, b in zip(some, others, strict=True) for x, y in zip(a.state, b.state, strict=True)
    )


def held_parts(client: Any, n_parts: int) -> list[Any]:
    """Return futures of parts, loaded by functions that travel by value: workers do not import tests."""
    cloudpickle.register_pickle_by_value(sys.modules[__name__])
    try:
        return [client.submit(load_part, i, pure=False) for i in range(n_parts)]
    finally:
        cloudpickle.unregister_pickle_by_value(sys.modules[__name__])


class PartsOfAKilledWorker(Parts):
    """Parts on two workers, one of which is killed between two levels, while it holds parts and nodes of rows."""

    def __init__(self, client: Any, futures: list[Any]) -> None:
        super().__init__(Connection(client), futures)
        self.client, self.n_passes = client, 0
        self.killed: int | None = None

    def reduce(self, function: Any, *args: Any, **options: Any) -> Any:
        self.n_passes += 1
        if self.n_passes == 4:
            holders = self.client.who_has(self._parts)
            address = next(workers[0] for workers in holders.values() if workers)
            self.killed = self.client.run(os.getpid, workers=[address])[address]
            os.kill(self.killed, signal.SIGKILL)
        return super().reduce(function, *args, **options)


def test_a_forest_of_the_workers_is_the_local_one(client: Any) -> None:
    bins, local = make_parts()
    parts = Parts(Connection(client), held_parts(client, len(local)))
    assert same(grow(parts, bins, 4), grow(LocalParts(local), bins, 4))


def test_a_forest_is_the_local_one_when_a_worker_is_killed_between_levels(client: Any) -> None:
    bins, local = make_parts()
    parts = PartsOfAKilledWorker(client, held_parts(client, len(local)))
    found = grow(parts, bins, 4)
    assert parts.killed is not None
    client.wait_for_workers(2, timeout=60)
    assert parts.killed not in client.run(os.getpid).values()
    assert same(found, grow(LocalParts(local), bins, 4))


@pytest.mark.parametrize(("n_bytes", "n_shared"), [(10, 0), (1 << 20, 2)], ids=["in the tasks", "sent once"])
def test_jobs_get_the_pieces_of_all_parts_in_order_by_one_task_a_part(
    client: Any, monkeypatch: pytest.MonkeyPatch, n_bytes: int, n_shared: int
) -> None:
    n_parts, jobs, several = 12, [7, 5, 3], bytes(n_bytes)
    parts = Parts(Connection(client), client.map(lambda i: 10 * i, range(n_parts), pure=False))
    client.gather(parts._parts)  # so that workers hold them
    submit, submit_each, counts = client.submit, client.map, list[int]()
    monkeypatch.setattr(client, "submit", lambda *args, **options: counts.append(1) or submit(*args, **options))
    monkeypatch.setattr(
        client, "map", lambda call, *over, **options: counts.append(len(over[0])) or submit_each(call, *over, **options)
    )
    take = SentByValue(lambda jobs, several, part: [(job, len(several), part) for job in jobs])
    finish = SentByValue(lambda job, several, pieces: (job, len(several), pieces))
    found = parts.collect(take, finish, jobs, several)
    assert found == [(job, n_bytes, [(job, n_bytes, 10 * i) for i in range(n_parts)]) for job in jobs]
    assert sum(counts) <= n_parts + 2 * (1 + len(jobs)) + len(jobs) + n_shared
