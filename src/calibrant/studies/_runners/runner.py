"""Runners take jobs, report trials as they finish; here the one that runs trials in this process."""

from __future__ import annotations

import os
import platform
import traceback
import uuid
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import groupby
from operator import attrgetter
from typing import Any, Protocol

import calibrant
from calibrant.studies._runners.job_warnings import WarningFilters
from calibrant.studies._trials.records import Job, StudyRows, StudyWork, TrialRecord, TrialRef


@dataclass(frozen=True)
class TrialFinished:
    """A trial of a job has run, with or without a result."""

    job: Job
    record: TrialRecord


@dataclass(frozen=True)
class JobEnded:
    """All trials of a job were reported."""

    job: Job


@dataclass(frozen=True)
class JobLost:
    """The worker of a job died before all its trials were reported; the reason, in a sentence."""

    job: Job
    reason: str


RunnerEvent = TrialFinished | JobEnded | JobLost


class Runner(Protocol):
    """Runs jobs somewhere. Only the process that owns the runner writes to the store.

    A job that is submitted ends in exactly one `JobEnded` or `JobLost`, unless the runner is stopped. Each trial of
    an ended job was reported in exactly one `TrialFinished`; a lost job may have reported some of its trials.
    """

    @property
    def n_slots(self) -> int:
        """Number of jobs that run at a time; more may be submitted, and wait."""

    def submit(self, job: Job) -> None:
        """Run a job when a slot is free."""

    def poll(self, timeout: float) -> list[RunnerEvent]:
        """Return the events since the last call, waiting up to `timeout` seconds for the first event."""

    def stop(self) -> None:
        """Stop at once: running jobs are abandoned, processes and temporary files are removed."""


RunJob = Callable[[StudyRows, StudyWork, Job], Iterator[TrialRecord]]


@dataclass(frozen=True)
class SharedWork:
    """The function that runs jobs, its methods, and the filters of warnings of the process that owns the runner."""

    run_job: RunJob
    work: StudyWork
    filters: WarningFilters


_NO_RESULT = "RuntimeError: the job ended without a result for this trial"


class OpenJob:
    """A submitted job, run in one part, or in smaller ones once a part was interrupted.

    The time of a job is not divided among its trials, which share work. So when a job exceeds a limit, or its
    program ends without a result, its unfinished trials run again split by split, then one by one: only a trial that
    exceeds the limit on its own is recorded as failed.

    Parameters
    ----------
    job : Job
        The job.
    fingerprint : str
        The digest of its rows.
    """

    def __init__(self, job: Job, fingerprint: str) -> None:
        self.job = job
        self._fingerprint = fingerprint
        self._missing = {ref.key: ref for ref in job.refs}
        self._parts: deque[tuple[TrialRef, ...]] = deque([job.refs] if job.refs else [])

    @property
    def is_done(self) -> bool:
        """Whether every trial was reported."""
        return not self._missing

    @property
    def part(self) -> Job:
        """The part that runs now or next."""
        return replace(self.job, refs=self._parts[0])

    def report(self, records: Iterable[TrialRecord]) -> Iterator[TrialFinished]:
        """Yield the event of each record that was not reported before."""
        for record in records:
            if self._missing.pop(record.ref.key, None) is not None:
                yield TrialFinished(self.job, record)

    def end_part(self, problem: str = "", seconds: float = 0.0) -> Iterator[TrialFinished]:
        """Plan the next part; a trial that ran alone and was not reported is reported as failed by the problem."""
        part = self._parts.popleft()
        left = [ref for ref in part if ref.key in self._missing]
        if len(part) > 1:
            by_split = [tuple(group) for _, group in groupby(left, attrgetter("split"))]
            self._parts.extendleft(reversed(by_split if len(by_split) > 1 else [(ref,) for ref in left]))
            return
        versions = {"calibrant": calibrant.__version__, "python": platform.python_version()}
        known: Any = {"versions": versions, "data_fingerprint": self._fingerprint, "fit_seconds": seconds}
        for ref in left:
            yield from self.report([TrialRecord(ref, uuid.uuid4().hex, error=problem or _NO_RESULT, **known)])


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
            if os.getpid() != self._pid:  # a process that a method forked, and the study is its parent's
                os._exit(0)
        if record is not None:
            return list(open_job.report([record]))
        self._running = None
        return list(open_job.end_part(problem))

    def stop(self) -> None:
        """Forget the jobs that did not run."""
        self._jobs.clear()
        self._running = None
