"""Numbers, dates, durations and times of day are distinguished, though all are stored as floats."""

import datetime as dt

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from calibrant.data import CodedTable
from calibrant.exceptions import SchemaError
from calibrant.trees import ProbabilityTreeClassifier

DATES = {
    "pandas": pd.DataFrame({"t": pd.to_datetime(["2024-01-01", None])}),
    "pandas with a zone": pd.DataFrame({"t": pd.to_datetime(["2024-01-01", None]).tz_localize("UTC")}),
    "polars": pl.DataFrame({"t": [dt.date(2024, 1, 1), None]}),
    "pyarrow": pa.table({"t": pa.array([dt.datetime(2024, 1, 1), None])}),
    "numpy": np.array([["2024-01-01"], ["NaT"]], dtype="datetime64[D]"),
    "objects": pd.DataFrame({"t": [None, dt.date(2024, 1, 1)]}, dtype=object),
}
OTHERS = {
    "numbers": [[1.0], [2.0]],
    "durations": pd.DataFrame({"t": pd.to_timedelta([1, 2], unit="D")}),
    "times of day": pl.DataFrame({"t": [dt.time(1), dt.time(2)]}),
}


pytestmark = pytest.mark.filterwarnings("ignore:X (has|does not have)")


def fitted(X):
    return ProbabilityTreeClassifier().fit(X, [0, 1])


@pytest.mark.parametrize("later", DATES)
@pytest.mark.parametrize("first", DATES)
def test_dates_of_any_library_are_dates(first, later):
    assert CodedTable.from_frame(DATES[first]).values(0).tolist() == [1_704_067_200e6]
    assert fitted(DATES[first]).predict_proba(DATES[later]).shape == (2, 2)


@pytest.mark.parametrize("measure", OTHERS)
@pytest.mark.parametrize("dates", DATES)
def test_dates_and_numbers_are_not_interchangeable(dates, measure):
    with pytest.raises(SchemaError, match=f"held dates in fit and holds {measure} now; pass dates"):
        fitted(DATES[dates]).predict(OTHERS[measure])
    with pytest.raises(SchemaError, match=f"held {measure} in fit and holds dates now; pass {measure}"):
        fitted(OTHERS[measure]).predict(DATES[dates])


@pytest.mark.parametrize("dates", DATES)
def test_missing_values_match_any_measure(dates):
    missing = pd.DataFrame({"t": [None, None]}, dtype=object)
    assert fitted(DATES[dates]).predict_proba(missing).tolist() == [[0.5, 0.5]] * 2
    assert fitted(missing).predict_proba(DATES[dates]).tolist() == [[0.5, 0.5]] * 2


def test_strings_and_booleans_are_no_dates():
    model = fitted(DATES["pandas"])
    with pytest.raises(SchemaError, match="'t' held dates in fit and holds '2024-01-01' now; pass dates"):
        model.predict(pd.DataFrame({"t": ["2024-01-01"]}))
    with pytest.raises(SchemaError, match="'t' held dates in fit and holds numbers now; pass dates"):
        model.predict(pd.DataFrame({"t": [True]}))
