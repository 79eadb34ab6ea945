"""Supervised discretization of numeric columns."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.datasets import load_iris
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import KBinsDiscretizer
from sklearn.utils.estimator_checks import parametrize_with_checks

from calibrant.data import MDLDiscretizer, load
from calibrant.exceptions import DataError, ParameterError, SchemaError
from calibrant.trees import ProbabilityTreeClassifier

FRAME = pd.DataFrame({"size": [1.0, 2.0, 8.0, np.nan] * 9, "colour": ["u", "v", None, "u"] * 9})
LABELS = ["a", "a", "b", "b"] * 9


@pytest.mark.sample(2)
@parametrize_with_checks([MDLDiscretizer(), MDLDiscretizer(criterion="kononenko")])
def test_scikit_learns_checks_pass(estimator, check):
    check(estimator)


@pytest.mark.parametrize("make", [pd.DataFrame, pl.from_pandas, pa.Table.from_pandas])
def test_a_frame_becomes_a_frame_of_the_same_library(make):
    frame = make(FRAME)
    out = MDLDiscretizer().fit(frame, LABELS).transform(frame)
    assert type(out) is type(frame)
    out = out if isinstance(out, pd.DataFrame) else out.to_pandas()
    assert out["size"].astype(object).where(out["size"].notna(), None).tolist()[:4] == ["(-inf, 5.0]"] * 2 + [
        "(5.0, inf)",
        None,
    ]
    assert out["size"].cat.categories.tolist() == ["(-inf, 5.0]", "(5.0, inf)"]
    assert out["size"].cat.ordered
    assert out["colour"].fillna("?").tolist()[:4] == ["u", "v", "?", "u"]


def test_a_pandas_frame_keeps_its_index_and_its_own_values():
    frame = FRAME.set_axis(range(100, 136))
    out = MDLDiscretizer().fit(frame, LABELS).transform(frame)
    assert out.index.tolist() == frame.index.tolist()
    assert frame["size"].dtype == np.float64


def test_columns_are_found_by_name_and_come_in_the_order_of_fit():
    discretizer = MDLDiscretizer().fit(FRAME, LABELS)
    out = discretizer.transform(FRAME.assign(more=1)[["more", "colour", "size"]])
    pd.testing.assert_frame_equal(out, discretizer.transform(FRAME))
    with pytest.raises(SchemaError, match="'size' is missing"):
        discretizer.transform(FRAME[["colour"]])


def test_an_array_becomes_numbers_with_nan_for_what_is_missing_or_new():
    discretizer = MDLDiscretizer().fit(FRAME.to_numpy(dtype=object), LABELS)
    out = discretizer.transform(np.array([[9.0, "v"], [5.0, "u"], [None, "new"]], dtype=object))
    np.testing.assert_array_equal(out, [[1, 1], [0, 0], [np.nan, np.nan]])


def test_numbers_specified_as_nominal_are_unchanged():
    frame = pd.DataFrame({"code": [1, 2] * 20})
    discretizer = MDLDiscretizer(nominal=["code"]).fit(frame, [0, 1] * 20)
    assert len(discretizer.cut_points_[0]) == 0
    pd.testing.assert_frame_equal(discretizer.transform(frame), frame)


def test_a_tree_learns_from_the_intervals():
    donors = load("appeal")
    model = make_pipeline(MDLDiscretizer(), ProbabilityTreeClassifier(min_leaf=20)).fit(donors.X, donors.y)
    assert model.predict_proba(donors.X).shape == (len(donors.y), 2)


def test_the_names_of_the_columns_are_the_feature_names_out():
    assert MDLDiscretizer().fit(FRAME, LABELS).get_feature_names_out().tolist() == ["size", "colour"]
    assert MDLDiscretizer().fit([[1.0], [2.0]], [0, 1]).get_feature_names_out().tolist() == ["x0"]


def test_unknown_criteria_and_absent_classes_raise():
    with pytest.raises(ParameterError, match="Did you mean 'kononenko'"):
        MDLDiscretizer(criterion="kononenco").fit(FRAME, LABELS)
    with pytest.raises(DataError, match="y is None"):
        MDLDiscretizer().fit(FRAME, None)


def test_midpoints_are_those_of_scikit_learns_discretizer_with_the_same_edges():
    X, y = load_iris(return_X_y=True)
    ours = MDLDiscretizer().fit(X, y)
    peer = KBinsDiscretizer(encode="ordinal", strategy="uniform", quantile_method="averaged_inverted_cdf").fit(X)
    peer.n_bins_ = np.array([len(cuts) + 1 for cuts in ours.cut_points_])
    peer.bin_edges_ = np.array(
        [np.array([x.min(), *cuts, x.max()]) for x, cuts in zip(X.T, ours.cut_points_, strict=True)], dtype=object
    )
    codes = ours.transform(X)
    np.testing.assert_allclose(ours.inverse_transform(codes), peer.inverse_transform(codes), rtol=1e-15)
    np.testing.assert_array_equal(ours.transform(ours.inverse_transform(codes)), codes)


@pytest.mark.parametrize("make", [pd.DataFrame, pl.from_pandas, pa.Table.from_pandas])
def test_the_inverse_of_a_frame_is_a_frame_of_the_same_library(make):
    frame = make(FRAME)
    discretizer = MDLDiscretizer().fit(frame, LABELS)
    out = discretizer.inverse_transform(discretizer.transform(frame))
    assert type(out) is type(frame)
    out = out if isinstance(out, pd.DataFrame) else out.to_pandas()
    assert out["size"].fillna(-1).tolist()[:4] == [3.0, 3.0, 6.5, -1]
    assert out["colour"].fillna("?").tolist()[:4] == ["u", "v", "?", "u"]


def test_the_inverse_keeps_an_index_and_raises_for_what_is_no_interval():
    frame = FRAME.set_axis(range(100, 136))
    discretizer = MDLDiscretizer().fit(frame, LABELS)
    assert discretizer.inverse_transform(discretizer.transform(frame)).loc[102, "size"] == 6.5
    with pytest.raises(DataError, match="column 'size' must hold intervals of `transform`, indices below 2"):
        discretizer.inverse_transform([[2, 0]])
