"""Fits on a cluster whose workers cannot hold all codes: trees from histograms, the local ones to the bit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.dask.tables import table
from tests.dask.test_cluster_fits import MODELS, assert_same, dd, local, on_cluster

from calibrant.calibration import CalibratedClassifier
from calibrant.ensembles import BaggedTreesClassifier, BoostedTreesClassifier, EBPETsClassifier, MOBESPClassifier
from calibrant.exceptions import ClusterError, ParameterError


@pytest.fixture
def little_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """Workers that have memory for the codes of some rows only."""
    monkeypatch.setattr("calibrant._dask.client.Connection.memory", lambda _: 3 * 600 * 7 - 1)
    monkeypatch.setattr("calibrant.trees._sources.cluster_rows.ClusterRows._check_bins_fit", lambda *_: None)


@pytest.mark.usefixtures("little_memory")
@pytest.mark.parametrize("name", ["forest", "by class", "tree"])
def test_a_forest_grown_level_by_level_is_the_local_one(client: Any, name: str) -> None:
    rows, model = table(), MODELS[name]
    fitted = on_cluster(model, dd.from_pandas(rows, npartitions=3, sort=False), client)
    expected = local(type(model)(**model.get_params()), rows)
    assert_same(fitted, expected, rows)
    if hasattr(expected, "oob_proba_"):
        np.testing.assert_array_equal(fitted.oob_proba_, expected.oob_proba_)
        assert fitted.oob_score_ == expected.oob_score_


@pytest.mark.usefixtures("little_memory")
@pytest.mark.parametrize("estimate", ["frequency", "hierarchical_shrinkage"])
def test_leaves_of_partitions_are_counted_together(client: Any, estimate: str) -> None:
    rows = table(weights=True)
    options: dict[str, Any] = {"n_trees": 5, "out_of_bag_weight": "auto", "estimate": estimate, "missing": "learned"}
    lazy = dd.from_pandas(rows, npartitions=3, sort=False)
    fitted = on_cluster(EBPETsClassifier(**options, max_bins=255, random_state=0), lazy, client)
    expected = local(EBPETsClassifier(**options, max_bins=255, random_state=0), rows)
    assert_same(fitted, expected, rows)
    np.testing.assert_array_equal(fitted.oob_proba_, expected.oob_proba_)


@pytest.mark.usefixtures("little_memory")
def test_leaves_are_counted_by_the_votes_of_all_trees(client: Any) -> None:
    rows, options = table(), {"n_trees": 5, "missing": "learned", "max_bins": 255, "random_state": 0}
    lazy = dd.from_pandas(rows, npartitions=3, sort=False)
    assert_same(on_cluster(MOBESPClassifier(**options), lazy, client), local(MOBESPClassifier(**options), rows), rows)


@pytest.mark.usefixtures("little_memory")
def test_a_forest_grown_level_by_level_is_calibrated_out_of_the_bag(client: Any) -> None:
    rows, lazy = table(), dd.from_pandas(table(), npartitions=3, sort=False)
    forest = BaggedTreesClassifier(n_trees=6, max_bins=255, random_state=0)
    there = CalibratedClassifier(forest, "temperature", cv="oob").fit(lazy, "ill", client=client)
    X = rows.drop(columns="ill")
    here = CalibratedClassifier(forest, "temperature", cv="oob").fit(X, rows["ill"])
    np.testing.assert_allclose(there.predict_proba(X), here.predict_proba(X), rtol=0, atol=1e-12)


@pytest.mark.usefixtures("little_memory")
@pytest.mark.parametrize("resample", [False, True], ids=["weighted", "drawn"])
def test_trees_boosted_level_by_level_are_the_local_ones(client: Any, resample: bool) -> None:
    rows = table(weights=resample)
    params: dict[str, Any] = {"n_trees": 4, "max_depth": 3, "max_bins": 255, "resample": resample}
    params |= {"missing": "learned", "random_state": 0}
    fitted = on_cluster(BoostedTreesClassifier(**params), dd.from_pandas(rows, npartitions=3, sort=False), client)
    expected = local(BoostedTreesClassifier(**params), rows)
    assert_same(fitted, expected, rows)
    assert fitted.estimator_weights_.tolist() == expected.estimator_weights_.tolist()
    assert len(fitted.trees_) > 1


@pytest.mark.usefixtures("little_memory")
def test_groups_are_drawn_whole_level_by_level_too(client: Any) -> None:
    rows = table().assign(patient=np.arange(600) % 50 * 7)
    options: dict[str, Any] = {"n_trees": 3, "max_bins": 255, "random_state": 0, "class_weight": {"yes": 3.5}}
    lazy = dd.from_pandas(rows, npartitions=3, sort=False)
    fitted = BaggedTreesClassifier(**options).fit(lazy, "ill", groups="patient", client=client)
    X = rows.drop(columns=["ill", "patient"])
    expected = BaggedTreesClassifier(**options).fit(X, rows["ill"], groups=rows["patient"])
    np.testing.assert_array_equal(fitted.predict_proba(X), expected.predict_proba(X))


@pytest.mark.usefixtures("little_memory")
def test_groups_on_several_workers_cannot_be_left_out_of_leaves(client: Any) -> None:
    lazy = dd.from_pandas(table().assign(patient=np.arange(600) % 50), npartitions=2, sort=False)
    with pytest.raises(ParameterError, match="rows have groups"):
        EBPETsClassifier(n_trees=2, missing="learned").fit(lazy, "ill", groups="patient", client=client)


def test_workers_that_cannot_hold_their_share_are_refused_before_the_work(
    client: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("calibrant._dask.client.Connection.memory", lambda _: 5000)
    monkeypatch.setattr("calibrant.trees._sources.cluster_rows.ClusterRows._check_bins_fit", lambda *_: None)
    with pytest.raises(ClusterError, match=r"the codes of 600 rows, shared out over 2 workers, .* Start more workers"):
        on_cluster(MODELS["forest"], dd.from_pandas(table(), npartitions=2), client)


def test_workers_that_cannot_find_bins_are_refused_before_the_work(
    client: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("calibrant._dask.client.Connection.memory", lambda _: 424_999_999)
    rows = dd.from_map(lambda _: 1 / 0, [1], meta=table().iloc[:0])
    with pytest.raises(ClusterError, match=r"needs 0.425 GB of memory.* bins of 5 columns.* the smallest has 0.425 GB"):
        on_cluster(MODELS["forest"], rows, client)


@pytest.mark.usefixtures("little_memory")
def test_what_needs_all_rows_is_refused_before_the_work(client: Any) -> None:
    with pytest.raises(ParameterError, match="level by level"):
        on_cluster(
            type(MODELS["forest"])(prune="pessimistic", n_trees=2), dd.from_pandas(table(), npartitions=2), client
        )
