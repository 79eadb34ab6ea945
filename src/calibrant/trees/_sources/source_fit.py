"""Fits to sources, tables that may be larger than memory, on this machine or on a Dask cluster."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, TypeVar, cast

from calibrant._random import seed_sequence
from calibrant._source_limits import check_source_columns, check_source_params
from calibrant.data._internal import DaskSource, binned_rows, open_source, warn_of_weights
from calibrant.trees._growing.grown_tree import GrownTree
from calibrant.trees._growing.training_set import TrainingSet
from calibrant.trees._sources.cluster_rows import ClusterRows, fit_coded
from calibrant.trees._sources.grow_levels import LevelPlan
from calibrant.trees._tree_params import TreeParamsMixin

E = TypeVar("E")

_MOST_BINS = 255  # of codes of a byte, and the default of sources


def fit_source(estimator: E, X: Any, y: Any, sample_weight: Any, groups: Any, client: Any) -> E:
    """Fit an estimator of trees to a source; its rows are dropped in the end.

    On a cluster the fit is the same as to the rows in memory, to the bit. An estimator with a method ``_fit_cluster``
    (of the coded rows) decides itself where its parts are learned there; any other is fitted by one worker.

    Examples
    --------
    >>> import polars
    >>> from calibrant.trees import ProbabilityTreeClassifier
    >>> lazy = polars.LazyFrame({"age": [31, 64, 45, 19], "ill": ["no", "yes", "yes", "no"]})
    >>> fit_source(ProbabilityTreeClassifier(), lazy, "ill", None, None, None).tree_
    <Tree: 3 nodes, 2 leaves, depth 1, 2 classes>
    """
    check_source_params(estimator)
    check_source_columns(y=y, sample_weight=sample_weight, groups=groups)
    model: Any = estimator
    roles = {"target": y, "sample_weight": sample_weight, "groups": groups}
    with open_source(X, **roles, nominal=model.nominal, client=client) as source:
        if isinstance(source, DaskSource):
            _fit_on_cluster(model, source)
            return estimator
        # One byte a value in a scratch folder, which is removed in the end
        with binned_rows(source, model.max_bins, n_jobs=model.n_jobs) as rows:
            if getattr(model, "weight_kind", "frequency") == "frequency":
                warn_of_weights(rows.weights)
            names, class_weight = source.columns if source.roles.named else None, getattr(model, "class_weight", None)
            coded = rows.table, rows.labels, rows.weights, rows.groups
            fit_coded(model, TrainingSet.number(*coded, class_weight, feature_names=names, from_source=True))
    return estimator


def _fit_on_cluster(estimator: Any, source: DaskSource) -> None:
    rows = ClusterRows(source, estimator.max_bins or _MOST_BINS)
    try:
        fit = getattr(estimator, "_fit_cluster", None)
        fitted = rows.fit_by_one_worker(estimator) if fit is None else fit(rows)
    finally:  # also after an error or Ctrl-C
        rows.release()
    # A worker fitted a copy: only what fitting added comes back, the caller's parameter objects stay his own.
    params = estimator.get_params(deep=False)
    vars(estimator).update({name: value for name, value in fitted.items() if name not in params})


def fit_tree_on_cluster(estimator: Any, rows: ClusterRows) -> dict[str, Any]:
    """Return the attributes of a tree grown by one worker, or by all of them level by level where none has memory."""
    if rows.fits_workers:
        return rows.fit_by_one_worker(estimator)
    check_source_params(estimator, "levels")
    params = cast("TreeParamsMixin", SimpleNamespace(**estimator.get_params(deep=False)))
    seed = seed_sequence(estimator.random_state)
    parts, examples = rows.number(estimator.class_weight)
    plan = LevelPlan(rows.facts.bins, len(examples.classes), examples.n_declared, rows.facts.n_rows, params)
    (core,) = plan.grow(rows.parts(parts), {0: GrownTree.tie_seed(seed)})
    return dict(vars(estimator._store(GrownTree.of(examples.tree(core), examples, params, seed))))
