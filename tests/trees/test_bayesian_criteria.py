"""Criteria "bayes" and "mml" against closed forms, all cuts tried by brute force."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import gammaln, logsumexp
from scipy.stats import dirichlet_multinomial
from tests.trees.mixed_rows import mixed_rows

from calibrant.exceptions import ParameterError
from calibrant.trees import ProbabilityTreeClassifier

PLAIN = {"min_leaf": 0.5, "min_cut": "min_leaf", "threshold": "midpoint", "max_depth": 1}


def evidence(counts):
    """Return the log marginal likelihood of classes in a given order, their probabilities uniformly distributed."""
    return gammaln(np.asarray(counts) + 1.0).sum() - gammaln(np.sum(counts) + len(counts)) + gammaln(len(counts))


def counts_of(y, weights, rows, n_classes):
    return np.bincount(y[rows], weights[rows], n_classes)


def cut_scores(values, y, weights, n_classes):
    """Return the thresholds, the rows that each repeats, and the log Bayes factors of the cuts of a column."""
    known = ~np.isnan(values)
    whole = evidence(counts_of(y, weights, known, n_classes))
    distinct = np.unique(values[known])
    cuts = (distinct[:-1] + distinct[1:]) / 2
    sides = [
        (counts_of(y, weights, values <= cut, n_classes), counts_of(y, weights, values > cut, n_classes))
        for cut in cuts
    ]
    repeats = [weights[values == value].sum() for value in distinct[:-1]]
    return cuts, np.array(repeats), np.array([evidence(a) + evidence(b) - whole for a, b in sides])


def leaves_prior(n_branches):
    return n_branches * np.log(1 - 1 / n_branches)


def root_scores(X, y, weights, criterion):
    """Return the log score of each column's test, the best cut and its own log prior."""
    n_classes, found = len(np.unique(y)), []
    for name in X:
        if isinstance(X[name].dtype, pd.CategoricalDtype):
            codes, n_branches = X[name].cat.codes.to_numpy(), len(X[name].cat.categories)
            parts = [counts_of(y, weights, codes == v, n_classes) for v in range(n_branches)]
            usable = sum(part.sum() >= 0.5 for part in parts) > 1
            score, cut, prior = sum(map(evidence, parts)) - evidence(sum(parts)), None, 0.0
        else:
            cuts, repeats, scores = cut_scores(X[name].to_numpy(), y, weights, n_classes)
            n_branches, usable = 2, len(cuts) > 0
            if usable:
                score, cut = logsumexp(scores, b=repeats / repeats.sum()), cuts[scores.argmax()]
                prior = score - scores.max()
        if usable:
            found.append((score + (leaves_prior(n_branches) if criterion == "mml" else 0.0), name, cut, prior))
    return found


def test_the_evidence_is_that_of_scipy():
    counts = np.array([3, 0, 5])
    order = gammaln(9) - gammaln(counts + 1.0).sum()  # orders of the same counts
    assert evidence(counts) == pytest.approx(dirichlet_multinomial([1, 1, 1], 8).logpmf(counts) - order)


@st.composite
def tables(draw):
    n, n_classes = draw(st.integers(4, 40)), draw(st.integers(2, 4))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    X = pd.DataFrame(
        {"a": rng.integers(0, 6, n) / 2, "b": rng.normal(size=n).round(3), "c": rng.integers(0, 300, n) * 1.0}
    )
    X.loc[rng.random(n) < 0.2, "b"] = np.nan
    X["d"] = pd.Categorical(rng.choice(list("uvw"), n), list("uvwx"))
    weights = draw(st.sampled_from([np.ones(n), rng.integers(1, 4, n) * 1.0, rng.random(n) + 0.5]))
    y = np.concatenate([np.arange(n_classes), rng.integers(0, n_classes, n - n_classes)])
    return X, y, weights


@settings(deadline=None, max_examples=60)
@given(tables(), st.sampled_from(["bayes", "mml"]))
def test_the_first_test_is_the_best_by_brute_force(table, criterion):
    X, y, weights = table
    tree = ProbabilityTreeClassifier(criterion=criterion, **PLAIN).fit(X, y, weights).tree_
    scores = {name: (score, cut, prior) for score, name, cut, prior in root_scores(X, y, weights, criterion)}
    if tree.n_nodes == 1:
        assert not scores or weights.sum() < 1
        return
    name = X.columns[tree.feature[0]]
    score, cut, prior = scores[name]
    assert score == pytest.approx(max(each[0] for each in scores.values()), abs=1e-6)
    assert tree.log_prior[0] == pytest.approx(prior, abs=1e-8)
    if cut is not None:
        _, _, of_cuts = cut_scores(X[name].to_numpy(), y, weights, len(np.unique(y)))
        at = np.flatnonzero(
            np.isclose(cut_scores(X[name].to_numpy(), y, weights, len(np.unique(y)))[0], tree.threshold[0])
        )
        assert of_cuts[at[0]] == pytest.approx(of_cuts.max(), abs=1e-6)


@pytest.mark.parametrize("criterion", ["bayes", "mml"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_large_nodes_and_small_ones_are_searched_alike(criterion, n_classes):
    rng = np.random.default_rng(3)
    X = pd.DataFrame(
        {"a": rng.normal(size=5000), "b": rng.integers(0, 9, 5000) * 1.0, "c": rng.integers(0, 900, 5000) * 1.0}
    )
    y = (rng.random(5000) * n_classes * (0.5 + 0.5 * (X["a"] > 0.3))).astype(int).to_numpy()
    tree = ProbabilityTreeClassifier(criterion=criterion, **PLAIN).fit(X, y).tree_
    best = max(root_scores(X, y, np.ones(5000), criterion))
    assert X.columns[tree.feature[0]] == best[1]
    assert tree.threshold[0] == best[2]
    assert tree.log_prior[0] == pytest.approx(best[3], abs=1e-9)


def rows_of_nodes(tree, X):
    """Return the rows that reach each node, none having a missing value."""
    reach = np.zeros((tree.n_nodes, len(X)), dtype=bool)
    reach[0] = True
    for node in np.flatnonzero(~tree.is_leaf):
        values = X.iloc[:, tree.feature[node]]
        if tree.is_numeric[node]:
            branch = (values > tree.threshold[node]).to_numpy().astype(int)
        else:
            branch = tree.branches_of(node)[values.cat.codes.to_numpy()]
        for b, child in enumerate(tree.children_of(node)):
            reach[child] = reach[node] & (branch == b)
    return reach


def used_above(tree, node):
    found = set()
    while (node := int(tree.parent[node])) >= 0:
        found |= set() if tree.is_numeric[node] else {int(tree.feature[node])}
    return found


@pytest.mark.parametrize("criterion", ["bayes", "mml"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_every_test_of_a_tree_is_the_best_at_its_node(criterion, n_classes):
    rng = np.random.default_rng(8)
    X = pd.DataFrame({"a": rng.normal(size=150).round(2), "b": rng.integers(0, 5, 150) * 1.0})
    X["d"], X["e"] = pd.Categorical(rng.choice(list("uvw"), 150)), pd.Categorical(rng.choice(list("xy"), 150))
    y = np.digitize(X["a"] + (X["d"] == "u") + rng.normal(size=150), [0.5, 1.5][: n_classes - 1])
    tree = ProbabilityTreeClassifier(criterion=criterion, **(PLAIN | {"max_depth": None})).fit(X, y).tree_
    reach = rows_of_nodes(tree, X)
    for node in np.flatnonzero(~tree.is_leaf):
        at = reach[node]
        labels = np.concatenate([y[at], np.arange(n_classes)])  # so that every class is counted, with weight 0
        rows = pd.concat([X[at], X.iloc[[0] * n_classes]], ignore_index=True)
        weights = np.concatenate([np.ones(at.sum()), np.zeros(n_classes)])
        rows = rows.drop(columns=[X.columns[j] for j in used_above(tree, node)])
        rows.loc[weights == 0, rows.columns.intersection(["a", "b"])] = np.nan
        scores = {name: (score, prior) for score, name, _, prior in root_scores(rows, labels, weights, criterion)}
        score, prior = scores[X.columns[tree.feature[node]]]
        assert score == pytest.approx(max(each[0] for each in scores.values()), abs=1e-6)
        assert tree.log_prior[node] == pytest.approx(prior, abs=1e-8)


def test_growth_does_not_stop_where_every_test_loses():
    y = np.tile([0, 1], 50)
    X = np.arange(100.0)[:, np.newaxis]
    tree = ProbabilityTreeClassifier(criterion="bayes", **(PLAIN | {"max_depth": None})).fit(X, y).tree_
    assert tree.n_leaves == 100
    assert (tree.counts[tree.is_leaf] == 0).any(axis=1).all()


def test_a_weight_of_two_is_the_row_twice():
    X, y = mixed_rows()
    y = y + (X["b"] > 1)
    twice = pd.concat([X, X], ignore_index=True)
    model = ProbabilityTreeClassifier(criterion="mml", min_leaf=4)
    one, other = model.fit(X, y, np.full(len(y), 2.0)).tree_, model.fit(twice, np.concatenate([y, y])).tree_
    np.testing.assert_array_equal(one.feature, other.feature)
    np.testing.assert_allclose(one.counts, other.counts, rtol=1e-9)
    np.testing.assert_allclose(one.log_prior, other.log_prior, atol=1e-9)


def test_one_category_against_the_rest_costs_the_choice_of_the_category():
    X = pd.DataFrame({"d": pd.Categorical(list("uvwx") * 10)})
    y = (X["d"] == "w").to_numpy().astype(int)
    tree = ProbabilityTreeClassifier(criterion="bayes", nominal_splits="binary").fit(X, y).tree_
    assert tree.log_prior[0] == pytest.approx(-np.log(4))


@pytest.mark.parametrize("other", [{"nominal_splits": "subset"}, {"missing": "learned"}])
@pytest.mark.parametrize("criterion", ["bayes", "mml"])
def test_tests_without_a_prior_are_refused(criterion, other):
    with pytest.raises(ParameterError, match=f"with criterion='{criterion}'"):
        ProbabilityTreeClassifier(criterion=criterion, **other).fit([[1], [2]], [0, 1])


@pytest.mark.parametrize("n_jobs", [2, 3])
def test_any_number_of_threads_finds_the_same_priors(n_jobs):
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(6000, 3)), rng.integers(0, 2, 6000)
    one, many = (
        ProbabilityTreeClassifier(criterion="bayes", min_leaf=20, n_jobs=n).fit(X, y).tree_ for n in (1, n_jobs)
    )
    assert one.log_prior.tobytes() == many.log_prior.tobytes()
    assert (one.log_prior <= 0).all()


def test_other_criteria_have_no_prior():
    X, y = mixed_rows()
    tree = ProbabilityTreeClassifier().fit(X, y).tree_
    assert not tree.log_prior.any()
    assert len(tree.core.log_prior) == 0
