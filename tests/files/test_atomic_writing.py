"""Writing: the whole file or none, whatever happens; no temporary file stays."""

from __future__ import annotations

import os
import resource
import signal
import stat
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest
from tests.files.crafted import small_model

import calibrant
from calibrant.bayes import ConstantClassifier


@pytest.fixture
def path(tmp_path: Path) -> Path:
    folder = tmp_path / "folder"
    folder.mkdir()
    return folder / "model.calibrant"


def large_model() -> ConstantClassifier:
    return ConstantClassifier().fit(np.zeros((900, 1)), np.arange(900))


def run(script: str, path: Path) -> subprocess.CompletedProcess[str]:
    start = "import sys, os, signal, pathlib; from tests.files.test_atomic_writing import *; path = sys.argv[1]\n"
    code = start + textwrap.dedent(script)
    return subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True, timeout=120)


def test_a_file_that_was_there_is_replaced_and_keeps_its_permissions(path: Path) -> None:
    path.write_text("old")
    path.chmod(0o640)
    calibrant.save(small_model(), path)
    assert calibrant.load_model(path).classes_.tolist() == ["no", "yes"]
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_a_new_file_has_the_permissions_of_new_files(path: Path) -> None:
    calibrant.save(small_model(), path)
    other = path.with_name("other")
    other.touch()
    assert path.stat().st_mode == other.stat().st_mode


def test_a_link_stays_and_its_file_is_replaced(path: Path) -> None:
    link = path.with_name("link")
    link.symlink_to(path)
    calibrant.save(small_model(), link)
    assert link.is_symlink()
    assert path.is_file()


def limited_save(path: Path, n_bytes: int) -> None:
    """Save with files limited to a size, as on a disk that is full."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (n_bytes, hard))
    try:
        calibrant.save(large_model(), path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, before)


@pytest.mark.parametrize("n_bytes", [0, 100, 3_000, 9_000])
def test_a_full_disk_leaves_the_old_file_and_nothing_else(path: Path, n_bytes: int) -> None:
    path.write_text("old")
    with pytest.raises(OSError, match=r"Nothing was written, and a file that was there is unchanged\. Raise"):
        limited_save(path, n_bytes)
    assert path.read_text() == "old"
    assert [each.name for each in path.parent.iterdir()] == [path.name]


def test_a_folder_that_is_missing_is_named(path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"Make the folder first.*nowhere"):
        calibrant.save(small_model(), path.parent / "nowhere" / "model.calibrant")


@pytest.mark.long
def test_a_folder_that_cannot_be_written_is_named(path: Path) -> None:
    path.parent.chmod(0o500)
    script = "model = small_model()\nos.geteuid() or os.seteuid(65534)  # root may write anywhere\n"
    done = run(script + "calibrant.save(model, path)", path)
    assert "PermissionError" in done.stderr
    assert "Nothing was written, and a file that was there is unchanged. Choose another path." in done.stderr


def test_a_folder_is_not_replaced(path: Path) -> None:
    path.mkdir()
    with pytest.raises(IsADirectoryError, match="Choose another path"):
        calibrant.save(small_model(), path)


def test_a_device_is_not_replaced(path: Path) -> None:
    os.mkfifo(path)
    with pytest.raises(OSError, match="not a file"):
        calibrant.save(small_model(), path)
    assert path.is_fifo()


def test_a_model_that_cannot_be_saved_leaves_the_old_file(path: Path) -> None:
    path.write_text("old")
    model = small_model()
    model.positive = lambda: None
    with pytest.raises(calibrant.exceptions.ModelFileError, match=r"\.parameters\.positive is of a class .*function"):
        calibrant.save(model, path)
    assert path.read_text() == "old"


@pytest.mark.parametrize("when", ["write", "replace"])
@pytest.mark.sample(2)
def test_a_process_killed_while_saving_leaves_the_old_file(path: Path, when: str) -> None:
    path.write_text("old")
    where = {"write": "files._archive._Archive.finish", "replace": "_whole_file._put_name"}[when]
    kill = f"calibrant.{where} = lambda *args: os.kill(os.getpid(), signal.SIGKILL)"
    done = run(f"import calibrant.files._archive\n{kill}\ncalibrant.save(small_model(), path)", path)
    assert done.returncode == -signal.SIGKILL, done.stderr
    assert path.read_text() == "old"
    assert [each.name for each in path.parent.iterdir()] == [path.name]


def test_an_interrupt_while_saving_leaves_the_old_file(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    path.write_text("old")
    monkeypatch.setattr("calibrant.files._archive._Archive.finish", interrupted)
    with pytest.raises(KeyboardInterrupt):
        calibrant.save(small_model(), path)
    assert path.read_text() == "old"
    assert [each.name for each in path.parent.iterdir()] == [path.name]


def test_systems_without_unnamed_files_leave_nothing_behind_either(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr("os.O_TMPFILE")
    calibrant.save(small_model(), path)
    calibrant.load_model(path)
    with pytest.raises(OSError, match="Nothing was written"):
        limited_save(path, 3_000)
    assert [each.name for each in path.parent.iterdir()] == [path.name]
