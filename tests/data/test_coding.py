"""Coding into small integers, against numpy.unique."""

import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from calibrant import _core
from calibrant.data import CodedTable
from calibrant.exceptions import ParameterError


def assert_equals_numpy(coded, column, values):
    """Codes and kept values are those of numpy.unique, a missing value has the largest code."""
    known = ~np.isnan(values)
    distinct, ranks = np.unique(values[known] + 0.0, return_inverse=True)
    codes = coded.codes(column)
    np.testing.assert_array_equal(coded.values(column), distinct)
    np.testing.assert_array_equal(codes[known], ranks)
    assert (codes[~known] == coded.missing_code(column)).all()
    assert coded.n_missing(column) == (~known).sum()


@given(hnp.arrays(st.sampled_from([np.float32, np.float64]), st.tuples(st.integers(1, 60), st.integers(1, 3))))
def test_codes_are_the_ranks_of_the_distinct_values(X):
    coded = CodedTable.from_frame(X)
    for column in range(X.shape[1]):
        assert_equals_numpy(coded, column, X[:, column])


@given(hnp.arrays(np.int64, st.integers(1, 60), elements=st.integers(-(2**40), 2**40) | st.integers(-5, 5)))
def test_integers_are_coded_the_same_dense_or_not(values):
    coded = CodedTable.from_frame(values.reshape(-1, 1))
    assert_equals_numpy(coded, 0, values.astype(float))


@pytest.mark.parametrize("n_values", [65_535, 65_536])
@pytest.mark.parametrize("step", [1.0, 0.37])
def test_codes_are_narrow_up_to_65535_values(n_values, step):
    values = np.random.default_rng(0).permutation(n_values) * step
    coded = CodedTable.from_frame(values.reshape(-1, 1))
    assert coded.codes(0).dtype == (np.uint16 if n_values < 65_536 else np.uint32)
    assert_equals_numpy(coded, 0, values)


@pytest.mark.parametrize("n_values", [65_535, 65_536, 100_000])
def test_a_nominal_column_of_many_values_is_coded(n_values):
    coded = CodedTable.from_frame(pd.DataFrame({"id": [f"{i:06}" for i in range(n_values)]}))
    assert coded.codes(0).dtype == (np.uint16 if n_values < 65_536 else np.uint32)
    np.testing.assert_array_equal(coded.codes(0), np.arange(n_values))


@pytest.mark.parametrize("n_jobs", [2, 3, -1])
def test_any_number_of_threads_gives_the_same_bits(n_jobs):
    X = np.random.default_rng(1).normal(size=(3_000, 17)).round(2)
    one, many = CodedTable.from_frame(X, n_jobs=1), CodedTable.from_frame(X, n_jobs=n_jobs)
    for column in range(17):
        np.testing.assert_array_equal(one.codes(column), many.codes(column))


@pytest.mark.parametrize("order", ["C", "F"])
def test_strides_do_not_matter(order):
    X = np.asarray(np.random.default_rng(2).normal(size=(50, 4)), order=order)
    coded = CodedTable.from_frame(X[::-2, ::-1])
    assert_equals_numpy(coded, 3, X[::-2, 0])


def test_a_coded_table_cannot_be_changed():
    coded = CodedTable.from_frame([[1.0], [2.0]])
    with pytest.raises(ValueError, match="read-only"):
        coded.codes(0)[0] = 7
    with pytest.raises(AttributeError):
        coded.schema = None


def test_codes_outlive_their_table():
    codes = CodedTable.from_frame([[3.0], [1.0]]).codes(0)
    assert codes.tolist() == [1, 0]


def test_views_share_the_memory_of_the_table():
    coded = CodedTable.from_frame([[3.0], [1.0]])
    assert np.shares_memory(coded.codes(0), coded.codes(0))


def test_a_pickled_table_is_the_same():
    coded = CodedTable.from_frame(pd.DataFrame({"a": [1.5, None, 0.5], "c": ["x", None, "y"]}))
    again = pickle.loads(pickle.dumps(coded))  # noqa: S301
    assert again.schema == coded.schema
    assert again.codes(1).tolist() == coded.codes(1).tolist()
    assert again.values(0).tolist() == [0.5, 1.5]
    assert again.values(1) is None


def test_a_tampered_pickle_raises():
    codes = np.array([0, 9], dtype=np.uint16)
    with pytest.raises(ValueError, match="codes beyond its number of values"):
        _core.restore_table(2, [(codes, 1, np.array([1.0]))])
    with pytest.raises(ValueError, match="not in ascending order"):
        _core.restore_table(2, [(np.zeros(2, dtype=np.uint16), 2, np.array([2.0, 1.0]))])
    with pytest.raises(TypeError):
        _core.restore_table(2, [(codes, 1, "values")])


def test_the_core_rejects_columns_of_other_lengths_and_types():
    with pytest.raises(ValueError, match="column 0 has 3 rows; expected 2"):
        _core.code_table(2, [np.ones(3)], 1)
    with pytest.raises(TypeError):
        _core.code_table(2, [np.ones(2, dtype=np.int64)], 1)
    with pytest.raises(ValueError, match="category code 5 at row 1"):
        _core.code_table(2, [(np.array([0, 5], dtype=np.int32), 3)], 1)
    with pytest.raises(IndexError):
        _core.code_table(2, [np.ones(2)], 1).codes(1)


def test_negative_columns_count_from_the_end_and_absent_ones_raise():
    coded = CodedTable.from_frame([[1.0, "a"]])
    assert coded.values(-2).tolist() == [1.0]
    with pytest.raises(IndexError, match="column 9 of a table of 2 columns"):
        coded.codes(9)


@pytest.mark.parametrize("n_jobs", [0, "2", 1.5, True])
def test_a_wrong_number_of_threads_raises(n_jobs):
    with pytest.raises(ParameterError, match="n_jobs must be"):
        CodedTable.from_frame([[1.0]], n_jobs=n_jobs)


def test_the_repr_lists_rows_columns_and_memory():
    assert repr(CodedTable.from_frame([[1.0, "a"]])) == "<CodedTable: 1 rows, 1 numeric and 1 nominal columns, 0.0 MiB>"


def test_ctrl_c_stops_coding(ctrl_c):
    column = np.random.default_rng(0).integers(0, 300, 1_000_000) / 7
    with ctrl_c():
        _core.code_table(len(column), [column] * 400, 2)  # seconds of work
