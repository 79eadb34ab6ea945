"""The command that is running: its text, what is left of its time limit."""

from __future__ import annotations

import re
import shlex
import time
from collections.abc import Sequence
from contextvars import ContextVar

import typer

_ARGUMENTS: ContextVar[tuple[str, ...]] = ContextVar("arguments", default=())


def record_command(args: Sequence[str]) -> None:
    """Remember the arguments of the command that is run."""
    _ARGUMENTS.set(tuple(args))


def command_text() -> str:
    """Return the command as it is typed in a shell, without the password of a store.

    Examples
    --------
    >>> record_command(["study", "table", "my trees", "--store", "postgresql://ann:secret@host/db"])
    >>> command_text()
    "calibrant study table 'my trees' --store 'postgresql://ann:***@host/db'"
    """
    from calibrant.studies._internal import hide_password

    return shlex.join(["calibrant", *map(hide_password, _ARGUMENTS.get())])


_SECONDS = {"": 1.0, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_START: ContextVar[tuple[float, float]] = ContextVar("start", default=(0.0, 0.0))


def read_duration(text: str) -> float:
    """Return the seconds of a duration.

    Examples
    --------
    >>> read_duration("30s"), read_duration("1.5m"), read_duration("90")
    (30.0, 90.0, 90.0)
    """
    found = re.fullmatch(r"\s*(\d+\.?\d*|\.\d+)\s*([smhd]?)\s*", text.lower())
    if not found or float(found[1]) == 0.0:
        raise typer.BadParameter(f"must be a duration above 0, such as 30s, 5m or 1h; got {text!r}.")
    return float(found[1]) * _SECONDS[found[2]]


def record_start(start: float) -> None:
    """Remember the time of the monotonic clock at which the command began."""
    _START.set((start, time.process_time()))


def seconds_left(limit: float, later: float) -> float:
    """Return the seconds of a time limit that are left for work in the middle of a command.

    Parameters
    ----------
    limit : float
        Seconds that the whole command may take.
    later : float
        Seconds of processor time that follow the work. They take as much longer as those since the start did; at most
        half of the limit is kept for them.
    """
    start, processor = _START.get()
    elapsed = time.monotonic() - start
    slowdown = max(1.0, elapsed / max(time.process_time() - processor, 1e-3))
    return max(limit - elapsed - min(slowdown * later, limit / 2), 1e-3)
