"""A runner of trials on a Dask cluster: a job is one task."""

from __future__ import annotations

import os
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from calibrant._dask.client import Connection, import_distributed
from calibrant._dask.tasks import SentByValue, TaskResults, is_other_version, submit
from calibrant._fit_warnings import collect_warnings
from calibrant.exceptions import StudyError
from calibrant.studies._runners.runner import (
    JobEnded,
    JobLost,
    JobWarnings,
    OpenJob,
    RunJob,
    RunnerEvent,
    SharedWork,
    WarningRelay,
    collect_job_warnings,
)
from calibrant.studies._trials.records import Job, StudyRows, StudyWork, TrialRecord
from calibrant.studies._trials.run_job import run_job


def run_task(job: Job, rows: StudyRows, shared: Any) -> tuple[list[TrialRecord], str, JobWarnings]:
    """Run a job on a worker; return the trials that have run, the error that ended it early, and its warnings."""
    if isinstance(shared, SentByValue):  # on a worker in the process of the client
        shared = shared.value
    n_threads = 1
    with suppress(ValueError):  # outside of a worker
        n_threads = int(import_distributed().get_worker().state.nthreads)
    if n_threads == 1:
        (found, problem), warned = collect_job_warnings(lambda: _run(rows, shared, job), shared.filters)
    else:
        # Filters of warnings belong to the process: threads cannot have their own, so those of the worker apply
        (found, problem), held_back = collect_warnings(_run, rows, shared, job)
        warned = JobWarnings(held_back=held_back)
    return found, problem, warned


def _run(rows: StudyRows, shared: SharedWork, job: Job) -> tuple[list[TrialRecord], str]:
    pid, problem = os.getpid(), ""
    found: list[TrialRecord] = []
    try:
        found.extend(shared.run_job(rows, shared.work, job))
    except BaseException:  # sys.exit of a method would end the worker
        problem = traceback.format_exc()
    if os.getpid() != pid:  # forked by a method: only the worker itself reports
        os._exit(0)
    return found, problem


_MAX_MOVES = 5  # of a job whose rows were lost with their last worker
_AFTER_LOSS = "What was recorded is kept: run the study again when the scheduler is back."
_REFRESH_SECONDS = 5.0  # between looks at the number of threads of a cluster that may grow


class DaskRunner:
    """Runs jobs as tasks of an existing Dask cluster.

    Rows, methods, plan and metrics are sent to each worker once, and again if all workers that had them are gone. A
    job is one task, whose trials are reported together when it ends. When a worker dies, the scheduler moves its
    tasks; a job that has brought down several workers (Dask's ``allowed-failures``) is lost. What methods print
    appears where the worker writes its log. Warnings of workers with one thread appear in this process, each once.

    Parameters
    ----------
    work : StudyWork
        Methods, plan and metrics.
    read_rows : function of str to StudyRows
        Returns the rows of a data set, which are in memory.
    cluster : str or distributed.Client
        The address of a scheduler, such as ``"tcp://host:8786"``, or a client, which stays open.
    run_job : function
        Runs a job on a worker.
    """

    def __init__(
        self,
        work: StudyWork,
        read_rows: Callable[[str], StudyRows],
        *,
        cluster: Any,
        run_job: RunJob = run_job,
    ) -> None:
        self._connection = Connection(cluster, parameter="dask", error=StudyError, after_loss=_AFTER_LOSS)
        self._client = self._connection.client
        self._read_rows = read_rows
        self._shared = SentByValue(SharedWork(run_job, work, tuple(warnings.filters)))
        self._sent: dict[str | None, Any] = {}  # futures of scattered rows by data set; None: of the work
        self._running: dict[Any, OpenJob] = {}
        self._moves: Counter[int] = Counter()
        self._results = TaskResults(self._connection)
        self._ready: list[RunnerEvent] = []
        self._relay = WarningRelay()
        self._n_slots, self._counted = 0, -_REFRESH_SECONDS

    @property
    def n_slots(self) -> int:
        """Number of jobs that run at a time: one a thread of the cluster."""
        if time.monotonic() - self._counted >= _REFRESH_SECONDS:
            self._check_connection()
            self._n_slots = max(1, sum(self._connection.n_threads().values()))
            self._counted = time.monotonic()
        return self._n_slots

    def submit(self, job: Job) -> None:
        """Run a job when a thread of the cluster is free."""
        self._start(OpenJob(job, self._read_rows(job.dataset).fingerprint))

    def poll(self, timeout: float) -> list[RunnerEvent]:
        """Return the events since the last call, waiting up to `timeout` seconds for the first event."""
        deadline = time.monotonic() + timeout
        while self._client is not None:
            self._check_connection()
            remaining = 0.0 if self._ready else deadline - time.monotonic()
            for future, result in self._results.take(remaining):
                self._take(future, result)
            if self._ready or time.monotonic() >= deadline:
                break
        self._relay.show()
        found, self._ready = self._ready, []
        return found

    def stop(self) -> None:
        """Stop at once: running jobs are abandoned, what was sent is released, and a client opened here is closed."""
        if self._client is None:
            return
        self._client = None
        self._connection.cancel([*self._running, *self._sent.values()])
        self._running.clear()
        self._sent.clear()
        self._connection.close()
        self._relay.finish()

    def _start(self, open_job: OpenJob) -> None:
        """Start the next part of a job, or report that it has ended."""
        self._check_connection()
        if open_job.is_done:
            self._ready.append(JobEnded(open_job.job))
            return
        rows, shared = self._send(open_job.job.dataset), self._send(None)
        future = submit(self._connection, run_task, open_job.part, rows, shared, retries=0)
        self._running[future] = open_job
        self._results.add(future)

    def _take(self, future: Any, result: Any) -> None:
        open_job = self._running.pop(future, None)
        if open_job is None:
            return
        if future.status == "finished":
            records, problem, warned = result
            self._relay.add(warned)
            self._ready += [*open_job.report(records), *open_job.end_part(problem)]
            self._start(open_job)
        elif future.status == "error":
            error = result[1] if isinstance(result, tuple) else result
            if is_other_version(error):
                raise StudyError(str(error))
            self._ready.append(JobLost(open_job.job, f"its Dask task failed: {type(error).__name__}: {error}"))
        else:  # the last worker that had the rows is gone, and the task with it
            self._moves[open_job.job.number] += 1
            if self._moves[open_job.job.number] <= _MAX_MOVES:
                self._start(open_job)
            else:
                reason = f"its rows were lost with their Dask workers {_MAX_MOVES} times"
                self._ready.append(JobLost(open_job.job, reason))

    def _send(self, dataset: str | None) -> Any:
        """Return the future of the rows of a data set, or of the work; a worker has it, others fetch it, each once."""
        if dataset not in self._sent or self._sent[dataset].status != "finished":
            value = self._shared if dataset is None else self._read_rows(dataset)
            try:
                self._sent[dataset] = self._connection.send(value)
            except StudyError:
                raise
            except Exception as error:
                what = "the methods, plan or metrics of the study" if dataset is None else f"the rows of {dataset!r}"
                raise StudyError(f"the Dask workers cannot load {what}: {error}. Can they import them?") from error
        return self._sent[dataset]

    def _check_connection(self) -> None:
        if self._client is None:
            raise StudyError("the runner has been stopped.")
        self._connection.check()
