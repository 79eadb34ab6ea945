"""An estimate of how long a reproduction takes on this machine, before it starts."""

from __future__ import annotations

import os
from time import perf_counter

from calibrant._params import Choice, check_param
from calibrant.papers._reproduction.paper import Size
from calibrant.papers._reproduction.registry import get_paper

__all__ = ["SIZES", "estimate_time", "n_processes"]

SIZES: tuple[Size, ...] = ("quick", "default", "full")

_PROBE_SECONDS = 0.16  # of `_probe` on one core of the machine where the papers' `processor_seconds` were measured


def estimate_time(paper: str, size: Size = "default", workers: int | None = None) -> float:
    """Return an estimate of the seconds that a reproduction takes here.

    Some trees are grown to compare this machine with the one where the time of each paper was measured.

    Parameters
    ----------
    paper : str
        One of `PAPERS`.
    size : {"quick", "default", "full"}
        How much of the experiment is repeated.
    workers : int, optional
        Number of processes; by default one for each core.

    Returns
    -------
    float
        Seconds.

    Examples
    --------
    >>> from calibrant.papers import estimate_time
    >>> estimate_time("chawla-cieslak-2006", "quick", 1) < estimate_time("chawla-cieslak-2006", "full", 1)
    True
    """
    check_param("size", size, Choice(*SIZES))
    seconds = get_paper(paper).processor_seconds[size]
    return seconds / n_processes(workers) * min(_probe() for _ in range(3)) / _PROBE_SECONDS


def n_processes(workers: int | None) -> int:
    """Return a number of processes: one for each core that this process may use, unless it is specified."""
    if workers is not None:
        return workers
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _probe() -> float:
    """Return the seconds of growing some trees in one thread."""
    from calibrant.data import load
    from calibrant.ensembles import BaggedTreesClassifier

    appeal = load("appeal")
    model = BaggedTreesClassifier(n_trees=200, n_jobs=1, random_state=0)
    start = perf_counter()
    model.fit(appeal.X, appeal.y)
    return perf_counter() - start
