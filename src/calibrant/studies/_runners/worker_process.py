"""A local worker process: it reads jobs from a pipe and rows from a scratch folder, runs them within limits."""

from __future__ import annotations

import ctypes
import faulthandler
import gc
import mmap
import os
import pickle
import shutil
import signal
import sys
import tempfile
import threading
import time
import traceback
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from enum import Enum, auto
from importlib.util import find_spec
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, TextIO

from calibrant._optional import optional_import
from calibrant.exceptions import ParameterError, StudyError
from calibrant.studies._runners.runner import JobWarnings, SharedWork, collect_job_warnings
from calibrant.studies._trials.records import Job, StudyRows

_ALIGNMENT = 64  # of arrays in the file: a cache line, as NumPy's own allocations for vector instructions


class ScratchFolder:
    """A temporary folder that is removed by `remove`, and by loky's resource tracker if this process is killed."""

    def __init__(self) -> None:
        self._tracker = optional_import(
            "loky.backend.resource_tracker", extra="studies", purpose="run trials in local processes"
        )
        self._tracker.ensure_running()  # before there is a folder, which a kill in between would leave behind
        self.path = Path(tempfile.mkdtemp(prefix="calibrant-study-"))
        self._tracker.register(str(self.path), "folder")

    def remove(self) -> None:
        """Delete the folder and what is in it; nothing happens the second time."""
        if self.path.exists():
            shutil.rmtree(self.path, ignore_errors=True)
            self._tracker.unregister(str(self.path), "folder")


def dump_mapped(value: Any, path: Path, what: str) -> None:
    """Write an object for `load_mapped`: its pickle, and the contents of its arrays in a second file.

    Functions and classes of ``__main__``, lambdas and closures are written by value. Errors say what it is.
    """
    cloudpickle = optional_import("cloudpickle", extra="studies", purpose="run trials in other processes")
    buffers: list[pickle.PickleBuffer] = []
    try:
        payload = cloudpickle.dumps(value, protocol=5, buffer_callback=buffers.append)
    except Exception as error:  # whatever the objects raise
        raise StudyError(
            f"{what} cannot be sent to worker processes: {error}. Run the study in this process, without workers."
        ) from error
    try:
        with _arrays_path(path).open("wb") as file:
            positions = [_append(file, buffer) for buffer in buffers]
        path.write_bytes(pickle.dumps((payload, positions)))
    except OSError as error:
        raise StudyError(
            f"{what} cannot be written for the workers in {path.parent}: {error}. Free some space there, or set "
            f"TMPDIR to a folder that has it."
        ) from error


def load_mapped(path: Path) -> Any:
    """Read an object that `dump_mapped` wrote.

    Arrays are mapped copy-on-write: workers share the memory of what none of them changes, and methods may write.
    """
    payload, positions = pickle.loads(path.read_bytes())  # noqa: S301 - written by the parent process
    content = memoryview(bytearray())
    if any(size for _, size in positions):  # an empty file cannot be mapped
        with _arrays_path(path).open("rb") as file:
            content = memoryview(mmap.mmap(file.fileno(), os.fstat(file.fileno()).st_size, access=mmap.ACCESS_COPY))
    return pickle.loads(payload, buffers=(content[start : start + size] for start, size in positions))  # noqa: S301


def _arrays_path(path: Path) -> Path:
    return path.with_name(f"{path.name}.arrays")


def _append(file: Any, buffer: pickle.PickleBuffer) -> tuple[int, int]:
    file.write(bytes(-file.tell() % _ALIGNMENT))
    start = file.tell()
    with buffer.raw() as content:
        file.write(content)
    return start, file.tell() - start


# Memory that a worker keeps after a job counts against the next one: beyond this share of the limit it is replaced.
_WORN_SHARE = 0.5


@dataclass(frozen=True)
class TrialLimits:
    """The limits of a trial: seconds, and bytes beyond what a worker uses for imports and rows; None: no limit."""

    time: float | None = None
    memory: int | None = None

    def __post_init__(self) -> None:
        can_limit = find_spec("resource") is not None and Path("/proc/self/status").exists()
        if self.memory is not None and not can_limit:
            raise ParameterError(
                f"memory_limit needs Linux, whose kernel enforces it; this is {sys.platform}. Leave memory_limit out."
            )

    def seconds_for(self, n_trials: int) -> float | None:
        """Return the seconds that trials which run together may take."""
        return None if self.time is None else self.time * n_trials

    @property
    def memory_message(self) -> str:
        """The error of a trial that took too much memory."""
        n_bytes = self.memory or 0
        limit = f"{n_bytes / 1e9:g} GB" if n_bytes >= 1e9 else f"{n_bytes / 1e6:g} MB"
        return f"MemoryError: memory limit of {limit} exceeded"


class MemoryLimiter:
    """Limits the memory that this process may take beyond what it had after imports and after reading rows."""

    def __init__(self, limit: int | None) -> None:
        self._limit = limit
        self._base = _private_bytes() if limit is not None else 0

    @contextmanager
    def not_counted(self) -> Iterator[None]:
        """Add what is allocated within to what the process may have."""
        before = _private_bytes() if self._limit is not None else 0
        yield
        self._base += _private_bytes() - before if self._limit is not None else 0

    @contextmanager
    def enforced(self) -> Iterator[None]:
        """Let allocations beyond the limit fail within, which Python and NumPy raise as a MemoryError."""
        if self._limit is None:
            yield
            return
        import resource

        before, hard = resource.getrlimit(resource.RLIMIT_DATA)
        limit = self._base + self._limit
        resource.setrlimit(resource.RLIMIT_DATA, (limit if hard == resource.RLIM_INFINITY else min(limit, hard), hard))
        try:
            yield
        finally:
            resource.setrlimit(resource.RLIMIT_DATA, (before, hard))

    @property
    def is_worn(self) -> bool:
        """Whether so much memory was kept by earlier trials that the process should be replaced."""
        if self._limit is None or not self._exceeds_share():
            return False
        gc.collect()
        with suppress(OSError, AttributeError):  # a C library other than glibc
            ctypes.CDLL(None).malloc_trim(0)
        return self._exceeds_share()

    def _exceeds_share(self) -> bool:
        return _private_bytes() - self._base > _WORN_SHARE * (self._limit or 0)


def _private_bytes() -> int:
    """Return the bytes that RLIMIT_DATA counts: private writable memory."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmData:"))


_KEPT_DATASETS = 3  # in memory; jobs come data set by data set
_DUMP_SHARE = 0.95  # of the time limit, after which the stack is written to a file for the parent
_PR_SET_PDEATHSIG = 1


@dataclass(frozen=True)
class WorkerSetup:
    """The arguments that a worker is started with."""

    jobs: Connection
    stderr: Connection | None
    work_path: Path
    stack_path: Path
    limits: TrialLimits
    parent: int


@dataclass(frozen=True)
class WorkerReady:
    """Worker to parent: methods are loaded; else why they cannot be."""

    problem: str = ""


class PartStage(Enum):
    """Worker to parent, beside the record of each trial: how far it is with the job."""

    STARTED = auto()
    TIMED = auto()  # the rows are read and prepared: the time of the trials starts now


@dataclass(frozen=True)
class PartEnded:
    """Worker to parent: the job ended, by itself or by an exception; a worn worker ends too."""

    problem: str
    warnings: JobWarnings
    is_worn: bool = False


def serve_jobs(setup: WorkerSetup) -> None:
    """Run jobs until the parent closes the pipe or ends."""
    _detach(setup)
    try:
        shared: SharedWork = load_mapped(setup.work_path)
    except BaseException:
        setup.jobs.send(WorkerReady(traceback.format_exc()))
        return
    setup.jobs.send(WorkerReady())
    with setup.stack_path.open("w+") as stack, suppress(EOFError, OSError):
        server = _JobServer(setup, shared, stack)
        while server.serve(*setup.jobs.recv()):
            pass


class _JobServer:
    """Runs jobs with the limits of the study; keeps the rows of the last data sets."""

    def __init__(self, setup: WorkerSetup, shared: SharedWork, stack: TextIO) -> None:
        self._pid = os.getpid()
        self._jobs, self._limits = setup.jobs, setup.limits
        self._shared, self._stack = shared, stack
        self._rows: OrderedDict[Path, StudyRows] = OrderedDict()
        self._memory = MemoryLimiter(setup.limits.memory)
        if hasattr(os, "register_at_fork"):
            # A process that a method forks must not keep the pipe open after the worker has died
            os.register_at_fork(after_in_child=self._jobs.close)

    def serve(self, job: Job, rows_path: Path) -> bool:
        """Run a job; return whether the worker can run more."""
        self._jobs.send(PartStage.STARTED)
        problem, found = collect_job_warnings(lambda: self._run(job, rows_path), self._shared.filters)
        self._exit_if_forked()
        ended = PartEnded(problem, found, self._memory.is_worn)
        self._jobs.send(ended)
        return not ended.is_worn

    def _run(self, job: Job, rows_path: Path) -> str:
        """Run a job, and return the traceback of what ended it early."""
        try:
            rows = self._read_rows(rows_path)
            self._jobs.send(PartStage.TIMED)
            with self._stack_dumped(len(job.refs)), self._memory.enforced():
                for record in self._shared.run_job(rows, self._shared.work, job):
                    self._exit_if_forked()
                    if record.error:
                        record = replace(record, error=self._name_limit(record.error))
                    self._jobs.send(record)
        except BaseException:  # also sys.exit and KeyboardInterrupt of a method
            self._exit_if_forked()
            return self._name_limit(traceback.format_exc())
        return ""

    def _read_rows(self, path: Path) -> StudyRows:
        if path not in self._rows:
            with self._memory.not_counted():  # what is dropped and what comes in its place
                while len(self._rows) >= _KEPT_DATASETS:
                    self._rows.popitem(last=False)
                self._rows[path] = load_mapped(path)
                # A job without trials: what it prepares does not count against the limits of the first trial
                with suppress(Exception):  # the trials have it too, and are recorded with it
                    list(self._shared.run_job(self._rows[path], self._shared.work, Job(0, self._rows[path].name, ())))
        self._rows.move_to_end(path)
        return self._rows[path]

    @contextmanager
    def _stack_dumped(self, n_trials: int) -> Iterator[None]:
        """Write the stack to a file shortly before the limit, after which the parent kills this process."""
        seconds = self._limits.seconds_for(n_trials)
        if seconds is None:
            yield
            return
        self._stack.truncate(0)
        self._stack.seek(0)
        faulthandler.dump_traceback_later(seconds * _DUMP_SHARE, file=self._stack)
        try:
            yield
        finally:
            faulthandler.cancel_dump_traceback_later()

    def _name_limit(self, error: str) -> str:
        if self._limits.memory is None or "MemoryError" not in error:
            return error
        return f"{error.rstrip()}\n{self._limits.memory_message}"

    def _exit_if_forked(self) -> None:
        """End a process that a method forked and that returned here: only the worker itself reports."""
        if os.getpid() != self._pid:
            os._exit(0)


def _detach(setup: WorkerSetup) -> None:
    """Leave the terminal of the parent, and end with the parent."""
    if hasattr(os, "setsid"):
        # Ctrl-C reaches the parent only, and the children of this process can be killed as its group
        os.setsid()
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    # What methods print is dropped and they read nothing; the parent keeps the end of the error output
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    os.dup2(null, 1)
    os.dup2(null if setup.stderr is None else setup.stderr.fileno(), 2)
    if sys.platform == "linux":
        # Works while a method holds the interpreter's lock, as a thread does not
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0)
        if os.getppid() != setup.parent:
            os._exit(1)
    else:
        threading.Thread(target=_watch_parent, args=(setup.parent,), daemon=True).start()


def _watch_parent(parent: int) -> None:
    import psutil

    while psutil.pid_exists(parent) and (sys.platform == "win32" or os.getppid() == parent):
        time.sleep(1.0)
    os._exit(1)
