"""Trees grown on a table that is coded once are those that `fit` grows on the training rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from calibrant.ensembles import EBPETsClassifier, MOBESPClassifier
from calibrant.estimates import Curtailment, MEstimate
from calibrant.resampling import Bootstrap632, CrossValidation, Holdout, LeaveOneOut, estimate_performance
from calibrant.trees import ProbabilityTreeClassifier

RNG = np.random.default_rng(7)
N = 90


def mixed(declared: bool) -> tuple[pd.DataFrame, np.ndarray]:
    town = RNG.choice(["a", "b", "c", "d"], N, p=[0.5, 0.3, 0.17, 0.03])
    frame = pd.DataFrame({"x": RNG.normal(size=N).round(1), "town": town, "z": RNG.integers(0, 5, N)})
    frame.loc[RNG.random(N) < 0.1, "x"] = np.nan
    frame["town"] = frame["town"].astype("category") if declared else frame["town"].astype(object)
    return frame, np.where(frame["x"].fillna(0) + (town == "a") + RNG.normal(size=N) > 0.5, "yes", "no")


def by_hand(methods: dict[str, Any], X: Any, y: Any, plan: Any, weight: Any = None) -> list[np.ndarray]:
    found = []
    for method in methods.values():
        each = []
        for train, test in plan.split(X, y):
            more = {} if weight is None else {"sample_weight": weight[train]}
            rows = (X.iloc[train], X.iloc[test]) if hasattr(X, "iloc") else (X[train], X[test])
            each.append(clone(method).fit(rows[0], y[train], **more).predict_proba(rows[1]))
        found.append(np.concatenate(each))
    return found


PARAMS: list[dict[str, Any]] = [
    {},
    {"criterion": "gini", "min_leaf": 1},
    {"dialect": "j48", "threshold": "midpoint"},
    {"min_cut": "min_leaf", "tie_break": "random", "random_state": 3},
    {"prune": "pessimistic", "collapse": True},
    {"prune": "cost_complexity", "ccp_alpha": 0.01},
    {"prune": "mdl"},
    {"prune": "reduced_error", "random_state": 1},
    {"honest": True, "random_state": 1},
    {"nominal_splits": "subset"},
    {"class_weight": "balanced"},
    {"class_weight": {"yes": 3.0}},
    {"class_weight": {"yes": 3.0}, "weight_kind": "probability"},
]
ESTIMATES: list[Any] = [
    "frequency",
    "laplace",
    Curtailment(v=5, then=MEstimate(m=2)),
    "kernel_density",
    MEstimate(m="cv"),
]


@pytest.mark.sample(12)
@pytest.mark.parametrize("params", PARAMS, ids=str)
@pytest.mark.parametrize("declared", [True, False])
@pytest.mark.parametrize("plan", [CrossValidation(4), Bootstrap632(4)], ids=["folds", "bootstrap"])
def test_every_prediction_is_that_of_an_ordinary_fit(params: dict[str, Any], declared: bool, plan: Any) -> None:
    X, y = mixed(declared)
    params = {"random_state": 0, **params}
    methods = {str(each): ProbabilityTreeClassifier(estimate=each, **params) for each in ESTIMATES}
    found = estimate_performance(methods, X, y, plan, ["mse"])
    for number, expected in enumerate(by_hand(methods, X, y, plan)):
        np.testing.assert_array_equal(found.predictions[number].y_pred, expected)


@pytest.mark.parametrize("plan", [CrossValidation(3), Bootstrap632(3), LeaveOneOut()], ids=str)
def test_weights_have_the_effect_of_an_ordinary_fit(plan: Any) -> None:
    X, y = RNG.normal(size=(40, 3)), RNG.integers(0, 3, 40)
    weight = RNG.choice([0.5, 1.0, 3.0], 40)
    methods = {each: ProbabilityTreeClassifier(estimate=each) for each in ("laplace", "m_branch")}
    found = estimate_performance(methods, X, y, plan, ["mse"], sample_weight=weight)
    for number, expected in enumerate(by_hand(methods, X, y, plan, weight)):
        np.testing.assert_array_equal(found.predictions[number].y_pred, expected)


def test_a_row_of_weight_0_is_absent() -> None:
    X, y = RNG.normal(size=(40, 3)), RNG.integers(0, 2, 40)
    weight = np.ones(40)
    weight[[3, 17]] = 0
    kept = weight > 0
    tree = ProbabilityTreeClassifier()
    found = estimate_performance(tree, X, y, CrossValidation(4), sample_weight=weight)
    np.testing.assert_array_equal(found.values, estimate_performance(tree, X[kept], y[kept], CrossValidation(4)).values)
    assert set(found.pooled().row) == set(np.flatnonzero(kept))


def test_a_class_without_training_rows_has_probability_0() -> None:
    X, y = RNG.normal(size=(30, 2)), np.array(["a", "b"] * 14 + ["c", "b"])
    found = estimate_performance(ProbabilityTreeClassifier(), X, y, LeaveOneOut(), ["error"])
    assert found.pooled().y_pred[28, 2] == 0.0


def test_forests_that_differ_in_the_reading_are_those_of_an_ordinary_fit() -> None:
    common = {"n_trees": 5, "random_state": 0}
    methods = {"eb": EBPETsClassifier(**common), "mob": MOBESPClassifier(**common)}
    X, y = RNG.normal(size=(60, 3)), RNG.integers(0, 2, 60)
    found = estimate_performance(methods, X, y, Holdout(), ["mse"])
    for number, expected in enumerate(by_hand(methods, X, y, Holdout())):
        np.testing.assert_array_equal(found.predictions[number].y_pred, expected)


def test_one_and_two_threads_return_the_same_bits() -> None:
    X, y = RNG.normal(size=(80, 4)), RNG.integers(0, 2, 80)
    tree = ProbabilityTreeClassifier(tie_break="random", random_state=5)
    one, two = (estimate_performance(tree, X, y, CrossValidation(5), n_jobs=n) for n in (1, 2))
    np.testing.assert_array_equal(one.values, two.values)
