"""Input validation of classes and weights."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.exceptions import DataConversionWarning

from calibrant.data._validation.labels_and_weights import check_weights, code_labels
from calibrant.exceptions import DataError, DataTypeError


@pytest.mark.parametrize(
    "y",
    [
        ["b", "a", "b"],
        np.array(["b", "a", "b"]),
        np.array(["b", "a", "b"], dtype=object),
        pd.Series(["b", "a", "b"]),
        pl.Series(["b", "a", "b"]),
        pa.array(["b", "a", "b"]),
        pa.chunked_array([["b"], ["a", "b"]]),
    ],
)
def test_labels_of_every_library_are_coded_alike(y):
    labels = code_labels(y)
    assert labels.classes.tolist() == ["a", "b"]
    assert labels.codes.tolist() == [1, 0, 1]


@pytest.mark.parametrize("y", [[3, 1, 3], [3.0, 1.0, 3.0], [True, False, True]])
def test_classes_keep_the_type_of_the_labels(y):
    assert code_labels(np.array(y)).classes.dtype == np.array(y).dtype
    np.testing.assert_array_equal(code_labels(y).classes, np.unique(y))


@pytest.mark.parametrize(
    "y",
    [
        pd.Categorical(["b", "a"], categories=["c", "b", "a"]),
        pd.Series(pd.Categorical(["b", "a"], categories=["c", "b", "a"])),
        pl.Series(["b", "a"], dtype=pl.Enum(["c", "b", "a"])),
    ],
)
def test_classes_are_sorted_and_the_declared_order_is_kept_for_ties(y):
    labels = code_labels(y)
    assert labels.classes.tolist() == ["a", "b"]
    assert labels.declared == (1, 0)
    assert labels.n_declared == 3


@pytest.mark.parametrize(
    "y", [[1.0, np.nan], [None, "a"], pd.Series(["a", None]), pl.Series([1, None]), pd.array([1, None])]
)
def test_missing_labels_raise_with_their_number_and_first_row(y):
    with pytest.raises(DataError, match=r"y has 1 missing label\(s\) \(first at row \d\); drop those rows"):
        code_labels(y)


@pytest.mark.parametrize(
    ("y", "words"),
    [
        ([0.5, 1.5], "Unknown label type: continuous"),
        ([np.inf, 1.0], "Input y contains infinity"),
        ([], r"0 sample\(s\)"),
        (None, "requires y to be passed"),
        (np.ones((3, 2)), "1d array"),
    ],
)
def test_labels_that_are_not_classes_raise(y, words):
    with pytest.raises(DataError, match=words):
        code_labels(y)


@pytest.mark.parametrize("y", [[1, "a"], pd.Categorical(["a", 1]), pd.Series(pd.Categorical(["a", 1]))])
def test_labels_of_mixed_types_raise(y):
    with pytest.raises(DataTypeError, match="'y' mixes"):
        code_labels(y)


def test_masked_labels_and_weights_are_missing():
    with pytest.raises(DataError, match="1 missing label"):
        code_labels(np.ma.masked_array([0, 1], mask=[True, False]))
    with pytest.raises(DataError, match="NaN"):
        check_weights(np.ma.masked_array([1.0, 2.0], mask=[True, False]), 2)


def test_a_dictionary_with_a_null_labels_nothing_by_it():
    column = pa.DictionaryArray.from_arrays([0, 2], ["b", None, "a"])
    assert code_labels(column).classes.tolist() == ["a", "b"]


def test_a_label_for_each_row_is_required():
    with pytest.raises(DataError, match="y has 2 labels for 3 rows"):
        code_labels(["a", "b"], n_rows=3)


def test_a_column_of_labels_is_accepted_with_a_warning():
    with pytest.warns(DataConversionWarning, match="column-vector y"):
        assert code_labels(np.array([[1], [0]])).codes.tolist() == [1, 0]


def test_weights_become_floats_and_none_stays_none():
    assert check_weights(None, 3) is None
    assert check_weights([1, 0, 2], 3).dtype == np.float64
    assert check_weights(2, 3).tolist() == [2, 2, 2]


@pytest.mark.parametrize(
    ("weights", "words"),
    [
        ([1, -1, 0], r"1 negative value\(s\) \(first at row 1\)"),
        ([1, 2, np.nan], r"1 NaN or infinite value\(s\) \(first at row 2\)"),
        ([1, np.inf, 1], "first at row 1"),
        ([0, 0, 0], "zero for every row"),
        ([1, 2], r"shape \(2,\)"),
        ([[1], [2], [3]], r"shape \(3, 1\)"),
    ],
)
def test_invalid_weights_raise(weights, words):
    with pytest.raises(DataError, match=words):
        check_weights(weights, 3)


def test_weights_must_be_numbers():
    with pytest.raises(DataTypeError, match="must hold numbers"):
        check_weights(["heavy", "light"], 2)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int16, np.int64, np.uint64])
@pytest.mark.parametrize(("low", "step"), [(0, 3), (100, 3), (-128, 3), (-128, 42), (-128, 1)])
def test_many_integers_are_coded_as_numpy_does(dtype, low, step):
    if low < 0 and np.dtype(dtype).kind == "u":
        low = 3
    y = (np.random.default_rng(0).integers(0, 7, 5_000) * step + low).astype(dtype)
    classes, codes = np.unique(y, return_inverse=True)
    labels = code_labels(y)
    np.testing.assert_array_equal(labels.classes, classes)
    np.testing.assert_array_equal(labels.codes, codes)
    assert labels.classes.dtype == classes.dtype


@pytest.mark.parametrize("values", [[0, 1], [1, 2], [-1, 0], [5], [-128, 127], [False, True], [True], [False]])
def test_many_labels_of_one_or_two_classes_are_coded_as_numpy_does(values):
    y = np.array(values)[np.random.default_rng(0).integers(0, len(values), 5_000)]
    classes, codes = np.unique(y, return_inverse=True)
    labels = code_labels(y)
    np.testing.assert_array_equal(labels.classes, classes)
    np.testing.assert_array_equal(labels.codes, codes)
    assert labels.classes.dtype == classes.dtype


def test_codes_are_never_the_labels_themselves():
    y = np.zeros(5_000, dtype=np.int32)
    y[::2] = 1
    assert not np.shares_memory(code_labels(y).codes, y)


@pytest.mark.parametrize("values", [[0.0, 1.0], [-2.0, 5.0, 700.0], [3.0], [1e15, 1e15 + 2], [-0.0, 1e18]])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_many_classes_that_are_floats_are_coded_as_few_are(values, dtype):
    y = np.random.default_rng(0).choice(np.array(values, dtype=dtype), 2000)
    labels = code_labels(y)
    expected = np.unique(y, return_inverse=True)
    np.testing.assert_array_equal(labels.classes, expected[0])
    np.testing.assert_array_equal(labels.codes, expected[1])
    assert labels.classes.dtype == dtype


def test_many_numbers_that_are_not_classes_raise():
    with pytest.raises(DataError, match="continuous"):
        code_labels(np.linspace(0.0, 1.0, 2000))
