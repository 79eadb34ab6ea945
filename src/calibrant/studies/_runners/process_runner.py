"""A runner of trials in processes of this machine, served by a pool with a thread of its own.

The pool is our own, where pebble or `concurrent.futures` would do less: a trial is reported when it finishes and not
when its job ends, limits hold for each trial after a job is split, memory is limited beyond the imports and rows of a
worker, the stack of a trial that is too slow and the last words of a worker that dies are part of its record, and
processes that methods start end with their worker.
"""

from __future__ import annotations

import atexit
import queue
import signal
import socket
import threading
import time
import warnings
import weakref
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import wait
from pathlib import Path
from typing import Any

from calibrant.exceptions import StudyError
from calibrant.studies._runners.local_worker import LocalWorker
from calibrant.studies._runners.runner import (
    JobEnded,
    JobLost,
    JobWarnings,
    OpenJob,
    RunJob,
    RunnerEvent,
    SharedWork,
    WarningRelay,
)
from calibrant.studies._runners.worker_process import PartEnded, ScratchFolder, TrialLimits, WorkerReady, dump_mapped
from calibrant.studies._trials.records import Job, StudyRows, StudyWork, TrialRecord
from calibrant.studies._trials.run_job import run_job

_CHECK_SECONDS = 0.2  # between looks for workers whose pipes a process that they forked keeps open
_MAX_FAILED_STARTS = 3  # in a row
_MEMORY_SIGNS = ("bad_alloc", "MemoryError", "Cannot allocate memory", "out of memory", "Out of memory")


class WorkerPool:
    """Runs jobs in local processes; a thread serves them so that no worker waits while the caller is busy.

    Parameters
    ----------
    n_workers : int
        The number of processes.
    scratch : ScratchFolder
        Removed when the pool stops.
    work_path : Path
        The file of methods, plan and metrics.
    limits : TrialLimits
        Those of a trial.

    Attributes
    ----------
    events : queue.SimpleQueue
        Events of the runner, `JobWarnings` of jobs, and an exception if the pool itself has failed.
    """

    def __init__(self, n_workers: int, scratch: ScratchFolder, work_path: Path, limits: TrialLimits) -> None:
        self.events: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._n_workers, self._scratch, self._work_path, self._limits = n_workers, scratch, work_path, limits
        self._waiting: deque[OpenJob] = deque()
        self._rows_paths: dict[str, Path] = {}
        self._workers: list[LocalWorker] = []
        self._n_started = self._n_failed_starts = 0
        self._is_stopping = False
        self._alarm, self._bell = socket.socketpair()
        self._alarm.setblocking(False)
        self._bell.setblocking(False)
        self._thread = threading.Thread(target=self._serve, name="calibrant-worker-pool", daemon=True)
        self._thread.start()
        atexit.register(self.stop)  # before multiprocessing's own, which waits for the workers

    def submit(self, open_job: OpenJob, rows_path: Path) -> None:
        """Run a job when a worker is free."""
        self._rows_paths[open_job.job.dataset] = rows_path
        self._waiting.append(open_job)
        self._wake()

    def stop(self) -> None:
        """End all workers and remove the scratch folder."""
        self._is_stopping = True
        self._wake()
        if threading.current_thread() is not self._thread:
            self._thread.join()
        atexit.unregister(self.stop)

    def _wake(self) -> None:
        with suppress(OSError):  # full: it is awake; closed: it has stopped
            self._bell.send(b".")

    def _serve(self) -> None:
        if hasattr(signal, "pthread_sigmask"):  # workers start without Ctrl-C until they have left the terminal
            signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            while not self._is_stopping:
                while self._waiting and (free := self._free_worker()):
                    open_job = self._waiting.popleft()
                    free.run(open_job, self._rows_paths[open_job.job.dataset])
                self._wait()
                for worker in list(self._workers):
                    has_ended = worker.has_ended()  # before the last messages are read
                    self._receive(worker)
                    if worker.deadline is not None and time.monotonic() >= worker.deadline:  # unless it ends just now
                        self._remove(worker)
                        message = f"TimeoutError: time limit of {self._limits.time:g} s exceeded"
                        self._end_part(worker, f"{worker.stack()}{message}")
                    elif has_ended:
                        self._replace_dead(worker)
        except BaseException as error:
            self.events.put(error)
        finally:
            for worker in self._workers:
                worker.kill()
                worker.close()
            self._scratch.remove()
            self._alarm.close()
            self._bell.close()

    def _wait(self) -> None:
        deadlines = [worker.deadline for worker in self._workers]
        seconds = min((deadline - time.monotonic() for deadline in deadlines if deadline), default=_CHECK_SECONDS)
        waitables = [each for worker in self._workers for each in worker.waitables]
        wait([self._alarm, *waitables], min(max(seconds, 0), _CHECK_SECONDS) if self._workers else None)
        with suppress(OSError):
            self._alarm.recv(65536)

    def _free_worker(self) -> LocalWorker | None:
        free = next((each for each in self._workers if each.open_job is None and not each.is_retiring), None)
        if free is None and len(self._workers) < self._n_workers:
            self._n_started += 1
            try:
                free = LocalWorker(self._n_started, self._scratch.path, self._work_path, self._limits)
            except OSError as error:  # no memory, too many files or processes
                raise StudyError(f"no worker process can be started: {error}. Try fewer workers.") from error
            self._workers.append(free)
        return free

    def _receive(self, worker: LocalWorker) -> None:
        for message in worker.receive():
            if isinstance(message, WorkerReady):
                if message.problem:
                    raise StudyError(
                        "the worker processes cannot load the methods, plan or metrics of the study; are they defined "
                        f"where a new Python process can import them?\n{message.problem}"
                    )
                worker.is_ready, self._n_failed_starts = True, 0
            elif isinstance(message, TrialRecord) and worker.open_job is not None:
                self._put(*worker.open_job.report([message]))
            elif isinstance(message, PartEnded):
                self.events.put(message.warnings)
                worker.is_retiring = message.is_worn
                self._end_part(worker, message.problem)

    def _end_part(self, worker: LocalWorker, problem: str) -> None:
        """Go on with the rest of the job that a worker ran, if it has one."""
        open_job = worker.open_job
        if open_job is None:
            return
        self._put(*open_job.end_part(problem, worker.finish_part()))
        if open_job.is_done:
            self._put(JobEnded(open_job.job))
        else:
            self._waiting.appendleft(open_job)

    def _replace_dead(self, worker: LocalWorker) -> None:
        """Report the job that a worker ran when it died; one that it had not begun goes to another worker."""
        self._remove(worker)
        if not worker.is_ready:
            self._n_failed_starts += 1
            if self._n_failed_starts >= _MAX_FAILED_STARTS:
                raise StudyError(f"no worker process can be started: {_explain_end(worker)}.")
        if worker.open_job is None:
            return
        if not worker.has_started:
            self._waiting.appendleft(worker.open_job)
        elif self._limits.memory is not None and any(sign in worker.error_output() for sign in _MEMORY_SIGNS):
            self._end_part(worker, f"{_explain_end(worker)}\n{self._limits.memory_message}")
        else:
            self._put(JobLost(worker.open_job.job, _explain_end(worker)))

    def _remove(self, worker: LocalWorker) -> None:
        self._workers.remove(worker)
        worker.kill()
        self._receive(worker)
        worker.close()

    def _put(self, *events: RunnerEvent) -> None:
        for event in events:
            self.events.put(event)


def _explain_end(worker: LocalWorker) -> str:
    output = worker.error_output()
    return f"{worker.ending}; the end of its error output:\n{output}" if output else worker.ending


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
        Returns the rows of a data set, which are in memory.
    workers : int
        The number of processes.
    time_limit : float or None
        Seconds that a trial may take; a job of n trials may take n times as long.
    memory_limit : int or None
        Bytes that a worker may allocate beyond its imports and the rows (Linux only).
    run_job : function
        Runs a job in a worker.
    """

    def __init__(
        self,
        work: StudyWork,
        read_rows: Callable[[str], StudyRows],
        *,
        workers: int,
        time_limit: float | None = None,
        memory_limit: int | None = None,
        run_job: RunJob = run_job,
    ) -> None:
        limits = TrialLimits(time_limit, memory_limit)
        self._read_rows, self._workers = read_rows, workers
        self._sent: dict[str, Path] = {}  # the file of the rows by data set
        self._ready: list[RunnerEvent] = []
        self._failure: BaseException | None = None
        self._relay = WarningRelay()
        self._scratch = ScratchFolder()
        self._pool: WorkerPool | None = None
        try:
            work_path = self._scratch.path / "work"
            shared = SharedWork(run_job, work, tuple(warnings.filters))
            dump_mapped(shared, work_path, "the methods, plan or metrics of the study")
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
        rows = self._read_rows(job.dataset)
        if job.dataset not in self._sent:
            path = self._scratch.path / f"rows-{len(self._sent)}"
            dump_mapped(rows, path, f"the rows of {job.dataset!r}")
            self._sent[job.dataset] = path
        open_job = OpenJob(job, rows.fingerprint)
        if open_job.is_done:
            self._pool.events.put(JobEnded(job))
        else:
            self._pool.submit(open_job, self._sent[job.dataset])

    def poll(self, timeout: float) -> list[RunnerEvent]:
        """Return the events since the last call, waiting up to `timeout` seconds for the first event."""
        deadline = time.monotonic() + timeout
        while not self._ready and self._failure is None and self._pool is not None:
            self._take_events(self._pool, deadline - time.monotonic())
            if time.monotonic() >= deadline:
                break
        self._relay.show()  # under a filter that makes an error of it, the events wait for the next call
        if self._failure is not None and not self._ready:
            raise self._failure
        found, self._ready = self._ready, []
        return found

    def stop(self) -> None:
        """Stop at once: running jobs are abandoned, processes and temporary files are removed."""
        if self._pool is not None:
            self._pool.stop()
            self._take_events(self._pool)
            self._pool = None
            self._finalizer.detach()
            self._relay.finish()

    def _take_events(self, pool: WorkerPool, timeout: float = 0.0) -> None:
        """Take what the pool reports, waiting up to `timeout` seconds for the first event."""
        with suppress(queue.Empty):
            while True:
                item, timeout = pool.events.get(timeout=max(0.0, timeout)), 0.0
                if isinstance(item, JobWarnings):
                    self._relay.add(item)
                elif isinstance(item, BaseException):
                    self._failure = item
                else:
                    self._ready.append(item)
