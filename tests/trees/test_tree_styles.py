"""The ten tree styles: their composition, and that each is what it says on real and drawn rows."""

import re

import numpy as np
import pytest
from sklearn.base import clone
from tests.trees.mixed_rows import mixed_rows

from calibrant.estimates import Laplace, MEstimate, PathAverage
from calibrant.exceptions import ParameterError
from calibrant.trees import ProbabilityTreeClassifier, tree_style

NAMES = ["bayes", "id3", "cart", "cart0", "c4", "mml", "smml", "c44ls", "c44bs", "mmlls"]
ONE_ROW = MEstimate(1, prior="uniform")
COMPOSITION = {  # criterion, nominal splits, pruning, probabilities
    "id3": ("entropy", "multiway", None, ONE_ROW),
    "c4": ("gain_ratio", "multiway", "continuity", ONE_ROW),
    "cart": ("gini", "subset", "cost_complexity", ONE_ROW),
    "cart0": ("gini", "subset", "cost_complexity", ONE_ROW),
    "bayes": ("bayes", "multiway", None, PathAverage(prior="flat")),
    "mml": ("mml", "multiway", "map", ONE_ROW),
    "smml": ("mml", "multiway", None, PathAverage(prior="wallace")),
    "c44ls": ("gain_ratio", "multiway", None, Laplace()),
    "c44bs": ("gain_ratio", "multiway", None, PathAverage(prior="wallace")),
    "mmlls": ("mml", "multiway", "map", Laplace()),
}


def rows(n=400, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    return X, (X[:, 0] - X[:, 1] ** 2 + rng.normal(size=n) > -1).astype(int)


def test_there_are_ten_styles():
    with pytest.raises(ParameterError) as caught:
        tree_style("none of them")
    assert sorted(re.findall(r"'(\w+)'", str(caught.value).split("; got")[0])) == sorted(NAMES) == sorted(COMPOSITION)


@pytest.mark.parametrize("name", NAMES)
def test_a_style_is_composed_as_the_table_says(name):
    model = tree_style(name)
    assert (model.criterion, model.nominal_splits, model.prune, model.estimate) == COMPOSITION[name]


@pytest.mark.parametrize("name", NAMES)
def test_every_style_predicts_probabilities_from_mixed_rows(name):
    X, y = mixed_rows()
    proba = tree_style(name, random_state=0).fit(X, y).predict_proba(X)
    np.testing.assert_allclose(proba.sum(axis=1), 1.0, rtol=1e-12)
    assert ((proba > 0) & (proba < 1)).all()
    assert ((proba.argmax(axis=1) == y).mean()) > 0.6


@pytest.mark.parametrize("name", NAMES)
def test_every_style_takes_more_than_two_classes_and_weights(name):
    X, y = mixed_rows(seed=3)
    y = np.where(X["b"] > 0.8, 2, y)
    weights = np.random.default_rng(0).integers(0, 3, len(y))
    model = clone(tree_style(name, random_state=0)).fit(X, y, weights)
    assert model.predict_proba(X).shape == (len(y), 3)


def test_names_are_taken_in_any_case_and_a_misspelt_one_is_explained():
    assert tree_style("C44BS").get_params() == tree_style("c44bs").get_params()
    with pytest.raises(ParameterError, match=r"name must be 'bayes', .*; got 'cart1'"):
        tree_style("cart1")
    with pytest.raises(ParameterError, match="name must be"):
        tree_style(3)


def test_parameters_replace_those_of_the_style():
    model = tree_style("mml", min_leaf=5, estimate="frequency")
    assert (model.min_leaf, model.estimate, model.criterion) == (5, "frequency", "mml")


@pytest.mark.parametrize("name", ["id3", "cart", "mml", "c44ls"])
def test_alpha_is_the_prior_count_of_each_class_at_the_leaf(name):
    X, y = rows()
    model = tree_style(name, alpha=0.3, random_state=0).fit(X, y)
    counts = model.tree_.counts[model.apply(X)]
    np.testing.assert_allclose(model.predict_proba(X), (counts + 0.3) / (counts.sum(axis=1) + 0.6)[:, np.newaxis])
    raw = tree_style(name, alpha=0, random_state=0).fit(X, y)
    np.testing.assert_allclose(raw.predict_proba(X), counts / counts.sum(axis=1)[:, np.newaxis])


def test_alpha_of_an_averaging_style_is_that_of_every_node():
    assert tree_style("smml", alpha=0.5).estimate == PathAverage(alpha=0.5, prior="wallace")
    with pytest.raises(ParameterError, match="alpha is a number of the style's own estimate"):
        tree_style("bayes", alpha=1, estimate="laplace")


def test_the_default_of_ind_is_one_row_shared_by_the_classes():
    X, y = rows()
    model = tree_style("id3").fit(X, y)
    counts = model.tree_.counts[model.apply(X)]
    np.testing.assert_allclose(model.predict_proba(X), (counts + 0.5) / (counts.sum(axis=1) + 1)[:, np.newaxis])


@pytest.mark.parametrize("name", ["bayes", "id3", "smml"])
def test_styles_without_pruning_grow_until_leaves_are_pure(name):
    X, y = rows()
    tree = tree_style(name).fit(X, y).tree_
    assert (tree.counts[tree.is_leaf].min(axis=1) == 0).all()


def test_c44ls_is_the_default_tree():
    X, y = mixed_rows()
    np.testing.assert_array_equal(
        tree_style("c44ls").fit(X, y).predict_proba(X), ProbabilityTreeClassifier().fit(X, y).predict_proba(X)
    )


def test_bayes_and_smml_differ_in_the_prior_alone():
    X, y = rows()
    bayes, smml = tree_style("bayes").fit(X, y), tree_style("smml").fit(X, y)
    assert bayes.tree_.feature.tolist() == smml.tree_.feature.tolist()  # every test has two branches
    flat = smml.with_estimate(PathAverage(prior="flat"))
    np.testing.assert_array_equal(flat.predict_proba(X), bayes.predict_proba(X))
    assert np.abs(smml.predict_proba(X) - bayes.predict_proba(X)).max() > 0.01


def test_one_standard_error_prunes_no_less_than_none():
    X, y = rows(600)
    one, none = (tree_style(name, random_state=1).fit(X, y) for name in ("cart", "cart0"))
    assert one.n_leaves_ <= none.n_leaves_
    path = tree_style("cart", prune=None, ccp_alpha=0.0).fit(X, y)
    assert one.n_leaves_ in path.cost_complexity_path().n_leaves


def test_pruning_with_half_an_error_a_leaf_is_quinlans_rule_at_every_node():
    X, y = rows(500)
    grown = tree_style("c4", prune=None).fit(X, y).tree_
    errors = grown.weight - grown.counts.max(axis=1) + 0.5
    below = np.where(grown.is_leaf, errors, 0.0)
    for node in range(grown.n_nodes - 1, 0, -1):
        below[grown.parent[node]] += below[node]
    limit = below + np.sqrt(np.maximum(below * (grown.weight - below) / grown.weight, 0))
    is_leaf = grown.is_leaf | (errors < limit)
    kept = np.ones(grown.n_nodes, dtype=bool)
    for node in range(1, grown.n_nodes):
        kept[node] = kept[grown.parent[node]] and not is_leaf[grown.parent[node]]
    np.testing.assert_array_equal(tree_style("c4").fit(X, y).tree_.counts, grown.counts[kept])


@pytest.mark.parametrize("name", ["mml", "smml"])
def test_pure_noise_is_hardly_split(name):
    rng = np.random.default_rng(5)
    X, y = rng.normal(size=(800, 5)), rng.integers(0, 2, 800)
    proba = tree_style(name).fit(X, y).predict_proba(rng.normal(size=(500, 5)))
    assert np.abs(proba - 0.5).mean() < 0.1
