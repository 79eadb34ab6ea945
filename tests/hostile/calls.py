"""Every public function and estimator, with arguments that it accepts."""

from __future__ import annotations

import functools
import importlib
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.ensemble import RandomForestClassifier

import calibrant
from calibrant.bayes import NaiveBayesClassifier
from calibrant.calibration import Calibrator, Isotonic, Pairwise
from calibrant.curves import roc
from calibrant.ensembles import BPETsClassifier
from calibrant.metrics import evaluate
from calibrant.resampling import Plan
from calibrant.trees import ProbabilityTreeClassifier

__all__ = ["SCORES", "N", "X", "Y", "arguments", "estimators", "fit", "functions", "plans", "required"]

N = 24
X = np.array([[i % 7, (i * 5) % 11] for i in range(N)], dtype=float)
Y = np.array([int(i % 7 > 2) ^ (i % 5 == 0) for i in range(N)])
SCORES = X[:, 1] / 20 + 0.1
PROBA = np.clip(SCORES + 0.2 * Y, 0, 1)
A, B = SCORES[:10], SCORES[10:20]
TABLE = {"one": [0.1, 0.2, 0.3, 0.5], "two": [0.2, 0.1, 0.5, 0.6], "three": [0.3, 0.35, 0.1, 0.9]}

# Small numbers of members, so that a walk over thousands of fits takes seconds.
SMALL = {
    "n_trees": 3,
    "n_bags": 2,
    "n_models": 2,
    "cv": 2,
    "n_boot": 20,
    "n_resamples": 20,
    "n_draws": 200,
    "n_folds": 2,
}
WITHIN = {
    "calibration.as_calibrator": {"given": "platt"},
    "estimates.as_estimate": {"given": "laplace"},
    "calibration.calibrator_from_dict": {"written": Isotonic().fit(SCORES, Y).to_dict()},
    "comparison.clustering_description_length": {"labels": Y},
    "comparison.mcnemar_test": {"a": 1 - Y, "b": Y},
    "comparison.five_by_two_test": {"a": SCORES[:10].reshape(5, 2), "b": SCORES[10:20].reshape(5, 2)},
    "comparison.mdl": {"theories": {"tree": ProbabilityTreeClassifier().fit(X, Y)}, "y": Y},
    "curves.sorted_scores": {"y_proba": {"one": PROBA, "two": SCORES}},
    "data.load": {"name": "appeal"},
    "metrics.evaluate_table": {"source": {"y": Y, "p": PROBA}, "target": "y", "proba": "p"},
    "metrics.cost": {"matrix": [[0, 1], [2, 0]]},
    "resampling.estimate_performance": {"estimator": NaiveBayesClassifier(), "plan": 2},
    "resampling.learning_curve": {"estimator": NaiveBayesClassifier(), "sizes": (0.5, 1.0)},
}


@functools.cache
def _shared() -> dict[str, Any]:
    """Return the value of each required argument by its name."""
    card = evaluate(Y, PROBA, metrics=["auc"], n_boot=20)
    return {
        "X": X,
        "y": Y,
        "y_true": Y,
        "y_proba": PROBA,
        "scores": SCORES,
        "proba": PROBA,
        "a": A,
        "b": B,
        "table": TABLE,
        "control": "one",
        "n_train": 9,
        "n_test": 1,
        "pvalues": [0.1, 0.2],
        "successes": 3,
        "n": 9,
        "p0": PROBA / 2,
        "p1": PROBA,
        "curves": {"one": roc(Y, PROBA)},
        "amount": 10 + X[:, 0],
        "cost": 1.0,
        "k": 5,
        "decisions": {1.0: Y, 2.0: 1 - Y},
        "costs": [[0, 1], [2, 0]],
        "y_pred": SCORES,
        "training_mean": 0.5,
        "card_a": card,
        "card_b": card,
        "vote": Y,
        "prior": [0.4, 0.6],
        "n_rows": 100,
        "name": "name",
        "fitted_forest": RandomForestClassifier(3, random_state=0).fit(X, Y),
        "model": BPETsClassifier(n_trees=3, random_state=0).fit(X, Y),
        "estimator": NaiveBayesClassifier(),
        "tree": ProbabilityTreeClassifier().fit(X, Y),
        "first": Isotonic(),
        "then": Isotonic(),
        "plan": calibrant.resampling.CrossValidation(2),
    }


def functions() -> dict[str, Callable[..., Any]]:
    """Return the public functions that take arguments, except those that read files or draw."""
    packages = [*(name for name in calibrant._PACKAGES if name != "plots"), "metrics.numeric"]
    modules = {name: importlib.import_module(f"calibrant.{name}") for name in packages}
    found = {f"{name}.{item}": getattr(module, item) for name, module in modules.items() for item in module.__all__}
    skipped = ("data.read_table", "data.list_datasets")
    return {name: item for name, item in found.items() if inspect.isfunction(item) and name not in skipped}


def arguments(name: str, function: Callable[..., Any]) -> dict[str, Any]:
    """Return keyword arguments that the function accepts."""
    small = {key: value for key, value in SMALL.items() if key in inspect.signature(function).parameters}
    return {**small, **required(function), **WITHIN.get(name, {})}


def required(call: Callable[..., Any]) -> dict[str, Any]:
    """Return the arguments without which a function or a constructor cannot be called."""
    parameters = inspect.signature(call).parameters.values()
    names = [parameter.name for parameter in parameters if parameter.default is parameter.empty]
    return {name: _shared()[name] for name in names if name in _shared()}


def _classes() -> list[type[Any]]:
    packages = [getattr(calibrant, name) for name in calibrant._PACKAGES]
    return [
        item for package in packages for name in package.__all__ if isinstance(item := getattr(package, name), type)
    ]


def estimators() -> list[type[Any]]:
    """Return the public estimators, calibrators included."""
    kinds = {kind for kind in _classes() if issubclass(kind, BaseEstimator) and not inspect.isabstract(kind)}
    return sorted(kinds, key=lambda kind: kind.__name__)


def plans() -> list[type[Any]]:
    """Return the public resampling plans."""
    return [kind for kind in _classes() if issubclass(kind, Plan) and not inspect.isabstract(kind)]


def fit(kind: type[Any], params: dict[str, Any] | None = None, **fit_params: Any) -> Any:
    """Return the probabilities of an estimator of these parameters, fitted to a small table."""
    taken, rules = inspect.signature(kind).parameters, getattr(kind, "_rules", {})
    small = {key: value for key, value in SMALL.items() if key in taken and value in rules.get(key, [value])}
    model = kind(**{**small, **required(kind), **(params or {})})
    if not isinstance(model, Calibrator):
        model.fit(X, Y, **fit_params)
        return model.predict_proba(X) if hasattr(model, "predict_proba") else None
    if isinstance(model, Pairwise):
        table = np.stack([SCORES, (1 - SCORES) / 2, (1 - SCORES) / 2], axis=1)
        return model.fit(table, np.arange(N) % 3, **fit_params).predict(table)
    return model.fit(SCORES, Y, **fit_params).predict(SCORES)
