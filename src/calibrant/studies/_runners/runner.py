"""Runners take jobs, report trials as they finish, and show warnings once each; here the one of this process."""

from __future__ import annotations

import os
import pickle
import platform
import traceback
import uuid
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import groupby
from operator import attrgetter
from typing import Any, Protocol, TypeVar

import calibrant
from calibrant._fit_warnings import HeldBack, collect_warnings, one_warning_a_fit, pass_on
from calibrant.studies._trials.records import Job, StudyRows, StudyWork, TrialRecord, TrialRef

T = TypeVar("T")
WarningFilters = tuple[Any, ...]


@dataclass(frozen=True)
class JobWarnings:
    """The warnings of a job: those shown, as (category, text, file, line), and those held back for the whole run."""

    shown: tuple[tuple[type[Warning], str, str, int], ...] = ()
    held_back: HeldBack = field(default_factory=dict)


def collect_job_warnings(run: Callable[[], T], filters: WarningFilters) -> tuple[T, JobWarnings]:
    """Return the result of `run` and the warnings that the filters let through, each once."""
    shown: dict[tuple[str, str], tuple[type[Warning], str, str, int]] = {}

    def keep(message: Any, category: type[Warning], filename: str, lineno: int, *_: Any, **__: Any) -> None:
        shown.setdefault((category.__name__, str(message)), (_sendable(category), str(message), filename, lineno))

    with warnings.catch_warnings():
        # Those of the owner's process, not of the worker's own start
        warnings.resetwarnings()
        warnings.filters.extend(filters)  # type: ignore[attr-defined]
        warnings.showwarning = keep
        result, held_back = collect_warnings(run)
    return result, JobWarnings(tuple(shown.values()), held_back)


def _sendable(category: type[Warning]) -> type[Warning]:
    """Return the category, or the first of its bases that can be pickled by name."""
    for each in category.__mro__:
        try:
            pickle.dumps(each)
        except Exception:  # noqa: S112 - a class of the method that is not importable
            continue
        if each.__module__ != "__main__" and issubclass(each, Warning):
            return each
    return UserWarning


class WarningRelay:
    """Shows the warnings of jobs under the filters of this process, none twice."""

    def __init__(self) -> None:
        self._waiting: list[JobWarnings] = []
        self._seen: set[tuple[str, str]] = set()
        self._held_back: list[HeldBack] = []

    def add(self, found: JobWarnings) -> None:
        """Keep the warnings of a job for `show`."""
        if found.shown or found.held_back:
            self._waiting.append(found)

    def show(self) -> None:
        """Show new warnings; those that count their repetitions wait for `finish`."""
        while self._waiting:
            found = self._waiting.pop()
            self._held_back.append(found.held_back)
            for category, text, filename, lineno in found.shown:
                if (category.__name__, text) not in self._seen:
                    self._seen.add((category.__name__, text))
                    warnings.warn_explicit(text, category, filename, lineno)

    def finish(self) -> None:
        """Show all warnings that are left."""
        self.show()
        held_back, self._held_back = self._held_back, []
        with one_warning_a_fit():  # so that warnings of one kind are counted as one
            for each in held_back:
                pass_on(each)


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
        first, problem = self._jobs[0], ""
        try:
            if self._running is None:
                part = first.part
                self._running = self._run_job(self._read_rows(part.dataset), self._work, part)
            record = next(self._running, None)
        except SystemExit:  # the rest of the job runs in smaller parts
            problem, record = traceback.format_exc(), None
        finally:
            if os.getpid() != self._pid:  # a process that a method forked, and the study is its parent's
                os._exit(0)
        events: list[RunnerEvent] = [*(first.end_part(problem) if record is None else first.report([record]))]
        if record is None or first.is_done:
            self._running = None
        if first.is_done:
            self._jobs.popleft()
            events.append(JobEnded(first.job))
        return events

    def stop(self) -> None:
        """Forget the jobs that did not run."""
        self._jobs.clear()
        self._running = None
