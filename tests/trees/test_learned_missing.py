"""Missing values that a test sends to the branch that gains most, against a search of all tests."""

import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from tests.trees.mixed_rows import mixed_rows

from calibrant.trees import ProbabilityTreeClassifier

PLAIN = {"criterion": "entropy", "mdl_penalty": False, "min_cut": "min_leaf", "threshold": "midpoint", "min_leaf": 1}
INFORMATION = {
    "entropy": lambda p: -sum(x * np.log2(x) for x in p if x > 0),
    "gini": lambda p: 1.0 - sum(x * x for x in p),
}


def _gain(labels, weights, branch, criterion):
    """Return the decrease of impurity by a split of all rows."""

    def impurity(rows):
        total = weights[rows].sum()
        shares = [weights[rows & (labels == k)].sum() / total for k in np.unique(labels)]
        return total * INFORMATION[criterion](shares)

    everything = np.ones(len(labels), dtype=bool)
    parts = sum(impurity(branch == b) for b in np.unique(branch))
    return (impurity(everything) - parts) / weights.sum()


def _cuts(column):
    """Yield every split of a column in two: each cut with the missing values on either side, and the missing ones."""
    is_missing = np.isnan(column)
    known = np.unique(column[~is_missing])
    for low in known[:-1]:
        for of_missing in [False, True] if is_missing.any() else [False]:
            yield np.where(is_missing, of_missing, column > low)
    if is_missing.any() and len(known):
        yield is_missing


def _best_gain(X, labels, weights, criterion, min_leaf):
    gains = [
        _gain(labels, weights, right, criterion)
        for column in X.T
        for right in _cuts(column)
        if min(weights[right].sum(), weights[~right].sum()) >= min_leaf
    ]
    return max(gains, default=0.0)


_NUMBERS = st.sampled_from([1.0, 2.0, 3.0, 4.0, np.nan])


@pytest.mark.parametrize("criterion", ["entropy", "gini"])
@pytest.mark.parametrize("n_classes", [2, 3])
@given(data=st.data())
def test_the_first_test_is_the_best_of_all_cuts_and_sides(data, criterion, n_classes):
    n = data.draw(st.integers(4, 24))
    X = data.draw(arrays(float, (n, 2), elements=_NUMBERS))
    y = data.draw(arrays(int, n, elements=st.integers(0, n_classes - 1)))
    weights = data.draw(arrays(float, n, elements=st.sampled_from([0.5, 1.0, 2.0, 3.0])))
    min_leaf = data.draw(st.sampled_from([1, 2, 4]))
    model = ProbabilityTreeClassifier(**PLAIN | {"criterion": criterion, "min_leaf": min_leaf}, missing="learned")
    tree = model.set_params(max_depth=1).fit(X, y, sample_weight=weights).tree_
    found = 0.0
    if not tree.is_leaf[0]:
        found = _gain(y, weights, model.apply(X), criterion)
        assert np.allclose(tree.counts[1:].sum(axis=0), tree.counts[0])
    is_small = weights.sum() < 2 * min_leaf or len(np.unique(y)) < 2
    assert found == pytest.approx(0.0 if is_small else _best_gain(X, y, weights, criterion, min_leaf), abs=1e-9)


@given(data=st.data())
def test_many_values_are_searched_as_few_are(data):
    seed = data.draw(st.integers(0, 2**32 - 1))
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(90, 2)).round(4)  # C4.5 puts no cut between values that are nearer than 1e-5
    X[rng.random(X.shape) < 0.2] = np.nan
    y = ((np.nan_to_num(X[:, 0], nan=2.0) > 0.5) ^ (rng.random(90) < 0.2)).astype(int)
    weights = rng.choice([1.0, 2.0] if seed % 2 else [0.3, 1.7], 90)
    model = ProbabilityTreeClassifier(**PLAIN, missing="learned", max_depth=1).fit(X, y, sample_weight=weights)
    assert _gain(y, weights, model.apply(X), "entropy") == pytest.approx(_best_gain(X, y, weights, "entropy", 1))


@pytest.mark.parametrize("nominal_splits", ["multiway", "subset", "binary"])
@pytest.mark.parametrize("criterion", ["gain_ratio", "entropy", "gini", "dkm", "hellinger"])
def test_without_missing_values_the_tree_is_the_same(nominal_splits, criterion):
    rng = np.random.default_rng(3)
    frame = pd.DataFrame(rng.normal(size=(300, 3)), columns=["a", "b", "c"])
    frame["d"] = pd.Categorical(rng.choice(list("uvwx"), 300))
    y = (frame["a"] + (frame["d"] == "u") + rng.normal(size=300) > 0.5).astype(int)
    trees = [
        ProbabilityTreeClassifier(missing=missing, nominal_splits=nominal_splits, criterion=criterion).fit(frame, y)
        for missing in ("fractional", "learned")
    ]
    for left, right in zip(*(model.tree_.core.state for model in trees), strict=True):
        assert np.array_equal(left, right)


def test_a_numeric_test_of_missing_or_not_sends_every_number_left():
    X = np.array([[1.0], [5.0], [2.0], [4.0], [np.nan], [np.nan]])
    model = ProbabilityTreeClassifier(**PLAIN, missing="learned").fit(X, [0, 0, 0, 0, 1, 1])
    assert model.tree_.threshold[0] == np.inf
    assert model.tree_.missing_branch[0] == 1
    assert model.predict([[-1e300], [1e300], [np.nan]]).tolist() == [0, 0, 1]
    assert model.export_text() == "x0 is known: 0 (p = 0.833, n = 4)\nx0 is missing: 1 (p = 0.750, n = 2)"


def test_a_nominal_test_has_a_branch_for_missing_values_and_unseen_categories():
    frame = pd.DataFrame({"town": ["Oslo", "Oslo", "Rome", "Rome", None, None]}, dtype="category")
    model = ProbabilityTreeClassifier(missing="learned", min_leaf=1).fit(frame, [0, 0, 1, 1, 2, 2])
    assert model.tree_.n_children[0] == 3
    assert model.tree_.missing_branch[0] == 2
    new = pd.DataFrame({"town": ["Oslo", None, "Bonn"]}, dtype="category")
    assert model.predict(new).tolist() == [0, 2, 2]
    assert "town is missing: 2" in model.export_text()


@pytest.mark.parametrize(("labels", "where"), [([0, 0, 0, 1, 1, 0], 1), ([0, 0, 0, 0, 1, 1], 0)])
def test_one_category_against_the_rest_counts_missing_as_a_category(labels, where):
    frame = pd.DataFrame({"town": ["Oslo", "Oslo", "Rome", "Bonn", "Bonn", None]}, dtype="category")
    if where == 0:
        frame = pd.DataFrame({"town": ["Oslo", "Rome", "Rome", "Bonn", None, None]}, dtype="category")
    model = ProbabilityTreeClassifier(missing="learned", nominal_splits="binary", max_depth=1, min_leaf=1)
    tree = model.set_params(criterion="entropy").fit(frame, labels).tree_
    assert tree.n_children[0] == 2
    assert tree.missing_branch[0] == where


def test_a_test_without_missing_training_values_shares_them():
    X = np.array([[1.0, 0.0], [2.0, 0.0], [3.0, 0.0], [4.0, np.nan]])
    fitted = [
        ProbabilityTreeClassifier(missing=missing, min_leaf=1).fit(X, [0, 0, 1, 1])
        for missing in ("fractional", "learned")
    ]
    assert (fitted[1].tree_.missing_branch == -1).all()
    proba = [model.predict_proba([[np.nan, 0.0]]) for model in fitted]
    assert np.array_equal(*proba)


SETTINGS = [
    {},
    {"criterion": "entropy", "nominal_splits": "binary", "mdl_penalty": False, "threshold": "midpoint"},
    {"criterion": "gini", "nominal_splits": "subset"},
    {"criterion": "twoing"},
    {"criterion": "hellinger", "max_depth": 4},
    {"dialect": "j48"},
    {"prune": "pessimistic"},
    {"prune": "pessimistic", "dialect": "j48", "nominal_splits": "subset"},
    {"prune": "cost_complexity", "ccp_alpha": 0.01},
    {"prune": "mdl"},
    {"prune": "reduced_error", "random_state": 0},
    {"honest": True, "random_state": 0},
]


@pytest.mark.parametrize("params", SETTINGS, ids=str)
def test_every_training_row_reaches_one_leaf_and_is_counted_there(params):
    X, y = mixed_rows()
    model = ProbabilityTreeClassifier(missing="learned", estimate="frequency", **params).fit(X, y)
    tree, leaves = model.tree_, model.apply(X)
    assert (tree.missing_branch >= 0).any() or tree.n_nodes < 4
    if params.get("honest") or params.get("prune") == "reduced_error":  # counted or grown from some of the rows
        return
    counts = np.zeros((tree.n_nodes, 2))
    np.add.at(counts, (leaves, y), 1.0)
    assert np.array_equal(counts[tree.is_leaf], tree.counts[tree.is_leaf])
    path = model.decision_path(X)
    assert np.array_equal(np.asarray(path.sum(axis=1)).ravel(), tree.depth[leaves] + 1)


@pytest.mark.parametrize("params", SETTINGS[:6], ids=str)
def test_a_weight_of_two_is_the_row_twice(params, same_trees):
    X, y = mixed_rows(120)
    twice = np.arange(120) % 3 == 0
    model = ProbabilityTreeClassifier(missing="learned", **params)
    weighted = model.fit(X, y, sample_weight=np.where(twice, 2.0, 1.0)).tree_
    copies = pd.concat([X, X[twice]])
    assert same_trees(weighted, model.fit(copies, np.concatenate([y, y[twice]])).tree_)


def test_any_number_of_threads_grows_the_same_tree(same_trees):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(9000, 4))
    X[rng.random(X.shape) < 0.1] = np.nan
    y = (np.nan_to_num(X[:, 0], nan=1.0) + rng.normal(size=9000) > 0.5).astype(int)
    trees = [ProbabilityTreeClassifier(**PLAIN, missing="learned", n_jobs=n).fit(X, y).tree_ for n in (1, 3)]
    assert same_trees(*trees)


def test_large_and_small_nodes_are_searched_alike():
    """Large nodes are counted in buckets with two classes; with a third, of weight 0 in effect, they are sorted."""
    rng = np.random.default_rng(2)
    X = rng.normal(size=(6000, 3))
    X[rng.random(X.shape) < 0.15] = np.nan
    y = (np.isnan(X[:, 0]) | (X[:, 1] > 0.3)) ^ (rng.random(6000) < 0.2)
    model = ProbabilityTreeClassifier(**PLAIN | {"min_leaf": 20}, missing="learned", max_depth=5)
    two = model.fit(X, y.astype(int)).tree_
    three = model.fit(np.vstack([X, [[9.0, 9.0, 9.0]]]), np.append(y.astype(int), 2), np.append(np.ones(6000), 1e-9))
    assert np.array_equal(two.feature, three.tree_.feature)
    assert np.array_equal(two.missing_branch, three.tree_.missing_branch)
    assert np.allclose(two.counts, three.tree_.counts[:, :2])


def test_pickles_keep_the_branches_of_missing_values():
    X, y = mixed_rows()
    model = ProbabilityTreeClassifier(missing="learned").fit(X, y)
    loaded = pickle.loads(pickle.dumps(model))  # noqa: S301
    assert np.array_equal(loaded.tree_.missing_branch, model.tree_.missing_branch)
    assert np.array_equal(loaded.predict_proba(X), model.predict_proba(X))


def test_exports_say_where_missing_values_go():
    X = np.array([[1.0], [2.0], [3.0], [4.0], [np.nan]])
    model = ProbabilityTreeClassifier(missing="learned", min_leaf=1).fit(X, list("aabbb"))
    assert model.export_text().splitlines()[1].startswith("x0 > 2 or missing: b")
    assert model.export_text(style="c45").splitlines()[1] == "x0 > 2 or missing : b (3.0)"
    assert "or missing" in model.export_graphviz()
    assert "or missing" in model._repr_html_()
    assert model.tree_.to_frame()["condition"].tolist() == ["", "x0 <= 2", "x0 > 2 or missing"]


def test_a_cut_with_a_side_for_missing_values_takes_more_bits():
    X, y = np.array([[1.0], [2.0], [3.0], [4.0], [np.nan]]), list("aabbb")
    bits = ProbabilityTreeClassifier(missing="learned", min_leaf=1).fit(X, y).description_length(X, y)
    assert bits.parts["cuts"] == pytest.approx(np.log2(7))  # three cuts with two sides each, and missing or not


@pytest.mark.parametrize("n_missing", [1, 40])
def test_a_column_of_one_value_can_be_tested_for_missing_values(n_missing):
    X = np.ones((80, 1))
    X[:n_missing] = np.nan
    y = np.isnan(X[:, 0]).astype(int)
    model = ProbabilityTreeClassifier(**PLAIN, missing="learned").fit(X, y)
    assert model.predict([[np.nan], [5.0]]).tolist() == [1, 0]
    model.description_length(X, y)
    assert ProbabilityTreeClassifier(**PLAIN, missing="learned", prune="mdl").fit(X, y).n_leaves_ <= 2


def test_an_unknown_way_is_an_error():
    with pytest.raises(ValueError, match="missing must be"):
        ProbabilityTreeClassifier(missing="mean").fit([[1.0], [2.0]], [0, 1])
