"""Every estimate against a plain walk of each row's path that shares no code with it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

from calibrant.estimates import Curtailment, HierarchicalShrinkage, Laplace, MBranch, MEstimate, PathAverage
from calibrant.trees import ProbabilityTreeClassifier

from . import reference
from .grown import CASES, Grown, grow, rows_of

NAMED: dict[str, Callable[[Any], reference.Reading]] = {
    "frequency": reference.frequency,
    "laplace": reference.laplace,
    "m": reference.m_estimate,
    "curtailment": reference.curtailment,
    "smoothed_curtailment": reference.smoothed_curtailment,
    "m_branch": reference.m_branch,
    "path_average": reference.path_average,
    "hierarchical_shrinkage": lambda tree: reference.hierarchical_shrinkage(tree, 1.0),
}
PARAMETRIZED: dict[Any, Callable[[Any], reference.Reading]] = {
    MEstimate(m=7.5): lambda tree: reference.m_estimate(tree, m=7.5),
    MEstimate(m=3, prior="uniform"): lambda tree: reference.m_estimate(tree, m=3, prior="uniform"),
    MEstimate(strength=2): lambda tree: reference.m_estimate(tree, strength=2),
    MEstimate(prior="uniform"): lambda tree: reference.m_estimate(tree, prior="uniform"),
    Curtailment(v=0): lambda tree: reference.curtailment(tree, v=0),
    Curtailment(v=20): lambda tree: reference.curtailment(tree, v=20),
    Curtailment(v=8.25, then=Laplace()): lambda tree: reference.curtailment(tree, 8.25, then=reference.laplace(tree)),
    Curtailment(v=30, then="m_branch"): lambda tree: reference.curtailment(tree, 30, then=reference.m_branch(tree)),
    Curtailment(strength=1): lambda tree: reference.curtailment(tree, strength=1),
    Curtailment(v=1e9, then=MEstimate(m=5)): lambda tree: reference.curtailment(tree, 1e9),
    MBranch(M=2, constant=True): lambda tree: reference.m_branch(tree, 2, constant=True),
    MBranch(M=1.5): lambda tree: reference.m_branch(tree, 1.5),
    PathAverage(prior="wallace"): lambda tree: reference.path_average(tree, "wallace"),
    PathAverage(alpha=0.25): lambda tree: reference.path_average(tree, alpha=0.25),
    HierarchicalShrinkage(strength=25): lambda tree: reference.hierarchical_shrinkage(tree, 25),
}


@pytest.fixture(scope="module", params=CASES)
def grown(request: pytest.FixtureRequest) -> Grown:
    return grow(CASES[request.param])


def assert_agree(grown: Grown, estimate: Any, make: Callable[[Any], reference.Reading]) -> None:
    model = grown.model.with_estimate(estimate)
    expected = reference.probabilities(model, rows_of(grown.X_test), make(model.tree_))
    np.testing.assert_allclose(model.predict_proba(grown.X_test), expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("name", NAMED)
@pytest.mark.sample(3)
def test_a_named_estimate_is_that_of_the_reference(grown, name):
    assert_agree(grown, name, NAMED[name])


@pytest.mark.parametrize("estimate", PARAMETRIZED, ids=repr)
@pytest.mark.sample(3)
def test_an_estimate_with_parameters_is_that_of_the_reference(grown, estimate):
    assert_agree(grown, estimate, PARAMETRIZED[estimate])


@pytest.mark.parametrize("m", [None, 4.0])
def test_a_prior_that_is_passed_is_that_of_the_reference(m):
    prior = np.array([0.3, 0.1, 0.2, 0.1, 0.1, 0.2])
    estimate = MEstimate(m=m, prior=tuple(prior))
    assert_agree(grow(CASES["six classes"]), estimate, lambda tree: reference.m_estimate(tree, m, prior=prior))


@pytest.mark.parametrize("then", [None, "laplace", "m_branch"])
def test_curtailment_enters_no_empty_leaf_so_none_can_vote(then):
    inner = {None: reference.frequency, "laplace": reference.laplace, "m_branch": reference.m_branch}[then]
    voting = grow(CASES["empty leaves vote"])
    assert_agree(
        voting, Curtailment(v=8.25, then=then), lambda tree: reference.curtailment(tree, 8.25, then=inner(tree))
    )


def test_a_child_of_exactly_the_default_v_is_entered():
    X = pd.DataFrame({"side": ["left"] * 61 + ["right"] * 61})
    y = [1] * 19 + [0] * 42 + [1] + [0] * 60
    model = ProbabilityTreeClassifier(estimate="curtailment").fit(X, y)  # 20 of 122: v = 10 * 122 / 20 = 61
    np.testing.assert_allclose(model.predict_proba(X)[[0, 61], 1], [19 / 61, 1 / 61])
