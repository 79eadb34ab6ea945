"""Limits of time and memory end the trial that exceeds them, and no other."""

from __future__ import annotations

import ctypes
import os
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from tests.studies.runner_methods import (
    hang,
    job_of,
    linux,
    mean,
    posix,
    process_id,
    records,
    rows_of,
    run_all,
    run_functions,
    work_of,
)

from calibrant.exceptions import ParameterError
from calibrant.studies._runners import worker_process
from calibrant.studies._runners.process_runner import ProcessRunner
from calibrant.studies._runners.runner import JobEnded
from calibrant.studies._trials.records import Job, StudyRows, StudyWork, TrialRecord, TrialRef
from calibrant.studies._trials.run_study import read_run_options


def hang_in_c(_: StudyRows, __: TrialRef) -> float:
    return float(ctypes.PyDLL(None).sleep(60))  # a PyDLL keeps the interpreter's lock


def take_memory(_: StudyRows, __: TrialRef) -> float:
    return float(np.ones(50_000_000).sum())


def run_out_in_c(_: StudyRows, __: TrialRef) -> float:
    os.write(2, b"terminate called after throwing an instance of 'std::bad_alloc'\n")
    os.abort()


@pytest.mark.long
@pytest.mark.sample(2)
@pytest.mark.parametrize("method", [hang, pytest.param(hang_in_c, marks=posix)])
def test_only_the_trial_that_hangs_exceeds_the_time_limit(start: Any, method: Any) -> None:
    runner = start(
        time_limit=0.5, method=method if method is hang else lambda rows, ref: (hang, method)[ref.split](rows, ref)
    )
    events = run_all(runner, [job_of(0, "mean method", 2)])
    found = records(events)
    failed = [key for key, record in found.items() if record.error]
    assert failed == ["iris/0/method/1"]
    assert len(found) == 4
    assert isinstance(events[-1], JobEnded)
    error = found["iris/0/method/1"].error
    assert error.startswith("Stack shortly before the limit (most recent call last):")
    assert error.endswith("TimeoutError: time limit of 0.5 s exceeded")
    assert "worker_process.py" not in error
    assert f"in {method.__name__}" in error
    assert 0.4 < found["iris/0/method/1"].fit_seconds < 10
    assert found["iris/0/method/1"].data_fingerprint == "fingerprint of iris"


@pytest.mark.long
def test_a_time_limit_ends_no_other_job(start: Any) -> None:
    runner = start(2, time_limit=1.0, hang=hang, process_id=process_id)
    jobs = [job_of(0, "hang", 2), *(job_of(number, "process_id") for number in range(1, 9))]
    found = records(run_all(runner, jobs))
    assert [key for key, record in found.items() if record.error] == ["iris/0/hang/1"]
    assert len(found) == 10


@linux
def test_memory_beyond_the_limit_fails_the_trial_by_an_exception_or_with_the_worker(start: Any) -> None:
    runner = start(memory_limit=200_000_000, take=take_memory, run_out=run_out_in_c)
    found = records(run_all(runner, [job_of(0, "take mean"), job_of(1, "mean run_out")]))
    error = found["iris/0/take/0"].error
    assert "in take_memory" in error
    assert error.endswith("MemoryError: memory limit of 200 MB exceeded")
    assert found["iris/1/run_out/0"].error.endswith("memory limit of 200 MB exceeded")
    assert [key for key, record in found.items() if not record.error] == ["iris/0/mean/0", "iris/1/mean/0"]


@linux
def test_memory_below_the_limit_is_granted_again_and_again(start: Any) -> None:
    found = records(run_all(start(memory_limit=600_000_000, take=take_memory), [job_of(0, "take", 2)]))
    assert [record.scores["test"]["value"] for record in found.values()] == [5e7] * 2


@linux
def test_rows_do_not_count_against_the_memory_limit(start: Any) -> None:
    def large(name: str) -> StudyRows:
        return StudyRows(name, "", np.ones((1_000_000, 20)), np.ones(1))

    (record,) = records(run_all(start(rows=large, memory_limit=50_000_000), [job_of(0, "mean")])).values()
    assert record.scores["test"]["value"] == 1.0


@linux
def test_rows_that_a_worker_has_dropped_do_not_raise_the_memory_limit(start: Any) -> None:
    def large(name: str) -> StudyRows:
        return StudyRows(name, "", np.ones((1_000_000, 10)), np.ones(1))

    runner = start(rows=large, memory_limit=250_000_000, take=take_memory)
    found = records(run_all(runner, [job_of(number, "mean take", 1, name) for number, name in enumerate("abcdef")]))
    assert sorted(key for key, record in found.items() if record.error) == [
        f"{n}/{i}/take/0" for i, n in enumerate("abcdef")
    ]


@linux
def test_a_worker_that_leaks_is_replaced_before_it_harms_other_trials(start: Any) -> None:
    def leak(_: StudyRows, __: TrialRef) -> float:
        import builtins

        builtins.__dict__.setdefault("leaked", []).append(np.ones(4_000_000))
        return float(os.getpid())

    found = records(run_all(start(memory_limit=100_000_000, leak=leak), [job_of(n, "leak") for n in range(5)]))
    assert not any(record.error for record in found.values())
    assert len({record.scores["test"]["value"] for record in found.values()}) > 1


@pytest.mark.parametrize("limit", [{"time_limit": 0}, {"time_limit": -1.0}, {"memory_limit": 0}, {"workers": 0}])
def test_limits_and_workers_are_positive(limit: dict[str, float]) -> None:
    with pytest.raises(ParameterError, match=next(iter(limit))):
        read_run_options(limit)


def test_a_memory_limit_needs_a_system_that_enforces_it(start: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker_process, "find_spec", lambda _: None)
    with pytest.raises(ParameterError, match="memory_limit needs Linux"):
        start(memory_limit=10**9)


def prepare_first(rows: StudyRows, work: StudyWork, job: Job) -> Iterator[TrialRecord]:
    """Prepare a data set when the first job of it runs, for longer than a trial may take."""
    import builtins

    if "is_prepared" not in builtins.__dict__:
        builtins.__dict__["is_prepared"] = np.ones(10_000_000)
        time.sleep(1.0)
    return run_functions(rows, work, job)


@linux
def test_what_trials_share_does_not_count_against_the_limits_of_the_first() -> None:
    runner = ProcessRunner(
        work_of(mean=mean), rows_of, workers=1, time_limit=0.5, memory_limit=60_000_000, run_job=prepare_first
    )
    (record,) = records(run_all(runner, [job_of(0, "mean")])).values()
    runner.stop()
    assert not record.error
