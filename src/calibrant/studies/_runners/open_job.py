"""A job that was submitted and has not ended: what is still to be reported, and in which parts it runs."""

from __future__ import annotations

import platform
import uuid
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import groupby
from operator import attrgetter

import calibrant
from calibrant.studies._runners.runner import TrialFinished
from calibrant.studies._trials.records import Job, TrialRecord, TrialRef

__all__ = ["OpenJob"]

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
        """What runs now or next."""
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
            self._parts.extendleft(reversed(_smaller(left)))
        else:
            yield from self.report(self._failed(ref, problem or _NO_RESULT, seconds) for ref in left)

    def _failed(self, ref: TrialRef, problem: str, seconds: float) -> TrialRecord:
        return TrialRecord(
            ref,
            token=uuid.uuid4().hex,
            versions={"calibrant": calibrant.__version__, "python": platform.python_version()},
            data_fingerprint=self._fingerprint,
            fit_seconds=seconds,
            error=problem,
        )


def _smaller(refs: list[TrialRef]) -> list[tuple[TrialRef, ...]]:
    """Return trials in parts that each run on one split, or on their own if there is one split only."""
    by_split = [tuple(group) for _, group in groupby(refs, attrgetter("split"))]
    return by_split if len(by_split) > 1 else [(ref,) for ref in refs]
