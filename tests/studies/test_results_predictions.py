"""Predictions are kept as Parquet files and come back to the bit."""

from __future__ import annotations

import io
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression
from tests.studies.bad_methods import BaseRates

from calibrant.exceptions import ParameterError, StudyError
from calibrant.resampling import CrossValidation, Pooled, estimate_performance
from calibrant.studies import Study, StudyResults

CLASSES = {
    "text": np.array(["no", "yes"]),
    "unicode": np.array(["Ärger, 'quoted'", "𝛼|β\\n"]),
    "object": np.array(["no", "maybe so"], dtype=object),
    "integer": np.array([-3, 7]),
    "small integer": np.array([0, 1], dtype=np.int8),
    "unsigned": np.array([1, 2**64 - 1], dtype=np.uint64),
    "boolean": np.array([False, True]),
    "float": np.array([1.0, 3.0]),
    "numpy text": np.array([np.str_("a"), np.str_("b")], dtype=object),
    "object numbers": np.array([-3, 7], dtype=object),
}


X, PLAN = np.arange(12.0).reshape(6, 2), CrossValidation(3, 2)


class Odd(BaseRates):
    """Predicts probabilities that need every bit of theirs."""

    def predict_proba(self, X: Any) -> np.ndarray:
        return np.resize([[5e-324, 1 - 2**-53], [1 / 3, 2 / 3]], (len(X), 2))


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Study:
    """Return a study that has run, with a data set for each type of classes."""
    rows = {name: (X, classes[[1, 0, 1, 0, 0, 1]]) for name, classes in CLASSES.items()}
    store = tmp_path_factory.mktemp("predictions") / "s.db"
    found = Study("s", datasets=rows, methods={"odd": Odd()}, plan=PLAN, metrics=["mse"], store=store)
    assert found.run().is_complete
    return found


def assert_equal_bits(found: Pooled, expected: Pooled) -> None:
    for name in ("row", "split", "y_true", "y_pred"):
        one, other = getattr(found, name), getattr(expected, name)
        assert (one.tolist(), one.dtype) == (other.tolist(), other.dtype)
    assert found.classes == expected.classes
    assert [isinstance(each, str) for each in found.classes] == [isinstance(each, str) for each in expected.classes]
    pd.testing.assert_frame_equal(found.to_frame(), expected.to_frame())


@pytest.mark.parametrize("name", CLASSES)
def test_predictions_of_classes_of_any_type_are_those_of_estimate_performance(study: Study, name: str) -> None:
    y = CLASSES[name][[1, 0, 1, 0, 0, 1]]
    expected = estimate_performance({"odd": Odd()}, X, y, PLAN, ["mse"]).pooled("odd")
    assert_equal_bits(study.predictions("odd", name), expected)


def test_predicted_numbers_are_those_of_estimate_performance(tmp_path: Path) -> None:
    y, methods = np.array([1.5, -0.0, 1 / 3, 5e-324, 1e9, 2.0]), {"line": LinearRegression()}
    study = Study("s", datasets={"rows": (X, y)}, methods=methods, plan=PLAN, store=tmp_path / "s.db")
    study.run()
    assert_equal_bits(study.predictions("line"), estimate_performance(methods, X, y, PLAN).pooled("line"))


def test_other_programs_read_the_columns(study: Study) -> None:
    with closing(sqlite3.connect(study.store.removeprefix("sqlite:///"))) as connection:
        ((data,),) = connection.execute("SELECT parquet FROM calibrant_predictions ORDER BY trial LIMIT 1")
    expected = study.predictions("odd", "text").to_frame().query("split == 0").drop(columns="split")
    assert pd.read_parquet(io.BytesIO(data)).to_dict("records") == expected.to_dict("records")


def test_predictions_that_were_not_kept_are_named() -> None:
    study = StudyResults.from_values({"iris": [[0.1]], "wine": [[0.2]]}, methods=["tree"], metric="mse")
    with pytest.raises(StudyError, match="tree on iris: no predictions were kept"):
        study.predictions("tree", "iris")
    with pytest.raises(StudyError, match="dataset must be specified where there are several: iris, wine"):
        study.predictions("tree")
    with pytest.raises(ParameterError, match="Did you mean 'tree'"):
        study.predictions("trees", "iris")
