"""Weights whose sum overflows or vanishes, and complex ones, are refused wherever weights are taken."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from tests.hostile.calls import N, X, Y, arguments, estimators, fit, functions

from calibrant.decisions import MetaCostClassifier
from calibrant.exceptions import CalibrantError
from calibrant.trees import ProbabilityTreeClassifier

WEIGHTS = {
    "sum overflows": np.full(N, 1e308),
    "sum vanishes": np.full(N, 5e-324),
    "one is vast": np.r_[1e300, np.ones(N - 1)],
    "one vanishes": np.r_[5e-324, np.ones(N - 1)],
    "squares vanish": np.full(N, 1e-200),
    "complex": np.ones(N) + 0j,
    "complex list": [1 + 0j] * N,
    "vast integers": [10**400] * N,
}


def _takes_weights(call: Any) -> bool:
    return "sample_weight" in inspect.signature(call).parameters


FUNCTIONS = {name: function for name, function in functions().items() if _takes_weights(function)}
KINDS = [kind for kind in estimators() if _takes_weights(kind.fit)]


def _accepted(call: Callable[[Any], Any]) -> list[str]:
    """Return the hostile weights that a call does not refuse, after it has accepted harmless ones."""
    call(np.full(N, 0.5))
    return [name for name, weights in WEIGHTS.items() if not _is_refused(call, weights)]


def _is_refused(call: Callable[[Any], Any], weights: Any) -> bool:
    try:
        call(weights)
    except CalibrantError as error:
        return "sample_weight" in str(error)
    return False


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.filterwarnings("ignore::calibrant.exceptions.CalibrantWarning")
def test_a_function_refuses_weights_that_no_sum_can_hold(name: str) -> None:
    function = FUNCTIONS[name]
    assert _accepted(lambda weights: function(**arguments(name, function), sample_weight=weights)) == []


@pytest.mark.sample(2)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.filterwarnings("ignore::calibrant.exceptions.CalibrantWarning")
def test_an_estimator_refuses_weights_that_no_sum_can_hold(kind: type[Any]) -> None:
    assert _accepted(lambda weights: fit(kind, sample_weight=weights)) == []


@pytest.mark.parametrize("weights", [np.full(N, 1e100), np.full(N, 1e-100), np.r_[1e-100, np.full(N - 1, 1e100)]])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.filterwarnings("ignore::calibrant.exceptions.CalibrantWarning")
@pytest.mark.sample(8)
def test_an_estimator_computes_with_the_largest_and_smallest_weights(kind: type[Any], weights: Any) -> None:
    if kind is MetaCostClassifier and weights[1] > 1:
        pytest.skip("it draws as many rows as the weights sum to, and says that they are too many")
    probabilities = fit(kind, sample_weight=weights)
    assert probabilities is None or np.isfinite(probabilities).all()


def test_the_walk_finds_what_takes_weights() -> None:
    assert len(FUNCTIONS) > 80
    assert len(KINDS) > 30


def test_class_weights_are_limited_with_the_weights_that_they_multiply() -> None:
    model = ProbabilityTreeClassifier(class_weight={0: 1e90, 1: 1.0})
    assert np.isfinite(model.fit(X, Y).predict_proba(X)).all()
    with pytest.raises(CalibrantError, match="sample_weight times class_weight has"):
        model.fit(X, Y, sample_weight=np.full(N, 1e90))
