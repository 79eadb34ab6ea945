"""`calibrant fit`: the model that the same lines of Python give, and what it says."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from tests.cli.command_line import run, run_json

import calibrant
from calibrant.bayes import NaiveBayesClassifier
from calibrant.cli import main
from calibrant.data import read_table
from calibrant.files import describe_model

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def donors(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    age = rng.integers(18, 90, 300)
    gives = np.where(rng.random(300) < age / 100, "yes", "no")
    columns = {
        "id": np.arange(1000, 1300),
        "age": age,
        "zone": rng.choice(["a", "b"], 300),
        "n": rng.integers(1, 3, 300),
    }
    pd.DataFrame({**columns, "gives": gives}).to_csv("donors.csv", index=False)
    return tmp_path


def fit(capsys: Capture, *args: str) -> str:
    return run(capsys, "fit", "donors.csv", "--target", "gives", "--out", "m.calibrant", *args)


def test_the_model_is_that_of_the_same_python(donors: Path, capsys: Capture) -> None:
    text = fit(capsys, "--method", "naive_bayes")
    table = read_table("donors.csv", target="gives", drop_ids=True)
    expected = NaiveBayesClassifier().fit(table.X, table.y).predict_proba(table.X)
    assert_array_equal(calibrant.load_model("m.calibrant").predict_proba(table.X), expected)
    assert "donors: 300 rows, 3 columns (2 numeric, 1 nominal)" in text
    assert "predicted: gives" in text
    assert "not used: id" in text
    assert [path.name for path in donors.iterdir() if "calibrant" in path.name] == ["m.calibrant"]


def test_the_file_says_from_what_it_was_made_and_what_to_expect(donors: Path, capsys: Capture) -> None:
    text = fit(capsys, "--method", "naive_bayes", "--estimate")
    described = describe_model(donors / "m.calibrant")
    table = read_table("donors.csv", target="gives", drop_ids=True)
    assert described.made_from.name == "donors"
    assert described.made_from.n_rows == 300
    same = calibrant.save(calibrant.load_model("m.calibrant"), "same.calibrant", made_from=table)
    assert described.made_from.fingerprint == same.made_from.fingerprint
    (score,) = described.expected
    assert score.metric == "log_loss"
    assert score.low is not None
    assert score.high is not None
    assert score.low < score.value < score.high
    assert f"expected {score}, 5-fold cross-validation" in text


def test_out_of_bag_and_cross_fitted_scores_cost_no_further_fit(donors: Path, capsys: Capture) -> None:
    assert ", out of bag" in fit(capsys, "--method", "forest", "--param", "n_trees=30")
    assert ", cross-fitted" in fit(capsys, "--method", "probability", "--param", 'members=["bayes", "logistic"]')
    assert len(describe_model(donors / "m.calibrant").expected) == 1


@pytest.mark.usefixtures("donors")
def test_the_result_as_json(capsys: Capture) -> None:
    found = run_json(capsys, "fit", "donors.csv", "--method", "base_rate", "--out", "m.calibrant")
    assert found["target"] == "gives"
    assert found["kinds"] == {"age": "numeric", "zone": "nominal", "n": "numeric"}
    assert found["left_out"] == ["id"]
    assert found["expected"] is None
    assert found["n_rows"] == sum(found["classes"].values()) == 300


@pytest.mark.usefixtures("donors")
def test_weights_and_groups_are_no_features(capsys: Capture) -> None:
    text = fit(capsys, "--method", "naive_bayes", "--weight", "n", "--groups", "zone", "--estimate")
    assert [column.name for column in describe_model("m.calibrant").columns] == ["age"]
    assert "2 groups of 'zone', kept whole" in text
    assert "2-fold cross-validation" in text
    assert "weights: 'n'" in text


@pytest.mark.usefixtures("donors")
def test_a_calibrated_method_and_a_class_of_another_package(capsys: Capture) -> None:
    fit(capsys, "--method", "naive_bayes", "--calibrate", "isotonic")
    assert describe_model("m.calibrant").class_name == "CalibratedClassifier"
    pd.read_csv("donors.csv")[["age", "n", "gives"]].to_csv("numbers.csv", index=False)
    name = "sklearn.naive_bayes.GaussianNB"
    run(capsys, "fit", "numbers.csv", "--method", name, "--calibrate", "platt", "--out", "g.calibrant")
    run(capsys, "predict", "g.calibrant", "numbers.csv", "--out", "p.csv")
    found = pd.read_csv("p.csv")[["probability_no", "probability_yes"]]
    X = pd.read_csv("numbers.csv")[["age", "n"]]
    np.testing.assert_allclose(found, calibrant.load_model("g.calibrant").predict_proba(X), rtol=1e-15)


@pytest.mark.usefixtures("donors")
def test_parameters_are_json_or_text(capsys: Capture) -> None:
    values = ("max_depth=3", "honest=true", "estimate=m", "prune=None")
    fit(capsys, "--method", "tree", *(f"--param={value}" for value in values))
    model = calibrant.load_model("m.calibrant")
    assert (model.max_depth, model.honest, model.estimate, model.prune) == (3, True, "m", None)


@pytest.mark.parametrize(
    ("args", "code", "message"),
    [
        (["none.csv"], 3, "none.csv: no such file"),
        (["donors.csv", "--target", "givs"], 3, "no column 'givs' for the class. Did you mean 'gives'?"),
        (["donors.csv", "--target", "gives", "--method", "tre"], 2, "no method 'tre'. Did you mean 'tree'?"),
        (["donors.csv", "--method", "sklearn.nowhere.Tree"], 2, "nowhere"),
        (["donors.csv", "--method", "sklearn.base.clone"], 2, "is no class"),
        (["donors.csv", "--method", "tree", "--param", "max_dept=3"], 2, "Did you mean 'max_depth'?"),
        (["donors.csv", "--method", "tree", "--param", "max_depth"], 2, "must be NAME=VALUE"),
        (["donors.csv", "--method", "tree", "--param", "max_depth=0"], 2, "max_depth must be an int >= 1"),
        (["donors.csv", "--method", "naive_bayes", "--calibrate", "isotonc"], 2, "Did you mean 'isotonic'?"),
        (["donors.csv", "--method", "naive_bayes", "--weight", "m"], 3, "weight: there is no column 'm'"),
        (["donors.csv", "--method", "naive_bayes", "--weight", "zone"], 3, "holds text"),
        (["donors.csv", "--method", "naive_bayes", "--groups", "m"], 3, "groups: there is no column 'm'"),
        (["donors.csv", "--method", "naive_bayes", "--positive", "maybe"], 3, "no class 'maybe'"),
        (["one.csv", "--method", "naive_bayes"], 3, "has one value, 'no'; there is nothing to predict"),
        (["many.csv", "--method", "naive_bayes"], 3, "has 10,000 different values"),
        (["empty.csv"], 3, "is empty"),
        (["donors.csv", "--method", "catboost.CatBoostClassifier", "--param", "iterations=1"], 3, "cannot be saved"),
    ],
)
@pytest.mark.usefixtures("donors")
def test_bad_input_has_a_message_and_its_exit_code(
    tmp_path: Path, args: list[str], code: int, message: str, capsys: Capture
) -> None:
    if "catboost" in " ".join(args):
        pytest.importorskip("catboost")
        pd.read_csv("donors.csv")[["age", "n", "gives"]].to_csv("donors.csv", index=False)
        args = [*args, "--param", "verbose=0", "--param", "allow_writing_files=false"]
    Path("one.csv").write_text("x,y\n1,no\n2,no\n")
    Path("many.csv").write_text("x,y\n" + "".join(f"{i % 7},{i}\n" for i in range(10_000)))
    Path("empty.csv").write_text("")
    before = set(tmp_path.iterdir())
    assert main(["fit", *args, "--out", "m.calibrant"]) == code
    captured = capsys.readouterr()
    assert message in captured.err
    assert "Traceback" not in captured.err
    assert set(tmp_path.iterdir()) == before


@pytest.mark.usefixtures("donors")
def test_a_model_is_not_written_to_standard_output_or_a_missing_folder(capsys: Capture) -> None:
    assert main(["fit", "donors.csv", "--method", "base_rate", "--out", "-"]) == 2
    assert main(["fit", "donors.csv", "--method", "base_rate", "--out", "nowhere/m.calibrant"]) == 6
    assert "nowhere/m.calibrant: cannot be written" in capsys.readouterr().err
