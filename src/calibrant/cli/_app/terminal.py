"""Rich's console, as the command line needs it."""

from __future__ import annotations

import sys
from typing import NoReturn

from rich.console import Console

__all__ = ["Terminal"]

_UNLIMITED = 100_000  # columns, where the output is no terminal


class Terminal(Console):
    """A console of the terminal's width, or of any width where the output is no terminal; a closed pipe is an error."""

    def __init__(self, *, stderr: bool) -> None:
        stream = sys.stderr if stderr else sys.stdout
        super().__init__(file=stream, width=None if stream.isatty() else _UNLIMITED)

    def on_broken_pipe(self) -> NoReturn:
        """Raise again what rich would turn into exit code 1."""
        raise
