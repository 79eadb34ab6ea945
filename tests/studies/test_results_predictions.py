"""Predictions are kept as Parquet files and come back to the bit."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pandas as pd
import pytest
from tests.studies.results_of_trials import of_performance

from calibrant.exceptions import ParameterError, StoreError, StudyError
from calibrant.resampling import CrossValidation, estimate_performance
from calibrant.studies._results.predictions import predictions_from_parquet, predictions_to_parquet
from calibrant.studies._results.study_results import StudyResults
from calibrant.trees import ProbabilityTreeClassifier

CLASSES = {
    "text": np.array(["no", "yes"]),
    "unicode": np.array(["Ärger, 'quoted'", "𝛼|β\\n"]),
    "object": np.array(["no", "maybe so"], dtype=object),
    "integer": np.array([-3, 7]),
    "small integer": np.array([0, 1], dtype=np.int8),
    "unsigned": np.array([1, 2**64 - 1], dtype=np.uint64),
    "boolean": np.array([False, True]),
    "float": np.array([0.1, 2.5]),
    "numpy text": np.array([np.str_("a"), np.str_("b")], dtype=object),
    "mixed": np.array([1, "one"], dtype=object),
}


@pytest.mark.parametrize("classes", CLASSES.values(), ids=list(CLASSES))
def test_classes_of_any_type_come_back(classes: np.ndarray) -> None:
    y, p = classes[[1, 0, 1]], np.array([[0.1, 0.9], [1 / 3, 2 / 3], [5e-324, 1 - 2**-53]])
    data = predictions_to_parquet(np.array([5, 9, 2]), y, p, tuple(classes.tolist()))
    found = predictions_from_parquet(data)
    assert found.y_true.tolist() == y.tolist()
    assert found.y_true.dtype == y.dtype
    assert found.classes == tuple(classes.tolist())
    assert [isinstance(each, str) for each in found.classes] == [isinstance(each, str) for each in classes.tolist()]
    assert found.y_pred.tobytes() == p.tobytes()
    assert found.row.tolist() == [5, 9, 2]


def test_numbers_weights_and_groups_come_back() -> None:
    y, p, weight = np.array([1.5, -0.0]), np.array([np.nan, np.inf]), np.array([0.25, 3.0])
    data = predictions_to_parquet(np.array([1, 0]), y, p, weight=weight, group=np.array(["x", "ü"]))
    found = predictions_from_parquet(data)
    assert (found.y_true.tobytes(), found.y_pred.tobytes()) == (y.tobytes(), p.tobytes())
    assert (found.weight.tolist(), found.group.tolist(), found.classes) == ([0.25, 3.0], ["x", "ü"], ())


def test_other_programs_read_the_columns() -> None:
    data = predictions_to_parquet(np.array([4]), np.array(["b"]), np.array([[0.25, 0.75]]), ("a", "b"))
    frame = pd.read_parquet(io.BytesIO(data))
    assert frame.to_dict("records") == [{"row": 4, "y_true": "b", "p(a)": 0.25, "p(b)": 0.75}]


def test_bytes_that_are_no_predictions_raise() -> None:
    buffer = io.BytesIO()
    pd.DataFrame({"x": [1]}).to_parquet(buffer)
    for data in (b"", b"PAR1 broken PAR1", buffer.getvalue()):
        with pytest.raises(StoreError, match="predictions of a trial cannot be read"):
            predictions_from_parquet(data)


def test_a_study_returns_the_pooled_predictions_of_estimate_performance() -> None:
    X, y = np.arange(40.0).reshape(-1, 1), np.array(["b", "a"] * 20)
    plan: Any = CrossValidation(4, 2)
    performance = estimate_performance({"tree": ProbabilityTreeClassifier()}, X, y, plan, ["mse"])
    study = of_performance("rows", performance, plan)
    found, expected = study.predictions("tree"), performance.pooled("tree")
    for name in ("row", "split", "y_true", "y_pred"):
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))
    assert found.classes == expected.classes
    pd.testing.assert_frame_equal(found.to_frame(), expected.to_frame())


def test_predictions_that_were_not_kept_are_named() -> None:
    study = StudyResults.from_values({"iris": [[0.1]], "wine": [[0.2]]}, methods=["tree"], metric="mse")
    with pytest.raises(StudyError, match="tree on iris: no predictions were kept"):
        study.predictions("tree", "iris")
    with pytest.raises(StudyError, match="dataset must be specified where there are several: iris, wine"):
        study.predictions("tree")
    with pytest.raises(ParameterError, match="Did you mean 'tree'"):
        study.predictions("trees", "iris")
