"""Partial fits: the same as one fit where nothing is fixed by the first batch."""

import numpy as np
import pandas as pd
import pytest

from calibrant.bayes import NaiveBayesClassifier
from calibrant.data import load
from calibrant.exceptions import DataError, ParameterError, SchemaError


@pytest.fixture(scope="module")
def donors():
    return load("appeal")


def in_parts(model, X, y, weights=None, n_parts=7):
    for part in np.array_split(np.random.default_rng().permutation(len(y)), n_parts):
        model.partial_fit(X.iloc[part], y[part], np.unique(y), None if weights is None else weights[part])
    return model


@pytest.mark.parametrize("numeric", ["gaussian", "kernel"])
def test_parts_add_up_to_the_whole(donors, numeric):
    weights = np.arange(len(donors.y)) % 4
    whole = NaiveBayesClassifier(numeric=numeric).fit(donors.X, donors.y, weights)
    parts = in_parts(NaiveBayesClassifier(numeric=numeric), donors.X, donors.y, weights)
    np.testing.assert_allclose(parts.predict_proba(donors.X), whole.predict_proba(donors.X), rtol=1e-9)


@pytest.mark.parametrize("n_parts", [2, 60])
def test_moments_of_many_values_are_exact_whatever_the_parts(n_parts):
    """Parts of 17 rows hold fewer values than are kept, halves more; some hold none."""
    rng = np.random.default_rng()
    X = pd.DataFrame(rng.normal(size=(1000, 3)) * 10.0 ** rng.integers(-300, 300, (1000, 3)))
    X[2] = X[2].where(rng.random(1000) < 0.4)
    X[3] = rng.normal(size=1000) + 1e9
    y, weights = rng.integers(0, 3, 1000), rng.integers(0, 3, 1000)
    whole = NaiveBayesClassifier(numeric="gaussian").fit(X, y, weights)
    parts = in_parts(NaiveBayesClassifier(numeric="gaussian"), X, y, weights, n_parts)
    np.testing.assert_array_equal(parts.predict_joint_log_proba(X), whole.predict_joint_log_proba(X))


def test_plain_strings_that_come_later_are_categories_like_the_others():
    X = pd.DataFrame({"colour": list("abcdefgh") * 5})
    y = np.arange(40) % 3
    whole = NaiveBayesClassifier(counts="m").fit(X, y)
    parts = in_parts(NaiveBayesClassifier(counts="m"), X, y, n_parts=20)
    np.testing.assert_allclose(parts.predict_proba(X), whole.predict_proba(X), rtol=1e-12)


@pytest.mark.parametrize("numeric", ["mdl", "equal_width"])
def test_cuts_are_those_of_the_first_part_and_counts_go_on(donors, numeric):
    first, rest = donors.take(np.arange(700)), donors.take(np.arange(700, donors.n_rows))
    model = NaiveBayesClassifier(numeric=numeric).fit(first.X, first.y)
    cuts = [cut.copy() for cut in model.cut_points_]
    model.partial_fit(rest.X, rest.y)
    assert all(map(np.array_equal, model.cut_points_, cuts))
    assert model.class_count_.sum() == donors.n_rows


def test_a_class_may_have_no_row_yet():
    model = NaiveBayesClassifier().partial_fit([[1.0], [2.0]], ["a", "b"], classes=["c", "b", "a"])
    assert model.classes_.tolist() == ["a", "b", "c"]
    np.testing.assert_allclose(model.predict_proba([[None]]), [[2 / 5, 2 / 5, 1 / 5]])


def test_columns_of_a_later_part_are_found_by_name(donors):
    halves = donors.take(np.arange(750)), donors.take(np.arange(750, 1500))
    model = NaiveBayesClassifier(numeric="gaussian").fit(halves[0].X, halves[0].y)
    model.partial_fit(halves[1].X.iloc[:, ::-1], halves[1].y)
    whole = NaiveBayesClassifier(numeric="gaussian").fit(donors.X, donors.y)
    np.testing.assert_allclose(model.predict_proba(donors.X), whole.predict_proba(donors.X), rtol=1e-9)


def test_rows_that_do_not_match_the_first_part_raise_and_change_nothing():
    model = NaiveBayesClassifier().fit(pd.DataFrame({"a": [1.0, 2.0], "b": ["u", "v"]}), [0, 1])
    before = model.predict_proba(pd.DataFrame({"a": [1.0], "b": ["u"]}))
    with pytest.raises(SchemaError, match="'b' is missing"):
        model.partial_fit(pd.DataFrame({"a": [1.0]}), [0])
    with pytest.raises(SchemaError, match="was numeric in fit"):
        model.partial_fit(pd.DataFrame({"a": ["x"], "b": ["u"]}), [0])
    with pytest.raises(SchemaError, match="none of the values seen in fit"):
        model.partial_fit(pd.DataFrame({"a": [1.0], "b": [True]}), [0])
    with pytest.raises(DataError, match="y holds 7, which is not among classes"):
        model.partial_fit(pd.DataFrame({"a": [1.0], "b": ["u"]}), [7])
    np.testing.assert_array_equal(model.predict_proba(pd.DataFrame({"a": [1.0], "b": ["u"]})), before)


def test_classes_are_passed_first_and_stay_the_same():
    with pytest.raises(ParameterError, match="classes must be passed at the first call"):
        NaiveBayesClassifier().partial_fit([[1.0]], ["a"])
    model = NaiveBayesClassifier().partial_fit([[1.0]], ["a"], classes=["a", "b"])
    with pytest.raises(ParameterError, match="the same at every call"):
        model.partial_fit([[1.0]], ["a"], classes=["a", "c"])
