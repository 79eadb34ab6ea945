"""What every runner does: take jobs, and report trials as they finish."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from calibrant.studies._trials.records import Job, TrialRecord

__all__ = ["JobEnded", "JobLost", "Runner", "RunnerEvent", "TrialFinished"]


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
        """Return what happened since the last call, waiting up to `timeout` seconds for the first event."""

    def stop(self) -> None:
        """Stop at once: running jobs are abandoned, processes and temporary files are removed."""
