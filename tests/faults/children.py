"""Processes that run a study and note what they record in a pipe, so that faults can be aimed and moments named."""

from __future__ import annotations

import ctypes
import os
import select
import signal
import sys
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

from calibrant.studies._store.store import Store

__all__ = ["Child"]

_PR_SET_PDEATHSIG = 1
_MAX_FILES = 4096
_BEGIN, _END = "<", ">"


class Child:
    """A forked process that runs a function; whatever happens, it ends with this process.

    What `Store.record` begins and acknowledges arrives here even if the process is killed right after.
    """

    def __init__(self, work: Callable[[], object], log: Path) -> None:
        self._log, self._text = log, ""
        self._begun: list[str] = []
        self.acknowledged: list[str] = []
        self.status: int | None = None
        self._pipe, end = os.pipe()
        parent = os.getpid()
        self.pid = os.fork()
        if self.pid == 0:
            os.close(self._pipe)
            _run(work, end, log, parent)
        os.close(end)
        os.set_blocking(self._pipe, False)

    # Waiting

    def wait(self, seconds: float) -> bool:
        """Wait until the process ends, or time has passed; return whether it has ended."""
        return self._listen(lambda: False, seconds)

    def wait_for_commit(self, number: int, seconds: float = 30.0) -> bool:
        """Wait until the process begins to record its n-th trial; return whether it has ended before."""
        return self._listen(lambda: len(self._begun) >= number, seconds)

    def _listen(self, is_over: Callable[[], bool], seconds: float) -> bool:
        deadline = time.monotonic() + seconds
        while self.status is None and not is_over() and (left := deadline - time.monotonic()) > 0:
            if select.select([self._pipe], [], [], left)[0]:
                self._read()
        return self.status is not None

    def _read(self) -> None:
        """Take the notes of the process; the end of the pipe is the end of the process."""
        chunk = os.read(self._pipe, 65536)
        if not chunk:
            self._reap()
            return
        *lines, self._text = (self._text + chunk.decode()).split("\n")
        for line in lines:
            (self._begun if line[0] == _BEGIN else self.acknowledged).append(line[1:])

    def _reap(self) -> None:
        if self.status is None:
            self.status = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])

    # Faults

    def send(self, number: int) -> None:
        """Send a signal."""
        if self.status is None:
            os.kill(self.pid, number)

    def end(self, number: int = signal.SIGKILL, seconds: float = 30.0) -> bool:
        """Send a signal and wait until the process is gone and its pipe empty; return whether it is in time."""
        self.send(number)
        is_gone = self.wait(seconds)
        if not is_gone:
            self.send(signal.SIGKILL)
            self.wait(seconds)
        return is_gone

    def close(self) -> None:
        """Leave nothing behind."""
        if self.status is None:
            os.kill(self.pid, signal.SIGKILL)
            self._reap()
        os.close(self._pipe)

    def __enter__(self) -> Child:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # What it did

    @property
    def n_begun(self) -> int:
        """Number of trials that it began to record."""
        return len(self._begun)

    def moment(self, recorded: set[str]) -> str:
        """Return the moment at which it ended, in words; `recorded` are the keys that the store has."""
        if not self._begun:
            return "before the first trial was recorded"
        if len(self._begun) == len(self.acknowledged):
            return "between two commits"
        return "in a commit that came through" if self._begun[-1] in recorded else "in a commit that did not"

    @property
    def output(self) -> str:
        """The text that it wrote, the traceback of its exception at the end."""
        return self._log.read_text(errors="replace")


def _run(work: Callable[[], object], pipe: int, log: Path, parent: int) -> NoReturn:
    status = 1
    try:
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0)
        if os.getppid() != parent:
            os._exit(1)
        file = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        os.dup2(file, 1)
        os.dup2(file, 2)
        os.closerange(3, pipe)  # also the pipe by which a server knows that the tests live
        os.closerange(pipe + 1, _MAX_FILES)
        _note_records(pipe)
        work()
        status = 0
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


def _note_records(pipe: int) -> None:
    record = Store.record

    def noted(self: Store, name: str, worker: Any, trial: Any) -> Any:
        os.write(pipe, f"{_BEGIN}{trial.ref.key}\n".encode())
        outcome = record(self, name, worker, trial)
        os.write(pipe, f"{_END}{trial.ref.key}\n".encode())
        return outcome

    Store.record = noted  # type: ignore[method-assign]
