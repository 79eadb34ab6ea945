"""`calibrant decide`: the action of least expected cost, as `calibrant.decisions` computes it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from tests.cli.command_line import call, run, run_json

from calibrant.decisions import CostMatrix, best_decision, expected_cost

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def costs(pred: Path) -> Path:
    path = pred.parent / "costs.csv"
    path.write_text("actual,leave,write\nno,0,1\nyes,8,0\n")
    return path


def test_the_actions_are_those_of_the_function(costs: Path, predictions: pd.DataFrame, capsys: Capture) -> None:
    run(capsys, "decide", "pred.csv", "--proba", "p", "--costs", "costs.csv", "--out", "decided.csv")
    decided, matrix = pd.read_csv("decided.csv"), CostMatrix.from_csv(costs)
    assert decided["action"].tolist() == best_decision(predictions["p"].to_numpy(), matrix).tolist()
    least = expected_cost(predictions["p"].to_numpy(), matrix).min(axis=1)
    np.testing.assert_allclose(decided["expected_cost"], least, rtol=1e-12, atol=1e-12)
    assert list(decided)[: len(predictions.columns)] == list(predictions)


@pytest.mark.parametrize("name", ["decided.parquet", "decided.feather", "decided.csv.gz", "decided.tsv"])
@pytest.mark.usefixtures("costs")
def test_every_format_is_written(name: str, capsys: Capture) -> None:
    from calibrant.data import read_table

    run(capsys, "decide", "pred.csv", "--proba", "p", "--costs", "costs.csv", "--out", name)
    assert read_table(name, target=False).X["action"].nunique() == 2


def test_rows_go_to_standard_output_alone(costs: Path) -> None:
    done = call("decide", "pred.csv", "--proba", "p", "--costs", "costs.csv", "--out", "-", cwd=costs.parent)
    lines = done.stdout.splitlines()
    assert len(lines) == 601
    assert lines[0].endswith("action,expected_cost")


def test_totals_are_sums_over_the_rows(costs: Path, predictions: pd.DataFrame, capsys: Capture) -> None:
    found = run_json(capsys, "decide", "pred.csv", "--proba", "p", "--costs", "costs.csv", "--target", "y")
    table = expected_cost(predictions["p"].to_numpy(), CostMatrix.from_csv(costs))
    assert found["expected_cost"]["chosen"] == pytest.approx(table.min(axis=1).sum())
    assert found["actual_cost"]["same_for_all"]["leave"] == 8 * (predictions["y"] == "yes").sum()
    assert sum(found["actions"].values()) == 600


def test_a_cell_may_name_a_column(costs: Path, predictions: pd.DataFrame, capsys: Capture) -> None:
    costs.write_text("actual,leave,write\nno,0,0.68\nyes,0,0.68-gift\n")
    run(capsys, "decide", "pred.csv", "--proba", "p", "--costs", "costs.csv", "--out", "decided.csv")
    worth = predictions["p"] * predictions["gift"] > 0.68
    assert (pd.read_csv("decided.csv")["action"] == "write").tolist() == worth.tolist()


def test_benefits_are_costs_with_the_opposite_sign(costs: Path, capsys: Capture) -> None:
    args = ("decide", "pred.csv", "--proba", "p", "--costs", "costs.csv")
    costs.write_text("actual,leave,write\nno,0,0.68\nyes,0,0.68-gift\n")
    found = run_json(capsys, *args, "--target", "y")
    costs.write_text("actual,leave,write\nno,0,-0.68\nyes,0,-0.68+gift\n")
    assert run_json(capsys, *args, "--target", "y", "--benefits") == found


def test_three_classes_and_four_actions(three_classes: pd.DataFrame, capsys: Capture) -> None:
    Path("costs.csv").write_text("actual;c;b;a;look\nb;5;0;2;0.4\na;1;3;0;0.4\nc;0;1;4;0.4\n")
    run(capsys, "decide", "pred3.csv", "--costs", "costs.csv", "--out", "decided.csv")
    matrix = CostMatrix(
        [[5, 0, 2, 0.4], [1, 3, 0, 0.4], [0, 1, 4, 0.4]], labels=list("bac"), actions=["c", "b", "a", "look"]
    )
    proba = three_classes[["probability_a", "probability_b", "probability_c"]].to_numpy()
    assert pd.read_csv("decided.csv")["action"].tolist() == best_decision(proba, matrix, labels=list("abc")).tolist()


def test_the_order_of_classes_in_the_file_does_not_matter(costs: Path, capsys: Capture) -> None:
    args = ("decide", "pred.csv", "--proba", "p", "--costs", "costs.csv", "--target", "y")
    found = run_json(capsys, *args)
    costs.write_text("actual,leave,write\nyes,8,0\nno,0,1\n")
    assert run_json(capsys, *args) == found


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("actual,leave,write\nno,0,1\nmaybe,8,0\n", "has the class 'yes', for which costs.csv has no costs"),
        ("actual,leave,write\nno,0,1\nyes,8\n", "line 3: has 2 fields where 3 are expected"),
        ("actual,leave,write\nno,0,1\nyes,8,gft\n", "Did you mean 'gift'?"),
        ("", "has no costs"),
        ("actual,leave,write\nno,0,1\nno,8,0\n", "distinct names"),
        ("actual,leave,write\nno,0,1\nyes,8,0\nmaybe,1,1\n", "has the classes no, yes, maybe"),
    ],
)
def test_costs_that_do_not_fit_are_bad_data(text: str, message: str, costs: Path, capsys: Capture) -> None:
    costs.write_text(text)
    args = ("decide", "pred.csv", "--proba", "p", "--costs", "costs.csv", "--target", "y")
    assert message in run_json(capsys, *args, code=3)["error"]["message"]


def test_no_file_of_costs_is_bad_data(pred: Path, capsys: Capture) -> None:
    args = ("decide", str(pred), "--proba", "p", "--costs", "none.csv")
    assert "none.csv: no such file" in run_json(capsys, *args, code=3)["error"]["message"]


@pytest.mark.usefixtures("costs")
def test_a_column_named_after_the_other_class_is_taken_as_that(predictions: pd.DataFrame, capsys: Capture) -> None:
    predictions.assign(p_no=1 - predictions["p"]).to_csv("no.csv", index=False)
    expected = run_json(capsys, "decide", "pred.csv", "--proba", "p", "--costs", "costs.csv")["actions"]
    assert run_json(capsys, "decide", "no.csv", "--proba", "p_no", "--costs", "costs.csv")["actions"] == expected
    run(capsys, "decide", "no.csv", "--proba", "p_no", "--costs", "costs.csv", "--positive", "no")
