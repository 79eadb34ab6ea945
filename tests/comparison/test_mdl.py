"""Description lengths: codes that can be read back, Quinlan & Rivest's pruning as the least, clusters found again."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import gammaln
from scipy.stats import norm
from sklearn.cluster import KMeans

from calibrant.comparison import clustering_description_length, mdl
from calibrant.exceptions import DataError, ParameterError
from calibrant.trees import ProbabilityTreeClassifier


def noisy(seed: int, n: int = 60) -> tuple[pd.DataFrame, np.ndarray]:
    random = np.random.default_rng(seed)
    X = pd.DataFrame({"x": random.integers(0, 20, n), "z": random.choice(list("uvw"), n)})
    return X, np.where(random.random(n) < 0.15, "odd", np.where(X["x"] < 9, "low", "high"))


def leaf_bits(classes: Sequence[int], n_classes: int) -> float:
    """Return the bits of classes at a tree of a single leaf, which knows how many classes there are."""
    leaf = ProbabilityTreeClassifier(min_leaf=n_classes).fit(np.zeros((n_classes, 1)), range(n_classes))
    return leaf.description_length(np.zeros((len(classes), 1)), classes).data


def test_a_fair_coin_takes_one_bit_as_in_the_chapter() -> None:
    """Section 5.6, "Informational Loss Function": of two classes equally likely, either takes -log2(1/2) = 1 bit."""
    assert leaf_bits([0], 2) == pytest.approx(1.0)


@pytest.mark.parametrize(("n", "k"), [(4, 2), (3, 3)])
def test_the_adaptive_code_leaves_no_bit_unused(n: int, k: int) -> None:
    """Kraft's sum over all sequences is 1."""
    assert sum(2.0 ** -leaf_bits(each, k) for each in product(range(k), repeat=n)) == pytest.approx(1.0)


def test_the_adaptive_code_is_the_product_of_laplaces_estimates() -> None:
    chances = [1 / 2, 2 / 3, 1 / 4, 3 / 5]  # of a, a, b, a
    assert leaf_bits([0, 0, 1, 0], 2) == pytest.approx(-np.log2(chances).sum())


def test_wallaces_code_by_hand() -> None:
    """Root: a test (1/2 of one column), 3 branches for nothing; each branch a leaf (2/3)."""
    X = pd.DataFrame({"z": pd.Categorical(list("uuvvww"))})
    y = list("aabbab")
    length = ProbabilityTreeClassifier().fit(X, y).description_length(X, y)
    assert length.parts == pytest.approx({"nodes": 1 + 3 * np.log2(3 / 2), "columns": 0, "cuts": 0, "leaves": 0})
    assert length.data == pytest.approx(np.log2(3) + np.log2(3) + np.log2(6))


def test_columns_used_up_above_are_not_encoded_again() -> None:
    X = pd.DataFrame({"p": pd.Categorical(list("uvuv") * 4), "q": pd.Categorical(list("uuvv") * 4)})
    y = (X["p"].to_numpy() == "u") ^ (X["q"].to_numpy() == "u")
    model = ProbabilityTreeClassifier().fit(X, y)
    assert model.n_leaves_ == 4
    assert model.description_length(X, y).parts["columns"] == 1.0
    assert model.description_length(X, y, coding="quinlan_rivest").parts["columns"] == 3.0


@given(st.integers(0, 2**31))
def test_pruning_by_description_length_leaves_the_shortest_tree(seed: int) -> None:
    X, y = noisy(seed)
    full, pruned = (ProbabilityTreeClassifier(prune=how, mdl_penalty=False).fit(X, y) for how in (None, "mdl"))
    least = pruned.description_length(X, y, coding="quinlan_rivest").total
    path = full.cost_complexity_path()
    for other in (full, *(path.at(alpha) for alpha in path.alphas)):
        assert other.description_length(X, y, coding="quinlan_rivest").total >= least - 1e-9


@pytest.mark.parametrize("how", ["adaptive", "paid"])
def test_a_weight_of_2_is_the_row_twice_and_one_of_0_is_absent(how: str) -> None:
    X, y = noisy(1)
    model = ProbabilityTreeClassifier().fit(X, y)
    weights = np.random.default_rng(0).integers(0, 3, len(y))
    rows = np.repeat(np.arange(len(y)), weights)
    weighted = model.description_length(X, y, weights, probabilities=how)
    assert weighted.total == pytest.approx(model.description_length(X.iloc[rows], y[rows], probabilities=how).total)


def test_rows_with_missing_values_are_split_over_branches() -> None:
    X, y = noisy(2)
    X.loc[::7, "x"] = np.nan
    model = ProbabilityTreeClassifier().fit(X, y)
    counts = model.tree_.counts[model.tree_.is_leaf]  # fractions, whose factorials are gamma functions
    nats = gammaln(counts.sum(axis=1) + 3) - gammaln(3) - gammaln(counts + 1).sum(axis=1)
    assert model.description_length(X, y).data == pytest.approx(nats.sum() / np.log(2))


def test_a_single_leaf_is_the_baseline_of_trees() -> None:
    X, y = noisy(3)
    stump = ProbabilityTreeClassifier(max_depth=1).fit(X, y)
    for coding in ("wallace", "quinlan_rivest"):
        leaf = ProbabilityTreeClassifier(min_leaf=len(y)).fit(X, y)
        result = mdl({"stump": stump, "leaf": leaf}, X, y, coding=coding)
        assert result.lengths["leaf"].total == pytest.approx(result.lengths["single leaf"].total)
        assert result.best == "stump"


def test_the_repr_names_the_best_theory_its_margin_and_the_coding() -> None:
    X, y = noisy(4)
    text = repr(mdl({"stump": ProbabilityTreeClassifier(max_depth=1).fit(X, y)}, X, y))
    assert text.startswith("stump is the shortest description of 60 rows, ")
    assert "A comparison of 2 theories on the training data alone: no test, no interval." in text
    assert "a node is a test with probability 1/a" in text


@pytest.mark.parametrize("membership", ["equal", "adaptive"])
@pytest.mark.parametrize("probabilities", ["adaptive", "paid"])
def test_three_clusters_are_found_again_and_none_in_noise(membership: str, probabilities: str) -> None:
    random = np.random.default_rng(5)
    centres = np.repeat([0.0, 8.0, 16.0], 50)
    X = pd.DataFrame({"x": random.normal(centres), "y": random.normal(-centres), "z": (centres / 8).astype(int)})
    X["z"] = X["z"].map({0: "u", 1: "v", 2: "w"})
    models = {k: KMeans(k, n_init=3, random_state=0).fit(X[["x", "y"]]) for k in range(2, 7)}
    options = {"membership": membership, "probabilities": probabilities}
    assert mdl({f"{k}": model for k, model in models.items()}, X, **options).best == "3"
    noise = random.normal(size=(150, 2))
    models = {k: KMeans(k, n_init=3, random_state=0).fit(noise) for k in range(2, 5)}
    assert mdl({f"{k}": model for k, model in models.items()}, noise, **options).best == "one cluster"


NORMAL = np.random.default_rng(5).normal(size=500)


@pytest.mark.parametrize(
    ("values", "unit"),
    [(NORMAL.round(3), 1e-3), (NORMAL.round(7), 1e-7), (np.repeat([0.0, 1, 1e4], [9000, 999, 1]), 1.0)],
    ids=["rough", "fine", "outlier"],
)
def test_the_code_of_numbers_is_that_of_the_likeliest_normal_distribution(values: np.ndarray, unit: float) -> None:
    """No code of total probability 1 is shorter; a spread of 6 bits costs up to (log 2^(1/4))^2 nats a number."""
    values = np.append(values, values[0] + unit)  # the least gap
    least = len(values) * np.log2(np.sqrt(2 * np.pi * np.e) * values.std() / unit)
    data = clustering_description_length(values[:, None], np.zeros(len(values))).data
    assert least - 1 <= data <= least + 0.045 * len(values) + 1


def test_the_cluster_of_a_row_takes_log2_k_bits() -> None:
    """Section 5.10: "transmit which cluster it belongs to (in log2 k bits)"."""
    X = np.zeros((8, 1))
    length = clustering_description_length(X, [0, 1, 2, 3] * 2)
    assert (length.data, length.theory) == (8 * 2.0, 3.0)


def test_missing_values_have_a_code() -> None:
    X = pd.DataFrame({"x": [1.0, np.nan, 3.0, 4.0], "z": ["u", None, "v", "u"]})
    assert np.isfinite(clustering_description_length(X, [0, 0, 1, 1]).total)


def test_errors_name_what_is_wrong() -> None:
    X, y = noisy(0)
    with pytest.raises(ParameterError, match="'k' must be a fitted tree with a description_length; got list"):
        mdl({"k": [0] * 60}, X, y)
    with pytest.raises(ParameterError, match="theories must be a dict of name to theory"):
        mdl({}, X, y)
    with pytest.raises(
        DataError, match=r"labels must have the cluster of each of 60 rows, .* got list of shape \(3,\)"
    ):
        mdl({"k": [0, 1, 2]}, X)
    with pytest.raises(DataError, match="y has a class that the tree does not have: 'new'"):
        ProbabilityTreeClassifier().fit(X, y).description_length(X, ["new"] * 60)
    with pytest.raises(ParameterError, match="'single leaf' is the name of the baseline"):
        mdl({"single leaf": ProbabilityTreeClassifier().fit(X, y)}, X, y)


def test_clusterings_take_no_weights_and_trees_need_classes() -> None:
    X, y = [[1], [2], [3], [9]], [0, 0, 1, 1]
    with pytest.raises(ParameterError, match="sample_weight is for trees"):
        mdl({"two": y}, X, sample_weight=[1, 1, 1, 1])
    with pytest.raises(ParameterError, match="y must be passed with 'tree'"):
        mdl({"tree": ProbabilityTreeClassifier().fit(X, y)}, X)


@pytest.mark.parametrize("labels", [[0, 0, None, 1], [0, 0, np.nan, 1]])
def test_each_row_has_a_cluster(labels: list) -> None:
    with pytest.raises(DataError, match="none for row 2"):
        clustering_description_length([[1], [2], [3], [9]], labels)


def test_a_column_of_missing_values_takes_only_the_bits_of_their_positions() -> None:
    """Four times missing, by counts so far: 1/2, 2/3, 3/4, 4/5."""
    X = np.array([[1.0], [2.0], [3.0], [9.0]])
    beside = np.column_stack([X, np.full(4, np.nan)])
    more = clustering_description_length(beside, [0] * 4).total - clustering_description_length(X, [0] * 4).total
    assert more == pytest.approx(np.log2(5))


def test_the_single_leaf_has_the_classes_of_the_trees() -> None:
    """Three rows of one class of two take 1/2, 2/3 and 3/4 by counts so far."""
    X, y = [[1], [2], [3], [9]], [0, 0, 0, 1]
    model = ProbabilityTreeClassifier(min_leaf=1).fit(X, y)
    assert mdl({"tree": model}, X[:3], y[:3]).lengths["single leaf"].data == pytest.approx(2.0)


def test_two_clusters_by_hand() -> None:
    """log2 8 for how many, a bit a row, 5 + 2 x 2 bits of centres (the middles 1 and 7 of quarters), 6 bits a spread.

    The spread of 1 is the range of 8 by 2^(-6/2), so that every value is one deviation away and two wide.
    """
    length = clustering_description_length([[0], [2], [0], [2], [6], [8], [6], [8]], [0, 0, 0, 0, 1, 1, 1, 1])
    assert length.theory == pytest.approx(3 + 9 + 12)
    assert length.data == pytest.approx(8 - 8 * np.log2(norm.cdf(2.0) - norm.cdf(0.0)))
