"""Boosting from parts of the rows, level by level, equals boosting of all binned rows."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from tests.local_parts import LocalParts, source_facts

from calibrant._exact_sums import fixed_point_weights
from calibrant._source_limits import check_source_params
from calibrant.data._bins.bins import bins_of
from calibrant.data._internal import CodedPart, fit_columns
from calibrant.ensembles import BoostedTreesClassifier
from calibrant.ensembles._boosting.boosting_loop import ALGORITHMS, Run, boost
from calibrant.ensembles._levels.cluster_boosting import LevelLearner
from calibrant.exceptions import ParameterError
from calibrant.trees._internal import TrainingSet

N_ROWS = 6000
N_TREES = 4
EDGES = [0, 1, 1000, 1000, 4500, N_ROWS - 1, N_ROWS, N_ROWS]  # with parts of one row, and of none


def rows(*, missing: bool = False) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(N_ROWS, 4))
    y = (X[:, 0] + X[:, 1] ** 2 + rng.normal(size=N_ROWS) > 1).astype(int)
    if missing:
        X[rng.random(X.shape) < 0.002] = np.nan
    return X, y


def fractional_weights() -> np.ndarray[Any, Any]:
    return np.random.default_rng(4).integers(1, 9, size=N_ROWS) / 7


def boosted(params: Any, edges: list[int], X: Any, y: Any, weights: Any = None) -> tuple[Run, LevelLearner]:
    columns = fit_columns(X)
    bins = bins_of(columns, weights, 50)
    if weights is not None:
        weights = fixed_point_weights(weights)
    matrix, labels = bins.code(columns), y.astype(np.uint16)
    parts = LocalParts(
        [CodedPart(i, matrix[i:j], labels[i:j], None if weights is None else weights[i:j]) for i, j in pairwise(edges)]
    )
    totals = np.bincount(y, weights).astype(float)
    classes = np.array([0, 1])
    examples = TrainingSet(classes, 2, np.arange(2), None, kept_schema=bins.schema, kept_weights=totals)
    run = Run(np.random.SeedSequence(7), b"")
    learner = LevelLearner(parts, source_facts(bins, N_ROWS), examples, params, run.seed)
    boost(run, learner, ALGORITHMS[params.algorithm], N_TREES, "boosting")
    return run, learner


def assert_same_run(run: Run, local: BoostedTreesClassifier) -> None:
    assert len(run.members) == N_TREES
    assert run.weights == local.estimator_weights_.tolist()
    assert run.errors == local.errors_.tolist()
    for a, b in zip((member.tree.core.state for member in run.members), local.trees_, strict=True):
        assert all(np.array_equal(x, z) for x, z in zip(a, b.core.state, strict=True))


@pytest.mark.parametrize("resample", [False, True], ids=["weighted", "drawn"])
@pytest.mark.parametrize("algorithm", ["m1", "samme", "real"])
@pytest.mark.parametrize("edges", [[0, N_ROWS], EDGES], ids=["one part", "parts"])
def test_boosting_of_parts_is_boosting_of_all_rows(algorithm: Any, edges: list[int], resample: bool) -> None:
    params: dict[str, Any] = {"algorithm": algorithm, "resample": resample, "max_depth": 4, "n_trees": N_TREES}
    X, y = rows()
    local = BoostedTreesClassifier(**params, max_bins=50, random_state=np.random.SeedSequence(7)).fit(X, y)
    assert_same_run(boosted(BoostedTreesClassifier(**params), edges, X, y)[0], local)


@pytest.mark.parametrize("algorithm", ["m1", "real"])
@pytest.mark.parametrize("weighted", [False, True], ids=["ones", "weights"])
def test_rows_that_are_not_drawn_may_reach_several_leaves(algorithm: Any, weighted: bool) -> None:
    params: dict[str, Any] = {"algorithm": algorithm, "missing": "learned", "min_leaf": 30, "n_trees": N_TREES}
    X, y = rows(missing=True)
    weights = fractional_weights() if weighted else None
    local = BoostedTreesClassifier(**params, max_bins=50, random_state=np.random.SeedSequence(7)).fit(X, y, weights)
    run, learner = boosted(BoostedTreesClassifier(**params), EDGES, X, y, weights)
    assert_same_run(run, local)
    assert any(each.mixed is not None for each in learner._rows.rounds)


@pytest.mark.parametrize(("name", "value"), [("dialect", "j48"), ("prune", "pessimistic")])
def test_what_needs_all_rows_raises(name: str, value: Any) -> None:
    with pytest.raises(ParameterError, match=name):
        check_source_params(BoostedTreesClassifier().set_params(**{name: value}), "levels")
