"""Bad input of the real executable: a message that says what to do, its exit code, never half a file."""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest
from tests.cli.command_line import EXECUTABLE, PLAIN, call, execute, run, run_json

from calibrant.cli import main

PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"


@pytest.fixture
def costs(pred: Path) -> Path:
    path = pred.parent / "costs.csv"
    path.write_text("actual,leave,write\nno,0,1\nyes,8,0\n")
    return path


def decide(folder: Path, out: str, *more: str, **options: object) -> subprocess.CompletedProcess[bytes]:
    args = ["decide", "pred.csv", "--proba", "p", "--costs", "costs.csv", "--out", out, *more]
    env = {**os.environ, **PLAIN}
    return subprocess.run([*EXECUTABLE, *args], cwd=folder, env=env, capture_output=True, timeout=120, **options)  # type: ignore[call-overload,no-any-return]


BAD = {
    "empty.csv": (b"", "is empty"),
    "header.csv": (b"y,p\n", "has a header but no rows"),
    "picture.csv": (PNG, "is a PNG image"),
    "text.parquet": (b"y,p\nno,0.1\nyes,0.9\n", "is text, not a Parquet file"),
    "other.csv": (b"a,p\nno,0.1\nyes,0.9\n", "has no column 'y' for the class"),
    "one_value.csv": (b"y,p\n" + b"no,0.1\n" * 30, "is 'no' in every row"),
    "ids.csv": (("y,p\n" + "\n".join(f"{i},0.5" for i in range(10_000))).encode(), "has 10,000 different values"),
    "hole.csv": (b"y,p\nno,0.1\n,0.3\nyes,0.9\n", "has 1 missing label(s)"),
    "scores.csv": (b"y,p\nno,-3\nyes,4\n", "outside [0, 1]"),
    "words.csv": (b"y,p\nno,low\nyes,high\n", "column 'p' must hold probabilities; got 'low'"),
}  # fmt: skip


@pytest.mark.parametrize("name", ["missing.csv", *BAD])
def test_bad_tables_have_exit_code_3_and_a_message(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    raw, message = BAD.get(name, (None, "missing.csv: no such file. Check the path"))
    if raw is not None:
        (tmp_path / name).write_bytes(raw)
    assert main(["evaluate", name, "--target", "y", "--proba", "p"]) == 3
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith("Error: ")
    assert message in printed.err


def test_the_executable_prints_the_error_and_no_traceback(tmp_path: Path) -> None:
    done = execute("evaluate", "missing.csv", "--target", "y", "--proba", "p", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr.startswith("Error: missing.csv: no such file.")
    assert "Traceback" not in done.stderr


def test_an_error_with_json_is_a_document(tmp_path: Path) -> None:
    done = call("evaluate", "missing.csv", "--target", "y", "--proba", "p", "--json", cwd=tmp_path)
    error = json.loads(done.stdout)["error"]
    assert (done.returncode, error["kind"], error["exit_code"]) == (3, "bad_data", 3)


def test_bad_standard_input_is_called_standard_input() -> None:
    done = call("evaluate", "-", "--target", "y", "--proba", "p")
    assert (done.returncode, done.stderr) == (
        3,
        "Error: standard input: is empty. Pass a file with a header and rows.\n",
    )


def limit_file_size() -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (8192, 8192))
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)


@pytest.mark.long  # `make test` fills the disk of `calibrant predict`
def test_a_full_disk_leaves_the_older_file_and_nothing_else(costs: Path) -> None:
    name = "decided.csv"
    before = {path.name for path in costs.parent.iterdir()} | {name}
    (costs.parent / name).write_text("older")
    done = decide(costs.parent, name, preexec_fn=limit_file_size)
    assert done.returncode == 6, done.stderr
    assert b"cannot be written: File too large" in done.stderr
    assert (costs.parent / name).read_text() == "older"
    assert {path.name for path in costs.parent.iterdir()} == before


@pytest.mark.parametrize(
    ("out", "code", "message"),
    [
        ("pred.csv/out.csv", 6, "Not a directory"),
        ("nowhere/out.csv", 6, "Make the folder first"),
        ("folder.csv", 6, "Is a directory"),
        ("out.docx", 2, "out must end in one of"),
    ],
)
@pytest.mark.usefixtures("costs")
def test_a_place_that_cannot_be_written(out: str, code: int, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("folder.csv").mkdir()
    before = set(Path().iterdir())
    args = ("decide", "pred.csv", "--proba", "p", "--costs", "costs.csv", "--out", out)
    assert message in run_json(capsys, *args, code=code)["error"]["message"]
    assert set(Path().iterdir()) == before


def test_an_unwritable_folder_has_exit_code_6(costs: Path, no_superuser: Callable[[], None]) -> None:
    closed = costs.parent / "closed"
    closed.mkdir(mode=0o500)
    done = decide(costs.parent, "closed/out.csv", preexec_fn=no_superuser)
    assert done.returncode == 6
    assert b"Permission denied" in done.stderr


@pytest.mark.usefixtures("costs")
def test_a_half_written_output_of_another_program_is_replaced(capsys: pytest.CaptureFixture[str]) -> None:
    Path("out.csv").write_text("row,acti")
    run(capsys, "decide", "pred.csv", "--proba", "p", "--costs", "costs.csv", "--out", "out.csv")
    assert not list(Path().glob(".*"))
    assert len(pd.read_csv("out.csv")) == 600


def test_a_link_is_followed_and_permissions_are_kept(costs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    real, link = costs.with_name("real.csv"), costs.with_name("link.csv")
    real.write_text("older")
    real.chmod(0o640)
    link.symlink_to(real)
    run(capsys, "decide", "pred.csv", "--proba", "p", "--costs", "costs.csv", "--out", "link.csv")
    assert len(pd.read_csv(real)) == 600
    assert link.is_symlink()
    assert real.stat().st_mode & 0o777 == 0o640


@pytest.mark.long  # `make test` closes the pipe of `calibrant predict`
def test_rows_for_a_closed_pipe_end_silently(costs: Path) -> None:
    command = " ".join(
        [*EXECUTABLE, "decide pred.csv --proba p --costs costs.csv --out - | head -n 1; echo ${PIPESTATUS[0]}"]
    )
    frame = pd.read_csv("pred.csv")
    pd.concat([frame] * 20).to_csv("pred.csv", index=False)  # more than the buffer of a pipe
    done = subprocess.run(["/bin/bash", "-c", command], cwd=costs.parent, capture_output=True, text=True, timeout=120)
    assert done.stdout.splitlines()[1] == "141"
    assert done.stderr == ""


@pytest.mark.parametrize("delay", [0.0, 0.1, 0.5])
def test_ctrl_c_ends_with_130_and_without_a_traceback(delay: float, costs: Path) -> None:
    """From the first line of `main` on: before it Python itself starts, which prints a traceback of its own."""
    predictions = pd.read_csv("pred.csv")
    pd.concat([predictions] * 300).to_csv("pred.csv", index=False)
    start = "import sys; from calibrant.cli import main; print('started', flush=True); sys.exit(main())"
    args = [sys.executable, "-c", start, "evaluate", "pred.csv", "--target", "y", "--proba", "p", "--proba", "q"]
    process = subprocess.Popen(args, cwd=costs.parent, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    process.stdout.readline()
    time.sleep(delay)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (130, b"")
    assert err in (b"", b"Interrupted.\n")  # nothing if typer was not imported yet
