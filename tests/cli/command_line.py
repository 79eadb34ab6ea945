"""Running commands: in this process, or the real executable in another one."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import warnings
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


def call(*args: str, cwd: Path | None = None, stdin: bytes = b"", **env: str) -> subprocess.CompletedProcess[str]:
    """Run a command in this process, with a folder, an environment and streams of its own, as `execute` does."""
    raw = io.BytesIO(stdin), io.BytesIO(), io.BytesIO()
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
        warnings.simplefilter("default", UserWarning)  # shown as notes; pytest makes errors of all warnings
        patch.delenv("COLUMNS", raising=False)
        for name, value in {**PLAIN, **env}.items():
            patch.setenv(name, value)
        for name, stream in zip(("stdin", "stdout", "stderr"), raw, strict=True):
            patch.setattr(sys, name, io.TextIOWrapper(stream, encoding="utf-8", write_through=True))
        if cwd is not None:
            patch.chdir(cwd)
        try:
            code = main(args)
        except SystemExit as stop:  # of completion by the shell
            code = stop.code
        return subprocess.CompletedProcess(args, code, *(stream.getvalue().decode() for stream in raw[1:]))


def run(capsys: pytest.CaptureFixture[str], *args: str, code: int = 0) -> str:
    """Run a command in this process, check its exit code, and return what it printed to standard output."""
    capsys.readouterr()
    assert main(args) == code
    return capsys.readouterr().out


def run_json(capsys: pytest.CaptureFixture[str], *args: str, code: int = 0) -> Any:
    """Run a command with ``--json`` and return the document."""
    return json.loads(run(capsys, *args, "--json", code=code))
