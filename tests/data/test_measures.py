"""Numbers, dates, durations and times of day are distinguished, though all are stored as floats."""

import datetime as dt

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from calibrant.data._frames.columns import fit_columns, match_columns
from calibrant.exceptions import SchemaError

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


@pytest.mark.parametrize("later", DATES)
@pytest.mark.parametrize("fitted", DATES)
def test_dates_of_any_library_are_dates(fitted, later):
    columns = match_columns(DATES[later], fit_columns(DATES[fitted]).schema)
    assert np.nanmax(columns.arrays[0]) == 1_704_067_200e6


@pytest.mark.parametrize("measure", OTHERS)
@pytest.mark.parametrize("dates", DATES)
def test_dates_and_numbers_are_not_interchangeable(dates, measure):
    with pytest.raises(SchemaError, match=f"held dates in fit and holds {measure} now; pass dates"):
        match_columns(OTHERS[measure], fit_columns(DATES[dates]).schema)
    with pytest.raises(SchemaError, match=f"held {measure} in fit and holds dates now; pass {measure}"):
        match_columns(DATES[dates], fit_columns(OTHERS[measure]).schema)


@pytest.mark.parametrize("dates", DATES)
def test_missing_values_match_any_measure(dates):
    assert np.isnan(match_columns([[np.nan]], fit_columns(DATES[dates]).schema).arrays[0]).all()
    match_columns(DATES[dates], fit_columns(pd.DataFrame({"t": [None, None]}, dtype=object)).schema)


def test_strings_and_booleans_are_no_dates():
    schema = fit_columns(DATES["pandas"]).schema
    with pytest.raises(SchemaError, match="'t' held dates in fit and holds '2024-01-01' now; pass dates"):
        match_columns(pd.DataFrame({"t": ["2024-01-01"]}), schema)
    with pytest.raises(SchemaError, match="'t' held dates in fit and holds numbers now; pass dates"):
        match_columns(pd.DataFrame({"t": [True]}), schema)
