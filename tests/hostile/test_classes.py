"""Class columns that are ids, amounts or vast integers are named, not worked on without a word."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from tests.hostile.calls import SCORES, N, X

from calibrant.bayes import NaiveBayesClassifier
from calibrant.calibration import CalibratedClassifier, Platt
from calibrant.comparison import mcnemar_test
from calibrant.decisions import ThresholdClassifier
from calibrant.exceptions import DataError, DataTypeError, ManyClassesWarning
from calibrant.metrics import auc
from calibrant.trees import ProbabilityTreeClassifier

VAST: dict[str, Any] = {
    "list": [0, 10**30] * (N // 2),
    "beyond floats": [10**400, 1] * (N // 2),
    "array of objects": np.array([-(10**30), 5] * (N // 2), dtype=object),
    "series": pd.Series([0, 10**30] * (N // 2)),
}


@pytest.mark.parametrize("labels", VAST)
def test_a_wrapper_refuses_classes_that_scikit_learn_cannot_split(labels: str) -> None:
    words = r"y holds the integer -?10[0.]+, which has more than 64 bits; .* Pass classes as strings"
    for kind in (CalibratedClassifier, ThresholdClassifier):
        with pytest.raises(DataError, match=words):
            kind(NaiveBayesClassifier(), cv=2).fit(X, VAST[labels])


@pytest.mark.parametrize("labels", VAST)
def test_vast_integers_are_classes_of_learners_calibrators_and_metrics(labels: str) -> None:
    assert NaiveBayesClassifier().fit(X, VAST[labels]).classes_.tolist() == sorted(set(VAST[labels]))
    assert Platt().fit(SCORES, VAST[labels]).classes_.tolist() == sorted(set(VAST[labels]))
    assert 0 < auc(VAST[labels], SCORES) < 1


def test_predictions_of_vast_integers_and_of_small_ones_differ_in_type() -> None:
    with pytest.raises(DataTypeError, match="must hold classes of one type"):
        mcnemar_test(VAST["list"], [0, 1] * (N // 2), [1, 0] * (N // 2))


def test_integers_that_a_float_would_merge_are_no_classes() -> None:
    with pytest.raises(DataError, match="y holds the integer 9223372036854775809"):
        NaiveBayesClassifier().fit(X[:3], [2**63, 2**63 + 1, -1])


@pytest.mark.parametrize("labels", [np.array([2**63, 2**63 + 1] * 12, dtype=np.uint64), [2**53 + 1, 2**53] * 12])
def test_integers_of_64_bits_are_classes(labels: Any) -> None:
    model = NaiveBayesClassifier().fit(X, labels)
    assert model.classes_.tolist() == sorted({int(label) for label in labels})


@pytest.mark.parametrize("make", [pd.Series, pl.Series, np.array])
def test_a_class_column_of_thousands_of_values_warns_and_is_named(make: Any) -> None:
    labels = make([f"client {number}" for number in range(1_500)])
    name = "y"
    if not isinstance(labels, np.ndarray):
        labels, name = labels.rename("client") if make is pd.Series else labels.alias("client"), "client"
    columns = np.arange(1_500.0).reshape(-1, 1)
    words = rf"'{name}' has 1,500 classes in 1,500 rows"
    for model in (NaiveBayesClassifier(), ProbabilityTreeClassifier(max_depth=1)):
        with pytest.warns(ManyClassesWarning, match=words):
            model.fit(columns, labels)


def test_a_thousand_classes_do_not_warn() -> None:
    NaiveBayesClassifier().fit(np.arange(2_000.0).reshape(-1, 1), np.arange(2_000) % 1_000)


@pytest.mark.filterwarnings("error")
def test_twenty_thousand_classes_warn_before_the_work_begins() -> None:
    labels = pd.Series(np.arange(20_000), name="client")
    begin = time.process_time()
    with pytest.raises(ManyClassesWarning, match="'client' has 20,000 classes"):
        ProbabilityTreeClassifier().fit(np.arange(20_000.0).reshape(-1, 1), labels)
    assert time.process_time() - begin < 5
