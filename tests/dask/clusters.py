"""Clusters of two worker processes for tests."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

# Clusters live until the last test: by default their servers look around fifty times a second, and sample stacks.
_IDLE = {
    "distributed.worker.profile.enabled": False,
    "distributed.admin.tick.interval": "500ms",
    "distributed.admin.system-monitor.interval": "5s",
}


@contextmanager
def two_workers(**options: Any) -> Iterator[Any]:
    """Start two worker processes of one thread each, which Dask starts again when they die.

    They are forked from a process that has imported what they need: a worker that imports it itself takes 2 s of
    processor time. Windows does not fork.
    """
    distributed, dask = pytest.importorskip("distributed"), pytest.importorskip("dask")
    logger = logging.getLogger("distributed")
    level = logger.level
    logger.setLevel(logging.CRITICAL)  # it reports every worker that dies
    method = "forkserver" if os.name == "posix" else "spawn"
    with dask.config.set({"distributed.worker.multiprocessing-method": method, **_IDLE}):
        context = distributed.utils.get_mp_context()  # Dask names modules to import, once: ours come after them
        if method == "forkserver":
            context.set_forkserver_preload(
                ["distributed", "dask.dataframe", "calibrant.ensembles", "calibrant.studies"]
            )
        with distributed.LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            processes=True,
            dashboard_address=":0",
            silence_logs=logging.CRITICAL,
            **options,
        ) as cluster:
            yield cluster
    logger.setLevel(level)
