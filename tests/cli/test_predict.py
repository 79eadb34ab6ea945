"""`calibrant predict`: what `predict_table` writes, its exit codes, and never half a file."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from contextlib import suppress
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from tests.cli.command_line import EXECUTABLE, call, run, run_json

import calibrant
from calibrant.bayes import NaiveBayesClassifier
from calibrant.data import read_table

Capture = pytest.CaptureFixture[str]


@pytest.fixture(scope="session")
def donors_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a table, a model of it and costs."""
    folder = tmp_path_factory.mktemp("donors")
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "id": np.arange(1000, 1400),
            "age": rng.integers(18, 90, 400),
            "zone": rng.choice(["007", "010", "x"], 400),
            "gives": rng.choice(["no", "yes"], 400),
        }
    )
    frame.to_csv(folder / "donors.csv", index=False)
    table = read_table(folder / "donors.csv", target="gives", drop_ids=True)
    calibrant.save(NaiveBayesClassifier().fit(table.X, table.y), folder / "model.calibrant")
    (folder / "costs.csv").write_text("actual,skip,mail\nno,0,1\nyes,0,-3\n")
    return folder


@pytest.fixture
def donors(donors_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of its own for a test, the current one, with the same files."""
    for path in donors_folder.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    monkeypatch.chdir(tmp_path)
    return tmp_path


def files(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()} - {"donors.csv", "model.calibrant", "costs.csv"}


def test_predictions_are_those_of_the_model(donors: Path, capsys: Capture) -> None:
    text = run(
        capsys, "predict", "model.calibrant", "donors.csv", "--keep", "id", "--costs", "costs.csv", "--out", "p.csv"
    )
    found = pd.read_csv("p.csv")
    table = read_table(donors / "donors.csv", target="gives", drop_ids=True)
    proba = calibrant.load_model(donors / "model.calibrant").predict_proba(table.X)
    np.testing.assert_allclose(found[["probability_no", "probability_yes"]], proba, rtol=1e-15)
    assert list(found) == ["id", "probability_no", "probability_yes", "prediction", "action", "expected_cost"]
    assert "p.csv: 400 rows predicted" in text
    assert "Expected cost:" in text


def test_standard_input_to_standard_output(donors: Path) -> None:
    raw = (donors / "donors.csv").read_bytes()
    done = call("predict", "model.calibrant", "-", "--out", "-", cwd=donors, stdin=raw)
    assert done.returncode == 0
    assert len(done.stdout.splitlines()) == 401
    assert "400 rows predicted" in done.stderr


def test_the_result_as_json(donors: Path, capsys: Capture) -> None:
    found = run_json(capsys, "predict", "model.calibrant", "donors.csv", "--out", "p.csv")
    assert found["n_rows"] == 400
    assert sum(found["predictions"].values()) == 400
    assert found["unused"] == ["id", "gives"]
    assert (
        run_json(capsys, "predict", "model.calibrant", "donors.csv", "--out", "-", code=2)["error"]["kind"] == "usage"
    )
    assert files(donors) == {"p.csv"}


def test_columns_that_changed_have_exit_code_4_and_are_listed(donors: Path, capsys: Capture) -> None:
    (donors / "new.csv").write_text("agee,zone\n31,007\n64,010\n")
    done = call("predict", "model.calibrant", "new.csv", "--out", "p.csv", cwd=donors)
    assert done.returncode == 4
    assert "Missing: 'age' (found 'agee': the same column?)" in done.stderr
    assert "Not in the model: 'agee'" in done.stderr
    assert "Traceback" not in done.stderr
    (donors / "new.csv").write_text("age,zone\nold,007\nyoung,010\n")
    error = run_json(capsys, "predict", "model.calibrant", "new.csv", "--out", "p.csv", code=4)["error"]
    assert "column 'age' was numeric in fit and holds 'old' now" in error["message"]
    assert files(donors) == {"new.csv"}


def test_unseen_categories_are_a_note(donors: Path, capsys: Capture) -> None:
    (donors / "new.csv").write_text("age,zone\n31,099\n64,007\n")
    assert calibrant_main("model.calibrant", "new.csv", "--out", "p.csv") == 0
    assert "'zone' holds categories that the model has not seen ('099'; 1 row)" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("args", "code", "message"),
    [
        (["none.calibrant", "donors.csv", "--out", "p.csv"], 3, "none.calibrant: there is no such file"),
        (["model.calibrant", "none.csv", "--out", "p.csv"], 3, "none.csv: no such file"),
        (["model.calibrant", "empty.csv", "--out", "p.csv"], 3, "is empty"),
        (["model.calibrant", "head.csv", "--out", "p.csv"], 3, "has a header but no rows"),
        (["model.calibrant", "picture.csv", "--out", "p.csv"], 3, "picture.csv"),
        (["old.calibrant", "donors.csv", "--out", "p.csv"], 3, "is a pickle, or a joblib file"),
        (["cut.calibrant", "donors.csv", "--out", "p.csv"], 3, "cut.calibrant"),
        (["model.calibrant", "donors.csv", "--out", "nowhere/p.csv"], 6, "nowhere/p.csv: cannot be written"),
        (["model.calibrant", "donors.csv", "--out", "folder"], 2, "must end in"),
        (["model.calibrant", "donors.csv", "--out", "folder.csv"], 6, "folder.csv: cannot be written"),
        (["model.calibrant", "donors.csv", "--out", "p.docx"], 2, "must end in"),
        (["model.calibrant", "donors.csv", "--out", "p.csv", "--keep", "idd"], 2, "no column 'idd'"),
        (["model.calibrant", "donors.csv", "--out", "p.csv", "--interval"], 2, "has no intervals"),
        (["model.calibrant", "donors.csv", "--out", "p.csv", "--costs", "wrong.csv"], 3, "maybe"),
        (["model.calibrant", "donors.csv", "--out", "p.csv", "--costs", "none.csv"], 3, "no such file"),
        (["model.calibrant", "donors.csv"], 2, "--out"),
    ],
)
def test_bad_input_has_a_message_and_its_exit_code(
    donors: Path, args: list[str], code: int, message: str, capsys: Capture
) -> None:
    (donors / "empty.csv").write_text("")
    (donors / "head.csv").write_text("age,zone\n")
    (donors / "picture.csv").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 8)
    import pickle

    (donors / "old.calibrant").write_bytes(pickle.dumps({"a": 1}))
    raw = (donors / "model.calibrant").read_bytes()
    (donors / "cut.calibrant").write_bytes(raw[: len(raw) // 2])
    (donors / "wrong.csv").write_text("actual,skip,mail\nno,0,1\nmaybe,0,-3\n")
    (donors / "folder.csv").mkdir()
    (donors / "folder").mkdir()
    before = files(donors)
    assert calibrant_main(*args) == code
    captured = capsys.readouterr()
    assert message in captured.err
    assert "Traceback" not in captured.err
    assert files(donors) == before


def calibrant_main(*args: str) -> int:
    from calibrant.cli import main

    return main(["predict", *args])


def test_a_half_written_file_of_a_killed_run_does_not_disturb(donors: Path, capsys: Capture) -> None:
    (donors / ".p.csv.abcd.part").write_text("row,proba")
    (donors / "p.csv").write_text("older")
    run(capsys, "predict", "model.calibrant", "donors.csv", "--out", "p.csv")
    assert len((donors / "p.csv").read_text().splitlines()) == 401


def test_a_closed_pipe_ends_the_command_silently(donors: Path) -> None:
    big = "age,zone\n" + "31,007\n" * 300_000
    (donors / "big.csv").write_text(big)
    command = [*EXECUTABLE, "predict", "model.calibrant", "big.csv", "--out", "-"]
    process = subprocess.Popen(command, cwd=donors, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stderr is not None
    assert process.stdout.readline() == b"row,probability_no,probability_yes,prediction\n"
    process.stdout.close()
    assert process.wait(60) == 141
    assert process.stderr.read() == b""
    process.stderr.close()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="/dev/full is Linux's disk that is always full")
def test_a_full_disk_has_exit_code_6(donors: Path) -> None:
    with Path("/dev/full").open("wb") as full:
        command = [*EXECUTABLE, "predict", "model.calibrant", "donors.csv", "--out", "-"]
        done = subprocess.run(command, cwd=donors, stdout=full, stderr=subprocess.PIPE, timeout=60)
    assert done.returncode == 6
    assert b"No space left" in done.stderr


def test_a_limit_on_the_size_of_files_leaves_no_half_file(donors: Path) -> None:
    (donors / "p.csv").write_text("older")
    script = (
        "import resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (5000, 5000)); "
        "from calibrant.cli import main; "
        "sys.exit(main(['predict', 'model.calibrant', 'donors.csv', '--out', 'p.csv']))"
    )
    done = subprocess.run([EXECUTABLE[0], "-c", script], cwd=donors, capture_output=True, text=True, timeout=60)
    assert done.returncode == 6
    assert "p.csv: cannot be written: File too large" in done.stderr
    assert (donors / "p.csv").read_text() == "older"
    assert files(donors) == {"p.csv"}


def is_writing(pid: int, folder: Path) -> bool:
    """Return whether a process has a file in the folder open that is no longer, or not yet, in it, or a part of one."""
    links = []
    with suppress(OSError):  # files are closed, and the process may end, while they are listed
        links += [str(link.readlink()) for link in Path(f"/proc/{pid}/fd").iterdir()]
    return any(link.startswith(str(folder)) and link.endswith(("(deleted)", ".part", ".tmp")) for link in links)


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="/proc is Linux's list of what processes have open")
@pytest.mark.parametrize("moment", ["loading", "writing"])
def test_ctrl_c_leaves_no_half_file(donors: Path, moment: str) -> None:
    (donors / "big.csv").write_text("age,zone\n" + "31,007\n" * 1_000_000)
    command = [*EXECUTABLE, "predict", "model.calibrant", "big.csv", "--out", "p.csv"]
    env = {**os.environ, "NO_COLOR": "1"}
    process = subprocess.Popen(command, cwd=donors, stderr=subprocess.PIPE, stdout=subprocess.PIPE, env=env)
    time.sleep(0.5)
    while moment == "writing" and process.poll() is None and not is_writing(process.pid, donors):
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert b"Traceback" not in err
    assert out == b""
    assert files(donors) == {"big.csv"}
