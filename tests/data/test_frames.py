"""Input validation of tables: all libraries give the same columns, and invalid tables raise."""

from datetime import date, datetime, time, timedelta, timezone

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

from calibrant.data import CodedTable
from calibrant.data._frames.columns import choose_nominal, column_kinds, fit_columns, match_columns
from calibrant.exceptions import DataError, DataTypeError, SchemaError

TOWNS = ["z", "y", "x"]


def pandas_frame():
    return pd.DataFrame(
        {
            "age": [31.5, np.nan, np.inf, -np.inf],
            "n": [1, 2, 3, 4],
            "town": ["b", None, "a", "b"],
            "member": [True, False, True, True],
            "band": pd.Categorical(["x", "y", None, "x"], categories=TOWNS),
            "since": pd.to_datetime(["2020-01-01", None, "2021-05-05", "2020-01-01"]),
            "gifts": pd.array([1, None, 3, 4], dtype="Int64"),
            "asked": pd.array([True, None, False, True], dtype="boolean"),
            "single": np.array([1.5, 2.5, np.nan, 0.5], dtype=np.float32),
        }
    )


def arrow_frame():
    return pa.Table.from_pandas(pandas_frame())


def polars_frame():
    return pl.from_arrow(arrow_frame()).with_columns(pl.col("band").cast(pl.Enum(TOWNS)))


LIBRARIES = [pandas_frame, arrow_frame, polars_frame]


def assert_same(left, right):
    assert left.schema == right.schema
    for ours, theirs in zip(left.arrays, right.arrays, strict=True):
        np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("make", LIBRARIES)
def test_every_library_gives_the_same_columns(make):
    assert_same(fit_columns(make()), fit_columns(pandas_frame()))


@pytest.mark.parametrize("fitted", LIBRARIES)
@pytest.mark.parametrize("later", LIBRARIES)
def test_fit_on_one_library_and_predict_on_another(fitted, later):
    columns = fit_columns(fitted())
    assert_same(match_columns(later(), columns.schema), columns)


def test_kinds_follow_the_types():
    nominal = {name for name, kind in column_kinds(pandas_frame()).items() if kind == "nominal"}
    assert nominal == {"town", "member", "band", "asked"}


def test_declared_categories_keep_their_order_and_the_unseen_ones():
    band = fit_columns(polars_frame()).schema.features[4]
    assert band.categories == ("z", "y", "x")
    assert band.declared


def test_plain_strings_have_the_sorted_values_seen():
    town = fit_columns(pl.DataFrame({"town": ["b", "a", None]})).schema.features[0]
    assert town.categories == ("a", "b")
    assert not town.declared


def test_a_polars_categorical_declares_nothing():
    frame = pl.DataFrame({"town": pl.Series(["b", "a"], dtype=pl.Categorical)})
    assert fit_columns(frame).schema.features[0].categories == ("a", "b")


def test_dictionaries_of_several_chunks_are_unified():
    column = pa.chunked_array([pa.array(["b"]).dictionary_encode(), pa.array(["a", "b"]).dictionary_encode()])
    columns = fit_columns(pa.table({"c": column}))
    assert columns.schema.features[0].categories == ("b", "a")
    assert columns.arrays[0].tolist() == [0, 1, 0]


def test_times_are_microseconds_whatever_the_unit():
    for unit in ("s", "ms", "ns"):
        frame = pd.DataFrame({"t": pd.to_datetime(["1970-01-02", None]).astype(f"datetime64[{unit}]")})
        np.testing.assert_array_equal(fit_columns(frame).arrays[0], [86_400e6, np.nan])


def test_durations_and_decimals_are_numbers():
    frame = pa.table({"d": pa.array([1, None], pa.duration("ms")), "e": pa.array([1, 2]).cast(pa.decimal128(20, 1))})
    columns = fit_columns(frame)
    np.testing.assert_array_equal(columns.arrays[0], [1000.0, np.nan])
    assert columns.arrays[1].tolist() == [1.0, 2.0]


def test_an_array_of_floats_is_not_copied():
    X = np.ones((5, 2), dtype=np.float32)
    assert all(np.shares_memory(column, X) for column in fit_columns(X).arrays)


def test_a_list_may_mix_columns_of_numbers_and_strings():
    columns = fit_columns([[1, "a"], [2, "b"]])
    assert [feature.kind for feature in columns.schema.features] == ["numeric", "nominal"]


def test_objects_are_read_by_their_values():
    X = np.array([[1, "a", True, None], [2.5, None, False, None]], dtype=object)
    columns = fit_columns(X)
    assert [feature.kind for feature in columns.schema.features] == ["numeric", "nominal", "nominal", "numeric"]
    assert columns.arrays[1].tolist() == [0, -1]
    assert np.isnan(columns.arrays[3]).all()


def test_pandas_na_and_nat_are_missing_values():
    frame = pd.DataFrame({"a": np.array([pd.NA, pd.NaT, None, 1], dtype=object)})
    np.testing.assert_array_equal(fit_columns(frame).arrays[0], [np.nan, np.nan, np.nan, 1])


def test_numbers_specified_as_nominal_have_python_categories():
    columns = fit_columns(np.array([[3.0], [1.0], [np.nan]]), nominal="all")
    assert columns.schema.features[0].categories == (1, 3)
    assert columns.arrays[0].tolist() == [1, 0, -1]


def test_columns_in_another_order_are_matched_by_name():
    schema = fit_columns(pandas_frame()).schema
    turned = pandas_frame()[list(reversed(schema.names))].assign(more=1)
    assert_same(match_columns(turned, schema), fit_columns(pandas_frame()))


def test_unseen_categories_are_missing():
    schema = fit_columns(pd.DataFrame({"c": ["a", "b"]})).schema
    assert match_columns(pl.DataFrame({"c": ["b", "new", None]}), schema).arrays[0].tolist() == [1, -1, -1]


def test_declared_categories_in_another_order_match():
    schema = fit_columns(pd.DataFrame({"c": pd.Categorical(["a", "b"], categories=["b", "a"])})).schema
    assert match_columns(pd.DataFrame({"c": ["a", "b"]}), schema).arrays[0].tolist() == [1, 0]


def test_a_row_of_new_categories_only_is_missing():
    schema = fit_columns(pd.DataFrame({"c": ["a", "b"]})).schema
    assert match_columns(pd.DataFrame({"c": ["w"]}), schema).arrays[0].tolist() == [-1]


def test_values_of_another_type_raise():
    schema = fit_columns(pd.DataFrame({"zone": ["1", "2"]})).schema
    with pytest.raises(SchemaError, match="holds none of the values seen in fit: fitted with '1', got 1"):
        match_columns(pd.DataFrame({"zone": pd.Categorical([1, 2])}), schema)


@pytest.mark.parametrize(
    "column",
    [
        pd.Categorical([1, 0], categories=[1, 0]),
        pd.Categorical([True, False], categories=[True, False]),
        np.array([True, False], dtype=object),
        [True, False],
    ],
)
def test_booleans_and_categories_of_numbers_are_numbers_where_numbers_were(column):
    schema = fit_columns(pd.DataFrame({"a": [0, 1]})).schema
    assert match_columns(pd.DataFrame({"a": column}), schema).arrays[0].tolist() == [1.0, 0.0]


def test_strings_where_numbers_were_raise():
    schema = fit_columns(pd.DataFrame({"age": [1.0, 2.0]})).schema
    with pytest.raises(SchemaError, match="'age' was numeric in fit and holds 'old' now"):
        match_columns(pd.DataFrame({"age": ["old"]}), schema)


def test_a_column_of_missing_values_fits_any_kind():
    schema = fit_columns(pd.DataFrame({"age": [1.0], "c": ["a"]})).schema
    rows = match_columns(pl.DataFrame({"age": [None], "c": [None]}), schema)
    assert np.isnan(rows.arrays[0][0])
    assert rows.arrays[1][0] == -1


def test_a_missing_column_names_the_likely_one():
    schema = fit_columns(pd.DataFrame({"income": [1], "age": [2]})).schema
    with pytest.raises(SchemaError, match=r"'income' is missing. Found 'incomes': the same column\?"):
        match_columns(pd.DataFrame({"incomes": [1], "age": [2]}), schema)


def test_another_number_of_columns_raises():
    schema = fit_columns(np.ones((2, 3))).schema
    with pytest.raises(SchemaError, match="X has 2 features, but the fitted table is expecting 3 features as input"):
        match_columns(np.ones((2, 2)), schema)


def test_an_array_fits_a_named_table_by_position():
    schema = fit_columns(pd.DataFrame({"a": [1.0], "b": [2.0]})).schema
    assert match_columns(np.array([[5.0, 6.0]]), schema).arrays[1].tolist() == [6.0]


@pytest.mark.parametrize(
    ("nominal", "chosen"),
    [
        ("auto", set()),
        (None, set()),
        ("all", {0, 1, 2}),
        (["b"], {1}),
        ([0, -1], {0, 2}),
        ([True, False, True], {0, 2}),
    ],
)
def test_nominal_takes_names_positions_masks_and_words(nominal, chosen):
    assert choose_nominal(nominal, ["a", "b", "c"]) == chosen


@pytest.mark.parametrize("nominal", ["some", ["d"], [3], [True]])
def test_nominal_that_matches_no_column_raises(nominal):
    with pytest.raises(DataError, match="nominal"):
        choose_nominal(nominal, ["a", "b", "c"])


BAD_TABLES = {
    "sparse": (scipy.sparse.eye(3), DataTypeError, "toarray"),
    "sparse column": (pd.DataFrame({"a": pd.arrays.SparseArray([0, 1])}), DataTypeError, "'a' is sparse"),
    "lazy": (pl.LazyFrame({"a": [1]}), DataTypeError, "collect"),
    "one dimension": (np.ones(3), DataError, "Reshape your data"),
    "three dimensions": (np.ones((2, 2, 2)), DataError, "two-dimensional"),
    "no rows": (np.ones((0, 3)), DataError, r"0 sample\(s\) \(shape=\(0, 3\)\)"),
    "no columns": (pd.DataFrame(index=[0, 1]), DataError, r"0 feature\(s\)"),
    "complex": (np.ones((2, 2), dtype=complex), DataError, "Complex data not supported"),
    "ragged": ([[1, 2], [3]], DataError, "as many values in each row"),
    "mixed names": (pd.DataFrame([[1, 2]], columns=["a", 3]), DataTypeError, "mixed types"),
    "twice": (pd.DataFrame([[1, 2]], columns=["a", "a"]), SchemaError, "'a' more than once"),
    "lists": (pl.DataFrame({"a": [[1]]}), DataTypeError, "'a' is of type List"),
    "structs": (pa.table({"a": [{"x": 1}]}), DataTypeError, "'a' is of type Struct"),
    "bytes": (pa.table({"a": [b"x"]}), DataTypeError, "'a' is of type Binary"),
    "mixed": (pd.DataFrame({"a": np.array([1, "x"], dtype=object)}), DataTypeError, "1 at row 0 and 'x' at row 1"),
    "dict": (np.array([[{}], [1]], dtype=object), DataTypeError, "argument must be a string or a real number"),
    "matrix": (np.ones((2, 2)).view(np.matrix), DataTypeError, "numpy.matrix"),
    "path": ("data.csv", DataTypeError, "read_table"),
    "huge integer": (np.array([[10**400]], dtype=object), DataTypeError, "too large"),
    "bytes in an array": (np.array([[b"x"]]), DataTypeError, "'x0' is of type"),
    "structured": (np.array([(1, 2.0)], dtype=[("a", int), ("b", float)]), DataTypeError, "pandas.DataFrame"),
    "dates and numbers": (
        np.array([[date(2020, 1, 1)], [1]], dtype=object),
        DataTypeError,
        "mixes dates or times and numbers",
    ),
}


@pytest.mark.filterwarnings("ignore:the matrix subclass")
@pytest.mark.parametrize("name", BAD_TABLES)
def test_an_invalid_table_raises_with_a_reason(name):
    table, error, words = BAD_TABLES[name]
    with pytest.raises(error, match=words):
        fit_columns(table)


def test_what_is_masked_is_missing():
    columns = fit_columns(np.ma.masked_array([[1.0, 2.0], [3.0, 4.0]], mask=[[0, 1], [0, 0]]))
    np.testing.assert_array_equal(columns.arrays[1], [np.nan, 4.0])


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
def test_large_integers_specified_as_nominal_stay_distinct(make):
    columns = fit_columns(make({"id": [2**60, 2**60 + 1, 2**60]}), nominal="all")
    assert columns.schema.features[0].categories == (2**60, 2**60 + 1)
    assert columns.arrays[0].tolist() == [0, 1, 0]


def test_integers_with_missing_values_specified_as_nominal_keep_them():
    for frame in (pd.DataFrame({"a": pd.array([3, None, 1], dtype="Int64")}), pl.DataFrame({"a": [3, None, 1]})):
        assert fit_columns(frame, nominal="all").arrays[0].tolist() == [1, -1, 0]


def test_null_and_repeated_values_of_a_dictionary_are_dropped():
    column = pa.DictionaryArray.from_arrays([0, 1, 2, 3, None], ["b", None, "a", "b"])
    columns = fit_columns(pa.table({"c": column}))
    assert columns.schema.features[0].categories == ("b", "a")
    assert columns.arrays[0].tolist() == [0, -1, 1, 0, -1]


def test_categories_of_polars_come_through_arrow():
    series = pl.Series(["b", None, "a"], dtype=pl.Enum(["b", "a"]))
    columns = fit_columns(pl.DataFrame({"c": series}).to_arrow())
    assert columns.arrays[0].tolist() == [0, -1, 1]


def test_arrow_types_inside_pandas_are_read():
    frame = pa.table({"c": pa.array(["b", None]).dictionary_encode(), "s": ["x", "y"], "n": [1, None]}).to_pandas(
        types_mapper=pd.ArrowDtype
    )
    columns = fit_columns(frame)
    assert columns.schema.features[0].declared
    assert [array.tolist() for array in columns.arrays[:2]] == [[0, -1], [0, 1]]


def test_unaligned_arrays_are_copied():
    packed = np.zeros(3, dtype=np.dtype([("flag", "i1"), ("x", "f8")]))
    packed["x"] = [3.0, 1.0, 2.0]
    assert CodedTable.from_frame(packed["x"].reshape(-1, 1)).codes(0).tolist() == [2, 0, 1]
    swapped = np.array([[3.0], [1.0]], dtype=">f8")
    assert CodedTable.from_frame(swapped).codes(0).tolist() == [1, 0]


NOON = 12 * 3600 * 1e6


@pytest.mark.parametrize(
    "frame",
    [
        pl.DataFrame({"t": [time(12), None]}),
        pa.table({"t": pa.array([time(12), None], pa.time64("ns"))}),
        pa.table({"t": pa.array([time(12), None], pa.time32("s"))}),
        pd.DataFrame({"t": [time(12), None]}),
        pa.table({"t": pa.array([time(12), None])}).to_pandas(types_mapper=pd.ArrowDtype),
    ],
)
def test_times_of_day_are_microseconds_in_every_library(frame):
    np.testing.assert_array_equal(fit_columns(frame).arrays[0], [NOON, np.nan])


DAY = 86_400e6


@pytest.mark.parametrize(
    "column",
    [
        np.array([date(1970, 1, 2), None], dtype=object),
        np.array([datetime(1970, 1, 2), pd.NaT], dtype=object),
        np.array([datetime(1970, 1, 2, 1, tzinfo=timezone(timedelta(hours=1))), None], dtype=object),
        np.array([timedelta(days=1), None], dtype=object),
        np.array(["1970-01-02", "NaT"], dtype="M8[D]"),
        np.array([1, "NaT"], dtype="m8[D]"),
        np.array([np.datetime64("1970-01-02"), None], dtype=object),
    ],
)
def test_dates_of_any_type_are_microseconds(column):
    np.testing.assert_array_equal(fit_columns(column.reshape(-1, 1)).arrays[0], [DAY, np.nan])


def test_a_record_batch_is_matched_by_name():
    schema = fit_columns(pa.table({"a": [1.0], "b": [2.0]})).schema
    batch = pa.record_batch({"b": [2.0], "a": [1.0]})
    assert [array[0] for array in match_columns(batch, schema).arrays] == [1.0, 2.0]


@pytest.mark.parametrize("names", [[3, 1], [("x", 1), ("y", 2)], [0, 1]])
def test_names_that_are_not_strings_match_too(names):
    frame = pd.DataFrame(
        [[1.0, 2.0]], columns=pd.MultiIndex.from_tuples(names) if isinstance(names[0], tuple) else names
    )
    schema = fit_columns(frame).schema
    assert [array[0] for array in match_columns(frame.iloc[:, ::-1], schema).arrays] == [1.0, 2.0]


def test_half_and_long_floats_are_read():
    assert fit_columns(np.array([[1.5]], dtype=np.float16)).arrays[0].dtype == np.float32
    assert fit_columns(np.array([[np.finfo(np.longdouble).max]])).arrays[0][0] in (np.inf, np.finfo(np.float64).max)


@given(st.lists(st.one_of(st.none(), st.text(max_size=3)), min_size=1, max_size=30))
def test_strings_survive_coding_in_every_library(values):
    native = [
        pd.DataFrame({"c": pd.Series(values, dtype="str")}),
        pl.DataFrame({"c": pl.Series(values, dtype=pl.String)}),
    ]
    for frame in [*native, pa.table({"c": pa.array(values, pa.string())})]:
        columns = fit_columns(frame)
        categories = columns.schema.features[0].categories
        assert [None if code < 0 else categories[code] for code in columns.arrays[0]] == values
