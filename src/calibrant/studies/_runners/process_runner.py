"""A runner of trials in processes of this machine."""

from __future__ import annotations

import queue
import time
import weakref
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from calibrant._params import Int, check_param
from calibrant.exceptions import StudyError
from calibrant.studies._runners.job_warnings import JobWarnings, WarningRelay
from calibrant.studies._runners.limits import TrialLimits
from calibrant.studies._runners.open_job import OpenJob
from calibrant.studies._runners.runner import JobEnded, RunnerEvent
from calibrant.studies._runners.scratch import ScratchFolder, dump_mapped
from calibrant.studies._runners.shared_work import RunJob, share_work
from calibrant.studies._runners.worker_pool import WorkerPool
from calibrant.studies._trials.records import Job
from calibrant.studies._trials.work import StudyRows, StudyWork

__all__ = ["ProcessRunner"]


class ProcessRunner:
    """Runs jobs in new Python processes of loky, one thread each.

    The rows of a data set are written once to a temporary folder and memory-mapped by the workers. A trial is
    reported when it finishes, and not when its job ends. What methods print is dropped; the end of a worker's error
    output is part of the reason if the worker dies. Warnings appear in this process, each once, under its filters.

    A worker that dies is replaced, and its job is lost (`JobLost`, with signal or exit code); other workers are not
    disturbed. A job that exceeds a limit runs again split by split, then trial by trial, so that only trials which
    exceed the limit on their own are reported as failed. Processes that methods start end with their worker.

    Parameters
    ----------
    work : StudyWork
        Methods, plan and metrics; what is defined in ``__main__`` is sent by value.
    read_rows : function of str to StudyRows
        Returns the rows of a data set; called once a data set, in `submit`.
    workers : int
        The number of processes.
    time_limit : float or None
        Seconds that a trial may take; a job of n trials may take n times as long.
    memory_limit : int or None
        Bytes that a worker may allocate beyond its imports and the rows (Linux only).
    run_job : function or None
        Runs a job in a worker; that of the package by default.
    """

    def __init__(
        self,
        work: StudyWork,
        read_rows: Callable[[str], StudyRows],
        *,
        workers: int,
        time_limit: float | None = None,
        memory_limit: int | None = None,
        run_job: RunJob | None = None,
    ) -> None:
        check_param("workers", workers, Int(1))
        limits = TrialLimits(time_limit, memory_limit)
        self._read_rows, self._workers = read_rows, workers
        self._sent: dict[str, tuple[str, Path]] = {}  # fingerprint and file by data set
        self._ready: list[RunnerEvent] = []
        self._failure: BaseException | None = None
        self._relay = WarningRelay()
        self._scratch = ScratchFolder()
        self._pool: WorkerPool | None = None
        try:
            work_path = self._scratch.path / "work"
            dump_mapped(share_work(work, run_job), work_path, "the methods, plan or metrics of the study")
            self._pool = WorkerPool(workers, self._scratch, work_path, limits)
        except BaseException:
            self._scratch.remove()
            raise
        self._finalizer = weakref.finalize(self, self._pool.stop)
        self._finalizer.atexit = False  # the pool has its own, at the right time

    @property
    def n_slots(self) -> int:
        """Number of jobs that run at a time; more may be submitted, and wait."""
        return self._workers

    def submit(self, job: Job) -> None:
        """Run a job when a worker is free."""
        if self._pool is None:
            raise StudyError("the runner has been stopped.")
        fingerprint, path = self._send_rows(job.dataset)
        open_job = OpenJob(job, fingerprint)
        if open_job.is_done:
            self._pool.events.put(JobEnded(job))
        else:
            self._pool.submit(open_job, path)

    def poll(self, timeout: float) -> list[RunnerEvent]:
        """Return what happened since the last call, waiting up to `timeout` seconds for the first event."""
        deadline = time.monotonic() + timeout
        while not self._ready and self._failure is None and self._pool is not None:
            try:
                self._take(self._pool.events.get(timeout=max(0.0, deadline - time.monotonic())))
            except queue.Empty:
                break
            self._take_waiting(self._pool)
        self._relay.show()  # under a filter that makes an error of it, the events wait for the next call
        if self._failure is not None and not self._ready:
            raise self._failure
        found, self._ready = self._ready, []
        return found

    def stop(self) -> None:
        """Stop at once: running jobs are abandoned, processes and temporary files are removed."""
        if self._pool is not None:
            self._pool.stop()
            self._take_waiting(self._pool)
            self._pool = None
            self._finalizer.detach()
            self._relay.finish()

    def _take_waiting(self, pool: WorkerPool) -> None:
        with suppress(queue.Empty):
            while True:
                self._take(pool.events.get_nowait())

    def _take(self, item: Any) -> None:
        if isinstance(item, JobWarnings):
            self._relay.add(item)
        elif isinstance(item, BaseException):
            self._failure = item
        else:
            self._ready.append(item)

    def _send_rows(self, dataset: str) -> tuple[str, Path]:
        """Return the fingerprint and the file of the rows of a data set, which is written once."""
        if dataset not in self._sent:
            rows = self._read_rows(dataset)
            path = self._scratch.path / f"rows-{len(self._sent)}"
            dump_mapped(rows, path, f"the rows of {dataset!r}")
            self._sent[dataset] = rows.fingerprint, path
        return self._sent[dataset]
