"""Readings of scikit-learn's forests: equal to the plain reference, and clear about what they do not take."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    ExtraTreesClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.exceptions import NotFittedError
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier, ExtraTreeClassifier

from calibrant.ensembles import mob_esp
from calibrant.estimates import HierarchicalShrinkage
from calibrant.exceptions import CalibrantWarning, DataError, ParameterError

SEEDED = {"random_state": 0}
FORESTS = {
    "random forest": RandomForestClassifier(6, **SEEDED),
    "part of the rows": RandomForestClassifier(7, max_samples=0.5, min_samples_leaf=2, **SEEDED),
    "grown best first": RandomForestClassifier(6, max_leaf_nodes=9, **SEEDED),
    "extra trees": ExtraTreesClassifier(6, bootstrap=True, **SEEDED),
    "bagging": BaggingClassifier(DecisionTreeClassifier(max_depth=4), 6, max_features=0.7, **SEEDED),
    "pasting": BaggingClassifier(ExtraTreeClassifier(), 5, bootstrap=False, max_samples=0.6, **SEEDED),
}


class PlainTree:
    """A tree of scikit-learn under the names that the reference reads."""

    def __init__(self, model, n_classes, columns):
        tree = model.tree_
        self.feature = [columns[j] if j >= 0 else -1 for j in tree.feature]
        self.threshold, self.n_values = tree.threshold, np.zeros(tree.node_count, dtype=int)
        self.left, self.right = tree.children_left, tree.children_right
        self.parent = [-1] * tree.node_count
        for node in range(tree.node_count):
            for child in (self.left[node], self.right[node]):
                if child >= 0:
                    self.parent[child] = node
        self.counts = np.zeros((tree.node_count, n_classes))
        for place, label in enumerate(model.classes_):
            self.counts[:, int(label)] = tree.value[:, 0, place] * tree.weighted_n_node_samples

    def children_of(self, node):
        return [self.left[node], self.right[node]]


def rows(n_classes, seed=0):
    random = np.random.default_rng(seed)
    X = random.integers(0, 15, (120, 4)).astype(float)
    score = X[:, 0] + random.normal(0, 4, 120)
    return X, np.array(["c", "a", "d", "b"])[np.clip(score * n_classes / 15, 0, n_classes - 1).astype(int)]


def plain_forest(reference, forest, X, y):
    features = getattr(forest, "estimators_features_", [range(X.shape[1])] * len(forest.estimators_))
    trees = [
        PlainTree(tree, len(forest.classes_), list(columns))
        for tree, columns in zip(forest.estimators_, features, strict=True)
    ]
    in_bag = [np.bincount(drawn, minlength=len(X)).tolist() for drawn in forest.estimators_samples_]
    labels = np.searchsorted(forest.classes_, y).tolist()
    return reference.Forest(trees, X.tolist(), labels, in_bag, [1.0] * len(X))


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("forest", FORESTS.values(), ids=FORESTS)
@pytest.mark.sample(3)
def test_readings_equal_the_reference(reference, forest, n_classes):
    X, y = rows(n_classes)
    X, y, new_rows = X[:80], y[:80], X[80:]
    forest.fit(X, y)
    plain = plain_forest(reference, forest, X, y)
    ends = [[reference.ends_of(tree, row) for tree in plain.trees] for row in new_rows.tolist()]
    labels = [reference.out_label(plain, i) for i in range(80)]
    mob, eb = mob_esp(forest, X, y), mob_esp(forest, X, y, kind="eb_pets", in_bag_counts="multiplicity")
    voted = [reference.vote(plain, each, list(range(len(plain.trees))))[0] for each in ends]
    np.testing.assert_array_equal(mob.vote(new_rows), forest.classes_[voted])
    for found, expected in [
        (mob.predict_proba(new_rows), [reference.mob_esp(plain, each, labels) for each in ends]),
        (mob.oob_proba_, [reference.strict_mob_esp_out(plain, i) for i in range(80)]),
        (eb.predict_proba(new_rows), [reference.eb_pets(plain, each, multiplicity=True) for each in ends]),
        (eb.oob_proba_, [reference.eb_pets_out(plain, i, multiplicity=True) for i in range(80)]),
    ]:
        np.testing.assert_allclose(found, np.array(expected, dtype=float), rtol=0, atol=1e-12)


def test_a_new_row_may_be_labelled_by_as_many_trees_as_a_training_row(reference):
    X, y = rows(4)
    forest = RandomForestClassifier(30, random_state=1).fit(X, y)
    plain, new_rows = plain_forest(reference, forest, X, y), X[:9] + 0.3
    ends = [[reference.ends_of(tree, row) for tree in plain.trees] for row in new_rows.tolist()]
    found = mob_esp(forest, X, y, vote_trees="out_of_bag")
    voters = list(range(round((np.array(plain.in_bag) == 0).mean() * 30)))
    assert 9 <= len(voters) <= 13
    assert found.vote(new_rows).tolist() == [forest.classes_[reference.vote(plain, each, voters)[0]] for each in ends]
    labels = [reference.out_label(plain, i) for i in range(len(X))]
    expected = [reference.mob_esp(plain, each, labels, voters=voters) for each in ends]
    np.testing.assert_allclose(found.predict_proba(new_rows), expected, rtol=0, atol=1e-12)


def test_a_reading_survives_pickling():
    X, y = rows(4)
    found = mob_esp(RandomForestClassifier(5, random_state=0).fit(X, y), X, y)
    copy = pickle.loads(pickle.dumps(found))  # noqa: S301
    np.testing.assert_array_equal(copy.predict_proba(X), found.predict_proba(X))


def test_without_a_bootstrap_it_warns_and_predicts_as_the_forest():
    X, y = rows(4)
    forest = ExtraTreesClassifier(5, min_samples_leaf=3, random_state=0).fit(X, y)
    with pytest.warns(CalibrantWarning, match="Fit it with bootstrap=True"):
        found = mob_esp(forest, X, y)
    np.testing.assert_allclose(found.predict_proba(X), forest.predict_proba(X), atol=1e-12)
    assert np.isnan(found.oob_proba_).all()


@pytest.mark.parametrize("kind", ["mob_esp", "eb_pets"])
def test_a_weight_of_two_counts_as_the_row_twice(kind):
    """The forest is the same; a leaf then holds some rows twice."""
    X, y = rows(2)
    forest, weights = RandomForestClassifier(8, random_state=0).fit(X, y), np.where(np.arange(len(X)) % 3, 1.0, 2.0)
    one = mob_esp(forest, X, y, kind=kind, sample_weight=weights)
    other = mob_esp(forest, X, y, kind=kind, sample_weight=3 * weights)
    np.testing.assert_allclose(one.predict_proba(X), other.predict_proba(X), atol=1e-12)
    assert (one.predict_proba(X) != mob_esp(forest, X, y, kind=kind).predict_proba(X)).any()


def test_rows_of_weight_0_do_not_count_in_the_leaves():
    X, y = rows(2)
    forest, weights = RandomForestClassifier(8, random_state=0).fit(X, y), (np.arange(len(X)) % 2).astype(float)
    changed = np.where(weights == 0, y[::-1], y)
    members = mob_esp(forest, X, y, kind="eb_pets", sample_weight=weights)
    with pytest.raises(DataError, match="Pass the same rows in the same order"):
        mob_esp(forest, X, changed, kind="eb_pets", sample_weight=weights)
    counted = members.reading.tables[0][members.members.paths.leaves[0][weights > 0]]
    assert np.isfinite(counted).all()


@pytest.mark.parametrize("forest", [RandomForestClassifier(9, random_state=0), BaggingClassifier(n_estimators=9)])
def test_frames_pass_as_the_forest_takes_them(forest):
    X, y = rows(2)
    frame = pd.DataFrame(X, columns=list("abcd"))
    forest.fit(frame, y)
    found = mob_esp(forest, frame, y)
    assert found.predict_proba(frame).shape == (120, 2)
    assert set(found.predict(frame)) <= set(y)
    assert "MOB-ESP" in repr(found)


def test_out_of_bag_weights_are_chosen():
    X, y = rows(4)
    forest = RandomForestClassifier(25, random_state=0).fit(X, y)
    chosen = mob_esp(forest, X, y, kind="eb_pets", out_of_bag_weight="auto").out_of_bag_weight_
    assert np.log2(chosen) in range(-3, 7)
    leaf = mob_esp(forest, X, y, kind="eb_pets", out_of_bag_weight="leaf")
    np.testing.assert_allclose(leaf.predict_proba(X).sum(axis=1), 1)
    assert leaf.out_of_bag_weight_ == chosen


def test_any_table_estimate_reads_the_pooled_counts():
    X, y = rows(2)
    forest = RandomForestClassifier(12, random_state=0).fit(X, y)
    found = mob_esp(forest, X, y, kind="eb_pets", estimate=HierarchicalShrinkage())
    np.testing.assert_allclose(found.oob_proba_[~np.isnan(found.oob_proba_[:, 0])].sum(axis=1), 1)
    with pytest.raises(ParameterError, match="use the reading 'eb_pets'"):
        mob_esp(forest, X, y, estimate=HierarchicalShrinkage())


@pytest.mark.parametrize(
    ("forest", "got"),
    [
        (RandomForestRegressor(2), "got RandomForestRegressor"),
        (AdaBoostClassifier(n_estimators=2), "got AdaBoostClassifier"),
        (BaggingClassifier(GaussianNB(), 2), "got BaggingClassifier of GaussianNB"),
    ],
)
def test_other_ensembles_are_rejected_by_name(forest, got):
    X, y = rows(2)
    with pytest.raises(ParameterError, match=got):
        mob_esp(forest.fit(X, y == "a"), X, y)


def test_what_is_not_its_training_set_is_rejected():
    X, y = rows(2)
    forest = RandomForestClassifier(5, random_state=0).fit(X, y)
    with pytest.raises(DataError, match="X has 90 rows; fitted_forest was fitted on 120"):
        mob_esp(forest, X[:90], y[:90])
    with pytest.raises(DataError, match="y has the class 'z'"):
        mob_esp(forest, X, np.where(y == "a", "z", y))
    with pytest.raises(DataError, match="Pass the same rows in the same order"):
        mob_esp(forest, X[::-1], y)
    with pytest.raises(NotFittedError):
        mob_esp(RandomForestClassifier(), X, y)
    with pytest.raises(ParameterError, match="kind must be 'mob_esp' or 'eb_pets'"):
        mob_esp(forest, X, y, kind="mobesp")
    with pytest.raises(DataError, match="predicts 2 columns of classes"):
        mob_esp(RandomForestClassifier(2).fit(X, np.column_stack([y, y])), X, y)
