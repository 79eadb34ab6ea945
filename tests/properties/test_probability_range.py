"""Every classifier and calibrator: probabilities are never below 0 or above 1, and the rows sum to 1 to the last bits.

scikit-learn's scorers raise for a probability of 1 + 2e-16, and cross-validation then reports NaN for every fold.
"""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from sklearn.linear_model import RidgeClassifier
from sklearn.model_selection import cross_val_score

from calibrant.bayes import ConstantClassifier, NaiveBayesClassifier
from calibrant.calibration import CalibratedClassifier, LeafVenn
from calibrant.calibration._names import CALIBRATORS
from calibrant.decisions import CostMatrix, CostSensitiveClassifier, MetaCostClassifier, ThresholdClassifier
from calibrant.ensembles import (
    BaggedTreesClassifier,
    BoostedStumpsClassifier,
    BoostedTreesClassifier,
    BPETsClassifier,
    EBPETsClassifier,
    LazyOptionTreesClassifier,
    MOBESPClassifier,
)
from calibrant.neighbors import NeighborsClassifier
from calibrant.trees import ProbabilityTreeClassifier

MAX_ULPS = 8  # of rounding in the sum of a row: a mean over trees adds a few to that of the classes
ESTIMATES = ("frequency", "laplace", "m", "curtailment", "m_branch", "path_average", "hierarchical_shrinkage")
FOREST = {"n_trees": 13, "random_state": 0}

CLASSIFIERS = {
    "constant": ConstantClassifier,
    **{f"Bayes {kind}": partial(NaiveBayesClassifier, numeric=kind) for kind in ("mdl", "gaussian", "kernel")},
    **{
        f"neighbours {kind}": partial(NeighborsClassifier, weights=kind)
        for kind in ("uniform", "inverse", "inverse_squared", "similarity", "gaussian")
    },
    **{f"tree {estimate}": partial(ProbabilityTreeClassifier, estimate=estimate) for estimate in ESTIMATES},
    "tree of densities": partial(ProbabilityTreeClassifier, estimate="kernel_density", min_leaf=20),
    "bagged trees": partial(BaggedTreesClassifier, **FOREST),
    "frequencies of bagged trees": partial(BaggedTreesClassifier, estimate="frequency", **FOREST),
    "votes": partial(BaggedTreesClassifier, combine="vote", smooth_votes=True, **FOREST),
    "out of bag only": partial(BaggedTreesClassifier, out_of_bag="only", **FOREST),
    "B-PETs": partial(BPETsClassifier, **FOREST),
    "EB-PETs": partial(EBPETsClassifier, **FOREST),
    "MOB-ESP": partial(MOBESPClassifier, **FOREST),
    "lazy option trees": partial(LazyOptionTreesClassifier, n_trees=7, random_state=0),
    **{
        f"stumps {algorithm}": partial(BoostedStumpsClassifier, n_trees=100, algorithm=algorithm)
        for algorithm in ("m1", "samme", "real")
    },
    **{
        f"boosted trees {algorithm}": partial(
            BoostedTreesClassifier, n_trees=30, max_depth=4, algorithm=algorithm, random_state=0
        )
        for algorithm in ("m1", "samme", "real")
    },
}


def _rows(n_classes, seed, n=160, missing=0.05):
    """Return columns of which one predicts the class, some values missing, and fractional weights."""
    rng = np.random.default_rng([n_classes, seed])
    X = np.column_stack([rng.normal(size=(n, 3)), rng.integers(0, 3, n)])
    y = (3 * X[:, :1] * np.linspace(-1, 1, n_classes) + rng.gumbel(size=(n, n_classes))).argmax(axis=1)
    y[:n_classes] = np.arange(n_classes)
    X[rng.random(X.shape) < missing] = np.nan
    return X, y, 0.37 * rng.integers(1, 4, n)


def assert_probabilities(proba):
    assert proba.min() >= 0
    assert proba.max() <= 1
    if proba.ndim == 2:
        assert np.abs(proba.sum(axis=1) - 1).max() <= MAX_ULPS * np.finfo(float).eps


@pytest.mark.sample(4)
@pytest.mark.parametrize("n_classes", [2, 3, 7])
@pytest.mark.parametrize("name", CLASSIFIERS)
@pytest.mark.filterwarnings("ignore::calibrant.exceptions.CalibrantWarning")
def test_classifiers(name, n_classes):
    for seed in range(2):
        X, y, weights = _rows(n_classes, seed)
        model = CLASSIFIERS[name]().fit(X, y, weights)
        assert_probabilities(model.predict_proba(X))
        np.testing.assert_allclose(np.exp(model.predict_log_proba(X)), model.predict_proba(X), atol=1e-15)
        for stage in getattr(model, "staged_predict_proba", lambda _: ())(X):
            assert_probabilities(stage)
        out_of_bag = getattr(model, "oob_proba_", None)
        if out_of_bag is not None:
            assert_probabilities(out_of_bag[~np.isnan(out_of_bag[:, 0])])


@pytest.mark.parametrize("name", [name for name in CLASSIFIERS if "tree" in name or "-" in name])
@pytest.mark.filterwarnings("ignore::calibrant.exceptions.CalibrantWarning")
def test_rows_whose_missing_values_lead_to_many_leaves(name):
    X, y, weights = _rows(3, 0, n=320, missing=0.3)
    assert_probabilities(CLASSIFIERS[name]().fit(X, y, weights).predict_proba(np.vstack([X, np.full(4, np.nan)])))


@pytest.mark.parametrize("n_classes", [2, 3, 7])
@pytest.mark.parametrize("name", CALIBRATORS)
@pytest.mark.filterwarnings("ignore::calibrant.exceptions.CalibrantWarning")
def test_calibrators(name, n_classes):
    X, y, _ = _rows(n_classes, 0)
    proba = NaiveBayesClassifier(numeric="gaussian").fit(X, y).predict_proba(X)
    certain = (proba**30) / (proba**30).sum(axis=1, keepdims=True)
    margins = np.log(proba) + np.random.default_rng(0).normal(size=proba.shape)
    for scores in (proba, proba.round(1), certain, margins, 1e3 * margins):
        assert_probabilities(CALIBRATORS[name]().fit(scores, y).predict(scores))


@pytest.mark.parametrize("ensemble", [False, True])
@pytest.mark.parametrize("name", ["auto", "isotonic", "pairwise", "platt", "venn_abers"])
@pytest.mark.filterwarnings("ignore::calibrant.exceptions.CalibrantWarning")
def test_calibrated_classifiers(name, ensemble):
    X, y, _ = _rows(3, 0)
    model = CalibratedClassifier(NaiveBayesClassifier(), calibrator=name, ensemble=ensemble).fit(X, y)
    assert_probabilities(model.predict_proba(X))


def test_wrapping_classifiers():
    X, y, _ = _rows(2, 0)
    tree, costs = ProbabilityTreeClassifier(estimate="frequency"), CostMatrix([[0, 1], [5, 0]])
    for model in (
        CostSensitiveClassifier(tree, costs),
        MetaCostClassifier(tree, costs, random_state=0),
        ThresholdClassifier(tree, costs),
        CalibratedClassifier(tree),
        LeafVenn(tree.fit(X, y)),
    ):
        assert_probabilities(model.fit(X, y).predict_proba(X))
        np.testing.assert_allclose(np.exp(model.predict_log_proba(X)), model.predict_proba(X), atol=1e-15)


def test_the_logarithm_of_a_probability_of_0_is_minus_infinity_without_a_warning():
    model = ProbabilityTreeClassifier(estimate="frequency").fit([[1], [2], [3], [4]], [0, 0, 1, 1])
    np.testing.assert_array_equal(model.predict_log_proba([[1]]), [[0.0, -np.inf]])


def test_a_wrapper_of_a_classifier_without_probabilities_has_no_logarithms_either():
    assert not hasattr(CostSensitiveClassifier(RidgeClassifier(), CostMatrix([[0, 1], [5, 0]])), "predict_log_proba")


@pytest.mark.parametrize(
    "name", ["lazy option trees", "stumps m1", "boosted trees samme", "tree hierarchical_shrinkage"]
)
@pytest.mark.filterwarnings("ignore::calibrant.exceptions.CalibrantWarning")
def test_scikit_learns_scorers_return_a_number_for_every_fold(name):
    X, y, _ = _rows(2, 1)
    assert np.isfinite(cross_val_score(CLASSIFIERS[name](), X, y, scoring="neg_log_loss")).all()
