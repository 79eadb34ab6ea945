"""The number of threads, and what is left of it inside workers of joblib."""

import pytest
from joblib import Parallel, cpu_count, delayed, parallel_config

from calibrant._threads import n_threads


def _inside(backend, n_jobs, **config):
    with parallel_config(backend=backend, **config):
        return Parallel(n_jobs=2)(delayed(n_threads)(n_jobs) for _ in range(2))


def test_minus_one_is_every_processor_outside_of_workers():
    assert n_threads(-1) == cpu_count()


@pytest.mark.parametrize("backend", ["loky", "threading", "multiprocessing"])
def test_workers_share_the_processors(backend):
    assert sum(_inside(backend, -1)) <= max(2, cpu_count())
    assert _inside(backend, None) == [1, 1]


def test_a_loky_worker_uses_the_threads_that_joblib_grants_it():
    granted = min(2, cpu_count())
    assert _inside("loky", -1, inner_max_num_threads=2) == [granted, granted]


def test_a_number_of_threads_is_taken_as_it_is_inside_workers():
    assert _inside("threading", 3) == [3, 3]
