"""CalibratedClassifier on sources: out-of-bag scores of a forest, or those of a fitted model."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pandas as pd
import pytest

from calibrant.bayes import NaiveBayesClassifier
from calibrant.calibration import CalibratedClassifier
from calibrant.ensembles import BaggedTreesClassifier
from calibrant.exceptions import ParameterError

pa = pytest.importorskip("pyarrow")
dataset = pytest.importorskip("pyarrow.dataset")


@pytest.fixture(scope="module")
def rows() -> pd.DataFrame:
    random = np.random.default_rng(0)
    X = random.normal(size=(800, 3)).round(1)
    y = np.where(random.random(800) < 1 / (1 + np.exp(-X[:, 0] - X[:, 1])), "yes", "no")
    return pd.DataFrame(X, columns=["a", "b", "c"]).assign(y=y, w=random.integers(0, 3, 800).astype(float))


def in_parts(frame: pd.DataFrame, cuts: list[int]) -> Any:
    whole = pa.Table.from_pandas(frame, preserve_index=False)
    ends = [0, *cuts, len(frame)]
    return dataset.dataset([dataset.dataset(whole.slice(a, b - a)) for a, b in itertools.pairwise(ends)])


def test_a_forest_calibrated_out_of_bag_is_that_in_memory(rows: pd.DataFrame) -> None:
    X, kept = rows[["a", "b", "c"]], rows[rows["w"] > 0]
    forest = BaggedTreesClassifier(n_trees=20, random_state=0, max_bins=255)
    in_memory = CalibratedClassifier(forest, "platt", cv="oob").fit(kept[["a", "b", "c"]], kept["y"], kept["w"])
    for cuts in ([], [10, 11, 500]):
        streamed = CalibratedClassifier(forest, "platt", cv="oob").fit(in_parts(rows, cuts), "y", sample_weight="w")
        np.testing.assert_allclose(streamed.predict_proba(X), in_memory.predict_proba(X), atol=1e-12)


def test_a_fitted_model_is_calibrated_on_a_source(rows: pd.DataFrame) -> None:
    X = rows[["a", "b", "c"]]
    model = NaiveBayesClassifier().fit(X, rows["y"])
    in_memory = CalibratedClassifier(model, "beta", cv="prefit").fit(X, rows["y"])
    streamed = CalibratedClassifier(model, "beta", cv="prefit").fit(in_parts(rows.drop(columns="w"), [300]), "y")
    np.testing.assert_allclose(streamed.predict_proba(X), in_memory.predict_proba(X), atol=1e-12)


def test_folds_of_a_source_are_refused(rows: pd.DataFrame) -> None:
    with pytest.raises(ParameterError, match="cv must be 'oob' or 'prefit'"):
        CalibratedClassifier(BaggedTreesClassifier()).fit(in_parts(rows, []), "y")
