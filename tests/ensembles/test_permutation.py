"""Out-of-bag permutation importances: useless columns have none, useful ones as measured on new rows."""

import time

import numpy as np
import pandas as pd
import pytest

from calibrant import _core
from calibrant.ensembles import BaggedTreesClassifier, MOBESPClassifier, oob_permutation_importances
from calibrant.exceptions import ParameterError
from calibrant.metrics import METRICS

C44 = {
    "criterion": "gain_ratio",
    "nominal_splits": "multiway",
    "threshold": "observed",
    "mdl_penalty": True,
    "missing": "fractional",
}


def drawn(n, seed=0):
    """Two useful numbers, a useful word, two columns of noise; some missing values."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.normal(size=(n, 4)), columns=["strong", "weak", "noise", "more noise"])
    X["word"] = rng.choice(["u", "v", "w"], n)
    y = X["strong"] + 0.8 * X["weak"] + (X["word"] == "u") + 0.7 * rng.normal(size=n) > 0.3
    return X.mask(rng.random(X.shape) < 0.03), np.where(y, "yes", "no")


@pytest.fixture(scope="module")
def table():
    return drawn(1200)


@pytest.fixture(scope="module")
def forest(table):
    return BaggedTreesClassifier(n_trees=60, max_features="sqrt", random_state=0).fit(*table)


@pytest.mark.parametrize("metric", ["avll", "log_loss", "mse"])
@pytest.mark.parametrize("permute", ["forest", "tree"])
def test_useful_columns_are_important_and_noise_is_not(forest, metric, permute):
    found = forest.oob_importances(metric=metric, permute=permute, n_repeats=3, random_state=1)
    z = dict(zip(found.names, found.mean / found.standard_error, strict=True))
    assert min(z["strong"], z["weak"], z["word"]) > 3
    assert max(abs(z["noise"]), abs(z["more noise"])) < 4
    assert found.names[found.mean.argmax()] == "strong"


@pytest.mark.parametrize("metric", ["avll", "log_loss", "mse"])
def test_the_loss_is_that_of_the_out_of_bag_probabilities(forest, table, metric):
    found = forest.oob_importances(metric=metric, n_repeats=1)
    assert found.loss == pytest.approx(METRICS[metric].function(table[1], forest.oob_proba_), abs=1e-12)


def test_new_rows_have_the_same_predictions(forest):
    """Spoil a column of new rows, as a forest of as many trees as are out of a bag would see it."""
    X, y = drawn(4000, seed=1)
    part = BaggedTreesClassifier(n_trees=22, max_features="sqrt", random_state=0).fit(*drawn(1200))
    found = forest.oob_importances(metric="mse", random_state=0).to_frame()
    rng, mse = np.random.default_rng(2), METRICS["mse"].function
    for name in ("strong", "weak", "word"):
        spoilt = X.assign(**{name: rng.permutation(X[name])})
        increase = mse(y, part.predict_proba(spoilt)) - mse(y, part.predict_proba(X))
        assert abs(increase - found.loc[name, "mean"]) < 5 * found.loc[name, "standard_error"] + 0.1 * increase


def test_a_column_that_no_tree_tests_has_importance_exactly_zero():
    X, y = np.column_stack([np.arange(60.0), np.ones(60)]), np.arange(60) > 30
    found = BaggedTreesClassifier(n_trees=10, random_state=0).fit(X, y).oob_importances(random_state=0)
    assert found.mean[1] == found.standard_error[1] == 0.0


def test_the_same_seed_gives_the_same_result_for_any_number_of_threads(table):
    one, many = (BaggedTreesClassifier(n_trees=6, random_state=0, n_jobs=jobs).fit(*table) for jobs in (1, 4))
    first, second = (oob_permutation_importances(model, n_repeats=2, random_state=5) for model in (one, many))
    np.testing.assert_array_equal(first.mean, second.mean)
    np.testing.assert_array_equal(first.standard_error, second.standard_error)
    assert (first.mean != one.oob_importances(n_repeats=2, random_state=6).mean).any()


def test_columns_in_small_blocks_give_the_same(forest, monkeypatch):
    whole = forest.oob_importances(n_repeats=1, random_state=0)
    monkeypatch.setattr("calibrant.ensembles._bagging.permutation._MAX_SUMS", 4000)
    np.testing.assert_array_equal(forest.oob_importances(n_repeats=1, random_state=0).mean, whole.mean)


def test_weights_count_as_rows(table):
    X, y = table
    weights = np.random.default_rng(0).integers(0, 3, len(y))
    found = BaggedTreesClassifier(n_trees=20, random_state=0).fit(X, y, weights).oob_importances(n_repeats=2)
    assert found.mean[0] > 4 * found.standard_error[0]


def test_nothing_is_grown_and_other_readings_have_importances_too(table, monkeypatch):
    model = MOBESPClassifier(n_trees=30, random_state=0).fit(*table)
    monkeypatch.setattr(_core, "grow_forest", lambda *_: pytest.fail("a tree was grown"))
    found = model.oob_importances(n_repeats=1, random_state=0)
    assert found.to_frame()["mean"].idxmax() == "strong"
    assert repr(found).splitlines()[1].split()[0] == "strong"


def test_what_cannot_be_measured_is_said(table):
    sure = MOBESPClassifier(n_trees=3, random_state=0).fit(*table)
    with pytest.raises(ParameterError, match="Use metric='avll'"):
        sure.oob_importances(metric="log_loss")
    whole = BaggedTreesClassifier(n_trees=2, bootstrap=None).fit(*table)
    with pytest.raises(ParameterError, match="every row is in every bag"):
        whole.oob_importances()
    with pytest.raises(ParameterError, match="n_repeats must be an int >= 1"):
        sure.oob_importances(n_repeats=0)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_changes_are_those_of_predicting_permuted_rows_again(n_classes):
    """Brute force: every tree predicts all its out-of-bag rows once more for each column; values are missing too."""
    X, y = drawn(600)
    y = np.where(X["noise"] > 1, "maybe", y) if n_classes == 3 else y
    model = BaggedTreesClassifier(n_trees=5, random_state=0).fit(X, y)
    forest, tables, rng = model._forest, model._reading.tables, np.random.default_rng(0)
    columns = [forest.examples.column(j, np.arange(600)) for j in range(5)]
    order = np.stack([rng.permutation(600) for _ in range(5)]).astype(np.uint32)
    found = np.zeros((5 * 600, n_classes))
    cores, codes, wanted = (
        [tree.core for tree in model.trees_],
        forest.examples.table.core,
        np.arange(5, dtype=np.uint32),
    )
    _core.permute_forest(cores, tables, codes, forest.bags.core, 0, wanted, order, found, 2)
    expected = np.zeros((5, 600, n_classes))
    for core, table, in_bag in zip(cores, tables, forest.in_bag, strict=True):
        before = np.empty((600, n_classes))
        _core.predict_tree(core, 600, columns, [table], [before], 1)
        for j in range(5):
            after = np.empty((600, n_classes))
            permuted = [*columns[:j], columns[j][order[j]], *columns[j + 1 :]]
            _core.predict_tree(core, 600, permuted, [table], [after], 1)
            expected[j] += (in_bag == 0)[:, np.newaxis] * (after - before)
    np.testing.assert_allclose(found.reshape(expected.shape), expected, atol=1e-14)
    assert (expected != 0).any(axis=(1, 2)).all()


@pytest.mark.parametrize("permute", ["forest", "tree"])
def test_trees_predict_their_rows_once_however_often_columns_are_permuted(forest, monkeypatch, permute):
    calls, predict_tree = [], _core.predict_tree
    monkeypatch.setattr(_core, "predict_tree", lambda *a: calls.append(a) or predict_tree(*a))
    forest.oob_importances(n_repeats=3, permute=permute)
    assert len(calls) == len(forest.trees_)


@pytest.mark.long
def test_a_hundred_trees_on_45_000_rows_take_less_than_20_seconds():
    X, y = drawn(45_000)
    model = BaggedTreesClassifier(n_trees=100, random_state=0, **C44).fit(X, y)
    start = time.process_time()
    model.oob_importances()
    assert time.process_time() - start < 20
