"""Faults of a Dask cluster: workers that are killed."""

from __future__ import annotations

from functools import partial

import psutil
from tests.faults.children import Child
from tests.faults.counts import FaultCounts
from tests.faults.disturbed_study import make_study
from tests.faults.trial_ground import Ground, Watch

__all__ = ["kill_dask_workers"]

_PATIENCE = 600.0  # for hangs alone: a busy machine takes its time


def kill_dask_workers(ground: Ground, n_times: int) -> FaultCounts:
    """Kill one of the two workers of a cluster at a random moment; the study goes on by itself."""
    counts = FaultCounts()
    while counts.tried < n_times:
        watch = Watch(ground.new_url(), counts)
        with Child(partial(_run_on_cluster, watch.url, ground.n_repeats), ground.folder / "dask-log") as child:
            child.wait_for_commit(int(ground.rng.integers(1, 40)), _PATIENCE)
            workers = _workers_of(child)
            if child.status is None and workers:
                workers[int(ground.rng.integers(len(workers)))].kill()
                counts.tried += 1
            if not child.wait(_PATIENCE) or child.status != 0:
                counts.problems.append(child.output[-2000:])
                return counts
            watch.finish(ground, child)
    return counts


def _run_on_cluster(url: str, n_repeats: int) -> None:
    from distributed import Client, LocalCluster

    options = {"n_workers": 2, "threads_per_worker": 1, "processes": True, "dashboard_address": None}
    with LocalCluster(**options) as cluster, Client(cluster) as client:
        make_study(url, n_repeats).run(dask=client)


def _workers_of(child: Child) -> list[psutil.Process]:
    try:
        children = psutil.Process(child.pid).children()
        return [each for each in children if any("spawn_main" in word for word in each.cmdline())]
    except psutil.NoSuchProcess:
        return []
