"""What a worker of a Dask cluster does: run a job as one task, and return its trials."""

from __future__ import annotations

import os
import traceback
from dataclasses import dataclass, field
from typing import Any

import calibrant
from calibrant._dask.client import import_distributed
from calibrant._dask.tasks import SentByValue
from calibrant._fit_warnings import collect_warnings
from calibrant.studies._runners.job_warnings import JobWarnings, collect_job_warnings
from calibrant.studies._runners.shared_work import SharedWork
from calibrant.studies._trials.records import Job, TrialRecord
from calibrant.studies._trials.work import StudyRows

__all__ = ["DaskResult", "run_task"]


@dataclass(frozen=True)
class DaskResult:
    """What a task returns: the trials that have run, what ended it early, and its warnings."""

    records: tuple[TrialRecord, ...] = ()
    problem: str = ""
    warnings: JobWarnings = field(default_factory=JobWarnings)
    version: str = ""  # of calibrant, where it is not that of the client and nothing was run


def run_task(rows: StudyRows, shared: Any, job: Job, version: str) -> DaskResult:
    """Run a job on a worker of Dask."""
    if calibrant.__version__ != version:  # a worker that joined after the start
        return DaskResult(version=calibrant.__version__)
    if isinstance(shared, SentByValue):  # on a worker in the process of the client
        shared = shared.value
    if _n_threads_of_worker() == 1:
        (found, problem), warned = collect_job_warnings(lambda: _run(rows, shared, job), shared.filters)
    else:
        # Filters of warnings belong to the process: threads cannot have their own, so those of the worker apply
        (found, problem), held_back = collect_warnings(_run, rows, shared, job)
        warned = JobWarnings(held_back=held_back)
    return DaskResult(tuple(found), problem, warned)


def _run(rows: StudyRows, shared: SharedWork, job: Job) -> tuple[list[TrialRecord], str]:
    pid, problem = os.getpid(), ""
    found: list[TrialRecord] = []
    try:
        found.extend(shared.run_job(rows, shared.work, job))
    except BaseException:  # sys.exit of a method would end the worker
        problem = traceback.format_exc()
    if os.getpid() != pid:  # forked by a method: only the worker itself reports
        os._exit(0)
    return found, problem


def _n_threads_of_worker() -> int:
    try:
        return int(import_distributed().get_worker().state.nthreads)
    except ValueError:  # outside of a worker
        return 1
