"""Dates as numbers: the calendar of another program, missing dates, files, pipelines."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.compose import make_column_transformer
from sklearn.pipeline import make_pipeline

import calibrant
from calibrant.data import DateParts
from calibrant.exceptions import DataTypeError, ParameterError, SchemaError
from calibrant.linear import LogisticClassifier
from calibrant.trees import ProbabilityTreeClassifier

DATES = pd.DataFrame(
    {
        "due": pd.to_datetime(["2024-02-29 07:30", "1969-12-31 23:59", None, "2024-03-04 00:00"]),
        "gone": pd.Series([pd.NaT] * 4, dtype="datetime64[ns]"),
    }
)


@given(st.lists(st.datetimes(pd.Timestamp("1850-01-01"), pd.Timestamp("2100-01-01")), min_size=2, max_size=20))
def test_parts_are_those_of_pandas(moments: list[Any]) -> None:
    column = pd.Series(moments, dtype="datetime64[us]")
    names = ["days", "year", "month", "day", "weekday", "hour"]
    found = DateParts(parts=names).set_output(transform="pandas").fit_transform(column.to_frame("at"))  # type: ignore[arg-type]
    parts = column.dt
    expected = [parts.year, parts.month, parts.day, parts.day_of_week, parts.hour]
    for name, values in zip(names[1:], expected, strict=True):
        assert found[f"at_{name}"].tolist() == values.tolist()
    days = (column - column.max()) / pd.Timedelta(days=1)
    assert np.allclose(found["at_days"], days, rtol=0, atol=1e-6)


def test_missing_dates_stay_missing_and_later_ones_are_positive() -> None:
    parts = DateParts().fit(DATES)
    found = parts.transform(DATES.assign(due=pd.to_datetime(["2024-03-06", None, None, None])))
    assert found[0, 0] == 2.0
    assert np.isnan(found[1:]).all()
    assert parts.latest_[0] == np.datetime64("2024-03-04")
    assert np.isnat(parts.latest_[1])


def test_parts_that_do_not_vary_are_left_out() -> None:
    days = pd.DataFrame({"on": pd.date_range("2024-05-01", periods=5)})
    assert DateParts().fit(days).parts_ == (("days", "day", "weekday"),)


@pytest.mark.parametrize("convert", [pl.from_pandas, pa.Table.from_pandas, lambda frame: frame.to_numpy()])
def test_every_kind_of_table_has_the_same_parts(convert: Any) -> None:
    frame = DATES[["due"]]
    found = DateParts().fit(convert(frame)).transform(convert(frame))
    assert np.array_equal(found, DateParts().fit(frame).transform(frame), equal_nan=True)


def test_a_fitted_transformer_is_saved_and_loaded(tmp_path: Path) -> None:
    parts = DateParts().fit(DATES)
    calibrant.save(parts, tmp_path / "m.calibrant")
    loaded = calibrant.load_model(tmp_path / "m.calibrant")
    assert np.array_equal(loaded.transform(DATES), parts.transform(DATES), equal_nan=True)
    assert loaded.get_feature_names_out().tolist() == parts.get_feature_names_out().tolist()


def test_it_works_in_a_pipeline() -> None:
    days = pd.DataFrame({"on": pd.date_range("2024-01-01", periods=210), "x": np.arange(210) % 5})
    y = (days["on"].dt.day_of_week >= 5).to_numpy()
    model = make_pipeline(
        make_column_transformer((DateParts(), ["on"]), remainder="passthrough"), ProbabilityTreeClassifier()
    )
    assert model.fit(days, y).score(days, y) == 1.0


@pytest.mark.parametrize(
    ("X", "error", "message"),
    [
        ([[1.0], [2.0]], DataTypeError, "column 'x0' holds numbers"),
        ([["a"], ["b"]], DataTypeError, "column 'x0' holds text"),
    ],
)
def test_other_columns_are_refused(X: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        DateParts().fit(X)


def test_unknown_parts_and_other_columns_are_refused() -> None:
    with pytest.raises(ParameterError, match="parts must be 'auto' or a list of different names"):
        DateParts(parts=["days", "dya"]).fit(DATES)  # type: ignore[list-item]
    with pytest.raises(SchemaError, match="'gone' is missing"):
        DateParts().fit(DATES).transform(DATES[["due"]])


@pytest.mark.parametrize(("start", "text"), [("2024-02-28", "2024-02-29"), ("2024-02-28 07:30", "2024-02-29 07:30")])
def test_a_tree_prints_the_date_of_a_cut(start: str, text: str) -> None:
    days = pd.DataFrame({"on": pd.date_range(start, periods=4)})
    model = ProbabilityTreeClassifier().fit(days, [0, 0, 1, 1])
    assert f"on <= {text}" in model.export_text()
    assert f'"<= {text}"' in model.export_graphviz()


def test_logistic_regression_takes_dates_as_numbers() -> None:
    days = pd.DataFrame({"on": pd.date_range("2024-01-01", periods=40)})
    y = np.arange(40) >= 20
    assert LogisticClassifier().fit(days, y).score(days, y) > 0.9
