"""A method and its calibrated version share a fit, and have the predictions that each has alone."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from calibrant import ProbabilityClassifier
from calibrant.bayes import NaiveBayesClassifier
from calibrant.calibration import CalibratedClassifier
from calibrant.ensembles import BoostedTreesClassifier
from calibrant.resampling import CrossValidation, estimate_performance
from calibrant.studies import Study

ESTIMATORS = {
    "bayes": (NaiveBayesClassifier(), 3),
    "boosted": (BoostedTreesClassifier(n_trees=5, random_state=0), 3),
    "blend": (ProbabilityClassifier(members=["bayes", "logistic"], random_state=0), "oob"),
    "pipeline": (make_pipeline(StandardScaler(), LogisticRegression()), 3),
}


def make_rows(weighted):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(240, 3))
    y = np.where(rng.random(240) < 1 / (1 + np.exp(-2 * X[:, 0])), "yes", "no")
    return X, y, rng.integers(0, 3, 240).astype(float) if weighted else None


@pytest.fixture
def sharing(tmp_path):
    """Return a function of methods: what their trials on two folds would share; none is run."""
    X, y, _ = make_rows(weighted=False)
    parts = {"datasets": {"rows": (X, y)}, "plan": 2, "store": tmp_path / "s.db"}
    return lambda methods: Study(" ".join(methods), methods=methods, **parts).run(stop_after=lambda: True).sharing


@pytest.mark.long
@pytest.mark.sample(2)
@pytest.mark.parametrize("name", ESTIMATORS)
@pytest.mark.parametrize("weighted", [False, True])
def test_predictions_are_those_of_each_alone(name, weighted, sharing):
    estimator, cv = ESTIMATORS[name]
    if weighted and name == "pipeline":
        pytest.skip("a pipeline takes no weights without metadata routing")
    X, y, weight = make_rows(weighted)
    methods = {"plain": estimator, "calibrated": CalibratedClassifier(estimator, "platt", cv=cv)}
    assert " instead of " in sharing(methods)

    def predictions(chosen):
        plan = CrossValidation(3, random_state=0)
        return estimate_performance(chosen, X, y, plan, ["mse"], sample_weight=weight)

    together = predictions(methods)
    for each, one in methods.items():
        alone = predictions({each: one})
        assert np.array_equal(together.pooled(each).y_pred, alone.pooled(each).y_pred)


def test_other_estimators_share_nothing(sharing):
    one = NaiveBayesClassifier()
    methods = {
        "plain": one,
        "other": CalibratedClassifier(NaiveBayesClassifier(m=5.0)),
        "ensemble": CalibratedClassifier(one, ensemble=True),
        "prefit": CalibratedClassifier(one, cv="prefit"),
    }
    assert sharing(methods) == "8 trials: nothing is shared."


def test_calibrated_versions_share_their_folds_also_without_the_plain_method(sharing):
    one = NaiveBayesClassifier()
    maps = {name: CalibratedClassifier(one, name) for name in ("platt", "isotonic")}
    # Of two splits, each method 1 fit or 1 + 5 folds
    assert sharing({"plain": one, **maps}) == "6 trials: 12 fits instead of 26."
    assert sharing(maps) == "4 trials: 12 fits instead of 24."
    X, y, _ = make_rows(weighted=False)
    plan = CrossValidation(3, random_state=0)
    found = estimate_performance({"plain": one, **maps}, X, y, plan, metrics=["mse"])
    rest = estimate_performance(maps, X, y, plan, metrics=["mse"])
    for name in maps:
        assert np.array_equal(found.pooled(name).y_pred, rest.pooled(name).y_pred)
