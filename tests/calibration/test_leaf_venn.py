import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import NotFittedError
from sklearn.tree import DecisionTreeClassifier

from calibrant.calibration import LeafVenn
from calibrant.exceptions import DataError, ParameterError
from calibrant.trees import ProbabilityTreeClassifier


@pytest.fixture(scope="module")
def rows():
    random = np.random.default_rng(0)
    X = random.normal(size=(900, 3))
    return X, np.array(["a", "b", "c"])[(X[:, 0] + random.normal(size=900) > 0).astype(int) + (X[:, 1] > 0.5)]


@pytest.fixture(scope="module")
def tree(rows):
    return ProbabilityTreeClassifier(min_leaf=20).fit(rows[0][:300], rows[1][:300])


@pytest.fixture(scope="module")
def venn(tree, rows):
    return LeafVenn(tree).fit(rows[0][300:600], rows[1][300:600])


def test_probabilities_are_counts_of_the_leaf_with_the_row_itself(tree, venn, rows):
    X, y = rows
    row, leaf = X[600:601], tree.apply(X[600:601])[0]
    of_leaf = y[300:600][tree.apply(X[300:600]) == leaf]
    for k, label in enumerate("abc"):
        expected = [np.mean(np.append(of_leaf, label) == other) for other in "abc"]
        np.testing.assert_allclose(venn.predict_multiprobability(row)[0, k], expected)


def test_the_interval_is_spanned_by_the_probabilities(venn, rows):
    many, interval = venn.predict_multiprobability(rows[0]), venn.predict_interval(rows[0])
    np.testing.assert_allclose(interval[..., 0], many.min(axis=1))
    np.testing.assert_allclose(interval[..., 1], many.max(axis=1))


def test_the_merged_probabilities_lose_the_same_whatever_the_class(venn, rows):
    own = np.diagonal(venn.predict_multiprobability(rows[0]), axis1=1, axis2=2)
    regret = np.log(own / venn.predict_proba(rows[0]))
    np.testing.assert_allclose(regret, regret[:, :1].repeat(3, axis=1))


def test_two_classes_merge_as_venn_abers_pairs_do(rows):
    X, y = rows[0], rows[1] == "a"
    venn = LeafVenn(ProbabilityTreeClassifier(min_leaf=20).fit(X[:300], y[:300])).fit(X[300:600], y[300:600])
    p0, p1 = venn.predict_interval(X[600:])[:, 1].T
    np.testing.assert_allclose(venn.predict_proba(X[600:])[:, 1], p1 / (1 - p0 + p1))


def test_a_weight_of_two_is_the_row_twice_and_of_nothing_is_no_row(tree, rows):
    X, y, times = rows[0][300:500], rows[1][300:500], np.arange(200) % 3
    weighted, twice = LeafVenn(tree).fit(X, y, times), LeafVenn(tree).fit(np.repeat(X, times, 0), np.repeat(y, times))
    np.testing.assert_array_equal(weighted.predict_proba(X), twice.predict_proba(X))


def test_a_leaf_without_calibration_rows_knows_nothing(tree, rows):
    leaves = tree.apply(rows[0])
    first = leaves == leaves.min()
    venn = LeafVenn(tree).fit(rows[0][first], rows[1][first])
    np.testing.assert_allclose(venn.predict_proba(rows[0][~first]), 1 / 3)
    np.testing.assert_array_equal(venn.predict_interval(rows[0][~first])[0], [[0, 1]] * 3)


def test_classes_are_those_of_the_tree_even_where_calibration_rows_lack_one(tree, rows):
    of_two = rows[1] != "b"
    venn = LeafVenn(tree).fit(rows[0][of_two], rows[1][of_two])
    assert venn.predict_proba(rows[0][:5]).shape == (5, 3)
    assert set(venn.predict(rows[0])) <= {"a", "c"}


def test_trees_of_scikit_learn_will_do(rows):
    X, y = rows
    tree = DecisionTreeClassifier(max_depth=3, random_state=0).fit(X[:300], y[:300])
    venn = LeafVenn(tree).fit(X[300:600], y[300:600])
    assert (venn.predict(X[600:]) == y[600:]).mean() > 0.5


@pytest.mark.parametrize("seed", range(3))
def test_the_interval_holds_the_true_frequency_of_the_positive_rows_on_average(seed):
    random = np.random.default_rng(seed)
    X = random.normal(size=(20_000, 2))
    y = random.random(20_000) < 1 / (1 + np.exp(-X[:, 0]))
    tree = ProbabilityTreeClassifier(min_leaf=5).fit(X[:2000], y[:2000])
    low, high = LeafVenn(tree).fit(X[2000:4000], y[2000:4000]).predict_interval(X[4000:])[:, 1].T
    slack = 5 * np.sqrt(0.25 / 2000)
    assert low.mean() - slack <= y[4000:].mean() <= high.mean() + slack


def test_anything_but_a_fitted_tree_raises(tree, rows):
    X, y = rows
    with pytest.raises(ParameterError, match="tree must be a fitted tree"):
        LeafVenn("c45").fit(X, y)
    with pytest.raises(NotFittedError):
        LeafVenn(ProbabilityTreeClassifier()).fit(X, y)
    with pytest.raises(ParameterError, match="one leaf for each row"):
        LeafVenn(RandomForestClassifier(3).fit(X[:100], y[:100])).fit(X, y)
    with pytest.raises(DataError, match="'d', which the tree does not know"):
        LeafVenn(tree).fit(X[:2], ["a", "d"])
    with pytest.raises(NotFittedError):
        LeafVenn(tree).predict_proba(X)
