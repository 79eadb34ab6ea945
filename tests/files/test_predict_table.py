"""Predictions for tables in files: the numbers of `predict_proba`, whole files or none, and what does not match."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from sklearn.compose import make_column_transformer
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

import calibrant
from calibrant import ProbabilityClassifier
from calibrant.bayes import ConstantClassifier, NaiveBayesClassifier
from calibrant.calibration import CalibratedClassifier
from calibrant.data import load, read_table
from calibrant.decisions import CostMatrix, ThresholdClassifier, best_decision, expected_cost
from calibrant.exceptions import DataError, DataTypeError, ParameterError, ReadError, SchemaError
from calibrant.files import describe_model, predict_table
from calibrant.trees import ProbabilityTreeClassifier


@pytest.fixture
def donors(tmp_path: Path) -> Any:
    """A table of 400 rows, and the CSV file it is read from."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "id": np.arange(1000, 1400),
            "age": rng.integers(18, 90, 400),
            "zone": rng.choice(["007", "010", "x"], 400),
            "gives": rng.choice(["no", "yes"], 400),
        }
    )
    frame.to_csv(tmp_path / "donors.csv", index=False)
    return read_table(tmp_path / "donors.csv", target="gives", drop_ids=True)


def predicted(model: Any, source: Any, folder: Path, **options: Any) -> pd.DataFrame:
    predict_table(model, source, folder / "out.csv", **options)
    found = pd.read_csv(folder / "out.csv", dtype=str, keep_default_na=False)
    numbers = [name for name in found if name.startswith(("probability_", "expected", "low_", "high_"))]
    return found.astype(dict.fromkeys(numbers, float))  # Python's float is exact


def test_the_probabilities_are_those_of_the_model_to_the_bit(donors: Any, tmp_path: Path) -> None:
    model = ProbabilityTreeClassifier().fit(donors.X, donors.y)
    found = predicted(model, tmp_path / "donors.csv", tmp_path, chunk_rows=70)
    assert list(found) == ["row", "probability_no", "probability_yes", "prediction"]
    assert_array_equal(found[["probability_no", "probability_yes"]], model.predict_proba(donors.X))
    assert_array_equal(found["prediction"], model.predict(donors.X))
    assert found["row"].tolist() == [str(i) for i in range(1, 401)]


@pytest.mark.parametrize(
    "model",
    [
        CalibratedClassifier(NaiveBayesClassifier(), "isotonic", cv=3),
        CalibratedClassifier(NaiveBayesClassifier(), "venn_abers", cv=3, ensemble=True),
        ThresholdClassifier(NaiveBayesClassifier(), [[0, 1], [4, 0]]),
        ProbabilityClassifier(members=("bayes", "logistic"), random_state=0),
        make_pipeline(
            make_column_transformer((OneHotEncoder(), ["zone"]), remainder="passthrough"),
            LogisticRegression(max_iter=500),
        ),
    ],
    ids=["calibrated", "calibrated ensemble", "threshold", "blend", "pipeline"],
)
@pytest.mark.filterwarnings("ignore::calibrant.CalibrantWarning")
def test_wrapped_and_foreign_models_predict_as_on_the_whole_table(donors: Any, tmp_path: Path, model: Any) -> None:
    model.fit(donors.X, donors.y)
    found = predicted(model, tmp_path / "donors.csv", tmp_path, chunk_rows=150)
    assert_array_equal(found[["probability_no", "probability_yes"]], model.predict_proba(donors.X))
    assert_array_equal(found["prediction"], model.predict(donors.X))


def test_kinds_of_columns_travel_with_a_model_of_another_library(tmp_path: Path) -> None:
    """As text, 007 and 010 are the categories of zone; as numbers they are others."""
    frame = pd.DataFrame({"zone": ["007", "010"] * 50, "age": range(100), "y": ["no", "yes"] * 50})
    frame.to_csv(tmp_path / "zones.csv", index=False)
    table = read_table(tmp_path / "zones.csv", target="y", nominal=["zone"])
    encode = make_column_transformer((OneHotEncoder(), ["zone"]), remainder="passthrough")
    model = make_pipeline(encode, LogisticRegression(max_iter=500)).fit(table.X, table.y)
    calibrant.save(model, tmp_path / "m.calibrant", made_from=table)
    assert [column.kind for column in describe_model(tmp_path / "m.calibrant").columns] == ["nominal", "numeric"]
    found = predicted(tmp_path / "m.calibrant", tmp_path / "zones.csv", tmp_path)
    assert_array_equal(found[["probability_no", "probability_yes"]], model.predict_proba(table.X))


def test_kept_columns_replace_the_row_numbers(donors: Any, tmp_path: Path) -> None:
    model = NaiveBayesClassifier().fit(donors.X, donors.y)
    found = predicted(model, tmp_path / "donors.csv", tmp_path, keep=["id", "gives"], proba_only=True)
    assert list(found) == ["id", "gives", "probability_no", "probability_yes"]
    assert_array_equal(found["gives"], donors.y)
    everything = pd.read_csv(tmp_path / "donors.csv", dtype=str)
    model_input = predicted(model, tmp_path / "donors.csv", tmp_path, keep="all")[["id", "age", "zone", "gives"]]
    assert_array_equal(model_input, everything)


def test_actions_are_those_of_least_expected_cost(donors: Any, tmp_path: Path) -> None:
    model = NaiveBayesClassifier().fit(donors.X, donors.y)
    costs = CostMatrix([[0, -9], [0, 1]], labels=["yes", "no"], actions=["skip", "mail"])
    found = predicted(model, tmp_path / "donors.csv", tmp_path, costs=costs)
    proba = model.predict_proba(donors.X)
    assert_array_equal(found["action"], best_decision(proba, costs, labels=model.classes_))
    assert_array_equal(found["expected_cost"], expected_cost(proba, costs, labels=model.classes_).min(axis=1))
    with pytest.raises(DataError, match="maybe"):
        predict_table(
            model,
            tmp_path / "donors.csv",
            tmp_path / "o.csv",
            costs=CostMatrix([[0, 1], [1, 0]], labels=["no", "maybe"]),
        )


def test_intervals_are_written_where_coverage_is_claimed(donors: Any, tmp_path: Path) -> None:
    model = ProbabilityTreeClassifier(honest=True, random_state=0).fit(donors.X, donors.y)
    found = predicted(model, tmp_path / "donors.csv", tmp_path, interval=True, confidence=0.9)
    ends = found[["low_no", "high_no", "low_yes", "high_yes"]].to_numpy().reshape(-1, 2, 2)
    assert_array_equal(ends, model.predict_interval(donors.X, 0.9))
    for other in (
        ProbabilityTreeClassifier(),
        ProbabilityTreeClassifier(honest=True, estimate="m"),
        NaiveBayesClassifier(),
    ):
        with pytest.raises(ParameterError, match="intervals are claimed to cover only"):
            predict_table(other.fit(donors.X, donors.y), tmp_path / "donors.csv", tmp_path / "o.csv", interval=True)


def test_parquet_is_read_and_written(donors: Any, tmp_path: Path) -> None:
    pd.read_csv(tmp_path / "donors.csv", dtype={"zone": str}).to_parquet(tmp_path / "donors.parquet")
    model = NaiveBayesClassifier().fit(donors.X, donors.y)
    predict_table(model, tmp_path / "donors.parquet", tmp_path / "out.parquet", chunk_rows=70, keep=["id"])
    found = pd.read_parquet(tmp_path / "out.parquet")
    assert_array_equal(found[["probability_no", "probability_yes"]], model.predict_proba(donors.X))
    assert found["id"].tolist() == list(range(1000, 1400))


def test_classes_that_are_numbers_and_text_that_needs_quotes(tmp_path: Path) -> None:
    text = 'a,"x, y",0\nb,"say ""hi""",1\n' * 20
    (tmp_path / "a.csv").write_text("k,note,y\n" + text)
    table = read_table(tmp_path / "a.csv", target="y")
    model = NaiveBayesClassifier().fit(table.X, table.y)
    found = predicted(model, tmp_path / "a.csv", tmp_path, keep=["note"])
    assert list(found) == ["note", "probability_0", "probability_1", "prediction"]
    assert found["note"].tolist() == ["x, y", 'say "hi"'] * 20
    assert found["prediction"].tolist() == ["0", "1"] * 20


def test_a_stream_is_read_and_written(donors: Any, tmp_path: Path) -> None:
    model = NaiveBayesClassifier().fit(donors.X, donors.y)
    out = io.BytesIO()
    predict_table(model, io.BytesIO((tmp_path / "donors.csv").read_bytes()), out)
    assert out.getvalue() == predicted_bytes(model, tmp_path)


def predicted_bytes(model: Any, folder: Path) -> bytes:
    predict_table(model, folder / "donors.csv", folder / "o.csv")
    return (folder / "o.csv").read_bytes()


def test_an_arff_file_is_read_whole_and_the_result_says_so(tmp_path: Path) -> None:
    (tmp_path / "a.arff").write_text(
        "@relation r\n@attribute x numeric\n@attribute y {no,yes}\n@data\n1,no\n2,yes\n3,yes\n"
    )
    table = read_table(tmp_path / "a.arff")
    result = predict_table(NaiveBayesClassifier().fit(table.X, table.y), tmp_path / "a.arff", tmp_path / "o.csv")
    assert not result.is_streamed
    assert "cannot be read in chunks" in result.notes[-1]


def test_everything_that_differs_is_listed(donors: Any, tmp_path: Path) -> None:
    model = NaiveBayesClassifier().fit(donors.X.assign(income=1.5), donors.y)
    (tmp_path / "new.csv").write_text("age,incomes,zone\nold,3,007\nyoung,4,010\n")
    with pytest.raises(SchemaError) as found:
        predict_table(model, tmp_path / "new.csv", tmp_path / "out.csv")
    message = str(found.value)
    assert "Missing: 'income' (found 'incomes': the same column?)" in message
    assert "Not in the model: 'incomes'" in message
    assert "column 'age' was numeric in fit and holds 'old' now" in message
    assert not list(tmp_path.glob("*out*"))


def test_a_word_among_numbers_in_a_later_chunk_names_the_rows(donors: Any, tmp_path: Path) -> None:
    model = ConstantClassifier().fit(donors.X, donors.y)
    (tmp_path / "new.csv").write_text("age,zone\n" + "31,007\n" * 600_000 + "old,007\n")  # 4.2 MB: two blocks
    (tmp_path / "out.csv").write_text("an older file")
    match = r"rows 5[0-9,]+ to 600,001: column 'age' was numeric in fit and holds 'old'"
    with pytest.raises(SchemaError, match=match):
        predict_table(model, tmp_path / "new.csv", tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_text() == "an older file"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["donors.csv", "new.csv", "out.csv"]


def test_another_run_may_write_the_same_file_meanwhile(donors: Any, tmp_path: Path) -> None:
    class Outer(DummyClassifier):
        def predict_proba(self, X: Any) -> Any:
            predict_table(inner, tmp_path / "donors.csv", tmp_path / "out.csv", keep=["id"])
            assert "id" in pd.read_csv(tmp_path / "out.csv")
            return super().predict_proba(X)

    inner, outer = (made.fit(donors.X, donors.y) for made in (ConstantClassifier(), Outer()))
    assert "id" not in predicted(outer, tmp_path / "donors.csv", tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["donors.csv", "out.csv"]


def test_unseen_categories_are_a_note(donors: Any, tmp_path: Path) -> None:
    model = NaiveBayesClassifier().fit(donors.X, donors.y)
    (tmp_path / "new.csv").write_text("age,zone\n31,099\n64,007\n50,099\n")
    result = predict_table(model, tmp_path / "new.csv", tmp_path / "out.csv")
    assert result.notes == (
        "'zone' holds categories that the model has not seen ('099'; 2 rows): missing values to it.",
    )
    assert result.n_rows == 3


def test_what_cannot_be_predicted_or_written_is_refused(donors: Any, tmp_path: Path) -> None:
    model = NaiveBayesClassifier().fit(donors.X, donors.y)
    source = tmp_path / "donors.csv"
    with pytest.raises(ParameterError, match=r"out must end in one of \.csv"):
        predict_table(model, source, tmp_path / "out.docx")
    with pytest.raises(ParameterError, match="must be fitted"):
        predict_table(NaiveBayesClassifier(), source, tmp_path / "out.csv")
    with pytest.raises(DataTypeError, match="a classifier with predict_proba; got int"):
        predict_table(3, source, tmp_path / "out.csv")
    with pytest.raises(FileNotFoundError):
        predict_table(model, source, tmp_path / "nowhere" / "out.csv")
    with pytest.raises(ReadError, match="no such file"):
        predict_table(model, tmp_path / "none.csv", tmp_path / "out.csv")
    (tmp_path / "b.csv").write_text("age,zone,prediction\n1,007,x\n2,007,y\n")
    with pytest.raises(ParameterError, match="is a column of the predictions too"):
        predict_table(model, tmp_path / "b.csv", tmp_path / "out.csv", keep=["prediction"])
    assert not (tmp_path / "out.csv").exists()


def test_the_embedded_data_set_is_predicted_from_every_format(tmp_path: Path) -> None:
    table = load("appeal")
    model = NaiveBayesClassifier().fit(table.X, table.y)
    table.X.to_csv(tmp_path / "a.csv", index=False)
    table.X.to_feather(tmp_path / "a.feather")
    for name in ("a.csv", "a.feather"):
        found = predicted(model, tmp_path / name, tmp_path)
        assert_array_equal(found.iloc[:, 1:3], model.predict_proba(table.X))
