"""Trials one after the other in this process."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterator

from calibrant.studies._runners.runner import JobEnded, RunnerEvent, TrialFinished
from calibrant.studies._runners.shared_work import RunJob
from calibrant.studies._trials.records import Job, TrialRecord
from calibrant.studies._trials.work import StudyRows, StudyWork

__all__ = ["InProcessRunner"]


class InProcessRunner:
    """Runs a trial in each `poll`; there are no limits of time or memory, which need a process to end."""

    def __init__(self, work: StudyWork, read_rows: Callable[[str], StudyRows], run_job: RunJob) -> None:
        self._work, self._read_rows, self._run_job = work, read_rows, run_job
        self._jobs: deque[Job] = deque()
        self._running: Iterator[TrialRecord] = iter(())
        self._pid = os.getpid()

    @property
    def n_slots(self) -> int:
        """One job at a time."""
        return 1

    def submit(self, job: Job) -> None:
        """Run a job after those before it."""
        self._jobs.append(job)
        if len(self._jobs) == 1:
            self._running = self._run_job(self._read_rows(job.dataset), self._work, job)

    def poll(self, timeout: float) -> list[RunnerEvent]:  # noqa: ARG002
        """Run the next trial, however long it takes."""
        if not self._jobs:
            return []
        job = self._jobs[0]
        try:
            record = next(self._running, None)
        finally:
            self._exit_if_forked()
        if record is not None:
            return [TrialFinished(job, record)]
        self._jobs.popleft()
        if self._jobs:
            first = self._jobs[0]
            self._running = self._run_job(self._read_rows(first.dataset), self._work, first)
        return [JobEnded(job)]

    def _exit_if_forked(self) -> None:
        """End a process that a method forked and that returned or raised: the study is its parent's."""
        if os.getpid() != self._pid:
            os._exit(0)

    def stop(self) -> None:
        """Forget the jobs that did not run."""
        self._jobs.clear()
        self._running = iter(())
