"""`calibrant report` and ``evaluate --html``: strangers' files, costs, bad input, never half a file."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from tests.cli.command_line import run, run_json

from calibrant.cli import main
from calibrant.decisions import CostMatrix, ExampleCosts
from calibrant.report import Report

Capture = pytest.CaptureFixture[str]
Made = Callable[..., dict[str, Any]]


@pytest.fixture
def made(pred: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> Made:
    """Run the command on pred.csv, and return what it passes to `Report.from_predictions`; no report is made."""
    passed: dict[str, Any] = {}

    def record(y_true: Any, y_proba: Any, **options: Any) -> Report:
        passed.update(options, y_true=y_true, y_proba=y_proba)
        return Report("Nothing", ())

    def make(*args: str, file: str = "pred.csv", target: str = "y", code: int = 0) -> dict[str, Any]:
        passed.clear()
        assert main(["report", file, "--target", target, "--html", "out.html", *args]) == code
        passed["printed"] = capsys.readouterr()
        return passed

    monkeypatch.setattr(Report, "from_predictions", record)
    monkeypatch.setattr(Report, "to_html", lambda _: "<!doctype html>")
    assert pred.exists()
    return make


def write(frame: pd.DataFrame, name: str = "pred.csv", **options: Any) -> None:
    frame.to_csv(name, index=False, **options)


# Strangers' files: the same probabilities in other clothes
STRANGERS: dict[str, Callable[[pd.DataFrame], tuple[pd.DataFrame, dict[str, Any], list[str]]]] = {
    "percent by name": lambda f: (f.assign(p_pct=100 * f["p"]), {}, ["p_pct"]),
    "percent signs": lambda f: (f.assign(s=[f"{100 * p:.4f} %" for p in f["p"]]), {}, ["s"]),
    "percent by option": lambda f: (f.assign(s=100 * f["p"]), {}, ["s", "--scale", "percent"]),
    "log-odds by name": lambda f: (f.assign(log_odds=np.log(f["p"] / (1 - f["p"]))), {}, ["log_odds"]),
    "log-odds by option": lambda f: (f.assign(s=np.log(f["p"] / (1 - f["p"]))), {}, ["s", "--scale", "logit"]),
    "semicolons and decimal commas": lambda f: (f, {"sep": ";", "decimal": ","}, ["p"]),
    "Windows-1252": lambda f: (f.assign(Größe="Müller"), {"encoding": "cp1252"}, ["p"]),
    "decimal commas in quotes": lambda f: (f.assign(s=[str(p).replace(".", ",") for p in f["p"]]), {}, ["s"]),
    "the other class": lambda f: (f.assign(probability_no=1 - f["p"]), {}, ["probability_no"]),
    "the other class in brackets": lambda f: (f.assign(s=1 - f["p"]).rename(columns={"s": "P(no)"}), {}, ["P(no)"]),
    "zero and one": lambda f: (f.assign(y=(f["y"] == "yes").astype(int)), {}, ["p"]),
    "true and false": lambda f: (f.assign(y=f["y"] == "yes"), {}, ["p"]),
    "a column of each class": lambda f: (f.assign(m_no=1 - f["p"], m_yes=f["p"]), {}, ["m_*"]),
}


@pytest.mark.parametrize("kind", STRANGERS)
def test_a_strangers_file_is_understood(kind: str, predictions: pd.DataFrame, made: Made) -> None:
    frame, options, proba = STRANGERS[kind](predictions)
    write(frame, **options)
    found = made("--proba", *proba)
    (proba_found,) = found["y_proba"].values()
    np.testing.assert_allclose(proba_found if proba_found.ndim == 1 else proba_found[:, 1], predictions["p"], atol=2e-6)
    assert str(found["pos_label"] if proba_found.ndim == 1 else "yes") in ("yes", "1", "True")
    if "percent" in kind or "log-odds" in kind or "other" in kind:
        assert "Note: " in found["printed"].err
        assert len(found["source"]) > len("pred.csv.")


def test_a_class_that_columns_name_is_the_positive_one(predictions: pd.DataFrame, made: Made) -> None:
    write(
        predictions.assign(y=predictions["y"].map({"yes": "churned", "no": "stays"})).rename(columns={"p": "p_churned"})
    )
    found = made("--proba", "p_churned", "--proba", "q")
    assert found["pos_label"] == "stays"  # q holds that of the last class, so that p_churned is subtracted from 1
    found = made("--proba", "p_churned")
    assert found["pos_label"] == "churned"


@pytest.mark.usefixtures("three_classes")
def test_three_classes_are_a_report_on_all_or_on_one(made: Made, three_classes: pd.DataFrame) -> None:
    write(three_classes)
    found = made()
    assert (found["labels"], found["pos_label"]) == (["a", "b", "c"], None)
    assert found["y_proba"]["model"].shape == (300, 3)
    found = made("--proba", "probability_b")
    assert (found["pos_label"], sorted(set(found["y_true"]))) == ("b", ["b", "not b"])


QUESTIONS: dict[str, tuple[list[str], int, str]] = {
    "scores": (
        ["--target", "y", "--proba", "s"],
        3,
        "outside [0, 1], so it is not a probability: pass --scale logit if",
    ),
    "0 to 100": (["--target", "y", "--proba", "h"], 3, "pass --scale percent if it holds percent"),
    "no target": (["--proba", "p"], 2, "'y' and 'region' look like the class: pass --target y."),
    "wrong target": (["--target", "outcome", "--proba", "p"], 3, "no column 'outcome' for the class. 'y' and 'region'"),
    "no proba": (["--target", "y"], 2, "'p' and 'q' look like probabilities: pass --proba p."),
    "words": (["--target", "y", "--proba", "region"], 3, "column 'region' must hold probabilities; got 'north'"),
}


@pytest.mark.parametrize("kind", QUESTIONS)
def test_what_is_not_understood_is_asked_about_in_a_sentence(
    kind: str, predictions: pd.DataFrame, pred: Path, capsys: Capture
) -> None:
    extra = {"scores": {"s": predictions["p"] * 8 - 4}, "0 to 100": {"h": (predictions["p"] * 100).round(2)}}
    write(predictions.assign(**extra.get(kind, {})))
    args, code, message = QUESTIONS[kind]
    error = run_json(capsys, "report", pred.name, *args, "--html", "out.html", code=code)["error"]
    assert message in error["message"]
    assert not Path("out.html").exists()


# Bad input: a table, options, the exit code and the message
BAD: dict[str, tuple[Callable[[pd.DataFrame], pd.DataFrame], list[str], int, str]] = {
    "one class": (lambda f: f.assign(y="no"), [], 3, "column 'y' is 'no' in every row"),
    "no class": (lambda f: f.assign(y=np.nan), [], 3, "column 'y' is empty in every row"),
    "a missing class": (lambda f: f.assign(y=f["y"].where(f.index != 3)), [], 3, "1 missing label(s) (first at row 3)"),
    "outside": (lambda f: f.assign(p=f["p"] * 1.5), [], 3, "outside [0, 1]"),
    "a missing probability": (lambda f: f.assign(p=f["p"].where(f.index != 3)), [], 3, "has 1 NaN (first at row 3)"),
    "different rows": (
        lambda f: f.assign(q=f["q"].where(f.index > 4)), ["--proba", "q"], 3,
        "'q' has no probability in 5 of 600 rows (first at row 0), where 'p' has one",
    ),
    "ids": (lambda f: f.assign(id=f["id"] // 2), ["--id", "id"], 3, "pass --groups id."),
    "segments": (lambda f: f, ["--by", "id"], 3, "--by: 'id' has 600 different values, and a report shows at most 200"),
    "a wrong column": (lambda f: f, ["--by", "regio"], 3, "no column 'regio'. Did you mean 'region'?"),
    "a wrong reference": (lambda f: f, ["--reference", "old"], 2, "--reference must be one of the models p; got 'old'"),
    "a wrong confidence": (lambda f: f, ["--confidence", "2"], 2, "--confidence must be a number in (0, 1)"),
    "a wrong positive class": (lambda f: f, ["--positive", "yess"], 3, "Did you mean 'yes'?"),
    "a wrong scale": (lambda f: f, ["--scale", "procent"], 2, "procent"),
    "no costs": (lambda f: f, ["--costs", "nothing.csv"], 3, "nothing.csv: no such file"),
    "benefits of nothing": (lambda f: f, ["--benefits"], 2, "--benefits needs --costs FILE"),
    "amounts of nothing": (lambda f: f, ["--amount", "gift"], 2, "--amount needs --costs FILE"),
    "no model file": (lambda f: f, ["--model", "m.calibrant"], 3, "m.calibrant"),
    "a wrong model": (lambda f: f, ["--model", "new=m.calibrant"], 2, "there is no model 'new' among p"),
    "amounts as classes": (
        lambda f: f.assign(won=f["y"], y=f["p"] * 3), [], 3,
        "column 'y' has 577 different values: is it an id or an amount?",
    ),
    "the class twice": (lambda f: f, ["--proba", "y"], 2, "'y' is the column of the actual classes, not one of prob"),
    "no rows": (lambda f: f.head(0), [], 3, "has a header but no rows"),
}  # fmt: skip


@pytest.mark.parametrize("kind", BAD)
@pytest.mark.usefixtures("pred")
def test_bad_input_has_a_message_and_leaves_the_older_file(
    kind: str, predictions: pd.DataFrame, capsys: Capture
) -> None:
    change, args, code, message = BAD[kind]
    write(change(predictions))
    Path("out.html").write_text("older")
    before = set(Path().iterdir())
    assert main(["report", "pred.csv", "--target", "y", "--proba", "p", "--html", "out.html", *args]) == code
    printed = capsys.readouterr()
    assert message in printed.err
    assert "Traceback" not in printed.err
    assert (printed.out, Path("out.html").read_text()) == ("", "older")
    assert set(Path().iterdir()) == before


@pytest.mark.parametrize(
    ("html", "code", "message"),
    [
        (None, 2, "name the file of the report: --html report.html"),
        ("pred.csv", 2, "must be a file with the extension .html"),
        ("nowhere/out.html", 6, "Make the folder first"),
    ],
)
def test_the_file_is_checked_before_the_table_is_read(
    html: str | None, code: int, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.chdir(tmp_path)
    options = [] if html is None else ["--html", html]
    assert main(["report", "missing.csv", "--target", "y", "--proba", "p", *options]) == code
    assert message in capsys.readouterr().err


def test_a_missing_extra_has_exit_code_5_and_the_command(
    pred: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "vl_convert", None)
    args = ("report", pred.name, "--target", "y", "--proba", "p", "--html", "out.html")
    assert 'pip install "calibrant[report]"' in run_json(capsys, *args, code=5)["error"]["message"]


def costs(*rows: str) -> list[str]:
    Path("costs.csv").write_text("\n".join(rows))
    return ["--proba", "p", "--costs", "costs.csv"]


def test_costs_of_numbers_are_a_cost_matrix(made: Made) -> None:
    found = made(*costs("actual,leave,write", "yes,8,0", "no,0,1"))["costs"]
    assert isinstance(found, CostMatrix)
    assert found.for_classes(["no", "yes"]).matrix.tolist() == [[0, 1], [8, 0]]
    found = made(*costs("actual,leave,write", "no,0,-1", "yes,0,8"), "--benefits")["costs"]
    assert found.for_classes(["no", "yes"]).matrix.tolist() == [[0, 1], [0, -8]]


def test_costs_that_name_columns_are_costs_by_row(predictions: pd.DataFrame, made: Made) -> None:
    write(predictions.assign(gift=np.arange(600.0), real=np.arange(600.0) + 1))
    found = made(*costs("actual,leave,write", "no,0,0.68", "yes,0,0.68-gift"), "--amount", "real")
    assert isinstance(found["costs"], ExampleCosts)
    assert found["costs"].actions == ("leave", "write")
    np.testing.assert_allclose(found["costs"].cost, 0.68)
    np.testing.assert_allclose(found["costs"].benefit, np.arange(600.0))
    np.testing.assert_allclose(found["amount"], np.arange(600.0) + 1)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (
            ("actual,leave,write", "bad,0,1", "good,8,0"),
            "has costs of the classes bad, good, and column 'y' has the cl",
        ),
        (("actual,leave,write", "no,1,1", "yes,0,1-gift"), "one of which costs nothing in both classes"),
        (("actual,leave,write,call", "no,0,1,2", "yes,0,1-gift,2"), "two classes and two actions"),
        (("actual,leave,write", "no,0,1", "yes,0,1-gifts"), "Did you mean 'gift'?"),
        (
            ("actual,leave,write", "no,0,1", "yes,0,1-region"),
            "column 'region', which the costs name, must hold a number",
        ),
    ],
)
def test_costs_that_a_report_cannot_take_are_an_error(rows: tuple[str, ...], message: str, made: Made) -> None:
    assert message in made(*costs(*rows), code=3)["printed"].err


def test_a_saved_tree_is_passed_to_the_report(made: Made, predictions: pd.DataFrame, capsys: Capture) -> None:
    write(predictions[["gift", "region", "y"]], "train.csv")
    run(capsys, "fit", "train.csv", "--target", "y", "--method", "tree", "--out", "m.calibrant")
    assert list(made("--proba", "p", "--model", "m.calibrant")["model"]) == ["p"]
    found = made("--proba", "p", "--proba", "q", "--model", "q=m.calibrant")["model"]
    assert type(found["q"]).__name__ == "ProbabilityTreeClassifier"


def test_options_are_passed_on(made: Made) -> None:
    options = ["--title", "<b>T", "--no-rows", "--seed", "7", "--confidence", "0.9", "--by", "region", "--id", "id"]
    found = made("--proba", "p", "--proba", "new=q", *options, "--reference", "new")
    assert (found["title"], found["rows"], found["random_state"], found["confidence"]) == ("<b>T", False, 7, 0.9)
    assert (list(found["by"]), found["reference"], list(found["y_proba"])) == (["region"], "new", ["p", "new"])
    assert found["command"].startswith("calibrant report pred.csv --target y")


def test_a_report_is_written_with_its_answer(pred: Path, predictions: pd.DataFrame, capsys: Capture) -> None:
    write(predictions.head(300))
    args = ["report", pred.name, "--target", "y", "--proba", "p", "--proba", "new=q"]
    Path("costs.csv").write_text("actual,leave,write\nno,0,1\nyes,0,-2\n")
    found = run_json(capsys, *args, "--costs", "costs.csv", "--html", "out.html")
    assert set(found) == {"file", "html", "verdicts", "money", "best", "warnings", "bytes"}
    assert found["bytes"] == Path("out.html").stat().st_size
    assert found["verdicts"]["new"]["kind"] == "miscalibrated"
    assert found["money"]["p"]["now"]["low"] < found["money"]["p"]["now"]["value"]
    assert found["best"] == "p"
    assert Path("out.html").read_text().startswith("<!doctype html>")


def test_the_answer_is_printed_in_words_with_the_path(
    pred: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Report, "to_html", lambda _: "<!doctype html>")
    text = run(capsys, "report", pred.name, "--target", "y", "--proba", "q", "--html", "out.html")
    assert "The probabilities are wrong" in text
    assert "The report is in out.html" in text.splitlines()[-1]


@pytest.mark.usefixtures("made")
def test_evaluate_writes_the_report_of_the_same_request(capsys: Capture) -> None:
    args = ["evaluate", "pred.csv", "--target", "y", "--proba", "p", "--metric", "auc", "--html", "out.html"]
    assert "The report is in out.html." in run(capsys, *args)
    Path("out.html").unlink()
    found = json.loads(run(capsys, *args, "--json", "--fail-if", "auc<0.999", code=8))
    assert (found["html"], found["bytes"]) == ("out.html", Path("out.html").stat().st_size)
    assert "needs all rows" in run_json(capsys, *args, "--stream", code=2)["error"]["message"]


def test_evaluate_embeds_no_rows_where_none_are_allowed(
    pred: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    passed: dict[str, Any] = {}

    def record(*_: Any, **options: Any) -> Report:
        passed.update(options)
        return Report("Nothing", ())

    monkeypatch.setattr(Report, "from_predictions", record)
    run(capsys, "evaluate", pred.name, "--target", "y", "--proba", "p", "--html", "out.html", "--no-rows")
    assert passed["rows"] is False


@pytest.mark.usefixtures("made")
def test_ctrl_c_leaves_the_older_file(pred: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(_: Report) -> str:
        raise KeyboardInterrupt

    monkeypatch.setattr(Report, "to_html", interrupt)
    Path("out.html").write_text("older")
    run(capsys, "report", pred.name, "--target", "y", "--proba", "p", "--html", "out.html", code=130)
    assert Path("out.html").read_text() == "older"
    assert {path.name for path in Path().iterdir()} == {"pred.csv", "out.html"}


def test_probabilities_of_the_other_class_are_noticed(made: Made) -> None:
    assert (
        "Is it the probability of another class than no? Pass --positive."
        in made("--proba", "p", "--positive", "no")["printed"].err
    )


def test_one_of_three_classes_is_taken_from_the_columns_of_all(made: Made, three_classes: pd.DataFrame) -> None:
    write(three_classes)
    found = made("--positive", "b")
    np.testing.assert_allclose(found["y_proba"]["model"], three_classes["probability_b"])
