"""Running the executable in a terminal of some width."""

from __future__ import annotations

import fcntl
import os
import pty
import struct
import subprocess
import termios
from pathlib import Path

from tests.cli.command_line import EXECUTABLE


def in_terminal(*args: str, width: int, cwd: Path, **env: str) -> str:
    """Return the text that a command prints to a terminal."""
    reader, writer = pty.openpty()
    fcntl.ioctl(writer, termios.TIOCSWINSZ, struct.pack("HHHH", 50, width, 0, 0))
    inherited = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "NO_COLOR", "CI")}
    env = {**inherited, "TERM": "xterm-256color", "CALIBRANT_PROGRESS": "0", **env}
    process = subprocess.Popen([*EXECUTABLE, *args], cwd=cwd, env=env, stdin=writer, stdout=writer, stderr=writer)
    os.close(writer)
    printed = b""
    try:
        while part := os.read(reader, 65536):
            printed += part
    except OSError:  # Linux's way of saying that the other end was closed
        pass
    os.close(reader)
    assert process.wait(60) == 0, printed.decode()
    return printed.decode().replace("\r\n", "\n")
