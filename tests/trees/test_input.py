"""Input on the edge: a clear error, or the sensible result that is documented."""

import datetime

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from calibrant.exceptions import DataError, DataTypeError, ParameterError
from calibrant.trees import ProbabilityTreeClassifier

DAYS = [datetime.date(2024, 1, 1), datetime.date(2024, 6, 1), datetime.date(2024, 6, 1), datetime.date(2024, 1, 1)]


def fit(X, y, **params):
    return ProbabilityTreeClassifier(**params).fit(X, y)


def test_one_class_is_certain():
    model = fit([[1.0], [2.0], [3.0]], ["a"] * 3)
    assert model.predict_proba([[9.0]]).tolist() == [[1.0]]
    assert model.n_nodes_ == 1


def test_one_row_is_a_leaf():
    model = fit([[1.0, 2.0]], ["a"])
    assert (model.n_nodes_, model.n_leaves_, model.depth_) == (1, 1, 0)


def test_a_column_of_missing_values_is_never_tested():
    X = np.column_stack([np.full(20, np.nan), np.arange(20.0)])
    model = fit(X, np.arange(20) // 10)
    assert set(model.tree_.feature) == {1, -1}
    assert fit(X[:, :1], np.arange(20) // 10).n_nodes_ == 1


def test_a_frame_of_nulls_is_never_tested():
    X = pl.DataFrame({"a": [None] * 10, "b": ["x", "y"] * 5}, schema={"a": pl.String, "b": pl.String})
    assert fit(X, [0, 1] * 5).tree_.feature[0] == 1


def test_constant_columns_make_a_leaf():
    X = pd.DataFrame({"number": [1.0] * 6, "word": ["a"] * 6})
    model = fit(X, [0, 1, 0, 1, 0, 0])
    assert model.n_nodes_ == 1
    np.testing.assert_allclose(model.predict_proba(X[:1]), [[5 / 8, 3 / 8]])


def test_infinities_are_extreme_values():
    model = fit([[-np.inf], [0.0], [1.0], [np.inf]] * 3, [0, 0, 1, 1] * 3, mdl_penalty=False)
    assert model.predict([[-np.inf], [np.inf]]).tolist() == [0, 1]


def test_a_hundred_thousand_categories_each_get_a_branch():
    names = [f"c{i}" for i in range(100_000)]
    X = pd.DataFrame({"id": pd.Categorical(names * 2, categories=names)})
    y = np.tile(np.arange(100_000) % 2, 2)
    model = fit(X, y)
    assert model.n_leaves_ == 100_000
    assert model.score(X, y) == 1.0
    assert len(model.tree_.to_frame()) == 100_001
    assert len(model.export_text().splitlines()) == 100_000


def test_more_classes_than_rows():
    y = pd.Categorical(["b", "d"], categories=list("abcdefgh"))
    model = fit([[1.0], [2.0]], y, min_leaf=1)
    assert model.classes_.tolist() == ["b", "d"]
    assert fit([[1.0], [2.0], [3.0]], [5, 6, 7]).predict_proba([[1.0]]).shape == (1, 3)


@pytest.mark.filterwarnings("ignore::calibrant.exceptions.ManyClassesWarning")
def test_too_many_classes_are_rejected():
    with pytest.raises(DataError, match="y has 70,000 classes; a tree takes at most 65,535"):
        fit(np.zeros((70_000, 1)), np.arange(70_000))


@pytest.mark.parametrize(
    "y",
    [
        [0, 1, 1, 0],
        [0.0, 1.0, 1.0, 0.0],
        [True, False, False, True],
        ["no", "yes", "yes", "no"],
        np.array([0, 1, 1, 0], dtype=np.uint8),
        np.array(["no", "yes", "yes", "no"], dtype=object),
        pd.Series(["no", "yes", "yes", "no"], dtype="category"),
        pd.Series([1, 2, 2, 1], dtype="Int64"),
        pd.Series([True, False, False, True], dtype="boolean"),
        pd.Series(["no", "yes", "yes", "no"], dtype="string"),
        pl.Series(["no", "yes", "yes", "no"]),
        pl.Series([1, 2, 2, 1]),
        pl.Series(["no", "yes", "yes", "no"], dtype=pl.Enum(["yes", "no"])),
        np.array([2**63 + 1, 2**63 + 2, 2**63 + 2, 2**63 + 1], dtype=np.uint64),
        [10**30, 10**31, 10**31, 10**30],
        pd.Categorical([3, 1, 1, 3]),
        pd.Series([1, 2, 2, 1], dtype="Float64"),
        pd.Series(["no", "yes", "yes", "no"], dtype="string[pyarrow]"),
        pd.Series([1, 2, 2, 1], dtype="int64[pyarrow]"),
        pd.Series([True, False, False, True], dtype="bool[pyarrow]"),
        pd.Series(["no", "yes", "yes", "no"], dtype=pd.ArrowDtype(pa.dictionary(pa.int32(), pa.string()))),
        pa.chunked_array([["no", "yes"], ["yes", "no"]]).to_pylist(),
        pd.Series(pd.to_datetime(DAYS)),
        pd.Series(pd.to_datetime(DAYS)).dt.tz_localize("UTC"),
        pd.Series(pd.to_datetime(DAYS), dtype="timestamp[us][pyarrow]"),
        pd.Categorical(pd.to_datetime(DAYS)),
        pl.Series(DAYS),
        pl.Series([datetime.timedelta(1), datetime.timedelta(2), datetime.timedelta(2), datetime.timedelta(1)]),
        DAYS,
    ],
)
def test_labels_of_every_type_come_back(y):
    X = [[1.0], [5.0], [6.0], [2.0]]
    model = fit(X, y, mdl_penalty=False)
    assert model.predict(X).tolist() == list(y)
    assert model.classes_.tolist() == sorted(set(y))


@pytest.mark.parametrize(
    "y", [pa.array(DAYS), pa.array(["no", "yes", "yes", "no"]), pa.array([True, False, False, True])]
)
def test_labels_of_pyarrow_come_back(y):
    X = [[1.0], [5.0], [6.0], [2.0]]
    for labels in (y, pa.chunked_array([y]), y.dictionary_encode()):
        assert fit(X, labels, mdl_penalty=False).predict(X).tolist() == y.to_pylist()


@pytest.mark.parametrize("dtype", ["datetime64[s]", "datetime64[ns]", "timedelta64[D]"])
def test_dates_of_numpy_stay_dates(dtype):
    y = np.array([1, 2, 2, 1]).astype(dtype)
    model = fit([[1.0], [5.0], [6.0], [2.0]], y, mdl_penalty=False)
    assert model.classes_.dtype == dtype
    np.testing.assert_array_equal(model.predict([[1.0], [5.0], [6.0], [2.0]]), y)


@pytest.mark.parametrize(
    ("y", "error", "words"),
    [
        ([0.5, 1.5, 2.5], DataError, "Unknown label type: continuous"),
        ([[0, 1], [1, 0], [0, 1]], DataError, "1d array, got an array of shape"),
        ([1j, 2j, 1j], DataError, "y holds complex numbers; pass one class for each row"),
        ([b"a", b"b", b"a"], DataTypeError, "'y' holds a value of type bytes at row 0"),
        (pd.period_range("2024", periods=3, freq="M"), DataTypeError, "'y' holds a value of type Period at row 0"),
        ([{"a": 1}, {"a": 2}, {"a": 1}], DataTypeError, "'y' holds a value of type dict at row 0"),
        ("abc", DataError, r"1d array, got an array of shape \(\)"),
        (iter([0, 1, 0]), DataError, r"1d array, got an array of shape \(\)"),
        (
            np.array(["2024-01-01", "NaT", "2024-01-02"], dtype="M8[D]"),
            DataError,
            r"1 missing label\(s\) \(first at row 1",
        ),
        (pl.Series([None, datetime.date(2024, 1, 1), None]), DataError, r"2 missing label\(s\) \(first at row 0"),
    ],
)
def test_labels_that_are_no_classes_are_rejected(y, error, words):
    with pytest.raises(error, match=words):
        fit([[1.0], [2.0], [3.0]], y)


def test_a_label_for_each_row_is_needed():
    with pytest.raises(DataError, match="y has 2 labels for 3 rows"):
        fit([[1.0], [2.0], [3.0]], [0, 1])


def test_too_many_rows_are_rejected_before_anything_is_copied():
    with pytest.raises(DataError, match="X has 2,147,483,648 rows; at most 2,147,483,647"):
        fit(np.broadcast_to(np.zeros((1, 1), dtype=np.int8), (2**31, 1)), np.broadcast_to(0, 2**31))


def test_dates_are_numbers():
    days = [[datetime.date(2024, 1, day)] for day in range(1, 21)]
    assert fit(days, np.arange(20) // 10).predict([[datetime.date(2024, 3, 1)]]).tolist() == [1]


def test_a_column_named_nominal_is_split_by_its_values():
    X = np.array([1, 2, 3] * 4)[:, None]
    model = fit(X, [0, 1, 0] * 4, nominal=[0])
    assert model.n_leaves_ == 3
    assert model.predict([[2], [3]]).tolist() == [1, 0]


def test_no_path_is_longer_than_max_depth(ranks):
    X, y = ranks
    assert [fit(X, y, max_depth=depth).depth_ for depth in (1, 2, 5)] == [1, 2, 5]


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"criterion": "gain"}, "criterion must be 'gain_ratio', .*; got 'gain'"),
        ({"estimate": "laplas"}, "estimate must be .*; got 'laplas'. Did you mean 'laplace'?"),
        ({"min_leaf": 0}, "min_leaf must be a finite number > 0; got 0."),
        ({"max_depth": 0}, "max_depth must be an int >= 1 or None; got 0."),
        ({"confidence": 1.5}, r"confidence must be a number in \(0, 1\]; got 1.5."),
        ({"prune": True}, "prune must be 'pessimistic', .* or None; got True."),
        ({"tie_break": "last"}, "tie_break must be 'first' or 'random'; got 'last'."),
        ({"class_weight": "balancd"}, "class_weight must be .*; got 'balancd'. Did you mean 'balanced'?"),
        ({"n_jobs": 0}, "n_jobs must be an int >= 1, an int <= -1 or None; got 0."),
        ({"random_state": -1}, "random_state must be an int >= 0"),
    ],
)
def test_a_parameter_outside_its_rule_is_named(params, message):
    with pytest.raises(ParameterError, match=message):
        fit([[1.0], [2.0]], [0, 1], **params)


def test_sparse_tables_are_rejected():
    scipy_sparse = pytest.importorskip("scipy.sparse")
    with pytest.raises(DataTypeError, match=r"toarray\(\)"):
        fit(scipy_sparse.csr_matrix(np.eye(3)), [0, 1, 0])
