"""The number of threads that work may use."""

from __future__ import annotations

from calibrant._params import Int, Nothing, check_param

__all__ = ["n_threads"]


def n_threads(n_jobs: int | None) -> int:
    """Return the number of threads for ``n_jobs``, counted as scikit-learn counts: -1 is all that joblib grants here.

    Examples
    --------
    >>> n_threads(3)
    3
    """
    check_param("n_jobs", n_jobs, Int(1) | Int(None, -1) | Nothing())
    if n_jobs is not None and n_jobs > 0:
        return int(n_jobs)
    from joblib import effective_n_jobs  # only here: it takes time to import

    return int(effective_n_jobs(n_jobs))
