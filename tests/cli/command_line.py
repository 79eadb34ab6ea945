"""Running commands: in this process, or the real executable in another one."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from calibrant.cli import main

EXECUTABLE = [sys.executable, "-m", "calibrant"]
PLAIN = {"NO_COLOR": "1", "CALIBRANT_PROGRESS": "0"}


def execute(
    *args: str, cwd: Path | None = None, stdin: bytes | None = None, **env: str
) -> subprocess.CompletedProcess[str]:
    """Run the executable in a process of its own; standard input is empty unless passed."""
    inherited = {name: value for name, value in os.environ.items() if name != "COLUMNS"}  # which readline sets
    return subprocess.run(
        [*EXECUTABLE, *args],
        cwd=cwd,
        input=stdin.decode("latin-1") if stdin is not None else "",
        capture_output=True,
        encoding="utf-8" if stdin is None else "latin-1",
        env={**inherited, **PLAIN, **env},
        timeout=120,
    )


def run(capsys: pytest.CaptureFixture[str], *args: str, code: int = 0) -> str:
    """Run a command in this process, check its exit code, and return what it printed to standard output."""
    capsys.readouterr()
    assert main(args) == code
    return capsys.readouterr().out


def run_json(capsys: pytest.CaptureFixture[str], *args: str, code: int = 0) -> Any:
    """Run a command with ``--json`` and return the document."""
    return json.loads(run(capsys, *args, "--json", code=code))
