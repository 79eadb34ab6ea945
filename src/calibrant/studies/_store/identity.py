"""Which process a worker is, so that another process can know that it is dead."""

from __future__ import annotations

import os
import socket
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from calibrant._optional import optional_import

__all__ = ["ProcessIdentity", "is_dead", "this_process"]

_PROC = Path("/proc")
_START_FIELD = 19  # of /proc/<pid>/stat after the name: clock ticks from boot to the start of the process


@dataclass(frozen=True)
class ProcessIdentity:
    """A process: its host, the start of the host, its PID namespace, number and start."""

    host: str
    boot: str
    namespace: str
    pid: int
    process_start: float


def this_process() -> ProcessIdentity:
    """Return the identity of this process."""
    pid = os.getpid()
    state = _process_state(pid)
    return ProcessIdentity(socket.gethostname(), _boot(), _namespace(pid), pid, state[1] if state else 0.0)


def is_dead(process: ProcessIdentity) -> bool:
    """Whether a process has certainly ended; False for those of other hosts and containers, which cannot be seen.

    A container has a PID namespace of its own and may have the name of its host: its processes count as those of
    another host.
    """
    here = this_process()
    if (process.host, process.namespace) != (here.host, here.namespace):
        return False
    if process.boot != here.boot:
        return True
    state = _process_state(process.pid)
    return state is None or state[0] in "ZX" or abs(state[1] - process.process_start) > _tolerance()


def _process_state(pid: int) -> tuple[str, float] | None:
    """Return the state letter and the start of a process, or None if there is no such process."""
    if not _has_proc():
        return _state_by_psutil(pid)
    try:
        text = (_PROC / str(pid) / "stat").read_text(encoding="utf-8", errors="replace")
    except (FileNotFoundError, ProcessLookupError):
        return None
    fields = text.rpartition(")")[2].split()
    return fields[0], float(fields[_START_FIELD])


def _state_by_psutil(pid: int) -> tuple[str, float] | None:
    psutil = _psutil()
    try:
        process = psutil.Process(pid)
        return "Z" if process.status() == psutil.STATUS_ZOMBIE else "R", float(process.create_time())
    except psutil.NoSuchProcess:
        return None


def _tolerance() -> float:
    """Return by how much two readings of one start may differ: psutil derives it from a clock that may be set."""
    return 0.0 if _has_proc() else 2.0


def _has_proc() -> bool:
    return (_PROC / "self" / "stat").exists()


@cache
def _boot() -> str:
    try:
        return (_PROC / "sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except OSError:
        return f"{_psutil().boot_time():.0f}"


@cache
def _namespace(pid: int) -> str:  # noqa: ARG001 - read again in a forked process, which may have entered another
    try:
        return os.readlink(_PROC / "self/ns/pid")  # noqa: PTH115 - not a path
    except OSError:
        return ""


def _psutil() -> Any:
    return optional_import("psutil", extra="studies", purpose="identify the processes that run a study")
