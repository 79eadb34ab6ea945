"""`CodedTable.take`: some rows of a coded table, as coding those rows alone gives them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from calibrant.data import CodedTable
from calibrant.exceptions import ParameterError

NAN = float("nan")
NUMBERS = st.sampled_from([NAN, -np.inf, -1.5, -0.0, 0.0, 0.1, 2.0, 3.0, 1e300, np.inf])
TOWNS = st.sampled_from([None, "a", "b", "c", "d"])
ROWS = st.lists(st.tuples(NUMBERS, TOWNS, TOWNS, st.integers(0, 4), st.booleans()), min_size=1, max_size=12)


def columns_of(rows: list[Any]) -> dict[str, Any]:
    names = ("x", "town", "declared", "number", "flag")
    return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))


def pandas_frame(rows: list[Any]) -> Any:
    frame = pd.DataFrame(columns_of(rows)).astype({"x": "float64", "town": "str"})
    return frame.assign(declared=pd.Categorical(frame["declared"], categories=list("edcba")))


def polars_frame(rows: list[Any]) -> Any:
    schema = {
        "x": pl.Float32,
        "town": pl.String,
        "declared": pl.Enum(list("edcba")),
        "number": pl.Int64,
        "flag": pl.Boolean,
    }
    return pl.DataFrame(columns_of(rows), schema=schema, strict=False)


def arrow_table(rows: list[Any]) -> Any:
    frame = pandas_frame(rows)
    return pa.Table.from_pandas(frame, preserve_index=False)


def taken(frame: Any, rows: np.ndarray) -> Any:
    if isinstance(frame, pd.DataFrame):
        return frame.iloc[rows]
    return frame.take(rows) if isinstance(frame, pa.Table) else frame[rows]


def assert_equal(one: CodedTable, other: CodedTable) -> None:
    assert one.schema == other.schema
    assert (one.n_rows, one.n_columns, one.n_bytes) == (other.n_rows, other.n_columns, other.n_bytes)
    for column in range(one.n_columns):
        assert one.codes(column).dtype == other.codes(column).dtype
        np.testing.assert_array_equal(one.codes(column), other.codes(column))
        assert one.n_missing(column) == other.n_missing(column)
        assert one.core.n_values(column) == other.core.n_values(column)
        values = one.values(column), other.values(column)
        assert (values[0] is None) == (values[1] is None)
        if values[0] is not None:
            assert values[0].tobytes() == values[1].tobytes()


@given(data=st.data(), rows=ROWS, nominal=st.sampled_from(["auto", ["number"], ["x"], "all"]))
@pytest.mark.parametrize("frame_of", [pandas_frame, polars_frame, arrow_table], ids=["pandas", "polars", "pyarrow"])
def test_it_equals_coding_the_rows_alone(frame_of: Any, data: Any, rows: list[Any], nominal: Any) -> None:
    frame = frame_of(rows)
    chosen = np.array(data.draw(st.lists(st.integers(0, len(rows) - 1), min_size=1, max_size=20)))
    coded = CodedTable.from_frame(frame, nominal=nominal).take(chosen)
    assert_equal(coded, CodedTable.from_frame(taken(frame, chosen), nominal=nominal))


@given(rows=st.lists(st.integers(0, 99), min_size=1, max_size=150), n_jobs=st.sampled_from([1, 3]))
def test_it_equals_coding_the_rows_of_an_array(rows: list[int], n_jobs: int) -> None:
    X = np.random.default_rng(0).normal(size=(100, 6)).round(1)
    X[::7, 2], X[:, 3], X[:, 4] = np.nan, np.arange(100), -0.0
    for table in (X, X.astype(np.float32), X[:, [0, 3]].round().astype(np.int64)):
        assert_equal(CodedTable.from_frame(table).take(rows, n_jobs=n_jobs), CodedTable.from_frame(table[rows]))


def test_few_rows_of_a_wide_column_have_narrow_codes() -> None:
    X = np.random.default_rng(1).permutation(70_000)[:, np.newaxis] / 7
    coded, rows = CodedTable.from_frame(X), np.arange(0, 70_000, 9)
    assert (coded.codes(0).dtype, coded.take(rows).codes(0).dtype) == (np.uint32, np.uint16)
    assert_equal(coded.take(rows), CodedTable.from_frame(X[rows]))
    assert_equal(coded.take(np.arange(70_000)), coded)


def test_rows_taken_twice_are_those_of_both() -> None:
    coded = CodedTable.from_frame(pandas_frame([(i / 3, "abcd"[i % 4], None, i, True) for i in range(12)]))
    rows, some = np.array([7, 1, 1, 9, 3]), np.array([4, 0, 0])
    assert_equal(coded.take(rows).take(some), coded.take(rows[some]))


@pytest.mark.parametrize("rows", [[3], [-1], [], [0.0], [[0]], [True, False, True], "0", None], ids=str)
def test_what_is_no_position_of_a_row_is_an_error(rows: Any) -> None:
    with pytest.raises(ParameterError, match="rows must hold positions of rows, 0 to 2"):
        CodedTable.from_frame([[1.0], [2.0], [3.0]]).take(rows)
