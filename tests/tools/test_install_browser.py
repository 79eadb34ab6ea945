"""Installing Chromium for the tests never fails the build."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "tools" / "install_browser.sh"


def run(folder: Path, **programs: str) -> str:
    """Return the output of the script where the path has these programs only, and the few that it needs."""
    for name in ("dirname", "mktemp", "rm", "tail", "timeout", "env"):
        (folder / name).symlink_to(shutil.which(name) or pytest.skip(f"there is no {name}"))
    for name, script in {"id": "echo 0", **programs}.items():
        (folder / name.replace("_", "-")).write_text(f"#!/bin/sh\n{script}\n")
        (folder / name.replace("_", "-")).chmod(0o755)
    bash = shutil.which("bash") or pytest.skip("there is no bash")
    variables = {**os.environ, "PATH": str(folder), "CALIBRANT_NO_INSTALL": ""}
    done = subprocess.run([bash, str(SCRIPT)], capture_output=True, text=True, timeout=60, env=variables)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_machine_that_has_a_browser_is_left_alone(tmp_path: Path) -> None:
    assert run(tmp_path, google_chrome="exit 1", apt_get="exit 1") == ""


def test_without_rights_the_tests_are_skipped(tmp_path: Path) -> None:
    told = run(tmp_path, id="echo 1000", sudo="exit 1", apt_get="exit 0")
    assert "only root may do so (apt-get install chromium); its tests are skipped" in told


def test_an_installation_that_fails_is_no_failure_of_the_build(tmp_path: Path) -> None:
    assert "apt-get failed (no network); its tests are skipped" in run(tmp_path, apt_get="echo no network; exit 100")


def test_only_chromium_is_installed(tmp_path: Path) -> None:
    assert run(tmp_path, apt_get=f'echo "$@" >> {tmp_path}/calls').endswith("Chromium: installed\n")
    assert (tmp_path / "calls").read_text().endswith("install -y --no-install-recommends chromium\n")
