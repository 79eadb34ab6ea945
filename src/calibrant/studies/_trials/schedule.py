"""The order in which trials run, and how many splits of a family run together."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from calibrant.studies._trials.planned import PlannedTrials
from calibrant.studies._trials.records import Job, TrialRecord, TrialRef

__all__ = ["Schedule"]

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
        family.seconds += record.fit_seconds + record.predict_seconds + record.shared_seconds / record.n_sharing
        family.n_splits += 1 / len(job.methods)
