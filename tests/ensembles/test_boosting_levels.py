"""Boosting from parts of the rows, level by level, equals boosting of all binned rows."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from calibrant.data._bins.bins_of import bins_of
from calibrant.data._internal import CodedPart, fit_columns
from calibrant.ensembles import BoostedTreesClassifier
from calibrant.ensembles._boosting.adaboost_variants import ALGORITHMS
from calibrant.ensembles._boosting.boosting_loop import Run, boost
from calibrant.ensembles._levels.level_learner import LevelLearner
from calibrant.exceptions import ParameterError
from calibrant.trees._internal import ExamplesWithoutRows, TableWithoutRows
from calibrant.trees._levels.parts import LocalParts

N_ROWS = 6000
N_TREES = 4


def rows() -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(N_ROWS, 4))
    return X, (X[:, 0] + X[:, 1] ** 2 + rng.normal(size=N_ROWS) > 1).astype(int)


def boosted(params: Any, edges: list[int]) -> Run:
    X, y = rows()
    columns = fit_columns(X)
    bins = bins_of(columns, None, 50)
    matrix, labels = bins.code(columns), y.astype(np.uint16)
    parts = LocalParts([CodedPart(i, matrix[i:j], labels[i:j]) for i, j in pairwise(edges)])
    examples = ExamplesWithoutRows(
        np.array([0, 1]), 2, np.arange(2), None, np.bincount(y).astype(float), TableWithoutRows(bins.schema)
    )
    run = Run(np.random.SeedSequence(7), b"")
    learner = LevelLearner(parts, bins, examples, params, run.seed, N_ROWS)
    boost(run, learner, ALGORITHMS[params.algorithm], N_TREES, "boosting")
    return run


@pytest.mark.parametrize("algorithm", ["m1", "samme", "real"])
@pytest.mark.parametrize("edges", [[0, N_ROWS], [0, 1000, 1000, 4500, N_ROWS]])
def test_boosting_of_parts_is_boosting_of_all_rows(algorithm: Any, edges: list[int]) -> None:
    params: dict[str, Any] = {"algorithm": algorithm, "resample": False, "max_depth": 4, "n_trees": N_TREES}
    X, y = rows()
    local = BoostedTreesClassifier(**params, max_bins=50, random_state=np.random.SeedSequence(7)).fit(X, y)
    run = boosted(BoostedTreesClassifier(**params), edges)
    assert len(run.members) == N_TREES
    assert run.weights == local.estimator_weights_.tolist()
    assert run.errors == local.errors_.tolist()
    for a, b in zip((member.tree.core.state for member in run.members), local.trees_, strict=True):
        assert all(np.array_equal(x, z) for x, z in zip(a, b.core.state, strict=True))


@pytest.mark.parametrize(("name", "value"), [("resample", True), ("dialect", "j48"), ("prune", "pessimistic")])
def test_what_needs_all_rows_raises(name: str, value: Any) -> None:
    params = BoostedTreesClassifier(resample=False).set_params(**{name: value})
    with pytest.raises(ParameterError, match=name):
        boosted(params, [0, N_ROWS])
