"""A package imports only from packages to its right: the contracts of pyproject.toml hold."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
FOR_ALL = [
    "exceptions",
    "_dask",
    "_docstrings",
    "_exact_sums",
    "_fit_warnings",
    "_memory",
    "_optional",
    "_params",
    "_progress",
    "_random",
    "_sections",
    "_sklearn",
    "_source_limits",
    "_threads",
    "_whole_file",
]


def run(script: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, timeout=120)


def test_the_contracts_on_imports_hold() -> None:
    pytest.importorskip("importlinter", reason="import-linter checks the layers: pip install import-linter")
    done = run("from importlinter.cli import lint_imports as lint; raise SystemExit(lint(no_cache=True))")
    assert done.returncode == 0, done.stdout + done.stderr


def test_what_everyone_may_import_does_without_the_native_core() -> None:
    """The linter reads Python files only, so that it does not see imports of the extension."""
    modules = ", ".join(f"calibrant.{name}" for name in FOR_ALL)
    done = run(f"import sys, {modules}; raise SystemExit('calibrant._core' in sys.modules)")
    assert done.returncode == 0, done.stderr
