"""Input validation of tables: all libraries give the same columns, and invalid tables raise."""

import tracemalloc
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
from calibrant.exceptions import DataError, DataTypeError, SchemaError
from calibrant.trees import ProbabilityTreeClassifier

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


def codes(X, column=0, **options):
    """Return the codes of a column, with None for missing values."""
    coded = CodedTable.from_frame(X, **options)
    return [None if code == coded.missing_code(column) else code for code in coded.codes(column).tolist()]


def values(X, column=0):
    """Return the values of the rows of a numeric column, with None for missing ones."""
    distinct = CodedTable.from_frame(X).values(column)
    return [None if code is None else distinct[code] for code in codes(X, column)]


def feature(X, column=0, **options):
    return CodedTable.from_frame(X, **options).schema.features[column]


def tree(X):
    """Return a tree that separates the rows of a table: its classes are their numbers."""
    options = {"min_leaf": 1, "min_cut": "min_leaf", "mdl_penalty": False, "estimate": "frequency"}
    return ProbabilityTreeClassifier(**options).fit(X, np.arange(len(X)))


def rows(model, X):
    """Return the number of the fitted row that a tree finds in each row, None where it knows none."""
    return [int(each.argmax()) if each.max() == 1 else None for each in model.predict_proba(X)]


@pytest.mark.parametrize("make", LIBRARIES)
def test_every_library_gives_the_same_columns(make):
    found, expected = CodedTable.from_frame(make()), CodedTable.from_frame(pandas_frame())
    assert found.schema == expected.schema
    for column in range(found.n_columns):
        np.testing.assert_array_equal(found.codes(column), expected.codes(column))
        np.testing.assert_array_equal(found.values(column), expected.values(column))


@pytest.mark.parametrize("fitted", LIBRARIES)
@pytest.mark.parametrize("later", LIBRARIES)
def test_fit_on_one_library_and_predict_on_another(fitted, later):
    for name in pandas_frame():
        one, other = (make().select([name]) if make is not pandas_frame else make()[[name]] for make in (fitted, later))
        model = tree(one)
        np.testing.assert_array_equal(model.predict_proba(other), model.predict_proba(one))
        assert len(np.unique(model.predict_proba(other), axis=0)) > 1


def test_kinds_follow_the_types():
    features = CodedTable.from_frame(pandas_frame()).schema.features
    assert {each.name for each in features if each.kind == "nominal"} == {"town", "member", "band", "asked"}


def test_declared_categories_keep_their_order_and_the_unseen_ones():
    band = feature(polars_frame(), 4)
    assert band.categories == ("z", "y", "x")
    assert band.declared


def test_plain_strings_have_the_sorted_values_seen():
    town = feature(pl.DataFrame({"town": ["b", "a", None]}))
    assert town.categories == ("a", "b")
    assert not town.declared


def test_a_polars_categorical_declares_nothing():
    frame = pl.DataFrame({"town": pl.Series(["b", "a"], dtype=pl.Categorical)})
    assert feature(frame).categories == ("a", "b")


def test_dictionaries_of_several_chunks_are_unified():
    column = pa.chunked_array([pa.array(["b"]).dictionary_encode(), pa.array(["a", "b"]).dictionary_encode()])
    assert feature(pa.table({"c": column})).categories == ("b", "a")
    assert codes(pa.table({"c": column})) == [0, 1, 0]


def test_times_are_microseconds_whatever_the_unit():
    for unit in ("s", "ms", "ns"):
        frame = pd.DataFrame({"t": pd.to_datetime(["1970-01-02", None]).astype(f"datetime64[{unit}]")})
        assert values(frame) == [86_400e6, None]


def test_durations_and_decimals_are_numbers():
    frame = pa.table({"d": pa.array([1, None], pa.duration("ms")), "e": pa.array([1, 2]).cast(pa.decimal128(20, 1))})
    assert [values(frame, column) for column in (0, 1)] == [[1000.0, None], [1.0, 2.0]]


def test_an_array_of_floats_is_not_copied():
    X = np.ones((1000, 100), dtype=np.float32)
    CodedTable.from_frame(X[:2])
    tracemalloc.start()
    CodedTable.from_frame(X)
    assert tracemalloc.get_traced_memory()[1] < X.nbytes / 2
    tracemalloc.stop()


def test_a_list_may_mix_columns_of_numbers_and_strings():
    assert [feature([[1, "a"], [2, "b"]], column).kind for column in (0, 1)] == ["numeric", "nominal"]


def test_objects_are_read_by_their_values():
    X = np.array([[1, "a", True, None], [2.5, None, False, None]], dtype=object)
    assert [feature(X, column).kind for column in range(4)] == ["numeric", "nominal", "nominal", "numeric"]
    assert codes(X, 1) == [0, None]
    assert values(X, 3) == [None, None]


def test_pandas_na_and_nat_are_missing_values():
    assert values(pd.DataFrame({"a": np.array([pd.NA, pd.NaT, None, 1], dtype=object)})) == [None, None, None, 1]


def test_numbers_specified_as_nominal_have_python_categories():
    X = np.array([[3.0], [1.0], [np.nan]])
    assert feature(X, nominal="all").categories == (1, 3)
    assert codes(X, nominal="all") == [1, 0, None]


def test_columns_in_another_order_are_matched_by_name():
    model = tree(pd.DataFrame({"a": [1, 2], "b": [2, 1]}))
    assert rows(model, pd.DataFrame({"b": [1, 2], "more": [1, 1], "a": [2, 1]})) == [1, 0]


def test_unseen_categories_are_missing():
    model = tree(pd.DataFrame({"c": ["a", "b"]}))
    assert rows(model, pl.DataFrame({"c": ["b", "new", None]})) == [1, None, None]
    assert rows(model, pd.DataFrame({"c": ["w"]})) == [None]


def test_declared_categories_in_another_order_match():
    model = tree(pd.DataFrame({"c": pd.Categorical(["a", "b"], categories=["b", "a"])}))
    assert rows(model, pd.DataFrame({"c": ["b", "a"]})) == [1, 0]


def test_values_of_another_type_raise():
    model = tree(pd.DataFrame({"zone": ["1", "2"]}))
    with pytest.raises(SchemaError, match="holds none of the values seen in fit: fitted with '1', got 1"):
        model.predict(pd.DataFrame({"zone": pd.Categorical([1, 2])}))


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
    assert rows(tree(pd.DataFrame({"a": [0, 1]})), pd.DataFrame({"a": column})) == [1, 0]


def test_strings_where_numbers_were_raise():
    with pytest.raises(SchemaError, match="'age' was numeric in fit and holds 'old' now"):
        tree(pd.DataFrame({"age": [1.0, 2.0]})).predict(pd.DataFrame({"age": ["old"]}))


def test_a_column_of_missing_values_fits_any_kind():
    for known in ([1.0, 2.0], ["a", "b"]):
        assert rows(tree(pd.DataFrame({"a": known})), pl.DataFrame({"a": [None]})) == [None]


def test_a_missing_column_names_the_likely_one():
    model = tree(pd.DataFrame({"income": [1, 2], "age": [2, 3]}))
    with pytest.raises(SchemaError, match=r"'income' is missing. Found 'incomes': the same column\?"):
        model.predict(pd.DataFrame({"incomes": [1], "age": [2]}))


def test_another_number_of_columns_raises():
    with pytest.raises(SchemaError, match="X has 2 features, but ProbabilityTreeClassifier is expecting 3 features as"):
        tree(np.ones((2, 3))).predict(np.ones((2, 2)))


@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
def test_an_array_fits_a_named_table_by_position():
    assert rows(tree(pd.DataFrame({"a": [1.0, 1.0], "b": [2.0, 3.0]})), np.array([[5.0, 3.0]])) == [1]


ABC = pd.DataFrame({"a": [1.0], "b": [2.0], "c": [3.0]})


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
    features = CodedTable.from_frame(ABC, nominal=nominal).schema.features
    assert {column for column in range(3) if features[column].kind == "nominal"} == chosen


@pytest.mark.parametrize("nominal", ["some", ["d"], [3], [True]])
def test_nominal_that_matches_no_column_raises(nominal):
    with pytest.raises(DataError, match="nominal"):
        CodedTable.from_frame(ABC, nominal=nominal)


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
        CodedTable.from_frame(table)


def test_what_is_masked_is_missing():
    assert values(np.ma.masked_array([[1.0, 2.0], [3.0, 4.0]], mask=[[0, 1], [0, 0]]), 1) == [None, 4.0]


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
def test_large_integers_specified_as_nominal_stay_distinct(make):
    X = make({"id": [2**60, 2**60 + 1, 2**60]})
    assert feature(X, nominal="all").categories == (2**60, 2**60 + 1)
    assert codes(X, nominal="all") == [0, 1, 0]


def test_integers_with_missing_values_specified_as_nominal_keep_them():
    for frame in (pd.DataFrame({"a": pd.array([3, None, 1], dtype="Int64")}), pl.DataFrame({"a": [3, None, 1]})):
        assert codes(frame, nominal="all") == [1, None, 0]


def test_null_and_repeated_values_of_a_dictionary_are_dropped():
    X = pa.table({"c": pa.DictionaryArray.from_arrays([0, 1, 2, 3, None], ["b", None, "a", "b"])})
    assert feature(X).categories == ("b", "a")
    assert codes(X) == [0, None, 1, 0, None]


def test_categories_of_polars_come_through_arrow():
    series = pl.Series(["b", None, "a"], dtype=pl.Enum(["b", "a"]))
    assert codes(pl.DataFrame({"c": series}).to_arrow()) == [0, None, 1]


def test_arrow_types_inside_pandas_are_read():
    frame = pa.table({"c": pa.array(["b", None]).dictionary_encode(), "s": ["x", "y"], "n": [1, None]}).to_pandas(
        types_mapper=pd.ArrowDtype
    )
    assert feature(frame).declared
    assert [codes(frame, column) for column in (0, 1)] == [[0, None], [0, 1]]


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
    assert values(frame) == [NOON, None]


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
    assert values(column.reshape(-1, 1)) == [DAY, None]


def test_a_record_batch_is_matched_by_name():
    model = tree(pa.table({"a": [1.0, 2.0], "b": [2.0, 1.0]}))
    assert rows(model, pa.record_batch({"b": [1.0, 2.0], "a": [2.0, 1.0]})) == [1, 0]


@pytest.mark.parametrize("names", [[3, 1], [("x", 1), ("y", 2)], [0, 1]])
def test_names_that_are_not_strings_match_too(names):
    columns = pd.MultiIndex.from_tuples(names) if isinstance(names[0], tuple) else names
    frame = pd.DataFrame([[1.0, 2.0], [2.0, 1.0]], columns=columns)
    assert rows(tree(frame), frame.iloc[:, ::-1]) == [0, 1]


def test_half_and_long_floats_are_read():
    assert values(np.array([[1.5]], dtype=np.float16)) == [1.5]
    assert values(np.array([[np.finfo(np.longdouble).max]]))[0] in (np.inf, np.finfo(np.float64).max)


@given(st.lists(st.one_of(st.none(), st.text(max_size=3)), min_size=1, max_size=30))
def test_strings_survive_coding_in_every_library(strings):
    native = [
        pd.DataFrame({"c": pd.Series(strings, dtype="str")}),
        pl.DataFrame({"c": pl.Series(strings, dtype=pl.String)}),
    ]
    for frame in [*native, pa.table({"c": pa.array(strings, pa.string())})]:
        categories = feature(frame).categories
        assert [None if code is None else categories[code] for code in codes(frame)] == strings
