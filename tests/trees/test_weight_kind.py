"""Probability weights: a branch needs rows as well as weight."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone

from calibrant.ensembles import BaggedTreesClassifier, BPETsClassifier, EBPETsClassifier, MOBESPClassifier
from calibrant.exceptions import ParameterError
from calibrant.trees import ProbabilityTreeClassifier

CUTS = {"criterion": "entropy", "mdl_penalty": False, "min_cut": "min_leaf", "weight_kind": "probability"}


@st.composite
def tables(draw):
    """Small tables of numbers with ties; two or three classes, the first of weight 6.23."""
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    n = draw(st.integers(4, 60))
    X = np.column_stack([random.integers(0, 6, n), random.integers(0, 300, n), random.integers(0, 25, n)])
    y = random.integers(0, draw(st.integers(2, 3)), n)
    return X.astype(float), y, np.where(y == 0, 6.23, random.choice([0.7, 1.0, 2.0], n))


def bits(y, weight):
    totals = np.bincount(y, weight)
    totals = totals[totals > 0]
    return -(totals * np.log2(totals / totals.sum())).sum()


def gains(X, y, weight, least):
    """Return the gain of every cut, by column and value, that leaves enough weight and rows on each side."""
    found = {}
    for column, values in enumerate(X.T):
        for value in np.unique(values)[:-1]:
            sides = [values <= value, values > value]
            if all(weight[side].sum() >= least - 1e-9 and side.sum() >= least for side in sides):
                found[column, value] = bits(y, weight) - sum(bits(y[side], weight[side]) for side in sides)
    return found


@given(tables(), st.integers(1, 6))
def test_every_leaf_has_rows_and_weight_enough(table, min_leaf):
    X, y, weight = table
    model = ProbabilityTreeClassifier(min_leaf=min_leaf, **CUTS).fit(X, y, weight)
    if model.n_leaves_ > 1:
        assert np.unique(model.apply(X), return_counts=True)[1].min() >= min_leaf
        assert model.tree_.weight.min() >= min_leaf - 1e-9


@given(tables(), st.integers(1, 6))
def test_the_root_has_the_best_of_the_cuts_that_leave_rows_enough(table, min_leaf):
    X, y, weight = table
    tree = ProbabilityTreeClassifier(min_leaf=min_leaf, **CUTS).fit(X, y, weight).tree_
    possible = gains(X, y, weight, min_leaf)
    best = max(possible.values(), default=0.0) / weight.sum()
    if tree.n_nodes == 1:
        assert best < 1e-9
    else:
        assert possible[int(tree.feature[0]), tree.threshold[0]] / weight.sum() == pytest.approx(best, abs=1e-7)


@given(tables(), st.sampled_from(["gain_ratio", "gini", "hellinger"]), st.sampled_from(["c45", "j48"]))
def test_rows_that_all_have_weight_1_grow_the_same_tree(same_trees, table, criterion, dialect):
    X, y, _ = table
    X[::7, 0] = np.nan
    model = ProbabilityTreeClassifier(criterion=criterion, dialect=dialect)
    counted = clone(model).set_params(weight_kind="probability")
    assert same_trees(model.fit(X, y).tree_, counted.fit(X, y, np.ones(len(y))).tree_)


@st.composite
def words(draw):
    """One nominal column of up to seven values; one class has weight 6.23."""
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    n, n_words = draw(st.integers(4, 40)), draw(st.integers(3, 7))
    column = pd.Categorical.from_codes(random.integers(0, n_words, n), list("abcdefg"[:n_words]))
    y = random.integers(0, 2, n)
    return pd.DataFrame({"word": column}), y, np.where(y == 0, 6.23, 1.0)


def n_filled(places, weight, least):
    return int(((np.bincount(places) >= least) & (np.bincount(places, weight) >= least - 1e-9)).sum())


@given(words(), st.integers(2, 6), st.sampled_from(["multiway", "subset", "binary"]))
def test_at_least_two_branches_of_words_have_rows_and_weight_enough(table, min_leaf, nominal_splits):
    X, y, weight = table
    model = ProbabilityTreeClassifier(min_leaf=min_leaf, nominal_splits=nominal_splits, max_depth=1, **CUTS)
    if model.fit(X, y, weight).n_leaves_ > 1:
        assert n_filled(model.apply(X), weight, min_leaf) >= 2


@given(words(), st.integers(2, 6))
def test_a_branch_for_each_word_needs_two_words_of_rows_and_weight_enough(table, min_leaf):
    X, y, weight = table
    y[:2] = 0, 1
    model = ProbabilityTreeClassifier(min_leaf=min_leaf, max_depth=1, accept_zero_gain=True, **CUTS).fit(X, y, weight)
    assert (model.n_leaves_ > 1) == (n_filled(X["word"].cat.codes, weight, min_leaf) >= 2)


@given(words(), st.integers(2, 6))
def test_one_word_against_the_rest_is_the_best_of_those_that_leave_rows_enough(table, min_leaf):
    X, y, weight = table
    words = X["word"].cat.codes.to_numpy()
    sides = [words == word for word in np.unique(words)]
    possible = [side for side in sides if n_filled(side, weight, min_leaf) == 2]
    after = [bits(y[side], weight[side]) + bits(y[~side], weight[~side]) for side in possible]
    model = ProbabilityTreeClassifier(min_leaf=min_leaf, max_depth=1, nominal_splits="binary", **CUTS).fit(X, y, weight)
    leaf = model.apply(X)
    left = sum(bits(y[leaf == each], weight[leaf == each]) for each in np.unique(leaf))
    assert left == pytest.approx(min([*after, bits(y, weight)]), abs=1e-4)


@pytest.mark.parametrize("spare", [0, 30])
def test_one_row_that_represents_six_makes_no_leaf(spare):
    X = np.arange(5.0 + spare)[:, np.newaxis]
    y, weight = np.r_[0, np.ones(4 + spare, int)], np.r_[6.23, np.ones(4 + spare)]
    model = ProbabilityTreeClassifier(min_cut="min_leaf", mdl_penalty=False)
    assert model.fit(X, y, weight).tree_.threshold[0] == 0
    assert clone(model).set_params(weight_kind="probability").fit(X, y, weight).tree_.threshold[0] == 1


def test_a_row_without_a_value_is_no_row_of_either_side():
    X, y, weight = [[1.0], [None], [2.0], [2.0]], [0, 0, 1, 1], [5.0, 5.0, 1.0, 1.0]
    model = ProbabilityTreeClassifier(min_cut="min_leaf", mdl_penalty=False)
    assert model.fit(X, y, weight).n_leaves_ == 2
    assert model.set_params(weight_kind="probability").fit(X, y, weight).n_leaves_ == 1


@pytest.mark.parametrize("make", [BaggedTreesClassifier, BPETsClassifier, EBPETsClassifier, MOBESPClassifier])
@pytest.mark.parametrize("prune", [None, "mdl"])
def test_a_row_of_a_bag_counts_once_however_often_it_was_drawn(make, prune):
    random = np.random.default_rng(0)
    X, y = random.normal(size=(80, 2)), random.integers(0, 2, 80)
    params = {"n_trees": 5, "min_leaf": 4, "min_cut": "min_leaf", "mdl_penalty": False, "prune": prune}
    model = make(weight_kind="probability", random_state=0, **params).fit(X, y, np.where(y == 0, 6.23, 1.0))
    for bag, leaves in zip(model.in_bag_, model.apply(X).T, strict=True):
        assert np.unique(leaves[bag > 0], return_counts=True)[1].min() >= 4


def test_another_kind_of_weight_is_rejected():
    with pytest.raises(ParameterError, match="weight_kind"):
        ProbabilityTreeClassifier(weight_kind="survey").fit([[1], [2]], [0, 1])
