"""The loop of a run: claim trials, hand them to a runner, record them one by one, take over what others left."""

from __future__ import annotations

import threading
import time
import uuid
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from calibrant.exceptions import StoreError
from calibrant.studies._runners.runner import JobEnded, JobLost, Runner, TrialFinished
from calibrant.studies._trials.records import Job, Needed, PlannedTrials, TrialRecord, TrialRef

if TYPE_CHECKING:
    from calibrant.studies._runners.study_progress import StudyProgress
    from calibrant.studies._store.leases import Worker
    from calibrant.studies._store.store import Store

_MAX_SPLITS = 64  # as many as the engine grows at once
_BLOCK_SECONDS = 0.5  # of work in a job: long against its overhead, short against what a crash may cost


@dataclass
class _Family:
    """The pending splits of methods that share grown trees, and the seconds that a split took so far."""

    dataset: str
    pending: deque[tuple[TrialRef, ...]]  # the trials of a split, split by split
    seconds: float = 0.0
    n_splits: float = 0.0

    def take(self, max_splits: int) -> tuple[TrialRef, ...]:
        """Remove and return the trials of the next splits that the same methods have pending."""
        first = self.pending.popleft()
        taken, methods = [first], _methods(first)
        while self.pending and len(taken) < max_splits and _methods(self.pending[0]) == methods:
            taken.append(self.pending.popleft())
        return tuple(ref for refs in taken for ref in refs)

    @property
    def block(self) -> int:
        """Number of splits that take about `_BLOCK_SECONDS`; one until the first was timed."""
        if not self.n_splits:
            return 1
        mean = self.seconds / self.n_splits
        return _MAX_SPLITS if mean * _MAX_SPLITS <= _BLOCK_SECONDS else max(1, int(_BLOCK_SECONDS / mean))


def _methods(refs: Iterable[TrialRef]) -> tuple[str, ...]:
    return tuple(ref.method for ref in refs)


@dataclass
class Schedule:
    """Pending trials as jobs: data set by data set, all families on the first split, then in blocks of splits.

    Examples
    --------
    >>> digests = {"laplace": "a", "m": "b", "bayes": "c"}
    >>> planned = PlannedTrials("iris", (("laplace", "m"), ("bayes",)), (0, 1), digests)
    >>> schedule = Schedule.of([planned], lambda ref: ref.key != "a-0")
    >>> job = schedule.next_job()
    >>> [ref.key for ref in job.refs], schedule.n_pending
    (['b-0'], 4)
    """

    max_splits: int = _MAX_SPLITS
    n_jobs: int = 0
    queues: dict[str, deque[_Family]] = field(default_factory=dict)  # by data set, the families with pending trials
    families: dict[tuple[str, str], _Family] = field(default_factory=dict)  # by data set and method

    @classmethod
    def of(
        cls, planned: Iterable[PlannedTrials], is_pending: Callable[[TrialRef], bool], max_splits: int = _MAX_SPLITS
    ) -> Schedule:
        """Schedule the pending trials of some data sets."""
        schedule = cls(max_splits)
        for trials in planned:
            for methods in trials.families:
                family = _Family(trials.dataset, deque())
                schedule.families.update(dict.fromkeys(((trials.dataset, method) for method in methods), family))
                for split in trials.splits:
                    schedule._append(family, tuple(filter(is_pending, trials.refs(methods, split))))
        return schedule

    def _append(self, family: _Family, refs: tuple[TrialRef, ...]) -> None:
        if not refs:
            return
        if not family.pending:
            self.queues.setdefault(family.dataset, deque()).append(family)
        family.pending.append(refs)

    @property
    def n_pending(self) -> int:
        """Number of trials that no job has taken."""
        return sum(len(refs) for queue in self.queues.values() for family in queue for refs in family.pending)

    def next_job(self) -> Job | None:
        """Return the next job, or None if no trial is pending."""
        if not self.queues:
            return None
        dataset, queue = next(iter(self.queues.items()))
        family = queue.popleft()
        refs = family.take(min(family.block, self.max_splits))
        if family.pending:
            queue.append(family)
        if not queue:
            del self.queues[dataset]
        self.n_jobs += 1
        return Job(self.n_jobs, dataset, refs)

    def put_back(self, refs: Iterable[TrialRef]) -> None:
        """Return trials that did not run to the end of their families."""
        by_split: dict[tuple[int, int], list[TrialRef]] = {}
        for ref in refs:
            by_split.setdefault((id(self.families[ref.dataset, ref.method]), ref.split), []).append(ref)
        for together in by_split.values():
            self._append(self.families[together[0].dataset, together[0].method], tuple(together))

    def observe(self, job: Job, record: TrialRecord) -> None:
        """Add the time of a trial that has run to that of its family."""
        family = self.families[job.dataset, record.ref.method]
        family.seconds += record.seconds
        family.n_splits += 1 / len(job.methods)


_POLL_SECONDS = 0.2
_JOBS_PER_SLOT = 2  # one runs, one waits: a slot is never idle while the store commits
_MAX_ATTEMPTS = 3  # workers that may die of a trial before it counts as failed
_LONGEST_WAIT = 5.0  # seconds between two looks at trials that other processes hold


@dataclass
class Coordinator:
    """Runs the pending trials of a schedule until each is recorded, by this process or by another one on the store.

    Parameters
    ----------
    store, name, worker
        The store, the name of the study, and this process as the store knows it.
    schedule, runner
        What is to run, and where.
    needed : dict
        What a recorded trial must have, as `Store.finished` takes it.
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
    observer: StudyProgress
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
                    if isinstance(event, TrialFinished):
                        self._in_flight[event.job.number].pop(event.record.ref.key, None)
                        self.schedule.observe(event.job, event.record)
                        self._record(event.record)
                    elif isinstance(event, JobEnded):
                        self._in_flight.pop(event.job.number)
                    else:
                        self._retry(event)
        finally:
            self.runner.stop()  # first: a trial that still ran could be recorded after its claim is given up
            self.store.end_worker(self.worker)

    def _submit_jobs(self) -> bool:
        """Keep the slots of the runner busy; return whether any job is running."""
        limit = 1 if self.runner.n_slots == 1 else _JOBS_PER_SLOT * self.runner.n_slots
        while len(self._in_flight) < limit and (job := self._next_job()) is not None:
            self._in_flight[job.number] = {ref.key: ref for ref in job.refs}
            self.runner.submit(job)
        self.observer.running(sum(map(len, self._in_flight.values())))
        return bool(self._in_flight)

    def _next_job(self) -> Job | None:
        """Return the next job of trials that this process holds, or None if there is none to be had."""
        if self._alone:
            return self._alone.popleft()
        while (job := self.schedule.next_job()) is not None:
            keys = [ref.key for ref in job.refs]
            held = set(self.store.claim(self.name, self.worker, keys, **self.needed))
            self._elsewhere += [ref for ref in job.refs if ref.key not in held]
            if len(held) == len(job.refs):
                return job
            # A job has the same methods on all its splits: the schedule makes others of what is left of this one
            self.schedule.put_back(ref for ref in job.refs if ref.key in held)
        return None

    def _record(self, record: TrialRecord) -> None:
        self.store.record(self.name, self.worker, record)
        self.observer.recorded(record)

    def _retry(self, lost: JobLost) -> None:
        """Run the trials of a lost job again, one by one; what kills its worker time after time has failed."""
        unrecorded = self._in_flight.pop(lost.job.number).values()
        for ref in unrecorded:
            self._attempts[ref.key] += 1
            if self._attempts[ref.key] < _MAX_ATTEMPTS:
                self.schedule.n_jobs += 1
                self._alone.append(Job(self.schedule.n_jobs, ref.dataset, (ref,)))
            else:
                error = f"the worker died {_MAX_ATTEMPTS} times: {lost.reason}"
                self._record(TrialRecord(ref, uuid.uuid4().hex, error=error))

    def _has_unfinished_elsewhere(self) -> bool:
        """Wait for the trials that other processes hold, and schedule those that are still not recorded."""
        if not self._elsewhere:
            return False
        states = self.store.finished(self.name, **self.needed)
        unfinished = [ref for ref in self._elsewhere if states.get(ref.key) in (None, "incomplete")]
        waiting = {ref.key for ref in unfinished}
        self.observer.recorded_elsewhere(ref for ref in self._elsewhere if ref.key not in waiting)
        self._wait = _POLL_SECONDS if len(unfinished) < len(self._elsewhere) else min(2 * self._wait, _LONGEST_WAIT)
        self._elsewhere = []
        if unfinished:
            self.schedule.put_back(unfinished)
            time.sleep(self._wait)
        return bool(unfinished)


@contextmanager
def beating(open_store: Callable[[], AbstractContextManager[Store]], worker: Worker, interval: float) -> Iterator[None]:
    """Renew the lease of a worker every `interval` seconds, over a connection of its own, until the block ends.

    A heartbeat that cannot be written is left out: at worst the lease expires, another worker takes the trials, and
    the first to record one wins.
    """
    stopped = threading.Event()

    def beat() -> None:
        while not stopped.wait(interval):
            with suppress(StoreError), open_store() as store:
                while not stopped.wait(interval):
                    store.heartbeat(worker)

    thread = threading.Thread(target=beat, name="calibrant-heartbeat", daemon=True)
    thread.start()
    try:
        yield
    finally:
        stopped.set()
        thread.join(timeout=interval)
