"""The loop of a run: claim trials, hand them to a runner, record them one by one, take over what others left."""

from __future__ import annotations

import time
import uuid
from collections import Counter, deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from itertools import groupby
from typing import TYPE_CHECKING, Protocol

from calibrant.studies._runners.runner import JobEnded, JobLost, Runner, RunnerEvent, TrialFinished
from calibrant.studies._trials.needed import Needed, is_unfinished
from calibrant.studies._trials.records import Job, TrialRecord, TrialRef
from calibrant.studies._trials.schedule import Schedule

if TYPE_CHECKING:
    from calibrant.studies._store.leases import Worker
    from calibrant.studies._store.store import Store

__all__ = ["Coordinator", "Observer"]

_POLL_SECONDS = 0.2
_JOBS_PER_SLOT = 2  # one runs, one waits: a slot is never idle while the store commits
_MAX_ATTEMPTS = 3  # workers that may die of a trial before it counts as failed
_LONGEST_WAIT = 5.0  # seconds between two looks at trials that other processes hold


class Observer(Protocol):
    """Shows the progress of a run."""

    def recorded(self, record: TrialRecord) -> None:
        """Count a trial that this run recorded."""

    def running(self, refs: int) -> None:
        """Show the number of trials that run now."""

    def recorded_elsewhere(self, refs: Iterable[TrialRef]) -> None:
        """Count trials that other processes recorded."""


@dataclass
class Coordinator:
    """Runs the pending trials of a schedule until each is recorded, by this process or by another one on the store.

    Parameters
    ----------
    store, name, worker
        The store, the name of the study, and this process as the store knows it.
    schedule, runner
        What is to run, and where.
    needed : Needed
        What a recorded trial must have.
    observer
        Shows the progress.
    is_over : function
        Returns whether the run ends now, before every trial is recorded; asked several times a second.
    """

    store: Store
    name: str
    worker: Worker
    schedule: Schedule
    runner: Runner
    needed: Needed
    observer: Observer
    is_over: Callable[[], bool]
    _in_flight: dict[int, dict[str, TrialRef]] = field(default_factory=dict)  # by job, the trials not yet recorded
    _elsewhere: list[TrialRef] = field(default_factory=list)  # claimed or recorded by other processes
    _alone: deque[Job] = field(default_factory=deque)  # trials of lost jobs, to find out which one is to blame
    _attempts: Counter[str] = field(default_factory=Counter)
    _wait: float = _POLL_SECONDS

    def run(self) -> None:
        """Run until every trial is recorded or time is up; then, or on any exception, give up claims and runner."""
        try:
            while not self.is_over() and (self._submit_jobs() or self._has_unfinished_elsewhere()):
                for event in self.runner.poll(_POLL_SECONDS):
                    self._handle(event)
        finally:
            self.runner.stop()
            self.store.end_worker(self.worker)

    def _submit_jobs(self) -> bool:
        """Keep the slots of the runner busy; return whether any job is running."""
        limit = 1 if self.runner.n_slots == 1 else _JOBS_PER_SLOT * self.runner.n_slots
        while len(self._in_flight) < limit and (job := self._next_job()) is not None:
            self._submit(job)
        self.observer.running(sum(map(len, self._in_flight.values())))
        return bool(self._in_flight)

    def _next_job(self) -> Job | None:
        """Return the next job of trials that this process holds, or None if there is none to be had."""
        if self._alone:
            return self._alone.popleft()
        while (job := self.schedule.next_job()) is not None:
            held = set(self.needed.claim(self.store, self.name, self.worker, [ref.key for ref in job.refs]))
            self._elsewhere += [ref for ref in job.refs if ref.key not in held]
            mine = tuple(ref for ref in job.refs if ref.key in held)
            if mine:
                first, *others = self._uniform(mine) if len(mine) < len(job.refs) else [job]
                self._alone.extend(others)
                return first
        return None

    def _uniform(self, refs: Iterable[TrialRef]) -> list[Job]:
        """Return jobs that have the same methods on all their splits."""
        by_split = [tuple(group) for _, group in groupby(refs, key=lambda ref: ref.split)]
        same = groupby(by_split, key=lambda group: tuple(ref.method for ref in group))
        return [self._job(ref for group in groups for ref in group) for _, groups in same]

    def _job(self, refs: Iterable[TrialRef]) -> Job:
        trials = tuple(refs)
        self.schedule.n_jobs += 1
        return Job(self.schedule.n_jobs, trials[0].dataset, trials)

    def _submit(self, job: Job) -> None:
        self._in_flight[job.number] = {ref.key: ref for ref in job.refs}
        self.runner.submit(job)

    def _handle(self, event: RunnerEvent) -> None:
        if isinstance(event, TrialFinished):
            self._record(event.job, event.record)
        elif isinstance(event, JobEnded):
            self._in_flight.pop(event.job.number)
        elif isinstance(event, JobLost):
            self._retry(event)

    def _record(self, job: Job, record: TrialRecord) -> None:
        self.store.record(self.name, self.worker, record)
        self._in_flight[job.number].pop(record.ref.key, None)
        self.schedule.observe(job, record)
        self.observer.recorded(record)

    def _retry(self, lost: JobLost) -> None:
        """Run the trials of a lost job again, one by one; what kills its worker time after time has failed."""
        unrecorded = self._in_flight.pop(lost.job.number).values()
        for ref in unrecorded:
            self._attempts[ref.key] += 1
            if self._attempts[ref.key] < _MAX_ATTEMPTS:
                self._alone.append(self._job([ref]))
            else:
                error = f"the worker died {_MAX_ATTEMPTS} times: {lost.reason}"
                failed = TrialRecord(ref, uuid.uuid4().hex, error=error)
                self.store.record(self.name, self.worker, failed)
                self.observer.recorded(failed)

    def _has_unfinished_elsewhere(self) -> bool:
        """Wait for the trials that other processes hold, and schedule those that are still not recorded."""
        if not self._elsewhere:
            return False
        states = self.needed.states(self.store, self.name)
        unfinished = [ref for ref in self._elsewhere if is_unfinished(states, ref)]
        waiting = {ref.key for ref in unfinished}
        self.observer.recorded_elsewhere(ref for ref in self._elsewhere if ref.key not in waiting)
        self._wait = _POLL_SECONDS if len(unfinished) < len(self._elsewhere) else min(2 * self._wait, _LONGEST_WAIT)
        self._elsewhere = []
        if unfinished:
            self.schedule.put_back(unfinished)
            time.sleep(self._wait)
        return bool(unfinished)
