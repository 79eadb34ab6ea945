"""`calibrant study`: runs a study file and prints what queries in Python return."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import time
from pathlib import Path

import pandas as pd
import pytest
from tests.cli.command_line import EXECUTABLE, run, run_json

from calibrant.cli import main
from calibrant.studies import Study

Capture = pytest.CaptureFixture[str]
STUDY = """
name: leaves
datasets: [appeal]
methods:
  bayes: NaiveBayesClassifier
  rate: ConstantClassifier
plan: {class: CrossValidation, params: {n_folds: 3}}
metrics: [mse, auc]
store: studies.db
"""


@pytest.fixture(scope="session")
def study_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a study that was run."""
    folder = tmp_path_factory.mktemp("study")
    (folder / "study.yaml").write_text(STUDY)
    Study.from_file(folder / "study.yaml").run()
    return folder


@pytest.fixture
def study(study_folder: Path, monkeypatch: pytest.MonkeyPatch) -> Study:
    monkeypatch.chdir(study_folder)
    return Study.open("leaves", "studies.db")


def test_a_study_is_run_once_and_then_only_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("study.yaml").write_text(STUDY)
    assert "6 of 6 trials done" in run(capsys, "study", "run", "study.yaml", "--store", "other.db")
    found = run_json(capsys, "study", "run", "study.yaml", "--store", "other.db")
    assert (found["n_done"], found["n_missing"], found["is_complete"]) == (6, 0, True)
    assert {path.name for path in tmp_path.iterdir()} == {"study.yaml", "other.db"}


@pytest.mark.usefixtures("study")
def test_studies_and_their_status_are_listed(capsys: Capture) -> None:
    (entry,) = run_json(capsys, "study", "list", "--store", "studies.db")
    assert (entry["name"], entry["n_trials"]) == ("leaves", 6)
    assert "leaves" in run(capsys, "study", "list", "--store", "studies.db")
    assert "6 of 6 trials done" in run(capsys, "study", "status", "leaves", "--store", "studies.db")


def test_the_table_is_that_of_the_study(study: Study, capsys: Capture) -> None:
    found = run_json(capsys, "study", "table", "leaves", "--metric", "auc", "--store", "studies.db")
    assert found["rows"] == [{"dataset": "appeal", "means": study.table("auc").loc["appeal"].to_dict()}]
    text = run(capsys, "study", "table", "leaves", "--interval", "--store", "studies.db")
    frame = study.table("mse", interval=True)
    assert f"{frame.loc['appeal', ('bayes', 'mean')]:.4f}" in text
    assert " to " in text


def test_the_comparison_is_that_of_the_study(study: Study, capsys: Capture) -> None:
    assert run(capsys, "study", "compare", "leaves", "--metric", "auc", "--store", "studies.db").strip() == repr(
        study.compare("auc")
    )
    (pair,) = run_json(capsys, "study", "compare", "leaves", "--metric", "auc", "--store", "studies.db")["pairs"]
    assert pair["difference"] == study.compare("auc").pairs[0].difference


@pytest.mark.usefixtures("study")
@pytest.mark.parametrize("query", ["table", "compare"])
def test_html_is_a_report_of_the_study(query: str, tmp_path: Path, capsys: Capture) -> None:
    path = str(tmp_path / "report.html")
    printed = run(capsys, "study", query, "leaves", "--metric", "auc", "--html", path, "--store", "studies.db")
    assert printed.endswith(f"Report: {path}\n")
    page = Path(path).read_text("utf-8")
    assert "Pairs of rows ranked in the right order" in page
    assert "mse" not in page.partition("<script")[0]
    bad = ["study", query, "leaves", "--html", str(tmp_path / "none" / "a.html"), "--store", "studies.db"]
    assert main(bad) == 6


def test_html_of_a_run_has_every_metric(study_folder: Path, tmp_path: Path, capsys: Capture) -> None:
    path = tmp_path / "report.html"
    file = str(study_folder / "study.yaml")
    found = run_json(capsys, "study", "run", file, "--store", str(study_folder / "studies.db"), "--html", str(path))
    assert found["html"] == str(path)
    assert "6 of 6 trials are done" in path.read_text("utf-8")


@pytest.mark.usefixtures("study")
def test_a_study_is_exported_to_a_file_or_printed(study: Study, tmp_path: Path, capsys: Capture) -> None:
    out = tmp_path / "auc.md"
    run(capsys, "study", "export", "leaves", "--metric", "auc", "--bold", "--out", str(out), "--store", "studies.db")
    assert out.read_text() == study.export(metric="auc", format="markdown", bold=True)
    printed = run(capsys, "study", "export", "leaves", "--what", "trials", "--out", "-", "--store", "studies.db")
    assert len(printed.splitlines()) == 7
    args = ["study", "export", "leaves", "--metric", "auc", "--out", "nowhere/auc.md", "--store", "studies.db"]
    assert main(args) in (2, 6)
    assert "nowhere" in capsys.readouterr().err


def test_a_study_is_deleted_after_a_confirmation(
    tmp_path: Path, study_folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "copy.db").write_bytes((study_folder / "studies.db").read_bytes())
    monkeypatch.setattr("sys.stdin", io.StringIO())
    assert main(["study", "delete", "leaves", "--store", "copy.db"]) == 2
    assert "pass --yes" in capsys.readouterr().err
    assert run_json(capsys, "study", "delete", "leaves", "--store", "copy.db", "--yes") == {
        "deleted": "leaves",
        "n_trials": 6,
    }
    assert main(["study", "status", "leaves", "--store", "copy.db"]) == 2


@pytest.mark.parametrize(
    ("args", "code", "message"),
    [
        (["status", "leaves", "--store", "none.db"], 3, "none.db"),
        (["list", "--store", "note.txt"], 3, "note.txt"),
        (["status", "leavs", "--store", "studies.db"], 2, "Did you mean 'leaves'?"),
        (["table", "leaves", "--metric", "auk", "--store", "studies.db"], 2, "Did you mean 'auc'?"),
        (["table", "leaves", "--part", "tset", "--store", "studies.db"], 2, "test"),
        (["compare", "leaves", "--test", "wilcoxn", "--store", "studies.db"], 2, "wilcoxon"),
        (["export", "leaves", "--out", "a.doc", "--store", "studies.db"], 2, ".csv"),
        (["run", "none.yaml"], 3, "none.yaml"),
        (["run", "wrong.yaml"], 2, "wrong.yaml"),
    ],
)
@pytest.mark.usefixtures("study")
def test_bad_input_has_a_message_and_its_exit_code(args: list[str], code: int, message: str, capsys: Capture) -> None:
    Path("note.txt").write_text("not a store")
    Path("wrong.yaml").write_text("name: x\ndatasets: [appeal]\nmethodes: {}\n")
    assert main(["study", *args]) == code
    captured = capsys.readouterr()
    assert message in captured.err
    assert "Traceback" not in captured.err


def test_failed_trials_have_exit_code_7(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    monkeypatch.chdir(tmp_path)
    pd.DataFrame({"a": ["x", "y"] * 20, "c": ["no", "yes"] * 20}).to_csv("a.csv", index=False)
    text = STUDY.replace("[appeal]", "[a.csv]").replace("rate: ConstantClassifier", "g: sklearn.naive_bayes.GaussianNB")
    Path("study.yaml").write_text(text)
    assert "3 of 6 trials done, 3 failed" in run(capsys, "study", "run", "study.yaml", code=7)


def test_ctrl_c_prints_what_there_is_and_the_next_run_goes_on(tmp_path: Path) -> None:
    slow = STUDY.replace("NaiveBayesClassifier", "{class: BaggedTreesClassifier, params: {n_trees: 300}}").replace(
        "n_folds: 3", "n_folds: 40"
    )
    (tmp_path / "study.yaml").write_text(slow)
    env = {**os.environ, "NO_COLOR": "1"}
    command = [*EXECUTABLE, "study", "run", "study.yaml"]
    process = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env)
    while not (tmp_path / "studies.db").exists() and process.poll() is None:
        time.sleep(0.05)
    time.sleep(1.0)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert b"of 80 trials done" in out
    assert b"Traceback" not in err
