"""The parent's side of a local worker process: start it, talk to it, end it, and explain how it ended."""

from __future__ import annotations

import os
import re
import signal
import time
from contextlib import suppress
from itertools import takewhile
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from calibrant._optional import optional_import
from calibrant.studies._runners import worker_process
from calibrant.studies._runners.runner import OpenJob
from calibrant.studies._runners.worker_process import PartStage, TrialLimits, WorkerSetup, serve_jobs

_FRAME = re.compile(r'  File "(?P<file>.*)", line (?P<line>.*) in (?P<function>.*)')
_MAX_FRAMES = 50


def format_stack(dump: str, own_file: str) -> str:
    """Return the frames that the loop of a worker called, the last call last; empty if there are none.

    Parameters
    ----------
    dump : str
        What faulthandler wrote: the frames of each thread, the last call first.
    own_file : str
        The file of the worker's loop, whose frames and those before them are left out.

    Examples
    --------
    >>> dump = '''Timeout (0:00:02)!
    ... Thread 0x00007f (most recent call first):
    ...   File "method.py", line 7 in wait
    ...   File "method.py", line 3 in fit
    ...   File "worker.py", line 99 in serve
    ... '''
    >>> print(format_stack(dump, "worker.py"), end="")
    Stack shortly before the limit (most recent call last):
      File "method.py", line 3, in fit
      File "method.py", line 7, in wait
    """
    for thread in re.split(r"^(?=Thread|Current thread)", dump, flags=re.MULTILINE):
        frames = [match for line in thread.splitlines() if (match := _FRAME.fullmatch(line))]
        called = list(takewhile(lambda frame: frame["file"] != own_file, frames))
        if called and len(called) < len(frames):
            lines = [f'  File "{each["file"]}", line {each["line"]}, in {each["function"]}' for each in called]
            shown = lines[:_MAX_FRAMES][::-1]
            return "\n".join(["Stack shortly before the limit (most recent call last):", *shown, ""])
    return ""


# One thread a worker: several workers share the processors. The last makes joblib, and so n_jobs=-1, see one too.
_ONE_THREAD = (
    *("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS"),
    *("VECLIB_MAXIMUM_THREADS", "NUMEXPR_NUM_THREADS", "LOKY_MAX_CPU_COUNT"),
)
_ENVIRONMENT = dict.fromkeys(_ONE_THREAD, "1") | {"CALIBRANT_PROGRESS": "0"}
_KEPT_STDERR = 2000  # characters of the error output of a worker that died
_MAX_READS = 16  # of the error output at a time: a method that prints without end must not hold up the others
_PATIENCE = 1.0  # seconds between the end of a worker's pipe and its own


class LocalWorker:
    """A worker process and the job that it runs.

    Parameters
    ----------
    number : int
        The number of the worker in this run.
    folder : Path
        The scratch folder.
    work_path : Path
        The file of methods, plan and metrics.
    limits : TrialLimits
        Those of a trial.
    """

    def __init__(self, number: int, folder: Path, work_path: Path, limits: TrialLimits) -> None:
        self.open_job: OpenJob | None = None
        self.has_started = False  # with its job
        self._clock: float | None = None  # the time at which the trials of its job started
        self.is_ready = self.is_retiring = self._is_mute = False
        self.ending = ""
        self._limits, self._stack_path = limits, folder / f"stack-{number}"
        self._stderr = b""
        self._psutil = optional_import("psutil", extra="studies", purpose="run trials in local processes")
        self._messages, theirs = Pipe()
        pipes: tuple[Connection | None, Connection | None] = (None, None)
        if os.name == "posix":
            pipes = Pipe(duplex=False)
        self._stderr_pipe, stderr = pipes
        setup = WorkerSetup(theirs, stderr, work_path, self._stack_path, limits, os.getpid())
        context = optional_import(
            "loky.backend.context", extra="studies", purpose="run trials in local processes"
        ).get_context("loky")
        self._process: Any = context.Process(
            target=serve_jobs, args=(setup,), name=f"calibrant-worker-{number}", env=_ENVIRONMENT
        )
        self._process.start()
        for end in (theirs, stderr):
            if end is not None:
                end.close()

    @property
    def waitables(self) -> list[Any]:
        """Pipes and sentinel, one of which is ready when the worker has something to report, or ends."""
        return [each for each in (self._messages, self._stderr_pipe, self._process.sentinel) if each is not None]

    @property
    def deadline(self) -> float | None:
        """The time at which its job exceeds the time limit."""
        if self._clock is None or self.open_job is None:
            return None
        seconds = self._limits.seconds_for(len(self.open_job.part.refs))
        return None if seconds is None else self._clock + seconds

    def run(self, open_job: OpenJob, rows_path: Path) -> None:
        """Start the next part of a job."""
        self.open_job, self.has_started, self._clock, self._stderr = open_job, False, None, b""
        with suppress(OSError):  # it has ended, which the pool finds out next
            self._messages.send((open_job.part, rows_path))

    def receive(self) -> list[Any]:
        """Return the messages that have arrived."""
        self._read_stderr()
        found: list[Any] = []
        try:
            while self._messages.poll():
                found.append(self._messages.recv())
                self.has_started |= found[-1] is PartStage.STARTED
                if found[-1] is PartStage.TIMED:
                    self._clock = time.monotonic()
        except (EOFError, OSError):
            self._is_mute = True
        return found

    def finish_part(self) -> float:
        """Forget the job; return the seconds that its trials took."""
        seconds = 0.0 if self._clock is None else time.monotonic() - self._clock
        self.open_job = self._clock = None
        return seconds

    def has_ended(self) -> bool:
        """Return whether the process has ended, or closed its pipe and so can report no more."""
        return self._is_mute or self._has_exited()

    def kill(self) -> None:
        """End the process and those that it started; explain in `ending` how it ended."""
        patience = time.monotonic() + _PATIENCE
        while self._is_mute and not self._has_exited() and time.monotonic() < patience:
            time.sleep(0.01)
        has_exited = self._has_exited()
        self._kill_group()
        self._process.join()
        self.ending = _describe_exit(self._process.exitcode) if has_exited else "its worker process was ended"

    def close(self) -> None:
        """Free the pipes of a process that has ended."""
        self._messages.close()
        if self._stderr_pipe is not None:
            self._stderr_pipe.close()

    def stack(self) -> str:
        """Return the stack of the worker shortly before the time limit, or an empty string."""
        with suppress(OSError):
            return format_stack(self._stack_path.read_text(errors="replace"), worker_process.__file__)
        return ""

    def error_output(self) -> str:
        """Return the end of what the worker wrote to its error output while it ran its job."""
        return self._stderr.decode(errors="replace").strip()[-_KEPT_STDERR:]

    def _has_exited(self) -> bool:
        """Return whether the process has exited, without removing it from the process table: its group still exists."""
        if not hasattr(os, "waitid"):
            return self._process.exitcode is not None
        try:
            return os.waitid(os.P_PID, self._process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
        except ChildProcessError:
            return True

    def _kill_group(self) -> None:
        children = []
        with suppress(self._psutil.Error):
            children = self._psutil.Process(self._process.pid).children(recursive=True)
        if os.name == "posix":
            with suppress(ProcessLookupError, PermissionError):  # before it has made itself leader of a group
                os.killpg(self._process.pid, signal.SIGKILL)
            with suppress(ProcessLookupError):
                os.kill(self._process.pid, signal.SIGKILL)
        else:
            self._process.terminate()
        for child in children:  # those that left the group
            with suppress(self._psutil.Error):
                child.kill()

    def _read_stderr(self) -> None:
        for _ in range(_MAX_READS):
            if self._stderr_pipe is None or not self._stderr_pipe.poll():
                return
            chunk = os.read(self._stderr_pipe.fileno(), 65536)
            self._stderr = (self._stderr + chunk)[-4 * _KEPT_STDERR :]
            if not chunk:  # a method closed it
                self._stderr_pipe.close()
                self._stderr_pipe = None


def _describe_exit(code: int | None) -> str:
    if code is None or code >= 0:
        return f"its worker process exited with code {code}"
    try:
        name = signal.Signals(-code).name
    except ValueError:
        name = f"signal {-code}"
    hint = " (as the system does when memory runs out)" if name == "SIGKILL" else ""
    return f"its worker process was killed by {name}{hint}"
