"""Trees in bins: with as many bins as distinct values the exact tree, node for node; else an approximation."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from calibrant import load_model, save
from calibrant.exceptions import DataError, ParameterError
from calibrant.metrics import log_loss
from calibrant.trees import ProbabilityTreeClassifier

CRITERIA = ["gain_ratio", "entropy", "gini", "dkm", "dkm_ratio", "hellinger", "twoing", "bayes", "mml"]
BAYESIAN = ("bayes", "mml")


def rows(seed, n_rows, n_classes, share_missing):
    """Draw rows with few distinct numbers, categories, and missing values."""
    random = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "a": random.integers(0, 40, n_rows).astype(float),
            "b": random.normal(size=n_rows).round(1),
            "c": random.choice(list("uvwxyz"), n_rows),
            "d": random.choice([0.5, 2.5], n_rows),
        }
    )
    y = (frame["a"] / 8 + frame["b"] + 2 * (frame["c"] == "u") + random.normal(size=n_rows)).to_numpy()
    labels = np.searchsorted(np.quantile(y, np.arange(1, n_classes) / n_classes), y)
    for name in ("a", "b", "c"):
        frame.loc[random.random(n_rows) < share_missing, name] = None
    return frame, labels


def assert_same_nodes(one, other):
    for name in ("parent", "feature", "threshold", "counts", "weight", "missing_branch", "branch_of_value"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name), err_msg=name)


@st.composite
def parameters(draw):
    criterion = draw(st.sampled_from(CRITERIA))
    splits = ["multiway", "binary"] if criterion in (*BAYESIAN, "twoing") else ["multiway", "subset", "binary"]
    return {
        "criterion": criterion,
        "missing": "fractional" if criterion in BAYESIAN else draw(st.sampled_from(["fractional", "learned"])),
        "nominal_splits": draw(st.sampled_from(splits)),
        "dialect": draw(st.sampled_from(["c45", "j48"])),
        "threshold": draw(st.sampled_from(["observed", "midpoint"])),
        "mdl_penalty": draw(st.booleans()),
        "min_leaf": draw(st.sampled_from([1, 2, 10])),
        "min_cut": draw(st.sampled_from(["c45", "min_leaf"])),
        "max_depth": draw(st.sampled_from([None, 2])),
        "tie_break": draw(st.sampled_from(["first", "random"])),
        "weight_kind": draw(st.sampled_from(["frequency", "probability"])),
        "random_state": 0,
    }


@given(
    params=parameters(),
    seed=st.integers(0, 10_000),
    n_rows=st.sampled_from([20, 150, 600]),
    n_classes=st.sampled_from([2, 3, 6]),
    share_missing=st.sampled_from([0.0, 0.2]),
    is_weighted=st.booleans(),
)
def test_as_many_bins_as_distinct_values_are_the_exact_tree(
    params, seed, n_rows, n_classes, share_missing, is_weighted
):
    if params["missing"] == "fractional":
        share_missing = 0.0  # shares of rows are rounded in bins: see below
    X, y = rows(seed, n_rows, n_classes, share_missing)
    weights = np.random.default_rng(seed).integers(0, 4, n_rows) if is_weighted else None
    exact = ProbabilityTreeClassifier(**params).fit(X, y, weights)
    binned = ProbabilityTreeClassifier(max_bins=255, **params).fit(X, y, weights)
    assert_same_nodes(exact.tree_, binned.tree_)
    np.testing.assert_array_equal(exact.predict_proba(X), binned.predict_proba(X))


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("seed", range(3))
def test_shares_of_rows_with_missing_values_are_those_of_the_exact_tree(criterion, seed):
    X, y = rows(seed, 300, 2, 0.15)
    params = {"criterion": criterion, "nominal_splits": "multiway", "min_leaf": 5}
    exact = ProbabilityTreeClassifier(**params).fit(X, y).tree_
    binned = ProbabilityTreeClassifier(max_bins=255, **params).fit(X, y).tree_
    np.testing.assert_array_equal(exact.feature, binned.feature)
    np.testing.assert_array_equal(exact.threshold, binned.threshold)
    np.testing.assert_allclose(exact.counts, binned.counts, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("prune", ["pessimistic", "reduced_error", "cost_complexity", "mdl"])
@pytest.mark.parametrize("honest", [False, True])
def test_pruned_and_honest_trees_are_the_exact_ones(prune, honest):
    X, y = rows(1, 600, 3, 0.0)
    params = {"prune": prune, "honest": honest, "ccp_alpha": 0.01, "random_state": 0}
    exact = ProbabilityTreeClassifier(**params).fit(X, y)
    assert_same_nodes(exact.tree_, ProbabilityTreeClassifier(max_bins=255, **params).fit(X, y).tree_)


@pytest.mark.parametrize("threshold", ["observed", "midpoint"])
@pytest.mark.parametrize("seed", range(5))
def test_a_cut_stands_at_the_greatest_value_of_a_bin_or_half_way_to_the_next_value(threshold, seed):
    random = np.random.default_rng(seed)
    X = random.normal(size=(4_000, 1))
    y = random.random(4_000) < 1 / (1 + np.exp(-3 * X[:, 0] + seed))
    cut = ProbabilityTreeClassifier(max_bins=32, max_depth=1, threshold=threshold).fit(X, y).tree_.threshold[0]
    ordered = np.sort(X[:, 0])
    below = np.searchsorted(ordered, cut, side="right")
    assert below in np.ceil(np.arange(1, 33) * 4_000 / 32)
    assert cut == (ordered[below - 1] if threshold == "observed" else (ordered[below - 1] + ordered[below]) / 2)


def test_few_bins_lose_and_255_do_not():
    """The approximation on a curved boundary: log-loss of new rows exact 0.258, 255 bins 0.255, 4 bins 0.39."""

    def losses(seed):
        random = np.random.default_rng(seed)
        X = random.normal(size=(8_000, 4))
        y = (random.random(8_000) < 1 / (1 + np.exp(-4 * (X[:, 0] ** 2 + X[:, 1] - 1)))).astype(int)
        trees = [ProbabilityTreeClassifier(max_bins=n, min_leaf=40, criterion="entropy") for n in (None, 255, 4)]
        return [log_loss(y[4_000:], tree.fit(X[:4_000], y[:4_000]).predict_proba(X[4_000:])) for tree in trees]

    exact, fine, coarse = np.mean([losses(seed) for seed in range(5)], axis=0)
    assert fine < 1.01 * exact
    assert coarse > 1.3 * exact


def test_a_weight_of_two_is_the_row_twice():
    X, y = rows(2, 400, 2, 0.1)
    X["a"] += np.random.default_rng(0).normal(size=400)
    weights = np.random.default_rng(1).integers(1, 4, 400)
    twice = np.repeat(np.arange(400), weights)
    params = {"max_bins": 20, "missing": "learned"}
    one = ProbabilityTreeClassifier(**params).fit(X, y, weights).tree_
    assert_same_nodes(one, ProbabilityTreeClassifier(**params).fit(X.iloc[twice], y[twice]).tree_)


@pytest.mark.parametrize("class_weight", [None, "balanced"])
def test_any_order_of_rows_with_any_weights_grows_the_same_tree_to_the_bit(class_weight):
    X, y = rows(4, 500, 3, 0.1)
    X["a"] += np.random.default_rng(0).normal(size=500)
    weights = np.random.default_rng(1).exponential(size=500)
    params = {"max_bins": 30, "class_weight": class_weight, "missing": "learned"}
    tree = ProbabilityTreeClassifier(**params).fit(X, y, weights).tree_
    for seed in range(3):
        order = np.random.default_rng(seed).permutation(500)
        again = ProbabilityTreeClassifier(**params).fit(X.iloc[order], y[order], weights[order]).tree_
        assert_same_nodes(tree, again)


def test_any_number_of_threads_grows_the_same_tree():
    X, y = rows(5, 3_000, 2, 0.1)
    trees = [ProbabilityTreeClassifier(max_bins=16, n_jobs=n).fit(X, y).tree_ for n in (1, 3)]
    assert_same_nodes(*trees)


def test_a_binned_model_saves_exports_and_explains_like_any_other(tmp_path):
    X, y = rows(6, 400, 2, 0.1)
    X["a"] += np.random.default_rng(0).normal(size=400)
    model = ProbabilityTreeClassifier(max_bins=12, min_leaf=10).fit(X, y)
    for training_rows in (False, True):
        save(model, tmp_path / "m", training_rows=training_rows)
        loaded = load_model(tmp_path / "m")
        assert loaded.max_bins == 12
        np.testing.assert_array_equal(loaded.predict_proba(X), model.predict_proba(X))
        assert loaded.export_text() == model.export_text()
    whole = loaded.with_estimate("m").predict_proba(X)
    np.testing.assert_array_equal(whole, model.with_estimate("m").predict_proba(X))
    np.testing.assert_array_equal(model.predict_interval(X[:2]), loaded.predict_interval(X[:2]))
    assert model.export_graphviz().startswith("digraph tree")
    assert model.feature_importances_.sum() == pytest.approx(1)


def test_texts_write_cuts_with_as_few_digits_as_separate_the_rows():
    random = np.random.default_rng(0)
    X = random.normal(size=(4_000, 1))
    model = ProbabilityTreeClassifier(max_bins=20, threshold="midpoint", max_depth=3).fit(X, X[:, 0] > 0.77)
    conditions = [text for text in model._short_conditions() if "<=" in text]
    written = np.array([float(text.split("<=")[1]) for text in conditions])
    cuts = model.tree_.threshold[model.tree_.is_numeric]
    assert len(cuts) > 0
    counts = [np.sum(X[:, 0] <= cut) for cut in cuts]
    assert sorted(counts) == sorted(np.sum(X[:, 0] <= cut) for cut in written)


def test_a_table_that_does_not_fit_memory_raises_an_error_that_names_max_bins(monkeypatch):
    monkeypatch.setattr("calibrant._memory.machine_memory", lambda: 2**28)
    X = np.broadcast_to(np.arange(2_000_000.0)[:, np.newaxis], (2_000_000, 10))
    with pytest.raises(DataError, match=r"2,000,000 rows of 10 columns; coded exactly .* Set max_bins=255"):
        ProbabilityTreeClassifier().fit(X, np.arange(2_000_000) % 2)


@pytest.mark.parametrize("max_bins", [1, 0, 2.5, "many", True])
def test_max_bins_is_an_int_of_two_at_least_or_none(max_bins):
    with pytest.raises(ParameterError, match="max_bins must be an int >= 2 or None"):
        ProbabilityTreeClassifier(max_bins=max_bins).fit([[1], [2]], [0, 1])


@given(weights=st.lists(st.floats(1e-9, 1e9), min_size=4, max_size=50), seed=st.integers(0, 99))
def test_sums_of_any_weights_do_not_depend_on_the_order_of_rows(weights, seed):
    """They are rounded to fixed points, whole numbers to themselves."""
    weights, random = np.array(weights), np.random.default_rng(seed)
    X, y = random.integers(0, 9, (len(weights), 1)), np.arange(len(weights)) % 2
    order = random.permutation(len(weights))
    params = {"max_bins": 4, "min_leaf": 1e-9, "mdl_penalty": False, "weight_kind": "probability"}
    one = ProbabilityTreeClassifier(**params).fit(X, y, weights).tree_
    assert_same_nodes(one, ProbabilityTreeClassifier(**params).fit(X[order], y[order], weights[order]).tree_)
    np.testing.assert_allclose(one.counts[0], np.bincount(y, weights), atol=weights.sum() * 2.0**-38, rtol=0)
    whole = ProbabilityTreeClassifier(**params).fit(X, y, np.ceil(weights)).tree_
    assert whole.counts[0].tolist() == np.bincount(y, np.ceil(weights)).tolist()


@pytest.mark.parametrize("dialect", ["c45", "j48"])
@pytest.mark.parametrize("missing", ["fractional", "learned"])
def test_dense_rows_are_cut_between_bins(dialect, missing):
    """C4.5 makes no cut between values within 1e-5; those next to the ends of bins are closer where rows are dense."""
    random = np.random.default_rng(0)
    X = random.random((20_000, 1)) / 50
    y = random.random(20_000) < 0.1 + 0.8 * (np.floor(400 * X[:, 0]) % 2)
    model = ProbabilityTreeClassifier(max_bins=64, dialect=dialect, missing=missing, criterion="entropy")
    assert model.fit(X, y).n_leaves_ >= 8
