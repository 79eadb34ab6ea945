"""Ensembles in bins: with as many bins as distinct values the exact ones, out-of-bag probabilities included."""

import numpy as np
import pandas as pd
import pytest

from calibrant.ensembles import (
    BaggedTreesClassifier,
    BoostedStumpsClassifier,
    BoostedTreesClassifier,
    BPETsClassifier,
    EBPETsClassifier,
    MOBESPClassifier,
)
from calibrant.metrics import log_loss
from calibrant.resampling._trials.coded_rows import fits_coded_rows

FORESTS = [BaggedTreesClassifier, BPETsClassifier, EBPETsClassifier, MOBESPClassifier]


@pytest.fixture(scope="module")
def rows():
    """Many rows of few distinct values, some of them missing."""
    random = np.random.default_rng(0)
    n_rows = 3_000
    frame = pd.DataFrame(random.integers(0, 60, (n_rows, 4)) / 4.0, columns=list("abcd"))
    frame["e"] = random.choice(list("uvw"), n_rows)
    y = np.digitize(frame["a"] + frame["b"] * (frame["e"] == "u") + random.normal(0, 4, n_rows), [8, 14])
    for name in ("a", "e"):
        frame.loc[random.random(n_rows) < 0.1, name] = None
    return frame, y


@pytest.mark.parametrize("cls", FORESTS)
def test_a_forest_in_as_many_bins_as_values_is_the_exact_one(cls, rows):
    params = {"n_trees": 6, "missing": "learned", "n_jobs": 2, "random_state": 0}
    exact, binned = cls(**params).fit(*rows), cls(max_bins=255, **params).fit(*rows)
    np.testing.assert_array_equal(binned.predict_proba(rows[0]), exact.predict_proba(rows[0]))
    np.testing.assert_array_equal(binned.oob_proba_, exact.oob_proba_)
    np.testing.assert_array_equal(binned.in_bag_, exact.in_bag_)
    np.testing.assert_array_equal(binned.feature_importances_, exact.feature_importances_)


@pytest.mark.parametrize("max_features", ["sqrt", 2])
@pytest.mark.parametrize("prune", [None, "pessimistic"])
def test_drawn_columns_and_pruned_trees_are_the_exact_ones(max_features, prune, rows):
    params = {"n_trees": 4, "max_features": max_features, "prune": prune, "random_state": 0}
    exact, binned = (BaggedTreesClassifier(max_bins=n, **params).fit(*rows) for n in (None, 255))
    np.testing.assert_array_equal(binned.predict_proba(rows[0]), exact.predict_proba(rows[0]))


@pytest.mark.parametrize("params", [{}, {"missing": "learned"}, {"criterion": "gini", "max_features": 5}], ids=str)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_many_columns_that_are_sorted_where_drawn_give_the_exact_trees(n_classes, params):
    """Columns of more values than are counted, of which a node looks at one in twelve or fewer."""
    random = np.random.default_rng(n_classes)
    X = random.integers(0, 200, (900, 240)).astype(float)
    y = np.digitize(X[:, 0] + X[:, 1] + random.normal(0, 60, len(X)), [150, 220][: n_classes - 1])
    X[random.random(X.shape) < 0.05] = np.nan
    params = {"n_trees": 4, "max_features": "sqrt", "random_state": 0, **params}
    exact, binned = (BaggedTreesClassifier(max_bins=n, **params).fit(X, y) for n in (None, 255))
    threads = BaggedTreesClassifier(n_jobs=2, **params).fit(X, y)
    np.testing.assert_array_equal(threads.predict_proba(X), exact.predict_proba(X))
    if params.get("missing") == "learned":  # shares of rows are rounded in bins
        np.testing.assert_array_equal(binned.predict_proba(X), exact.predict_proba(X))
    else:
        np.testing.assert_allclose(binned.predict_proba(X), exact.predict_proba(X), rtol=1e-8)


@pytest.mark.parametrize("algorithm", ["m1", "samme", "real"])
def test_boosted_trees_of_drawn_rows_are_the_exact_ones_but_for_the_last_bits(algorithm, rows):
    """In bins the weights of rows are rounded to multiples whose sums do not depend on the partition."""
    params = {"n_trees": 5, "max_depth": 4, "missing": "learned", "algorithm": algorithm, "random_state": 0}
    exact, binned = (BoostedTreesClassifier(max_bins=n, **params).fit(*rows) for n in (None, 255))
    np.testing.assert_allclose(binned.predict_proba(rows[0]), exact.predict_proba(rows[0]), rtol=1e-8)


def test_boosted_trees_of_weighted_rows_are_the_exact_ones_but_for_the_last_bits(rows):
    params = {"n_trees": 4, "max_depth": 3, "missing": "learned", "resample": False}
    exact, binned = (BoostedTreesClassifier(max_bins=n, **params).fit(*rows) for n in (None, 255))
    np.testing.assert_allclose(binned.predict_proba(rows[0]), exact.predict_proba(rows[0]), rtol=1e-9)


def test_boosted_stumps_are_the_exact_ones(rows):
    exact, binned = (BoostedStumpsClassifier(n_trees=20, algorithm="real", max_bins=n).fit(*rows) for n in (None, 255))
    np.testing.assert_allclose(binned.predict_proba(rows[0]), exact.predict_proba(rows[0]), rtol=1e-9)


def test_stumps_cut_half_way_from_a_bin_to_the_next_value():
    X = np.random.default_rng(0).normal(size=(2_000, 1))
    (cut,) = BoostedStumpsClassifier(n_trees=1, max_bins=20).fit(X, X[:, 0] > 0.3).stumps_.threshold
    ordered = np.sort(X[:, 0])
    below = np.searchsorted(ordered, cut)
    assert cut == (ordered[below - 1] + ordered[below]) / 2
    assert below % 100 == 0


def test_255_bins_lose_hardly_any_log_loss_of_a_forest():
    """Log-loss of new rows: exact 0.5369, 255 bins 0.5333 in the mean over three draws."""
    losses = []
    for seed in range(3):
        random = np.random.default_rng(seed)
        X = random.normal(size=(6_000, 6))
        y = (random.random(6_000) < 1 / (1 + np.exp(-2 * X[:, 0] * X[:, 1] - X[:, 2]))).astype(int)
        models = [BaggedTreesClassifier(n_trees=20, max_bins=n, min_leaf=5, random_state=seed) for n in (None, 255)]
        losses.append(
            [log_loss(y[3_000:], model.fit(X[:3_000], y[:3_000]).predict_proba(X[3_000:])) for model in models]
        )
    exact, binned = np.mean(losses, axis=0)
    assert binned < 1.005 * exact


def test_resampled_splits_have_bins_of_their_own_rows():
    """Methods of one table share its codes, but bins depend on the training rows."""
    assert fits_coded_rows(BaggedTreesClassifier())
    assert not fits_coded_rows(BaggedTreesClassifier(max_bins=8))
