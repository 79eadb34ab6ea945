"""Cost-complexity pruning with alpha chosen on held-out rows: by hand, by brute force, and what it leaves of noise."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, StratifiedKFold

from calibrant.ensembles import BaggedTreesClassifier
from calibrant.estimates import HeldOutLeaves, MEstimate
from calibrant.exceptions import DataError, ParameterError
from calibrant.resampling import CrossValidation, estimate_performance
from calibrant.trees import ProbabilityTreeClassifier
from calibrant.trees._growing.cost_complexity import HeldOutErrors, held_out_errors, independent_rows

CART = ProbabilityTreeClassifier(criterion="gini", min_leaf=1, min_cut="min_leaf", threshold="midpoint", random_state=0)


def rows(n=200, seed=0, signal=1.0, n_classes=3):
    random = np.random.default_rng(seed)
    y = random.integers(0, n_classes, n)
    X = random.normal(size=(n, 4))
    X[:, 0] += signal * y
    return X, y


def pruned(how, **params):
    return clone(CART).set_params(prune="cost_complexity", ccp_alpha=how, **params)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("n_classes", [2, 4])
def test_held_out_errors_are_those_of_trees_pruned_one_by_one(seed, n_classes):
    X, y = rows(seed=seed, n_classes=n_classes)
    weights = np.random.default_rng(seed).integers(1, 4, len(y)).astype(float)
    alphas = clone(CART).fit(X, y, weights).cost_complexity_path().alphas
    folds, wrong = [], np.zeros(len(alphas))
    for train, test in StratifiedKFold(4, shuffle=True, random_state=seed).split(X, y):
        model = clone(CART).fit(X[train], y[train], weights[train])
        leaf = model.apply(X[test])
        folds.append(HeldOutLeaves(model.tree_, np.arange(len(test)), leaf, np.ones(len(test)), y[test], weights[test]))
        path = model.cost_complexity_path()
        for k, mean in enumerate([*np.sqrt(alphas[:-1] * alphas[1:]), 10.0]):
            smaller = path.at(mean).with_estimate("frequency")
            wrong[k] += weights[test][smaller.predict(X[test]) != y[test]].sum()
    found = held_out_errors(alphas, folds, weights.sum())
    np.testing.assert_allclose(found.errors, wrong / weights.sum(), rtol=0, atol=1e-12)


def test_unequal_probability_weights_and_groups_are_worth_fewer_rows():
    weights, groups = np.array([1.0, 3.0, 2.0]), np.array([0, 0, 1])
    assert independent_rows(weights) == 6
    assert independent_rows(weights, is_frequency=False) == pytest.approx(36 / 14)
    assert independent_rows(weights, groups) == pytest.approx(36 / 20)


@pytest.mark.filterwarnings("ignore::calibrant.exceptions.CalibrantWarning")
def test_a_weight_of_three_chooses_what_three_copies_choose():
    X, y = rows(90)
    weighted = pruned("cv_1se").fit(X, y, np.full(90, 3.0))
    copied = pruned("cv_1se").fit(np.repeat(X, 3, axis=0), np.repeat(y, 3))
    assert weighted.ccp_alpha_ == pytest.approx(copied.ccp_alpha_)
    assert weighted.n_leaves_ == copied.n_leaves_


@pytest.mark.filterwarnings("ignore::calibrant.exceptions.CalibrantWarning")
def test_copies_of_a_group_stay_together():
    """Copies in different folds make every split look right."""
    X, y = rows(90, signal=0.3, n_classes=2)
    X3, y3, groups = np.repeat(X, 3, axis=0), np.repeat(y, 3), np.repeat(np.arange(90), 3)
    grouped, apart = pruned("cv_1se").fit(X3, y3, groups=groups), pruned("cv_1se").fit(X3, y3)
    assert grouped.n_leaves_ < apart.n_leaves_


def test_the_smallest_tree_within_a_standard_error_is_chosen_by_hand():
    """A least error of 0.2 on 100 rows has a standard error of 0.04."""
    errors = HeldOutErrors(np.array([0, 0.01, 0.02, 0.1]), np.array([0.22, 0.2, 0.24, 0.241]), 100.0)
    assert errors.best(0.0) == 0.01
    assert errors.best(1.0) == 0.02
    assert HeldOutErrors(np.array([0, 0.1]), np.array([0.2, 0.2]), 9.0).best(0.0) == 0.1


@pytest.mark.parametrize("how", ["cv", "cv_1se"])
@pytest.mark.parametrize("params", [{}, {"honest": True}, {"collapse": True}, {"weight_kind": "probability"}], ids=str)
def test_the_tree_is_the_one_of_the_chosen_alpha(same_trees, how, params):
    X, y = rows()
    model = pruned(how, **params).fit(X, y)
    assert model.ccp_alpha == how
    again = pruned(model.ccp_alpha_, **params).fit(X, y)
    assert same_trees(model.tree_, again.tree_)
    assert again.ccp_alpha_ == again.ccp_alpha


def test_one_standard_error_never_keeps_more_than_none():
    sizes = np.array([[pruned(how).fit(*rows(seed=s)).n_leaves_ for how in ("cv", "cv_1se")] for s in range(8)])
    assert (sizes[:, 1] <= sizes[:, 0]).all()
    assert (sizes[:, 1] < sizes[:, 0]).any()


def test_noise_leaves_a_single_leaf_and_a_clear_split_stays():
    """By the 1-SE rule; an unpruned tree has 30 leaves and more on the noise, of which a quarter is positive."""
    noise = []
    for seed in range(20):
        random = np.random.default_rng(seed)
        noise.append(pruned("cv_1se").fit(random.normal(size=(200, 4)), random.random(200) < 0.25).n_leaves_)
    clear = [pruned("cv_1se").fit(*rows(seed=s, signal=4.0, n_classes=2)).n_leaves_ for s in range(10)]
    assert np.mean(np.array(noise) == 1) >= 0.9
    assert set(clear) == {2}


def test_a_weight_of_zero_is_no_row_and_missing_values_are_counted_by_share():
    X, y = rows()
    X[::7, 0] = np.nan
    model = pruned("cv_1se").fit(X, y)
    padded = pruned("cv_1se").fit(np.vstack([X, X[:9]]), np.append(y, y[:9]), np.append(np.ones(len(y)), np.zeros(9)))
    assert 1 < model.n_leaves_ < clone(CART).fit(X, y).n_leaves_
    assert padded.ccp_alpha_ == model.ccp_alpha_


def test_an_estimate_may_be_chosen_on_folds_too():
    model = pruned("cv", estimate=MEstimate(m="cv")).fit(*rows())
    assert isinstance(model.estimate_.m, float)
    assert isinstance(model.ccp_alpha_, float)


def test_searches_and_resampling_fit_it_on_their_own_rows():
    X, y = rows(n_classes=2)
    search = GridSearchCV(pruned("cv"), {"estimate": ["laplace", "m"]}, cv=3).fit(X, y)
    assert search.best_estimator_.ccp_alpha_ == pruned("cv").fit(X, y).ccp_alpha_
    performance = estimate_performance({"cart": pruned("cv_1se")}, X, y, CrossValidation(3), metrics=["error"])
    assert performance is not None


def test_folds_need_rows_and_forests_a_number():
    with pytest.raises(DataError, match="too few rows of weight > 0 for a number chosen by cross-validation"):
        pruned("cv").fit([[1.0], [2.0]], [0, 1])
    with pytest.raises(ParameterError, match="ccp_alpha must be a finite number >= 0; got 'cv'"):
        BaggedTreesClassifier(prune="cost_complexity", ccp_alpha="cv").fit(*rows())
    with pytest.raises(ParameterError, match="ccp_alpha must be 'cv', 'cv_1se' or a finite number >= 0; got '1se'"):
        pruned("1se").fit(*rows())
