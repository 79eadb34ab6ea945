"""Calibrators, naive Bayes, metrics and blends of Dask frames on a cluster: those of the same rows read here."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import pytest
from tests.dask.clusters import two_workers

from calibrant.bayes import NaiveBayesClassifier
from calibrant.calibration import Beta, CalibratedClassifier, Isotonic, MatrixScaling, Temperature
from calibrant.ensembles import BaggedTreesClassifier
from calibrant.metrics import evaluate_table

dd = pytest.importorskip("dask.dataframe")
distributed = pytest.importorskip("distributed")


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    with two_workers(memory_limit="1GiB") as cluster, distributed.Client(cluster) as connected:
        yield connected


@pytest.fixture(scope="module")
def rows() -> pd.DataFrame:
    random = np.random.default_rng(0)
    scores = random.dirichlet([1.0, 1.0, 1.0], 900)
    y = np.array(["u", "v", "w"])[(random.random((900, 1)) > scores.cumsum(axis=1)).sum(axis=1).clip(0, 2)]
    return pd.DataFrame(scores, columns=["u", "v", "w"]).assign(y=y, is_u=y == "u", weight=random.random(900) + 0.5)


@pytest.mark.parametrize(
    ("calibrator", "columns", "target"),
    [
        (Beta(), "u", "is_u"),
        (Isotonic(), "u", "is_u"),
        (Temperature(), ["u", "v", "w"], "y"),
        (MatrixScaling(), ["u", "v", "w"], "y"),
    ],
    ids=repr,
)
def test_a_calibrator_is_fitted_on_workers_to_the_bit(
    client: Any, rows: pd.DataFrame, calibrator: Any, columns: Any, target: str
) -> None:
    here, there = (
        calibrator.fit(source, target, sample_weight="weight", columns=columns, client=on).to_dict()
        for source, on in ((dd.from_pandas(rows, npartitions=1), None), (dd.from_pandas(rows, npartitions=4), client))
    )
    assert here == there


@pytest.mark.parametrize("numeric", ["mdl", "gaussian"])
def test_naive_bayes_is_learned_on_workers_to_the_bit(client: Any, rows: pd.DataFrame, numeric: Any) -> None:
    X = rows[["u", "v", "w", "y", "weight"]]
    fits = [
        NaiveBayesClassifier(numeric=numeric).fit(dd.from_pandas(X, npartitions=n), "y", "weight", client=client)
        for n in (1, 4)
    ]
    np.testing.assert_array_equal(*(model.predict_proba(rows[["u", "v", "w"]]) for model in fits))


def test_a_forest_is_calibrated_out_of_bag_on_workers(client: Any, rows: pd.DataFrame) -> None:
    X = rows[["u", "v", "w", "y"]]
    forest = BaggedTreesClassifier(n_trees=10, random_state=0, max_bins=255)
    in_memory = CalibratedClassifier(forest, "temperature", cv="oob").fit(X.drop(columns="y"), X["y"])
    there = CalibratedClassifier(forest, "temperature", cv="oob")
    there.fit(dd.from_pandas(X, npartitions=3), "y", client=client)
    np.testing.assert_allclose(
        there.predict_proba(X.drop(columns="y")), in_memory.predict_proba(X.drop(columns="y")), atol=1e-12
    )


def test_the_metrics_of_a_dask_frame_are_those_in_memory(rows: pd.DataFrame) -> None:
    cards = [
        evaluate_table(source, target="is_u", proba="u", metrics=["log_loss", "auc"], confidence=None)
        for source in (rows, dd.from_pandas(rows, npartitions=4))
    ]
    assert cards[1]["log_loss"].value == pytest.approx(cards[0]["log_loss"].value)
    assert cards[1]["auc"].value == pytest.approx(cards[0]["auc"].value)
