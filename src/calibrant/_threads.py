"""The number of threads that work may use."""

from __future__ import annotations

import multiprocessing
import os

from calibrant._params import Int, Nothing, check_param

N_JOBS = Int(1) | Int(None, -1) | Nothing()

_MAX_THREADS = 1024  # more than any machine has processors; systems refuse to start many thousands


def n_threads(n_jobs: int | None) -> int:
    """Return the number of threads for ``n_jobs``, counted as scikit-learn counts.

    -1 is all processors, but inside a worker of joblib only that worker's share of them: what joblib grants the native
    libraries of a loky process, and one thread for a worker of another backend.

    Examples
    --------
    >>> n_threads(3)
    3
    """
    check_param("n_jobs", n_jobs, N_JOBS)
    if n_jobs is not None and n_jobs > 0:
        return min(int(n_jobs), _MAX_THREADS)
    from joblib import effective_n_jobs  # only here: it takes time to import

    granted = int(effective_n_jobs(n_jobs))
    return granted if n_jobs is None else min(granted, _share_of_worker() or granted)


def _share_of_worker() -> int | None:
    """Return the number of threads that a worker of joblib may use; None outside of one."""
    from joblib.parallel import get_active_backend

    if not get_active_backend()[0].nesting_level:
        return None
    # loky limits the threads of BLAS and OpenMP by these variables; joblib has no function that returns the limit.
    is_loky = multiprocessing.current_process().name.startswith("LokyProcess")
    limit = os.environ.get("OMP_NUM_THREADS", "") if is_loky else ""
    return int(limit) if limit.isdecimal() and int(limit) > 0 else 1
