"""Fits on a cluster whose workers hold all codes: the local binned model, to the bit, whatever happens to workers."""

from __future__ import annotations

import gc
import os
import signal
import time
from typing import Any

import numpy as np
import pandas as pd
import pytest
from tests.dask.tables import table

from calibrant._dask.tasks import TaskQueue
from calibrant.ensembles import (
    BaggedTreesClassifier,
    BoostedStumpsClassifier,
    BoostedTreesClassifier,
    EBPETsClassifier,
)
from calibrant.exceptions import ClusterError
from calibrant.trees import ProbabilityTreeClassifier

dd = pytest.importorskip("dask.dataframe")
da = pytest.importorskip("dask.array")


def local(model: Any, rows: pd.DataFrame) -> Any:
    X = rows.drop(columns=["ill", "w"], errors="ignore")
    return model.fit(X, rows["ill"], sample_weight=rows.get("w"))


def on_cluster(model: Any, rows: Any, client: Any) -> Any:
    weights = "w" if "w" in rows.columns else None
    return model.fit(rows, "ill", sample_weight=weights, client=client)


def assert_same(fitted: Any, expected: Any, rows: pd.DataFrame) -> None:
    X = rows.drop(columns=["ill", "w"], errors="ignore")
    assert fitted.classes_.tolist() == expected.classes_.tolist()
    np.testing.assert_array_equal(fitted.predict_proba(X), expected.predict_proba(X))
    if hasattr(expected, "trees_"):
        for tree, other in zip(fitted.trees_, expected.trees_, strict=True):
            np.testing.assert_array_equal(tree.threshold, other.threshold)
            np.testing.assert_array_equal(tree.counts, other.counts)


MODELS = {
    "forest": BaggedTreesClassifier(n_trees=10, max_features="sqrt", max_bins=255, random_state=0),
    "by class": BaggedTreesClassifier(
        n_trees=6, bootstrap="by_class", class_weight="balanced", max_bins=30, random_state=1
    ),
    "eb_pets": EBPETsClassifier(n_trees=6, max_bins=255, random_state=0),
    "tree": ProbabilityTreeClassifier(max_bins=20, missing="learned"),
    "boosted": BoostedTreesClassifier(n_trees=4, max_depth=3, max_bins=255, random_state=0),
}


# Boosting passes weights on as a tree does.
@pytest.mark.parametrize(
    ("name", "weights"), [*((name, False) for name in MODELS), *((name, True) for name in list(MODELS)[:4])]
)
def test_a_cluster_fits_the_local_binned_model(client: Any, name: str, weights: bool) -> None:
    rows, model = table(weights=weights), MODELS[name]
    fitted = on_cluster(model, dd.from_pandas(rows, npartitions=3, sort=False), client)
    assert_same(fitted, local(MODELS[name].__class__(**model.get_params()), rows), rows)


def test_out_of_bag_probabilities_and_groups_are_those_of_the_local_forest(client: Any) -> None:
    rows = table().assign(patient=np.arange(600) % 50 * 7)
    options: dict[str, Any] = {"n_trees": 6, "max_bins": 255, "random_state": 0, "out_of_bag": "count"}
    lazy = dd.from_pandas(rows, npartitions=3, sort=False)
    fitted = BaggedTreesClassifier(**options).fit(lazy, "ill", groups="patient", client=client.scheduler.address)
    X = rows.drop(columns=["ill", "patient"])
    expected = BaggedTreesClassifier(**options).fit(X, rows["ill"], groups=rows["patient"])
    np.testing.assert_array_equal(fitted.predict_proba(X), expected.predict_proba(X))
    np.testing.assert_array_equal(fitted.oob_proba_, expected.oob_proba_)
    assert fitted.oob_score_ == expected.oob_score_


@pytest.mark.parametrize("n_partitions", [1, 5])
def test_partitions_do_not_matter(client: Any, n_partitions: int) -> None:
    rows, model = table(), MODELS["forest"]
    fitted = on_cluster(model, dd.from_pandas(rows, npartitions=n_partitions, sort=False), client)
    assert_same(fitted, local(type(model)(**model.get_params()), rows), rows)


def test_classes_and_categories_of_one_partition_and_empty_ones_are_ordinary(client: Any) -> None:
    rows = table().sort_values(["ill", "town"]).reset_index(drop=True)
    parts = [rows[:250], rows[:0], rows[250:260], rows[260:]]
    lazy = dd.from_map(lambda i: parts[i], range(4), meta=rows[:0])
    model = MODELS["forest"]
    assert_same(on_cluster(model, lazy, client), local(type(model)(**model.get_params()), rows), rows)


def test_an_array_is_fitted_by_the_numbers_of_its_columns(client: Any) -> None:
    X = np.random.default_rng(0).normal(size=(200, 4)).round(1)
    X[:, 3] = X[:, 0] + X[:, 1] > 0
    model = ProbabilityTreeClassifier(max_bins=255)
    fitted = model.fit(da.from_array(X, chunks=(70, 3)), 3, client=client)
    expected = ProbabilityTreeClassifier(max_bins=255).fit(X[:, :3], X[:, 3])
    np.testing.assert_array_equal(fitted.predict_proba(X[:, :3]), expected.predict_proba(X[:, :3]))


def assert_nothing_left(cluster: Any) -> None:
    gc.collect()  # of what earlier tests left: tracebacks that hold futures
    until = time.monotonic() + 10
    while cluster.scheduler.tasks and time.monotonic() < until:
        time.sleep(0.05)
    assert not cluster.scheduler.tasks


def test_the_rows_are_released_after_a_fit(client: Any, cluster: Any) -> None:
    on_cluster(MODELS["tree"], dd.from_pandas(table(), npartitions=2), client)
    assert_nothing_left(cluster)


class Interruption:
    """Does something once, while the trees of a forest are grown one by one."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, action: Any, after: int = 3) -> None:
        self._submit, self._action, self._left = TaskQueue._submit, action, after
        monkeypatch.setattr("calibrant.ensembles._levels.cluster_forest._BATCHES_PER_THREAD", 1_000)
        monkeypatch.setattr(TaskQueue, "_submit", lambda queue, *args: self.submit(queue, *args))

    def submit(self, queue: Any, *args: Any) -> None:
        self._left -= 1
        if self._left == 0:
            self._action()
        self._submit(queue, *args)


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_a_worker_that_is_killed_in_the_middle_changes_nothing(client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    rows, model = table(), MODELS["forest"].set_params(n_trees=20)
    killed = []

    def kill() -> None:
        killed.extend(client.run(os.getpid).values())
        os.kill(killed[0], signal.SIGKILL)

    Interruption(monkeypatch, kill)
    fitted = on_cluster(model, dd.from_pandas(rows, npartitions=3, sort=False), client)
    assert killed
    assert_same(fitted, local(type(model)(**model.get_params()), rows), rows)
    client.wait_for_workers(2, timeout=30)


def test_a_worker_that_joins_late_takes_part(client: Any, join: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    rows, model = table(), MODELS["forest"].set_params(n_trees=20)
    late: list[str] = []
    Interruption(monkeypatch, lambda: late.append(join()))
    fitted = on_cluster(model, dd.from_pandas(rows, npartitions=3, sort=False), client)
    (n_executed,) = client.run(lambda dask_worker: dask_worker.state.executed_count, workers=late).values()
    assert n_executed > 0
    assert_same(fitted, local(type(model)(**model.get_params()), rows), rows)


def test_too_little_memory_is_told_before_the_work(client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("calibrant._dask.client.Connection.memory", lambda _: 3 * 600 * 7 - 1)
    monkeypatch.setattr("calibrant.trees._sources.cluster_rows.ClusterRows._check_bins_fit", lambda *_: None)
    with pytest.raises(ClusterError, match=r"codes of 600 rows take 4.2e-06 GB on each worker.*needs 1.26e-05 GB"):
        on_cluster(BoostedStumpsClassifier(n_trees=2), dd.from_pandas(table(), npartitions=2), client)


def test_ctrl_c_leaves_nothing_on_the_workers(client: Any, cluster: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt() -> None:
        raise KeyboardInterrupt

    Interruption(monkeypatch, interrupt)
    with pytest.raises(KeyboardInterrupt):
        on_cluster(MODELS["forest"], dd.from_pandas(table(), npartitions=2), client)
    assert_nothing_left(cluster)
