"""`calibrant evaluate`: scores as `calibrant.metrics.evaluate` computes them, models, segments, gates."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from tests.cli.command_line import call, run, run_json

from calibrant import metrics

Capture = pytest.CaptureFixture[str]


def test_the_scores_are_those_of_the_function(pred: Path, predictions: pd.DataFrame, capsys: Capture) -> None:
    found = run_json(capsys, "evaluate", str(pred), "--target", "y", "--proba", "p")
    card = metrics.evaluate(predictions["y"], predictions["p"])
    assert list(found["models"]["p"]["scores"]) == list(card)
    for name, score in found["models"]["p"]["scores"].items():
        assert (score["value"], score["low"], score["high"]) == (card[name].value, card[name].low, card[name].high)
    assert found["models"]["p"]["verdict"]["words"] == str(card.verdict)
    assert (found["rows"], found["classes"]) == (600, ["no", "yes"])


@pytest.mark.sample(2)
@pytest.mark.parametrize("name", ["pred.parquet", "pred.feather", "pred.tsv", "pred.csv.gz"])
def test_every_format_gives_the_same_scores(name: str, pred: Path, predictions: pd.DataFrame, capsys: Capture) -> None:
    text = {"index": False, "sep": "\t" if name.endswith("tsv") else ","}
    columnar = {"pred.parquet": predictions.to_parquet, "pred.feather": predictions.to_feather}
    columnar[name](name) if name in columnar else predictions.to_csv(name, **text)
    args = ("--target", "y", "--proba", "p", "--metric", "auc")
    csv = run_json(capsys, "evaluate", str(pred), *args)["models"]
    assert run_json(capsys, "evaluate", name, *args)["models"] == csv


def test_arff_and_c45_files_are_read(pred: Path, predictions: pd.DataFrame, capsys: Capture) -> None:
    rows = "\n".join(f"{p},{y}" for p, y in zip(predictions["p"], predictions["y"], strict=True))
    Path("a.arff").write_text(f"@relation a\n@attribute p numeric\n@attribute y {{no,yes}}\n@data\n{rows}\n")
    Path("c.names").write_text("no, yes.\np: continuous.\n")
    Path("c.data").write_text(rows.replace("\n", ".\n") + ".\n")
    csv = run_json(capsys, "evaluate", str(pred), "--target", "y", "--proba", "p")["models"]["p"]["scores"]
    for name, target in (("a.arff", "y"), ("c.data", "class")):
        found = run_json(capsys, "evaluate", name, "--target", target, "--proba", "p")
        assert found["models"]["p"]["scores"] == csv


def test_standard_input_is_read(pred: Path) -> None:
    done = call("evaluate", "-", "--target", "y", "--proba", "p", "--metric", "auc", stdin=pred.read_bytes())
    assert done.returncode == 0
    assert done.stdout.startswith("standard input: 600 rows")


@pytest.mark.usefixtures("pred")
def test_parquet_from_standard_input_is_recognized(predictions: pd.DataFrame) -> None:
    predictions.to_parquet("pred.parquet")
    raw = Path("pred.parquet").read_bytes()
    done = call("evaluate", "-", "--target", "y", "--proba", "p", "--metric", "auc", stdin=raw)
    assert "600 rows" in done.stdout


@pytest.mark.long
def test_several_models_are_compared_on_the_same_rows(pred: Path, predictions: pd.DataFrame, capsys: Capture) -> None:
    args = ("evaluate", str(pred), "--target", "y", "--proba", "p", "--proba", "new=q")
    found = {each["metric"]: each for each in run_json(capsys, *args)["differences"]}
    y = predictions["y"]
    expected = metrics.compare(metrics.evaluate(y, predictions["q"]), metrics.evaluate(y, predictions["p"]))
    assert found["log_loss"]["low"] == expected["log_loss"].low
    assert "worse" in run(capsys, *args)


@pytest.mark.long
def test_segments_are_those_of_the_function(pred: Path, predictions: pd.DataFrame, capsys: Capture) -> None:
    args = ("evaluate", str(pred), "--target", "y", "--proba", "p", "--by", "region")
    found = run_json(capsys, *args)["models"]["p"]["by"]["region"]["segments"]
    expected = metrics.evaluate(predictions["y"], predictions["p"], by=predictions["region"])
    assert {name: part["scores"]["brier"]["value"] for name, part in found.items()} == {
        name: card["brier"].value for name, card in expected.cards.items()
    }
    assert "By region" in run(capsys, *args)


@pytest.mark.usefixtures("pred")
def test_weights_and_groups_are_columns(predictions: pd.DataFrame, capsys: Capture) -> None:
    frame = predictions.assign(w=np.arange(600) % 3, g=np.arange(600) // 4)
    frame.to_csv("w.csv", index=False)
    options = ("--weight", "w", "--groups", "g", "--metric", "mse")
    found = run_json(capsys, "evaluate", "w.csv", "--target", "y", "--proba", "p", *options)["models"]["p"]["scores"]
    card = metrics.evaluate(frame["y"], frame["p"], metrics=["mse"], sample_weight=frame["w"], groups=frame["g"])
    assert (found["mse"]["value"], found["mse"]["low"]) == (card["mse"].value, card["mse"].low)


@pytest.mark.parametrize(
    "proba",
    [
        (),
        ("--proba", "probability_*"),
        ("--proba", "b=probability_b", "--proba", "a=probability_a", "--proba", "c=probability_c"),
    ],
)
def test_three_classes_have_a_column_each(proba: tuple[str, ...], three_classes: pd.DataFrame, capsys: Capture) -> None:
    found = run_json(capsys, "evaluate", "pred3.csv", "--target", "y", *proba)["models"]
    columns = three_classes[["probability_a", "probability_b", "probability_c"]].to_numpy()
    expected = metrics.evaluate(three_classes["y"], columns)
    (model,) = found.values()
    assert model["scores"]["log_loss"]["value"] == pytest.approx(expected["log_loss"].value)


def test_one_column_of_three_classes_needs_the_positive_one(three_classes: pd.DataFrame, capsys: Capture) -> None:
    three_classes.rename(columns={"probability_b": "p"}).to_csv("one.csv", index=False)
    assert (
        "--positive"
        in run_json(capsys, "evaluate", "one.csv", "--target", "y", "--proba", "p", code=2)["error"]["message"]
    )
    found = run_json(capsys, "evaluate", "one.csv", "--target", "y", "--proba", "p", "--positive", "b")
    assert found["models"]["p"]["columns"] == {"b": "p"}


@pytest.mark.usefixtures("pred")
def test_a_column_of_predict_says_its_class(predictions: pd.DataFrame, capsys: Capture) -> None:
    frame = predictions.assign(probability_no=1 - predictions["p"])
    frame.to_csv("no.csv", index=False)
    found = run_json(capsys, "evaluate", "no.csv", "--target", "y", "--proba", "probability_no", "--metric", "auc")
    assert found["models"]["probability_no"]["columns"] == {"no": "probability_no"}
    assert found["models"]["probability_no"]["scores"]["auc"]["value"] > 0.5


def test_probabilities_of_the_other_class_are_noticed(pred: Path) -> None:
    done = call("evaluate", "pred.csv", "--target", "y", "--proba", "p", "--positive", "no", cwd=pred.parent)
    assert "Pass --positive" in done.stderr


@pytest.mark.parametrize(
    ("condition", "code"),
    [
        ("ece>0.5", 0),
        ("ece > 0.0001", 8),
        ("auc<0.99", 8),
        ("auc<=0.5", 0),
        ("brier>=0", 8),
        ("ece.pvalue<0.000001", 0),
        ("verdict=miscalibrated", 0),
        ("verdict!=calibrated", 8),
        ("verdict = too_little_to_matter", 0),
    ],
)
@pytest.mark.sample(3)
def test_a_gate_fails_if_its_condition_holds(condition: str, code: int, pred: Path, capsys: Capture) -> None:
    text = run(capsys, "evaluate", str(pred), "--target", "y", "--proba", "p", "--fail-if", condition, code=code)
    assert ("FAILED  " if code else "passed  ") + condition in text
    assert "log_loss" in text


def test_a_gate_says_by_how_much_it_failed(pred: Path, capsys: Capture) -> None:
    args = ("evaluate", str(pred), "--target", "y", "--proba", "q", "--fail-if", "ece>0.05")
    result = run_json(capsys, *args, code=8)["gates"][0]
    assert result["failed"]
    assert result["message"] == f"ece is {result['value']:.4g}, {result['value'] - 0.05:.2g} above 0.05"


@pytest.mark.parametrize(
    ("condition", "hint"),
    [
        ("ecee>0.05", "Did you mean 'ece'?"),
        ("profit>3", "there is no metric 'profit'"),
        ("ece=0.05", "must be like"),
        ("ece>much", "must end with a number"),
        ("verdict=bad", "is no verdict"),
        ("ece.hight>0.05", "Did you mean 'high'?"),
    ],
)
def test_a_wrong_gate_is_a_usage_error(condition: str, hint: str, pred: Path, capsys: Capture) -> None:
    args = ("evaluate", str(pred), "--target", "y", "--proba", "p", "--fail-if", condition)
    assert hint in run_json(capsys, *args, code=2)["error"]["message"]


@pytest.mark.usefixtures("pred")
def test_a_metric_without_a_value_fails_its_gate(capsys: Capture) -> None:
    pd.DataFrame({"y": ["no", "yes"] * 20, "p": [0.5] * 40}).to_csv("flat.csv", index=False)
    args = ("evaluate", "flat.csv", "--target", "y", "--proba", "p", "--fail-if", "ece.debiased<-1")
    assert run_json(capsys, *args)["gates"][0]["failed"] is False
    args = ("evaluate", "flat.csv", "--target", "y", "--proba", "p", "--fail-if", "auc.debiased>1")
    assert run_json(capsys, *args, code=8)["gates"][0]["message"] == "auc.debiased has no value"


def test_a_streamed_file_has_the_same_losses(pred: Path, capsys: Capture) -> None:
    args = ("evaluate", str(pred), "--target", "y", "--proba", "p")
    whole, streamed = run_json(capsys, *args), run_json(capsys, *args, "--stream", "--fail-if", "brier>1")
    for name in ("log_loss", "accuracy"):
        one, other = (found["models"]["p"]["scores"][name]["value"] for found in (whole, streamed))
        assert one == pytest.approx(other)
    assert "brier" in streamed["models"]["p"]["scores"]
    kinds = [found["models"]["p"]["verdict"]["kind"] for found in (whole, streamed)]
    assert kinds[0] == kinds[1]


def test_a_large_file_is_streamed(pred: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("calibrant.cli._commands.evaluate._STREAMED", 1000)
    args = ("evaluate", str(pred), "--target", "y", "--proba", "p")
    assert "calibration_slope" not in run(capsys, *args)
    assert "calibration_slope" in run(capsys, *args, "--in-memory")


def test_what_needs_all_rows_is_not_streamed(pred: Path, capsys: Capture) -> None:
    args = ("evaluate", str(pred), "--target", "y", "--proba", "p", "--stream")
    assert "neither --by" in run_json(capsys, *args, "--by", "region", code=2)["error"]["message"]
    assert "neither --by" in run_json(capsys, *args, "--scale", "percent", code=2)["error"]["message"]


@pytest.mark.usefixtures("pred")
def test_percent_has_the_scores_of_the_probabilities(predictions: pd.DataFrame, capsys: Capture) -> None:
    predictions.assign(pct=100 * predictions["p"]).to_csv("pct.csv", index=False)
    args = ("evaluate", "pct.csv", "--target", "y", "--proba", "p", "--proba", "pct", "--metric", "mse")
    found = run_json(capsys, *args)["models"]
    assert found["pct"]["scores"]["mse"]["value"] == pytest.approx(found["p"]["scores"]["mse"]["value"])
