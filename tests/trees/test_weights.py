"""Weights are frequencies: 2 is the row twice, 0 is no row."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone

from calibrant.exceptions import DataError, ParameterError
from calibrant.trees import ProbabilityTreeClassifier

CRITERIA = ["gain_ratio", "entropy", "gini", "dkm", "dkm_ratio", "hellinger", "twoing", "bayes", "mml"]


@st.composite
def tables(draw):
    """Small tables with ties, missing values, a nominal column, three classes and whole weights."""
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    n = draw(st.integers(2, 80))
    X = pd.DataFrame({"a": random.integers(0, 6, n).astype(float), "b": random.random(n).round(1)})
    X["c"] = pd.Categorical(random.choice(["u", "v", "w"], n), categories=["u", "v", "w", "never"])
    missing = random.random(X.shape) < draw(st.sampled_from([0.0, 0.15]))
    return X.mask(missing), random.integers(0, 3, n), random.integers(0, 4, n)


@given(tables(), st.sampled_from(CRITERIA))
def test_weights_equal_repetition(table, criterion):
    X, y, weights = table
    weights[0] = 1
    rows = np.repeat(np.arange(len(y)), weights)
    model = ProbabilityTreeClassifier(criterion=criterion)
    weighted = model.fit(X, y, weights).tree_
    repeated = model.fit(X.iloc[rows], y[rows]).tree_
    np.testing.assert_array_equal(weighted.feature, repeated.feature)
    np.testing.assert_array_equal(weighted.threshold, repeated.threshold)
    np.testing.assert_allclose(weighted.counts, repeated.counts, rtol=1e-12, atol=1e-12)


@given(tables())
def test_without_missing_values_weights_equal_repetition_to_the_bit(same_trees, table):
    X, y, weights = table
    X, weights = X.fillna({"a": 0.0, "b": 0.0, "c": "u"}), weights + 1
    rows = np.repeat(np.arange(len(y)), weights)
    model = ProbabilityTreeClassifier(min_leaf=1)
    assert same_trees(model.fit(X, y, weights).tree_, model.fit(X.iloc[rows], y[rows]).tree_)


@given(tables(), st.integers(0, 2**32))
def test_a_row_of_weight_0_is_absent(same_trees, table, seed):
    X, y, _ = table
    weights = np.random.default_rng(seed).choice([0.0, 0.5, 1.7], len(y))
    weights[0] = 1.0
    X = X.astype({"c": object}).assign(c=lambda frame: frame["c"].fillna("hole"))  # its categories are those seen
    kept = weights > 0
    model = ProbabilityTreeClassifier()
    with_zeros, without = model.fit(X, y, weights), ProbabilityTreeClassifier().fit(X[kept], y[kept], weights[kept])
    assert same_trees(with_zeros.tree_, without.tree_)
    assert with_zeros.tree_.schema == without.tree_.schema
    assert with_zeros.classes_.tolist() == without.classes_.tolist()


def test_a_class_of_weight_0_is_no_class_and_a_string_of_weight_0_no_category():
    model = ProbabilityTreeClassifier().fit([["a"], ["b"], ["z"]], [0, 1, 7], [1, 1, 0])
    assert model.classes_.tolist() == [0, 1]
    assert model.tree_.schema.features[0].categories == ("a", "b")


def test_a_value_of_weight_0_is_no_threshold():
    X = [[1.0], [2.0], [2.4], [3.0], [4.0]]
    model = ProbabilityTreeClassifier(mdl_penalty=False)
    assert model.fit(X, [0, 0, 0, 1, 1]).tree_.threshold[0] == 2.4
    assert model.fit(X, [0, 0, 0, 1, 1], [1, 1, 0, 1, 1]).tree_.threshold[0] == 2.0


def test_balanced_classes_have_the_same_weight(ranks):
    X, y = ranks
    counts = ProbabilityTreeClassifier(class_weight="balanced").fit(X, y).tree_.counts[0]
    np.testing.assert_allclose(counts, [len(y) / 2, len(y) / 2])


def test_balancing_counts_weights_not_rows():
    X, y = [[1.0], [2.0], [3.0]], ["a", "b", "b"]
    model = ProbabilityTreeClassifier(class_weight="balanced")
    np.testing.assert_allclose(model.fit(X, y, [2, 1, 1]).tree_.counts[0], [2, 2])


def test_a_class_weight_multiplies_the_weights():
    model = ProbabilityTreeClassifier(class_weight={"b": 3}).fit([[1.0], [2.0], [3.0]], ["a", "b", "b"], [1, 2, 1])
    assert model.tree_.counts[0].tolist() == [1, 9]


def test_a_misspelt_class_weight_raises_with_the_nearest_name():
    with pytest.raises(ParameterError, match=r"class_weight names 'yess', which is not a class\. Did you mean 'yes'"):
        ProbabilityTreeClassifier(class_weight={"yess": 2}).fit([[1], [2]], ["no", "yes"])


@pytest.mark.parametrize("weight", [0, -1, np.nan, np.inf])
def test_a_class_weight_must_be_positive(weight):
    with pytest.raises(ParameterError, match=r"class_weight\[0\] must be a finite number > 0"):
        ProbabilityTreeClassifier(class_weight={0: weight}).fit([[1], [2]], [0, 1])


def test_weights_of_0_alone_are_rejected():
    with pytest.raises(DataError, match="zero for every row"):
        ProbabilityTreeClassifier().fit([[1], [2]], [0, 1], [0, 0])


def test_whole_weights_may_add_up_to_any_number():
    x = np.repeat([0.0, 1.0, 2.0, 3.0], [90_000, 30_000, 60_000, 20_000])
    y = np.random.default_rng(0).random(len(x)) < np.array([0.3, 0.8, 0.2, 0.6])[x.astype(int)]
    model = ProbabilityTreeClassifier(criterion="gini", min_leaf=1, min_cut="min_leaf")
    once, often = model.fit(x[:, None], y).tree_, clone(model).fit(x[:, None], y, np.full(len(x), 65535.0)).tree_
    assert often.threshold.tolist() == pytest.approx(once.threshold.tolist(), nan_ok=True)
    assert (often.counts == 65535 * once.counts).all()
