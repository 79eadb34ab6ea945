"""Trees boosted on a Dask cluster: by one worker that has all codes, or level by level where none has."""

from __future__ import annotations

from typing import Any

from calibrant._random import seed_sequence
from calibrant._source_limits import check_source_params
from calibrant.ensembles._boosting.adaboost_variants import ALGORITHMS
from calibrant.ensembles._boosting.boosting_loop import Run, boost
from calibrant.ensembles._levels.level_learner import LevelLearner
from calibrant.ensembles._tree_style import styled
from calibrant.trees._internal import ClusterRows, DaskParts, fit_by_one_worker

__all__ = ["fit_boosting_on_cluster"]


def fit_boosting_on_cluster(estimator: Any, rows: ClusterRows) -> dict[str, Any]:
    """Return the attributes of boosted trees that the workers of a cluster have grown."""
    if rows.fits_workers:
        return fit_by_one_worker(estimator, rows)
    check_source_params(estimator, "levels")
    params, facts = styled(estimator), rows.facts
    run = Run(seed_sequence(estimator.random_state), b"")
    parts = rows.number(None)
    on_workers = DaskParts(rows.connection, parts.futures)
    learner = LevelLearner(on_workers, facts.bins, parts.examples, params, run.seed, facts.n_rows)
    boost(run, learner, ALGORITHMS[estimator.algorithm], estimator.n_trees, type(estimator).__name__)
    run.row_weights = None
    return dict(vars(estimator._store(run, parts.examples)))
