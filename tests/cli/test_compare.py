"""``calibrant compare`` as a person runs it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from itertools import chain, repeat
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from tests.cli.command_line import EXECUTABLE, PLAIN, call, execute, run, run_json

from calibrant.studies import Study

QUICK = ("--method", "naive Bayes", "--method", "tree", "--workers", "1")
COSTS = "actual,leave,write\nno,0,0.68\nyes,0,-15\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CALIBRANT_PROGRESS", "0")
    return tmp_path


def write_table(path: Path, n: int = 150) -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=n)
    pd.DataFrame({"x": x, "y": np.where(x + rng.normal(size=n) > 0, "yes", "no")}).to_csv(path, index=False)


def test_a_table_becomes_a_ranking_a_verdict_advice_and_a_model(folder):
    write_table(folder / "donors.csv")
    (folder / "costs.csv").write_text(COSTS)
    done = call("compare", "donors.csv", "--target", "y", "--positive", "yes", "--costs", "costs.csv", *QUICK)
    assert done.returncode == 0, done.stderr
    for part in ("150 rows", "predicted: y", "3 times 10-fold", "base rate", "Calibration: ", "Money: ", "Advice: Use"):
        assert part in done.stdout
    names = {path.name for path in (folder / "calibrant-donors").iterdir()}
    assert names == {"model.calibrant", "held_out.csv", "reliability.png"}
    assert list((folder / "calibrant-donors" / "reliability.png").read_bytes()[:4]) == [0x89, *b"PNG"]
    assert Study.open("compare donors", folder / "calibrant.db").status().n_missing == 0


def test_json_is_one_document_and_a_finished_run_does_not_depend_on_the_time_limit(folder, capsys):
    write_table(folder / "donors.csv")
    document = run_json(capsys, "compare", "donors.csv", *QUICK, "--time-limit", "1h")
    assert (document["ended"], document["no_model"], document["n_splits"]) == (None, None, 30)
    assert (folder / document["files"]["model"]).exists()
    assert document["best"]["method"] in ("naive Bayes", "tree", "base rate")
    assert document["files"]["model"] == "calibrant-donors/model.calibrant"
    ranking = [each["method"] for each in document["ranking"]]
    means = Study.open("compare donors", "calibrant.db").table("log_loss").iloc[0].sort_values()
    assert ranking == list(means.index)


@pytest.mark.long
def test_html_is_a_report_of_the_comparison(folder, capsys):
    write_table(folder / "donors.csv")
    printed = run(capsys, "compare", "donors.csv", *QUICK, "--html", "report.html")
    assert printed.endswith("Report: report.html\n")
    page = (folder / "report.html").read_text("utf-8")
    assert page.startswith("<!doctype html>")
    assert "calibrant compare donors.csv --method &#x27;naive Bayes&#x27;" in page.replace("&#39;", "&#x27;")
    document = run_json(capsys, "compare", "donors.csv", *QUICK, "--html", "nowhere/report.html", code=6)
    assert "nowhere" in document["error"]["message"]
    assert [path.name for path in folder.glob("**/*.html*")] == ["report.html"]


def test_time_limit_is_of_the_whole_command(folder, monkeypatch):
    write_table(folder / "donors.csv")

    def seconds_left(limit: str, processor: float, *html: str) -> float:
        """Return what the comparison may take 12 s after the start of the command, of which it worked some."""
        passed = []
        monkeypatch.setattr("time.monotonic", chain([100.0], repeat(112.0)).__next__)
        monkeypatch.setattr("time.process_time", chain([0.0], repeat(processor)).__next__)
        monkeypatch.setattr("calibrant.studies.compare_table", lambda *_, **more: passed.append(more) or 1 / 0)
        assert call("compare", "donors.csv", "--time-limit", limit, *html).returncode == 1
        return passed[0]["time_limit"]

    quiet, busy = seconds_left("60s", 12.0), seconds_left("60s", 3.0)
    assert 47 < quiet < 48
    assert 48 - busy == pytest.approx(4 * (48 - quiet))  # 3 s of work took 12, and so will what follows
    assert seconds_left("60s", 3.0, "--html", "a.html") < busy
    assert seconds_left("30s", 3.0, "--html", "a.html") == 3  # at most half is kept
    assert seconds_left("5s", 3.0) > 0


@pytest.mark.long
def test_standard_input(folder):
    write_table(folder / "donors.csv")
    done = call("compare", "-", *QUICK, stdin=(folder / "donors.csv").read_bytes())
    assert done.returncode == 0, done.stderr
    assert (folder / "calibrant-stdin" / "model.calibrant").exists()


def test_nothing_is_cut_off_in_a_narrow_pipe(folder, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    write_table(folder / "donors.csv")
    piped = run(capsys, "compare", "donors.csv", *QUICK)
    assert "…" not in piped
    heads = [line for line in piped.splitlines() if line.startswith("method")]
    assert "log-loss" in heads[0]
    assert any("seconds" in head for head in heads)


@pytest.mark.parametrize(
    ("text", "args", "code", "message"),
    [
        ("", (), 3, "empty"),
        ("x,y\n" + "1,a\n" * 30, (), 3, "has one value"),
        ("x,y\n" + "".join(f"{i % 7},k{i}\n" for i in range(300)), (), 3, "300 different values"),
        ("x,y\n" + "1,a\n2,b\n" * 30, ("--target", "z"), 3, "'z'"),
        ("x,y\n" + "1,a\n2,b\n" * 30, ("--costs", "costs.csv"), 3, "costs: "),
        ("x,y\n" + "1,a\n2,b\n" * 30, ("--costs", "nowhere.csv"), 3, "nowhere.csv: no such file"),
        ("x,y\n" + "1,a\n2,b\n" * 30, ("--time-limit", "soon"), 2, "such as 30s"),
        ("x,y\n" + "1,a\n2,b\n" * 30, ("--method", "forrest"), 2, "Did you mean 'forest'?"),
        ("x,y\n" + "1,a\n2,b\n" * 30, ("--out", "file/out"), 6, "file"),
        ("x,y\n" + "1,a\n2,b\n" * 30, ("--store", "nowhere/s.db"), 6, "nowhere"),
        ("\x89PNG\r\n\x1a\n\x00\x00\x01\x02" * 9, (), 3, "table.csv"),
    ],
)
def test_bad_input(folder, capsys, text, args, code, message):
    (folder / "table.csv").write_bytes(text.encode("latin-1"))
    (folder / "costs.csv").write_text(COSTS)
    (folder / "file").write_text("")
    quick = () if "--method" in args else QUICK
    document = run_json(capsys, "compare", "table.csv", *quick, *args, code=code)
    assert message in document["error"]["message"]
    assert document["error"]["exit_code"] == code
    assert not list(folder.glob("**/*.part"))


def test_no_such_file(tmp_path):
    done = call("compare", "nowhere.csv", cwd=tmp_path)
    assert done.returncode == 3
    assert "nowhere.csv: no such file" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.long  # `make test` interrupts `calibrant study run`
def test_ctrl_c_prints_what_there_is_and_run_again_it_goes_on(folder):
    args = [*EXECUTABLE, "compare", "appeal", "--workers", "1", "--method", "naive Bayes", "--method", "boosted trees"]
    env = {**os.environ, **PLAIN}
    process = subprocess.Popen(args, stdout=-1, stderr=-1, text=True, env=env, start_new_session=True)
    for _ in range(600):
        time.sleep(0.1)
        if _n_recorded() >= 4:
            break
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to every process
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert "Traceback" not in err
    assert "Note: the run was interrupted after" in out
    assert "naive Bayes" in out
    assert not (folder / "calibrant-appeal" / "model.calibrant").exists()
    before = _n_recorded()
    done = execute(*args[len(EXECUTABLE) :], "--json")
    assert done.returncode == 0, done.stderr
    assert _n_recorded() > before
    assert json.loads(done.stdout)["n_splits"] == 10


def _n_recorded() -> int:
    try:
        return Study.open("compare appeal", "calibrant.db").status().n_done
    except Exception:
        return 0


def test_help_has_the_plan_and_an_example(capsys):
    text = run(capsys, "compare", "--help")
    assert "$ calibrant compare donors.csv" in text
    assert "three times" in " ".join(text.split())
