"""scikit-learn's contract for the blend, copies of fitted models, and tables of every kind."""

import copy
import pickle

import cloudpickle
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks
from tests.blending.members import MEMBERS

from calibrant.blending import ProbabilityClassifier
from calibrant.exceptions import SchemaError

FAST = ["bayes", "logistic"]


def excused(estimator):
    """Name what scikit-learn excuses for its own forests: drawing rows is not drawing weights."""
    if estimator.members != "auto":
        return {}
    reason = "rows are drawn; test_weights.py takes its place"
    return {"check_sample_weight_equivalence_on_dense_data": reason}


@parametrize_with_checks([ProbabilityClassifier(members=FAST, random_state=0)])
@pytest.mark.sample(6)
def test_scikit_learns_checks_pass_with_nothing_excused(estimator, check):
    check(estimator)


@pytest.mark.long
@parametrize_with_checks([ProbabilityClassifier(random_state=0)], expected_failed_checks=excused)
def test_scikit_learns_checks_pass_for_all_members(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def table():
    """Numbers, words and missing values; three classes."""
    rng = np.random.default_rng(3)
    X = pd.DataFrame(rng.normal(size=(120, 2)), columns=["b", "a"])
    X["word"] = rng.choice(["x", "y", "z"], 120)
    y = np.where(X["a"] + rng.normal(size=120) > 0.5, "high", np.where(X["word"] == "x", "odd", "low"))
    missing = rng.random(X.shape) < 0.05
    X = X.mask(missing).astype({"word": object}).where(~missing, None)
    return X.astype({"a": float, "b": float}), y


@pytest.fixture(scope="module")
def fitted(table):
    return ProbabilityClassifier(random_state=0).fit(*table)


def test_all_members_are_tried(fitted):
    assert {member.family for member in fitted.members_} == set(MEMBERS)


def test_every_kind_of_copy_predicts_to_the_bit(fitted, table):
    expected = fitted.predict_proba(table[0])
    for again in (
        pickle.loads(pickle.dumps(fitted)),  # noqa: S301
        cloudpickle.loads(cloudpickle.dumps(fitted)),
        copy.deepcopy(fitted),
    ):
        np.testing.assert_array_equal(again.predict_proba(table[0]), expected)
        np.testing.assert_array_equal(again.with_members("logistic").predict_proba(table[0])[:1].shape, (1, 3))
        assert repr(again) == repr(fitted)


@pytest.mark.long
def test_frames_of_every_library_give_the_same_bits(fitted, table):
    X, y = table
    expected = fitted.predict_proba(X)
    for frame in (pl.from_pandas(X), pa.Table.from_pandas(X)):
        model = ProbabilityClassifier(random_state=0).fit(frame, y)
        np.testing.assert_array_equal(model.predict_proba(frame), expected)
        np.testing.assert_array_equal(fitted.predict_proba(frame), expected)


def test_arrays_lists_and_frames_of_numbers_give_the_same_bits(table):
    numbers, y = table[0][["a", "b"]], table[1]
    models = [
        ProbabilityClassifier(members=FAST, random_state=0).fit(X, y)
        for X in (numbers.to_numpy(), np.asfortranarray(numbers.to_numpy()), numbers.to_numpy().tolist())
    ]
    expected = ProbabilityClassifier(members=FAST, random_state=0).fit(numbers, y).predict_proba(numbers)
    for model in models:
        np.testing.assert_array_equal(model.predict_proba(numbers.to_numpy()), expected)


def test_columns_are_found_by_name(fitted, table):
    X = table[0]
    np.testing.assert_array_equal(fitted.predict_proba(X[["word", "a", "b"]]), fitted.predict_proba(X))
    with pytest.raises(SchemaError, match="'word' is missing"):
        fitted.predict_proba(X[["a", "b"]])


def test_unseen_categories_and_rows_of_missing_values_have_probabilities(fitted, table):
    new = table[0].head(3).assign(word=["new", None, "x"], a=[np.nan, np.nan, 1.0], b=np.nan)
    np.testing.assert_allclose(fitted.predict_proba(new).sum(axis=1), 1.0, rtol=1e-12)


@pytest.mark.parametrize(
    "labels", [[False, True], [0, 1], [-1.0, 2.0], ["no", "yes"], np.array(["no", "yes"], dtype=object)], ids=str
)
def test_the_type_of_the_labels_does_not_matter(labels, table):
    X, codes = table[0], (table[1] == "high").astype(int)
    expected = ProbabilityClassifier(members=FAST, random_state=0).fit(X, codes).predict_proba(X)
    model = ProbabilityClassifier(members=FAST, random_state=0).fit(X, np.asarray(labels)[codes])
    assert model.classes_.tolist() == list(labels)
    assert model.predict(X).dtype == model.classes_.dtype
    np.testing.assert_array_equal(model.predict_proba(X), expected)


def test_a_clone_is_unfitted_and_a_second_fit_forgets_the_first(fitted, table):
    assert clone(fitted).get_params() == fitted.get_params()
    assert "\n" not in repr(clone(fitted))
    again = copy.copy(fitted).set_params(members=FAST).fit([[0.0], [1.0], [2.0]], [0, 1, 1])
    assert (again.n_features_in_, again.classes_.tolist()) == (1, [0, 1])
    assert not hasattr(again, "feature_names_in_")
    assert fitted.predict_proba(table[0]).shape == (120, 3)


def test_names_of_members_are_checked_where_they_are_chosen(fitted):
    for names, words in {("boost",): "Did you mean 'boosted'", (): "at least one name"}.items():
        with pytest.raises(ValueError, match=words):
            fitted.with_members(*names)


def test_a_parameter_that_is_nearly_one_is_suggested():
    with pytest.raises(ValueError, match="'time_limit'"):
        ProbabilityClassifier().set_params(timelimit=3)
