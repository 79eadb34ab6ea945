"""Trees do not depend on the order of rows and columns, names or threads; they depend on the seed."""

import numpy as np
import pandas as pd
import pytest

from calibrant.trees import ProbabilityTreeClassifier

CRITERIA = ["gain_ratio", "entropy", "gini", "dkm", "dkm_ratio", "hellinger", "twoing", "bayes", "mml"]


@pytest.mark.parametrize("criterion", CRITERIA)
def test_the_order_of_rows_does_not_matter(ranks, criterion, same_trees):
    X, y = ranks
    shuffled = np.random.default_rng(0).permutation(len(y))
    model = ProbabilityTreeClassifier(criterion=criterion, min_leaf=10)
    assert same_trees(model.fit(X, y).tree_, model.fit(X[shuffled], y[shuffled]).tree_)


@pytest.mark.parametrize("criterion", CRITERIA)
def test_the_order_of_columns_does_not_matter(ranks, odd_weights, criterion):
    X, y = ranks
    columns = np.array([3, 0, 4, 1, 2])
    model = ProbabilityTreeClassifier(criterion=criterion, max_depth=5)
    one, other = model.fit(X, y, odd_weights).tree_, model.fit(X[:, columns], y, odd_weights).tree_
    np.testing.assert_array_equal(np.append(columns, -1)[other.feature], one.feature)
    np.testing.assert_array_equal(one.counts, other.counts)


@pytest.mark.parametrize("criterion", CRITERIA)
def test_other_names_of_classes_only_permute_the_columns(ranks, criterion):
    X, y = ranks
    model = ProbabilityTreeClassifier(criterion=criterion, min_leaf=10)
    before = model.fit(X, y).predict_proba(X)
    after = model.fit(X, np.where(y == "yes", "A", "B")).predict_proba(X)
    np.testing.assert_allclose(after[:, ::-1], before, rtol=1e-12)


def test_other_names_of_categories_change_nothing(ranks):
    X, y = ranks
    town = pd.Categorical.from_codes((X[:, 1] // 300).astype(int), ["d", "c", "b", "a"])
    frame = pd.DataFrame({"town": town, "x": X[:, 3]})
    renamed = frame.assign(town=town.rename_categories(["w", "z", "x", "y"]))
    model = ProbabilityTreeClassifier(min_leaf=10)
    np.testing.assert_array_equal(
        model.fit(frame, y).predict_proba(frame), model.fit(renamed, y).predict_proba(renamed)
    )


def test_any_number_of_threads_gives_the_same_bits(ranks, same_trees):
    X, y = ranks
    one, three = (ProbabilityTreeClassifier(n_jobs=n).fit(X, y) for n in (1, 3))
    assert same_trees(one.tree_, three.tree_)
    np.testing.assert_array_equal(one.predict_proba(X), three.predict_proba(X))


@pytest.mark.parametrize("weighted", [False, True])
def test_any_number_of_threads_gives_the_same_bits_of_a_large_mixed_table(weighted, same_trees):
    random, n = np.random.default_rng(9), 20_000
    X = pd.DataFrame({"a": random.integers(0, 40, n).astype(float), "b": random.random(n), "c": random.normal(size=n)})
    X["town"] = pd.Categorical(random.choice(list("uvwxyz"), n))
    X = X.mask(random.random(X.shape) < 0.03)
    y = np.where(random.random(n) < 0.2, 2, (X["b"] + (X["town"] == "u") + 0.3 * X["c"] > 0.6).astype(int))
    weights = random.uniform(0.5, 2, n) if weighted else None
    params = {"tie_break": "random", "random_state": 3, "min_leaf": 1, "mdl_penalty": False}
    models = [ProbabilityTreeClassifier(n_jobs=n_jobs, **params).fit(X, y, weights) for n_jobs in (1, 2, 5)]
    assert models[0].n_nodes_ > 5_000
    for other in models[1:]:
        assert same_trees(models[0].tree_, other.tree_)
        np.testing.assert_array_equal(models[0].predict_proba(X), other.predict_proba(X))


def test_random_ties_follow_the_seed(same_trees):
    X = np.repeat(np.arange(40.0)[:, None], 12, axis=1)  # twelve columns that are all alike
    y = np.arange(40) // 10 % 2
    model = ProbabilityTreeClassifier(tie_break="random", mdl_penalty=False)
    roots = {int(model.set_params(random_state=seed).fit(X, y).tree_.feature[0]) for seed in range(30)}
    assert len(roots) > 4
    one, other = (model.set_params(random_state=7).fit(X, y).tree_ for _ in range(2))
    assert same_trees(one, other)
    assert ProbabilityTreeClassifier(mdl_penalty=False).fit(X, y).tree_.feature[0] == 0


def test_ties_of_classes_follow_the_declared_order():
    y = pd.Categorical(["b", "a"], categories=["b", "a"])
    tree = ProbabilityTreeClassifier().fit([[1.0], [1.0]], y).tree_
    assert tree.classes.tolist() == ["a", "b"]
    assert tree.classes[tree.label[0]] == "b"
    assert tree.counts[0].tolist() == [1, 1]
