"""Installing PostgreSQL for the tests never fails the build."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "tools" / "install_postgres.sh"
NEEDED = ("id", "dirname", "mkdir", "tee", "mktemp", "rm", "tail", "timeout", "env", "ls", "cat")


@pytest.fixture
def programs(tmp_path: Path) -> Path:
    """Return a folder of the programs that the script needs, for use as the whole path."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in NEEDED:
        (folder / name).symlink_to(shutil.which(name) or pytest.skip(f"there is no {name}"))
    write(folder / "id", "echo 0")
    return folder


def write(path: Path, script: str) -> None:
    path.unlink(missing_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


def run(programs: Path, **environment: str) -> str:
    bash = shutil.which("bash") or pytest.skip("there is no bash")
    command = [bash, str(SCRIPT), str(programs.parent / "root")]
    variables = {**os.environ, "PATH": str(programs), "CALIBRANT_NO_INSTALL": "", **environment}
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, env=variables)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_machine_that_has_it_is_left_alone(programs: Path) -> None:
    write(programs / "initdb", "exit 1")
    assert run(programs) == ""


def test_debians_programs_count_although_they_are_not_on_the_path(programs: Path) -> None:
    folder = programs.parent / "root/usr/lib/postgresql/15/bin"
    folder.mkdir(parents=True)
    write(folder / "initdb", "exit 1")
    assert run(programs) == ""


def test_without_apt_the_tests_are_skipped(programs: Path) -> None:
    assert "there is no apt-get; its tests are skipped" in run(programs)


def test_without_rights_the_tests_are_skipped(programs: Path) -> None:
    write(programs / "id", "echo 1000")
    write(programs / "apt-get", "exit 0")
    write(programs / "sudo", "exit 1")
    assert "only root may do so" in run(programs)


def test_an_installation_that_fails_is_no_failure_of_the_build(programs: Path) -> None:
    write(programs / "apt-get", "echo no network; exit 100")
    assert "apt-get failed (no network); its tests are skipped" in run(programs)


def test_the_lists_are_updated_first_and_no_cluster_is_made(programs: Path) -> None:
    calls = programs.parent / "calls"
    write(programs / "apt-get", f'echo "$@" >> {calls}')
    assert run(programs).endswith("PostgreSQL: installed\n")
    update, install = calls.read_text().splitlines()
    assert update.endswith(" update")
    assert install.endswith("install -y --no-install-recommends postgresql")
    settings = programs.parent / "root/etc/postgresql-common/createcluster.conf"
    assert settings.read_text() == "create_main_cluster = false\n"


def test_a_machine_can_be_left_alone_on_request(programs: Path) -> None:
    write(programs / "apt-get", "exit 0")
    assert "CALIBRANT_NO_INSTALL is set" in run(programs, CALIBRANT_NO_INSTALL="1")
    assert not (programs.parent / "root").exists()
