"""Predictions of Dask collections: nothing is computed before it is needed, and each equals that of the whole table."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.naive_bayes import GaussianNB

from calibrant.bayes import NaiveBayesClassifier
from calibrant.calibration import CalibratedClassifier
from calibrant.ensembles import BaggedTreesClassifier, BoostedTreesClassifier
from calibrant.trees import ProbabilityTreeClassifier

dd = pytest.importorskip("dask.dataframe")
da = pytest.importorskip("dask.array")

RNG = np.random.default_rng(0)
FRAME = pd.DataFrame({"a": RNG.normal(size=80), "b": RNG.normal(size=80).round(1)}, index=np.arange(80) * 2)
Y = np.where(FRAME["a"] + RNG.normal(size=80) > 0, "yes", "no")
MODELS = [
    ProbabilityTreeClassifier(),
    BaggedTreesClassifier(n_trees=3, random_state=0),
    BoostedTreesClassifier(n_trees=2),
    NaiveBayesClassifier(),
    CalibratedClassifier(GaussianNB(), cv=2),
]


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_predictions_of_partitions_are_those_of_the_table(model: Any) -> None:
    fitted = model.fit(FRAME, Y)
    frame, array = dd.from_pandas(FRAME, npartitions=3), da.from_array(FRAME.to_numpy(), chunks=(30, 1))
    proba, classes = fitted.predict_proba(frame), fitted.predict(frame)
    assert proba.divisions == frame.divisions == classes.divisions
    expected = pd.DataFrame(fitted.predict_proba(FRAME), FRAME.index, fitted.classes_)
    pd.testing.assert_frame_equal(proba.compute(scheduler="sync"), expected, check_column_type=False)
    assert classes.compute(scheduler="sync").tolist() == fitted.predict(FRAME).tolist()
    fitted = model.fit(FRAME.to_numpy(), Y)
    proba = fitted.predict_proba(array)
    assert (proba.shape, proba.dtype) == ((80, 2), np.float64)
    np.testing.assert_array_equal(proba.compute(scheduler="sync"), fitted.predict_proba(FRAME.to_numpy()))
    np.testing.assert_array_equal(
        fitted.predict_log_proba(array).compute(scheduler="sync"), fitted.predict_log_proba(FRAME.to_numpy())
    )
    assert fitted.predict(array).compute(scheduler="sync").tolist() == fitted.predict(FRAME.to_numpy()).tolist()


def test_unknown_lengths_and_empty_partitions_are_ordinary() -> None:
    model = ProbabilityTreeClassifier().fit(FRAME, Y)
    frame = dd.from_pandas(FRAME, npartitions=4)
    few = frame[frame["a"] > 1.5]
    expected = model.predict_proba(FRAME[FRAME["a"] > 1.5])
    np.testing.assert_array_equal(model.predict_proba(few).compute(scheduler="sync").to_numpy(), expected)
    named = ProbabilityTreeClassifier().fit(FRAME.to_numpy(), Y)
    assert named.predict_proba(few.to_dask_array()).compute(scheduler="sync").tolist() == expected.tolist()


def test_a_cluster_predicts_too(client: Any) -> None:
    model = BaggedTreesClassifier(n_trees=3, random_state=0).fit(FRAME, Y)
    found = client.compute(model.predict_proba(dd.from_pandas(FRAME, npartitions=3))).result()
    np.testing.assert_array_equal(found.to_numpy(), model.predict_proba(FRAME))
