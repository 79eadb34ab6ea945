"""A search over estimates grows each tree once: clones of one estimator share what they grow."""

import gc
import weakref
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

from calibrant.trees import ProbabilityTreeClassifier

ESTIMATES = ["frequency", "laplace", "m", "m_branch", "hierarchical_shrinkage"]


def search(model, grid, X, y, **params):
    return GridSearchCV(model, grid, cv=4, scoring="roc_auc", error_score="raise", **params).fit(X, y)


def grown_in_search(model, grid, X, y):
    """Return the number of different trees of the fitted models of a search over four folds."""
    trees = []

    def score(fitted, *_):
        trees.append((fitted[-1] if isinstance(fitted, Pipeline) else fitted).tree_)
        return 0.0

    GridSearchCV(model, grid, cv=4, scoring=score, refit=False, error_score="raise").fit(X, y)
    return len({id(tree) for tree in trees})


def test_a_grid_of_five_estimates_grows_a_tree_for_each_fold(ranks):
    assert grown_in_search(ProbabilityTreeClassifier(), {"estimate": ESTIMATES}, *ranks) == 4


def test_the_tree_of_all_rows_is_that_of_the_best_estimate(ranks):
    found = search(ProbabilityTreeClassifier(), {"estimate": ESTIMATES}, *ranks)
    assert found.best_estimator_.estimate == found.best_params_["estimate"]


def test_a_grid_in_a_pipeline_grows_as_few(ranks):
    pipeline = make_pipeline(StandardScaler(), ProbabilityTreeClassifier())
    assert grown_in_search(pipeline, {"probabilitytreeclassifier__estimate": ESTIMATES}, *ranks) == 4


def test_another_parameter_of_growing_grows_again(ranks):
    grid = {"estimate": ESTIMATES, "min_leaf": [2, 9], "n_jobs": [1, 2]}
    assert grown_in_search(ProbabilityTreeClassifier(), grid, *ranks) == 8
    assert grown_in_search(ProbabilityTreeClassifier(), {"estimate": ESTIMATES, "max_bins": [None, 9]}, *ranks) == 8


def test_a_shared_tree_gives_the_same_bits(ranks):
    X, y = ranks
    model = ProbabilityTreeClassifier(tie_break="random", honest=True, random_state=3)
    found = search(model, {"estimate": ESTIMATES}, X, y)
    splits = np.column_stack([found.cv_results_[f"split{i}_test_score"] for i in range(4)])
    for params, scores in zip(found.cv_results_["params"], splits, strict=True):
        alone = ProbabilityTreeClassifier(**{**model.get_params(), **params})  # its clones are no family
        np.testing.assert_array_equal(scores, cross_val_score(alone, X, y, cv=4, scoring="roc_auc"))


def test_random_ties_without_a_seed_are_drawn_again(ranks):
    assert grown_in_search(ProbabilityTreeClassifier(tie_break="random"), {"estimate": ESTIMATES}, *ranks) == 20


@pytest.mark.parametrize("seed", [7, np.random.SeedSequence(7), np.random.default_rng(7), np.random.RandomState(7)])
def test_random_ties_with_a_seed_are_shared(ranks, seed):
    model = ProbabilityTreeClassifier(tie_break="random", random_state=seed)
    assert grown_in_search(model, {"estimate": ESTIMATES}, *ranks) == 4


def siblings(n, **params):
    founder = clone(ProbabilityTreeClassifier(**params))
    return [clone(founder) for _ in range(n)]


@pytest.mark.parametrize("change", ["value", "class", "weight", "name", "category"])
def test_rows_that_differ_anywhere_are_distinguished(change):
    X = pd.DataFrame({"a": [1.0, 2, 3, 4], "b": ["u", "u", "v", "w"]})
    y, weights = np.array(["k", "k", "l", "l"]), np.ones(4)
    one, two = siblings(2)
    one.fit(X, y, weights * 2)
    if change == "value":
        X = X.assign(a=[1.0, 2, 3, 5])
    elif change == "class":
        y = np.where(y == "k", "j", y)
    elif change == "weight":
        weights = np.array([1, 1, 1, 2.0])
    elif change == "name":
        X = X.rename(columns={"a": "c"})
    else:
        X = X.assign(b=["u", "u", "v", "x"])
    two.fit(X, y, weights * 2)
    assert two.tree_ is not one.tree_


def test_a_plain_fit_has_nothing_to_do_with_it(ranks):
    """Nor have the clones of a cross-validation, which have no clones of their own."""
    model = ProbabilityTreeClassifier().fit(*ranks)
    first = model.tree_
    clone(model)
    assert not hasattr(model, "_tree_cache")
    assert model.fit(*ranks).tree_ is not first


def test_what_clones_share_goes_with_them(ranks):
    X, y = ranks
    one, two = siblings(2)
    kept = weakref.ref(one._tree_cache)
    assert one._tree_cache is two._tree_cache
    one.fit(X, y)
    two.fit(X, y)
    assert one.tree_ is two.tree_
    gc.collect()
    assert kept() is None


def test_clones_may_fit_in_threads(ranks):
    X, y = ranks
    made = siblings(8)
    with ThreadPoolExecutor(4) as pool:
        fitted = list(pool.map(lambda model: model.fit(X, y), made))
    for model in fitted:
        np.testing.assert_array_equal(model.predict_proba(X), fitted[0].predict_proba(X))


@pytest.mark.long
def test_several_processes_search_too(ranks):
    found = search(ProbabilityTreeClassifier(), {"estimate": ESTIMATES[:2]}, *ranks, n_jobs=2)
    alone = search(ProbabilityTreeClassifier(), {"estimate": ESTIMATES[:2]}, *ranks)
    np.testing.assert_array_equal(found.cv_results_["mean_test_score"], alone.cv_results_["mean_test_score"])
