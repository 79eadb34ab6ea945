"""Rows down a tree: known values, missing values, categories never seen, other frames and types."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.exceptions import NotFittedError

from calibrant.exceptions import SchemaError
from calibrant.trees import ProbabilityTreeClassifier

COLOURS = pd.DataFrame({"colour": ["red"] * 6 + ["blue"] * 2 + ["green"] * 2, "size": np.arange(10.0)})
CLASSES = ["a"] * 6 + ["b"] * 4


@pytest.fixture
def model():
    return ProbabilityTreeClassifier(estimate="frequency").fit(COLOURS[["colour"]], CLASSES)


@pytest.mark.parametrize("missing_value", [None, "violet"])
def test_a_missing_value_or_an_unseen_category_goes_down_every_branch_with_its_share(model, missing_value):
    np.testing.assert_allclose(model.predict_proba(pd.DataFrame({"colour": [missing_value]})), [[0.6, 0.4]])


def test_a_missing_number_goes_down_both_branches():
    model = ProbabilityTreeClassifier().fit(np.arange(10.0)[:, None], [0] * 4 + [1] * 6)
    smoothed = 0.4 * np.array([5 / 6, 1 / 6]) + 0.6 * np.array([1 / 8, 7 / 8])
    np.testing.assert_allclose(model.predict_proba([[np.nan]])[0], smoothed)


def test_many_rows_with_missing_values_are_predicted_as_each_alone(ranks):
    X, y = ranks
    missing = np.random.default_rng(2).random(X.shape) < 0.1
    X = np.where(missing, np.nan, X)
    model = ProbabilityTreeClassifier().fit(X, y)
    alone = np.vstack([model.predict_proba(row[None]) for row in X[:200]])
    np.testing.assert_array_equal(model.predict_proba(X)[:200], alone)
    np.testing.assert_allclose(alone.sum(axis=1), 1)


def test_a_row_with_a_missing_value_does_not_change_the_others(ranks):
    X, y = ranks
    model = ProbabilityTreeClassifier(min_leaf=1).fit(X, y)
    beside = np.vstack([X, np.full((1, X.shape[1]), np.nan)])
    np.testing.assert_array_equal(model.predict_proba(beside)[:-1], model.predict_proba(X))
    np.testing.assert_array_equal(model.apply(beside)[:-1], model.apply(X))


def test_the_heaviest_leaf_is_applied_to_a_row_with_a_missing_value(model):
    red = model.apply(pd.DataFrame({"colour": ["red"]}))
    np.testing.assert_array_equal(model.apply(pd.DataFrame({"colour": [None]}, dtype=object)), red)


def test_apply_gives_the_leaf_whose_counts_predict(ranks):
    X, y = ranks
    model = ProbabilityTreeClassifier(estimate="frequency").fit(X, y)
    leaves = model.apply(X)
    assert model.tree_.is_leaf[leaves].all()
    predictions = model.tree_.counts[leaves] / model.tree_.weight[leaves][:, None]
    np.testing.assert_array_equal(model.predict_proba(X), predictions)


def test_predict_is_the_most_probable_class_and_the_lower_of_equals():
    model = ProbabilityTreeClassifier().fit([[1.0], [1.0], [1.0]], ["c", "b", "b"])
    assert model.predict([[1.0]]).tolist() == ["b"]
    assert ProbabilityTreeClassifier().fit([[1.0], [1.0]], ["c", "b"]).predict([[1.0]]).tolist() == ["b"]


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
def test_a_frame_of_any_library_gives_the_same_probabilities(make):
    columns = {"colour": COLOURS["colour"].tolist(), "size": COLOURS["size"].tolist()}
    model = ProbabilityTreeClassifier().fit(COLOURS, CLASSES)
    again = ProbabilityTreeClassifier().fit(make(columns), CLASSES)
    np.testing.assert_array_equal(again.predict_proba(COLOURS), model.predict_proba(make(columns)))


@pytest.mark.parametrize("dtype", [np.float32, np.int64, np.int8, np.float16, ">f8", object])
def test_numbers_of_another_type_are_predicted_alike(dtype):
    X = np.arange(10.0)[:, None]
    model = ProbabilityTreeClassifier().fit(X, [0] * 4 + [1] * 6)
    np.testing.assert_array_equal(model.predict_proba(X.astype(dtype)), model.predict_proba(X))


@pytest.mark.parametrize("order", ["C", "F", "strided", "reversed", "read only"])
def test_the_layout_of_an_array_does_not_matter(ranks, order):
    X, y = ranks
    model = ProbabilityTreeClassifier().fit(X, y)
    layouts = {"strided": np.repeat(X, 2, axis=1)[:, ::2], "reversed": X[:, ::-1].copy()[:, ::-1]}
    laid_out = layouts.get(order, np.array(X, order=order if order in "CF" else "C"))
    laid_out.setflags(write=order != "read only")
    np.testing.assert_array_equal(model.predict_proba(laid_out), model.predict_proba(X.tolist()))


def test_columns_are_found_by_name(model):
    model = ProbabilityTreeClassifier().fit(COLOURS, CLASSES)
    turned = COLOURS.assign(more=1)[["more", "size", "colour"]]
    np.testing.assert_array_equal(model.predict_proba(turned), model.predict_proba(COLOURS))


def test_a_renamed_column_is_named():
    model = ProbabilityTreeClassifier().fit(COLOURS, CLASSES)
    with pytest.raises(SchemaError, match=r"'size' is missing\. Found 'sizes': the same column\?"):
        model.predict(COLOURS.rename(columns={"size": "sizes"}))


def test_another_number_of_columns_is_rejected(ranks):
    X, y = ranks
    message = "X has 3 features, but ProbabilityTreeClassifier is expecting 5 features as input"
    with pytest.raises(SchemaError, match=message):
        ProbabilityTreeClassifier().fit(X, y).predict(X[:, :3])


def test_strings_in_a_numeric_column_are_rejected():
    model = ProbabilityTreeClassifier().fit(COLOURS, CLASSES)
    with pytest.raises(SchemaError, match="column 'size' was numeric in fit and holds 'big' now"):
        model.predict(COLOURS.assign(size="big"))


def test_only_one_table_with_names_is_warned_of_as_in_scikit_learn():
    named = ProbabilityTreeClassifier().fit(COLOURS[["size"]], CLASSES)
    with pytest.warns(UserWarning, match="X does not have valid feature names, but ProbabilityTreeClassifier was fit"):
        named.predict_proba(COLOURS[["size"]].to_numpy())
    nameless = ProbabilityTreeClassifier().fit(COLOURS[["size"]].to_numpy(), CLASSES)
    with pytest.warns(UserWarning, match="X has feature names, but ProbabilityTreeClassifier was fitted without"):
        nameless.predict_proba(COLOURS[["size"]])


def test_names_that_are_no_strings_are_no_feature_names():
    model = ProbabilityTreeClassifier().fit(pd.DataFrame([[1.0], [2.0]]), [0, 1])
    assert not hasattr(model, "feature_names_in_")
    assert ProbabilityTreeClassifier().fit(COLOURS, CLASSES).feature_names_in_.tolist() == ["colour", "size"]


@pytest.mark.parametrize("method", ["predict", "predict_proba", "apply"])
def test_an_unfitted_tree_raises(method):
    with pytest.raises(NotFittedError, match="not fitted yet"):
        getattr(ProbabilityTreeClassifier(), method)([[1.0]])
