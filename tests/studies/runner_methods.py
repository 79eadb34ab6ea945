"""Jobs for the tests of runners: what a "method" does in a worker is a function of the trial, sent by value."""

from __future__ import annotations

import os
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from typing import Any

import cloudpickle
import numpy as np
import psutil
import pytest

from calibrant.studies._runners.runner import JobEnded, JobLost, Runner, RunnerEvent, TrialFinished
from calibrant.studies._trials.records import Job, StudyRows, StudyWork, TrialRecord, TrialRef

cloudpickle.register_pickle_by_value(sys.modules[__name__])

posix = pytest.mark.skipif(os.name != "posix", reason="signals and forks are a Unix thing")
linux = pytest.mark.skipif(sys.platform != "linux", reason="the kernel of Linux limits memory and ends orphans")

Method = Callable[[StudyRows, TrialRef], float]


def run_functions(rows: StudyRows, work: StudyWork, job: Job) -> Iterator[TrialRecord]:
    """Run each trial as a function of the rows and the trial; an exception is recorded."""
    import traceback

    for ref in job.refs:
        start, error, value = time.perf_counter(), "", 0.0
        try:
            value = work.methods[ref.method](rows, ref)
        except Exception:
            error = traceback.format_exc()
        scores: Any = {} if error else {"test": {"value": float(value)}}
        versions = {"pid": str(os.getpid())}
        seconds = time.perf_counter() - start
        yield TrialRecord(ref, uuid.uuid4().hex, versions=versions, fit_seconds=seconds, scores=scores, error=error)


def rows_of(name: str) -> StudyRows:
    X = np.arange(12.0).reshape(6, 2) + len(name)
    return StudyRows(name, f"fingerprint of {name}", X, np.array(list("ababab")))


def work_of(**methods: Method) -> StudyWork:
    return StudyWork(methods, plan=None)


def job_of(number: int, methods: str | list[str], n_splits: int = 1, dataset: str = "iris") -> Job:
    names = methods.split() if isinstance(methods, str) else methods
    refs = [
        TrialRef(f"{dataset}/{number}/{name}/{split}", dataset, name, split)
        for split in range(n_splits)
        for name in names
    ]
    return Job(number, dataset, tuple(refs))


def run_all(runner: Runner, jobs: list[Job], *, seconds: float = 600.0) -> list[RunnerEvent]:
    """Submit jobs and return the events until each has ended or is lost."""
    for job in jobs:
        runner.submit(job)
    return collect(runner, len(jobs), seconds=seconds)


def collect(runner: Runner, n_jobs: int, *, seconds: float = 600.0) -> list[RunnerEvent]:
    events: list[RunnerEvent] = []
    until = time.monotonic() + seconds
    while sum(isinstance(event, JobEnded | JobLost) for event in events) < n_jobs:
        assert time.monotonic() < until, f"only {events}"
        events += runner.poll(0.5)
    return events


def records(events: list[RunnerEvent]) -> dict[str, TrialRecord]:
    """Return the records by key; none may come twice."""
    found = [event.record for event in events if isinstance(event, TrialFinished)]
    by_key = {record.ref.key: record for record in found}
    assert len(by_key) == len(found)
    return by_key


def lost(events: list[RunnerEvent]) -> list[JobLost]:
    return [event for event in events if isinstance(event, JobLost)]


def mean(rows: StudyRows, ref: TrialRef) -> float:
    return float(rows.X.mean()) + ref.split


def leave(_: StudyRows, __: TrialRef) -> float:
    os._exit(3)


def hang(_: StudyRows, ref: TrialRef) -> float:
    if ref.split == 1:
        time.sleep(60)
    return 1.0


def process_id(_: StudyRows, __: TrialRef) -> float:
    return float(os.getpid())


def worker_pids() -> list[int]:
    """Return the worker processes of runners in this process; joblib's and the trackers of resources do not count."""
    return [each.pid for each in psutil.Process().children(recursive=True) if is_worker(each)]


def is_worker(process: psutil.Process) -> bool:
    try:
        return any("calibrant-worker" in word for word in process.cmdline())
    except psutil.Error:  # it has just ended
        return False


def gone(*pids: int, seconds: float = 10.0) -> bool:
    """Return whether processes have ended, or do soon."""
    alive = [psutil.Process(pid) for pid in pids if psutil.pid_exists(pid)]
    return not psutil.wait_procs(alive, timeout=seconds)[1]
