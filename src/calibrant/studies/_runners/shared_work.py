"""What every worker of a runner is sent once: the function that runs jobs, methods, plan and metrics."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from calibrant.studies._runners.job_warnings import WarningFilters, current_filters
from calibrant.studies._trials.records import Job, TrialRecord
from calibrant.studies._trials.work import StudyRows, StudyWork

__all__ = ["RunJob", "SharedWork", "share_work"]

RunJob = Callable[[StudyRows, StudyWork, Job], Iterator[TrialRecord]]


@dataclass(frozen=True)
class SharedWork:
    """How jobs run, on what methods, and the filters of warnings of the process that owns the runner."""

    run_job: RunJob
    work: StudyWork
    filters: WarningFilters


def share_work(work: StudyWork, run_job: RunJob | None) -> SharedWork:
    """Return what workers need; without `run_job`, jobs run as everywhere in the package."""
    if run_job is None:
        run_job = importlib.import_module("calibrant.studies._trials.run_job").run_job
    return SharedWork(run_job, work, current_filters())
