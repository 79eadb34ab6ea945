"""Every estimate on trees as they are grown: weights, missing values, categories, many classes, honest, pruned."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

from calibrant.estimates import (
    ESTIMATES,
    Curtailment,
    Frequency,
    HierarchicalShrinkage,
    Laplace,
    MBranch,
    MEstimate,
    PathAverage,
)
from calibrant.trees import ProbabilityTreeClassifier

TREES = {
    "plain": {},
    "shallow": {"max_depth": 1},
    "honest": {"honest": True, "random_state": 0},
    "pruned": {"prune": "pessimistic"},
    "reduced_error": {"prune": "reduced_error", "random_state": 0},
    "subset": {"nominal_splits": "subset"},
    "j48": {"dialect": "j48"},
    "one_leaf": {"min_leaf": 1e6},
}
EXTRA = [
    Curtailment(v=7.5, then=Laplace()),
    Curtailment(v=20, then="path_average"),
    MEstimate(m=3, prior="uniform"),
    MBranch(M=0.5),
    PathAverage(alpha=0.2, prior="wallace"),
    PathAverage("interpolate", trust=[0.1, 0.4, 0.9]),
    HierarchicalShrinkage(strength=30),
]


@pytest.fixture(scope="module", params=[2, 3, 7], ids=lambda n: f"{n} classes")
def table(request):
    """Numbers, categories with one that no row has, missing values in both, fractional weights and some of 0."""
    random = np.random.default_rng(request.param)
    y = random.integers(0, request.param, 400) * (random.random(400) < 0.8)
    number = np.where(random.random(400) < 0.1, np.nan, y + random.normal(size=400))
    colour = pd.Categorical.from_codes(
        np.where(random.random(400) < 0.1, -1, (y + random.integers(0, 3, 400)) % 5), list("abcdef")
    )
    X = pd.DataFrame({"number": number, "colour": colour, "noise": random.normal(size=400)})
    return X, y, random.random(400) * (random.random(400) < 0.9) * 3


@pytest.mark.filterwarnings("ignore:Curtailment")
@pytest.mark.parametrize("kind", TREES)
@pytest.mark.sample(5)
def test_every_estimate_gives_probabilities(table, kind):
    X, y, weights = table
    for estimate in [*ESTIMATES, *EXTRA]:
        model = ProbabilityTreeClassifier(estimate=estimate, **TREES[kind]).fit(X, y, sample_weight=weights)
        for values in (model.predict_proba(X), model.predict_proba(X.assign(number=np.nan))):
            assert values.min() >= 0, estimate
            assert values.max() <= 1, estimate
            np.testing.assert_allclose(values.sum(axis=1), 1, rtol=0, atol=1e-12, err_msg=str(estimate))


@pytest.mark.parametrize("kind", TREES)
def test_limits_meet_at_the_frequencies_and_the_base_rates(table, kind):
    X, y, weights = table
    tree = ProbabilityTreeClassifier(**TREES[kind]).fit(X, y, sample_weight=weights).tree_
    filled = tree.weight > 0
    plain, base = Frequency().table(tree), np.tile(tree.counts[0] / tree.weight[0], (tree.n_nodes, 1))
    for none in [
        Curtailment(v=0),
        MEstimate(m=0),
        HierarchicalShrinkage(strength=0),
        PathAverage("interpolate", trust=[1]),
    ]:
        np.testing.assert_array_equal(none.table(tree)[filled], plain[filled], err_msg=str(none))
    for all_of_it in [Curtailment(v=tree.weight[0] * 2), MEstimate(m=np.inf), PathAverage("interpolate", trust=[0])]:
        np.testing.assert_allclose(all_of_it.table(tree), base, rtol=1e-12, err_msg=str(all_of_it))


def test_empty_leaves_predict_as_the_last_node_with_rows(table):
    X, y, weights = table
    model = ProbabilityTreeClassifier(estimate="m_branch", honest=True, random_state=1).fit(X, y, sample_weight=weights)
    empty = np.flatnonzero(model.tree_.weight == 0)
    above = model.tree_.parent[empty]
    np.testing.assert_array_equal(model._reading.table[empty], model._reading.table[above])
    assert len(empty)


def test_estimates_are_parameters_that_scikit_learn_can_clone_and_search(table):
    X, y, _ = table
    model = ProbabilityTreeClassifier(estimate=MEstimate(m=5, prior=np.full(len(np.unique(y)), 1 / len(np.unique(y)))))
    assert clone(model).estimate == model.estimate
    grid = {"estimate": [Frequency(), MEstimate(m=20.0), Curtailment(v=30), HierarchicalShrinkage(strength=10)]}
    search = GridSearchCV(model, grid, scoring="neg_brier_score" if len(np.unique(y)) == 2 else "accuracy", cv=3).fit(
        X, y
    )
    assert search.best_params_["estimate"] in grid["estimate"]
