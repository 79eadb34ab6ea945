"""The benchmark of defaults computes its losses and calibrates its peers as scikit-learn does."""

from __future__ import annotations

import importlib
import os
from pathlib import Path

import numpy as np
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.metrics import brier_score_loss, log_loss, roc_auc_score
from sklearn.model_selection import StratifiedKFold

from calibrant.calibration import CalibratedClassifier

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"
pytestmark = pytest.mark.skipif(not BENCHMARKS.exists(), reason="benchmarks are not distributed")


@pytest.fixture
def module(monkeypatch):
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    return importlib.import_module


@pytest.fixture(params=[2, 4])
def predictions(request):
    rng = np.random.default_rng(request.param)
    y = np.r_[np.arange(request.param), rng.integers(request.param, size=200)]
    proba = rng.dirichlet(np.full(request.param, 0.4), size=len(y))
    return proba, y


def test_relative_log_loss_is_that_of_scikit_learn_over_the_entropy(module, predictions):
    proba, y = predictions
    shares = np.tile(np.bincount(y) / len(y), (len(y), 1))
    clipped = np.clip(proba, 1e-6, 1)
    expected = log_loss(y, clipped / clipped.sum(axis=1, keepdims=True)) / log_loss(y, shares)
    assert module("_default_tables").relative_log_loss(proba, y) == pytest.approx(100 * expected)


def test_a_certain_wrong_probability_costs_a_floor_of_one_millionth(module):
    proba, y = np.array([[1.0, 0.0], [0.5, 0.5]]), np.array([1, 0])
    expected = -50 * (np.log(1e-6 / (1 + 1e-6)) + np.log(0.5)) / np.log(2)
    assert module("_default_tables").relative_log_loss(proba, y) == pytest.approx(expected)


def test_brier_and_auc_are_those_of_scikit_learn(module, predictions):
    scores = module("_default_scores")
    proba, y = predictions
    is_binary = proba.shape[1] == 2
    shares = np.tile(np.bincount(y) / len(y), (len(y), 1))
    brier, base = (brier_score_loss(y, one[:, 1] if is_binary else one) for one in (proba, shares))
    auc = roc_auc_score(y, proba[:, 1] if is_binary else proba, multi_class="ovr")
    assert scores.relative_brier(proba, y) == pytest.approx(100 * brier / base)
    assert scores.macro_auc(proba, y) == pytest.approx(100 * auc)


@pytest.mark.long
@pytest.mark.parametrize(
    ("dataset", "name"),
    [("iris", "logistic regression"), ("wpbc", "logistic regression"), ("wpbc", "extra trees")],
)
def test_maps_on_shared_folds_equal_calibrated_classifier_cv(module, tmp_path, dataset, name):
    if dataset != "iris" and "CALIBRANT_DATA" not in os.environ:
        pytest.skip("needs the papers' data: set CALIBRANT_DATA to their folder")
    peers, filling, stores = (module(f"_default_{one}") for one in ("peers", "fill", "store"))
    table = module("_default_tables").table_split(dataset, 0)
    store, key = stores.CellStore(tmp_path), stores.Key(dataset, name, 0, 2000)
    filling.fill(store, [dataset], [name, *filling.calibrated_names(name)], [0], 2000)
    peer = peers.PEERS[name]
    X, X_test = peer.prepare(table.X), peer.prepare(table.X_test)
    model = peer.make(X, 0, 1)
    for method in ("sigmoid", "isotonic"):
        expected = CalibratedClassifierCV(model, method=method, cv=5, ensemble=False).fit(X, table.y)
        stored = store.read(stores.Key(dataset, f"{name} + {method}", 0, 2000))["proba"]
        np.testing.assert_allclose(stored, expected.predict_proba(X_test), atol=1e-6)
    folds = list(StratifiedKFold(5).split(X, table.y))
    guarded = CalibratedClassifier(model, cv=folds, method="predict_proba").fit(X, table.y)
    stored = store.read(stores.Key(dataset, f"{name} + guard", 0, 2000))["proba"]
    np.testing.assert_allclose(stored, guarded.predict_proba(X_test), atol=1e-6)
    assert key in store
    assert key.folds in store


def test_an_interrupted_run_continues_with_the_cells_that_are_missing(module, tmp_path, capsys):
    filling, stores = module("_default_fill"), module("_default_store")
    store = stores.CellStore(tmp_path)
    for methods in (["logistic regression"], ["logistic regression", "extra trees"]):
        filling.fill(store, ["iris"], methods, [0], 2000)
    assert capsys.readouterr().out.count("logistic regression") == 1
    assert [key.method for key in store] == ["extra trees", "logistic regression"]


def test_figures_of_a_comparison_by_hand(module):
    scores, stores = module("_default_scores"), module("_default_store")
    loss = {"a": (10.0, 30.0), "b": (14.0, 24.0), "c": (20.0, 40.0)}
    losses = {
        stores.Key(dataset, name, split, 2000): scores.Losses(value + split, 0.0, 0.0, 0.0, 0.0, 2)
        for name, values in loss.items()
        for dataset, value in zip("xy", values, strict=True)
        for split in (0, 1)
    }
    del losses[stores.Key("x", "c", 1, 2000)]
    whole = scores.compare(losses, ["a", "b", "c"], ["x", "y"], [0, 1], 2000)
    assert whole.methods == ["a", "b"]
    assert whole.log_loss.tolist() == [[10.5, 30.5], [14.5, 24.5]]
    assert whole.ranks.tolist() == [[1, 2], [2, 1]]
    assert scores.tail(whole.excess) == pytest.approx([0.95 * 6, 0.95 * 4])
    assert scores.paired_error(whole.log_loss, whole.log_loss[0]) == pytest.approx([0, 5])
    assert scores.compare(losses, ["a", "b", "c"], ["x", "y"], [0], 2000).methods == ["a", "b", "c"]
