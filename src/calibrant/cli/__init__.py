"""The command line: ``calibrant COMMAND``, also ``python -m calibrant COMMAND``.

A command is a file in ``cli/_commands/``; ``cli/_app/app.py`` lists them and explains how to add one.
"""

from __future__ import annotations

import atexit
import os
import signal
import sys
import time
from collections.abc import Sequence
from contextlib import suppress

__all__ = ["main"]


def main(args: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code.

    Parameters
    ----------
    args : sequence of str, optional
        What follows ``calibrant`` on the command line; by default the arguments of the process.

    Returns
    -------
    int
        0 if the command is done; ``calibrant --help`` lists the other exit codes.

    Examples
    --------
    >>> main(["datasets", "describe", "nosuch"])
    2
    """
    start = time.monotonic()  # before slow imports, which a time limit counts
    try:
        from calibrant.cli._app.run import run

        code = run(list(sys.argv[1:] if args is None else args), start)
    except KeyboardInterrupt:  # while typer was imported
        code = 130
    except ImportError as error:
        if (error.name or "").partition(".")[0] not in ("typer", "rich", "click"):
            raise
        sys.stderr.write(f'Error: {error.name} is needed for the command line: pip install "calibrant[cli]"\n')
        code = 5
    if args is None:
        _leave(code)
    return code


def _leave(code: int) -> None:
    """Prepare the end of the process, in which Ctrl-C would change nothing but the exit code."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if code == 130:  # Python ends by a signal, not by a code, if a library has seen the interrupt before us
        atexit._run_exitfuncs()
        for stream in (sys.stdout, sys.stderr):
            with suppress(OSError, ValueError):
                stream.flush()
        os._exit(code)
