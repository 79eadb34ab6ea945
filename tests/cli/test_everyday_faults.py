"""Faults that new users met: options, names, closed streams, widths, words of Python in messages."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pandas as pd
import pytest
from tests.cli.command_line import EXECUTABLE, PLAIN, call, run, run_json

from calibrant.exceptions import DataError


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("model")
    pd.DataFrame({"a": [*range(30)] * 2, "y": ["no", "yes"] * 30}).to_csv(folder / "t.csv", index=False)
    made = call("fit", "t.csv", "--target", "y", "--method", "tree", "--out", "m.calibrant", cwd=folder)
    assert made.returncode == 0, made.stderr
    return folder


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("--sep", ";;", "--sep must be one ASCII character; got ';;'."),
        ("--encoding", "nosuch", "there is no encoding 'nosuch'. Try utf-8, latin-1 or cp1252."),
        ("--decimal", "x", "--decimal must be"),
        ("--types", "a=colour", "--types must be"),
        ("--types", "a", "must be COL=TYPE"),
    ],
)
def test_a_wrong_option_is_named(model: Path, option: str, value: str, message: str) -> None:
    failed = call("predict", "m.calibrant", "t.csv", "--out", "p.csv", option, value, cwd=model)
    assert failed.returncode in (2, 3)
    assert message in failed.stderr
    assert "bug" not in failed.stderr


def test_a_name_that_is_no_text_is_refused_in_a_sentence(model: Path) -> None:
    command = [*map(os.fsencode, EXECUTABLE), b"fit", b"caf\xe9.csv", b"--out", b"m.calibrant"]
    failed = subprocess.run(command, cwd=model, capture_output=True, env={**os.environ, **PLAIN}, timeout=60)
    assert failed.returncode == 2
    assert b"Rename the file." in failed.stderr


def test_a_closed_standard_output_is_no_bug() -> None:
    command = f"{' '.join(EXECUTABLE)} datasets list >&-"
    found = subprocess.run(["/bin/bash", "-c", command], capture_output=True, text=True, timeout=60)
    assert found.returncode == 0
    assert "Traceback" not in found.stderr


@pytest.mark.parametrize("args", [("inspect", "m.calibrant"), ("fit", "--help"), ("compare", "--help"), ("--help",)])
def test_lines_fit_a_narrow_terminal(model: Path, args: tuple[str, ...]) -> None:
    printed = call(*args, cwd=model, COLUMNS="40").stdout
    assert printed
    long = [line for line in printed.splitlines() if len(line) > 42 and " " in line.strip()]
    assert not long


def test_the_name_of_a_streamed_column_says_the_class(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    rows = {"y": ["no"] * 50 + ["yes"] * 50, "probability_no": [0.8] * 50 + [0.3] * 50}
    pd.DataFrame(rows).to_csv("pred.csv", index=False)
    args = ("evaluate", "pred.csv", "--target", "y", "--proba", "probability_no", "--metric", "log_loss")
    whole, streamed = (run_json(capsys, *args, how) for how in ("--in-memory", "--stream"))
    scores = [each["models"]["probability_no"]["scores"]["log_loss"]["value"] for each in (whole, streamed)]
    assert scores[0] == pytest.approx(scores[1])
    assert "'no'" in run(capsys, *args, "--stream")


@pytest.mark.parametrize(
    ("message", "shown"),
    [
        ("The class is the last column, 'y'; pass target= for another.", "pass --target for another"),
        ("'id' (an id) has a different value in every row, and is left out: it is in extra.", "is left out."),
        ("Correct the row, quote the separators inside values, or pass sep=.", "or pass --sep."),
        ("time_limit: no method has finished a split in time. Pass a longer one.", "--time-limit: no method"),
        ("sep must be one ASCII character or None; got ';;'.", "--sep must be one ASCII character; got"),
        ('a.csv: is mixed. Save it, or pass encoding="cp1252" to read it nevertheless.', "pass --encoding cp1252 to"),
        ("'zip' has leading zeros, and is read as numbers; nominal=['zip'] keeps them.", "--types zip=nominal keeps"),
        ("types names 'x', which is not a column", "--types names 'x'"),
    ],
)
def test_messages_of_commands_speak_of_commands(message: str, shown: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise DataError(message)

    monkeypatch.setattr("calibrant.data.list_datasets", fail)
    assert shown in call("datasets", "list").stderr
