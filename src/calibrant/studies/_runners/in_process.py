"""Trials one after the other in this process."""

from __future__ import annotations

import os
import traceback
from collections import deque
from collections.abc import Callable, Iterator

from calibrant.studies._runners.open_job import OpenJob
from calibrant.studies._runners.runner import JobEnded, RunnerEvent
from calibrant.studies._runners.shared_work import RunJob
from calibrant.studies._trials.records import Job, TrialRecord
from calibrant.studies._trials.work import StudyRows, StudyWork

__all__ = ["InProcessRunner"]


class InProcessRunner:
    """Runs a trial in each `poll`; there are no limits of time or memory, which need a process to end.

    A method that calls `sys.exit` fails alone, as in a worker process: what is left of its job runs split by split,
    then trial by trial. KeyboardInterrupt is the user's and ends the run.
    """

    def __init__(self, work: StudyWork, read_rows: Callable[[str], StudyRows], run_job: RunJob) -> None:
        self._work, self._read_rows, self._run_job = work, read_rows, run_job
        self._jobs: deque[OpenJob] = deque()
        self._running: Iterator[TrialRecord] | None = None
        self._pid = os.getpid()

    @property
    def n_slots(self) -> int:
        """One job at a time."""
        return 1

    def submit(self, job: Job) -> None:
        """Run a job after those before it."""
        self._jobs.append(OpenJob(job, self._read_rows(job.dataset).fingerprint))

    def poll(self, timeout: float) -> list[RunnerEvent]:  # noqa: ARG002
        """Run the next trial, however long it takes."""
        if not self._jobs:
            return []
        first, events = self._jobs[0], self._run_next(self._jobs[0])
        if not first.is_done:
            return events
        self._jobs.popleft()
        self._running = None
        return [*events, JobEnded(first.job)]

    def _run_next(self, open_job: OpenJob) -> list[RunnerEvent]:
        """Run a trial of a job; if the method leaves Python instead, plan to run the rest in smaller parts."""
        problem = ""
        try:
            if self._running is None:
                part = open_job.part
                self._running = self._run_job(self._read_rows(part.dataset), self._work, part)
            record = next(self._running, None)
        except SystemExit:
            problem, record = traceback.format_exc(), None
        finally:
            self._exit_if_forked()
        if record is not None:
            return list(open_job.report([record]))
        self._running = None
        return list(open_job.end_part(problem))

    def _exit_if_forked(self) -> None:
        """End a process that a method forked and that returned or raised: the study is its parent's."""
        if os.getpid() != self._pid:
            os._exit(0)

    def stop(self) -> None:
        """Forget the jobs that did not run."""
        self._jobs.clear()
        self._running = None
