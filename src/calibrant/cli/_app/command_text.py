"""The command that is run, as text for the record of a report."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from contextvars import ContextVar

__all__ = ["command_text", "record_command"]

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
