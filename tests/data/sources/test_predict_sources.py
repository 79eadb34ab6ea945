"""Predictions of sources: the array of all rows in order, and the file that predict_table writes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars
import pytest

from calibrant.bayes import NaiveBayesClassifier
from calibrant.calibration import Platt
from calibrant.data import load
from calibrant.exceptions import MissingFileError, SchemaError
from calibrant.files import predict_table

dataset = pytest.importorskip("pyarrow.dataset")


@pytest.fixture(scope="module")
def rows() -> pd.DataFrame:
    return load("appeal").X.assign(answer=load("appeal").y)


@pytest.fixture(scope="module")
def model(rows: pd.DataFrame) -> NaiveBayesClassifier:
    return NaiveBayesClassifier().fit(rows.drop(columns="answer"), rows["answer"])


@pytest.fixture
def sources(rows: pd.DataFrame, tmp_path: Path) -> Iterator[Any]:
    folder = tmp_path / "parts"
    folder.mkdir()
    for number, start in enumerate(range(0, len(rows), 400)):
        rows[start : start + 400].to_parquet(folder / f"{number}.parquet", index=False)
    return iter([folder, folder / "0.parquet", polars.scan_parquet(folder / "*.parquet"), dataset.dataset(folder)])


def test_a_model_predicts_a_source_as_the_table(rows: pd.DataFrame, model: Any, sources: Iterator[Any]) -> None:
    expected, labels = model.predict_proba(rows.drop(columns="answer")), model.predict(rows.drop(columns="answer"))
    for source in sources:
        found = model.predict_proba(source)
        np.testing.assert_allclose(found, expected[: len(found)], atol=1e-14)
        np.testing.assert_array_equal(model.predict(source), labels[: len(found)])


def test_predict_table_takes_sources(rows: pd.DataFrame, model: Any, sources: Iterator[Any], tmp_path: Path) -> None:
    expected = model.predict_proba(rows.drop(columns="answer"))[:, 1]
    for source in sources:
        done = predict_table(model, source, tmp_path / "out.csv", keep=["answer"], chunk_rows=333)
        written = pd.read_csv(tmp_path / "out.csv")
        assert done.n_rows == len(written)
        np.testing.assert_allclose(written["probability_yes"], expected[: len(written)], atol=1e-14)
        assert written["answer"].tolist() == rows["answer"][: len(written)].tolist()


def test_a_calibrator_maps_the_scores_of_a_source() -> None:
    scores = np.linspace(-2.0, 2.0, 50)
    platt = Platt().fit(scores, scores > 0.3)
    np.testing.assert_array_equal(platt.predict(polars.LazyFrame({"True": scores})), platt.predict(scores))


def test_sources_that_are_not_those_of_the_model_are_named(model: Any, tmp_path: Path) -> None:
    with pytest.raises(MissingFileError):
        model.predict_proba(tmp_path / "none.parquet")
    with pytest.raises(SchemaError):
        model.predict_proba(polars.LazyFrame({"x": [1.0]}))


def test_a_column_is_text_in_all_csv_files_where_it_is_in_one(tmp_path: Path) -> None:
    folder = tmp_path / "parts"
    folder.mkdir()
    frame = pd.DataFrame({"code": ["1", "2", "1", "x", "y", "x"], "answer": list("nyynyn")})
    frame[:3].to_csv(folder / "0.csv", index=False)
    frame[3:].to_csv(folder / "1.csv", index=False)
    model = NaiveBayesClassifier().fit(frame[["code"]], frame["answer"])
    np.testing.assert_array_equal(model.predict_proba(folder), model.predict_proba(frame[["code"]]))
