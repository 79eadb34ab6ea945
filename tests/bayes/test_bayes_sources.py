"""Naive Bayes learned from sources: the same for any partition, equal or near to the fit in memory."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pandas as pd
import polars
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from calibrant.bayes import NaiveBayesClassifier
from calibrant.exceptions import DataTypeError, ParameterError

pa = pytest.importorskip("pyarrow")
dataset = pytest.importorskip("pyarrow.dataset")


def table(n_rows: int, seed: int = 0) -> pd.DataFrame:
    random = np.random.default_rng(seed)
    y = random.integers(0, 3, n_rows)
    return pd.DataFrame(
        {
            "length": random.normal(y, 1.0),
            "count": random.poisson(2.0 + y).astype(float),
            "town": np.array(["a", "b", "c", "d"])[(random.integers(0, 3, n_rows) + (y == 2)) % 4],
            "gap": np.where(random.random(n_rows) < 0.2, np.nan, random.exponential(1.0 + y)),
            "y": np.array(["u", "v", "w"])[y],
            "weight": random.random(n_rows) + 0.1,
        }
    )


def in_parts(frame: pd.DataFrame, cuts: list[int]) -> Any:
    whole = pa.Table.from_pandas(frame, preserve_index=False)
    ends = [0, *sorted(cuts), len(frame)]
    return dataset.dataset([dataset.dataset(whole.slice(a, b - a)) for a, b in itertools.pairwise(ends)])


def model_of(numeric: Any, source: Any) -> NaiveBayesClassifier:
    return NaiveBayesClassifier(numeric=numeric).fit(source, "y", "weight")


NUMERIC = ["mdl", "gaussian", "equal_width"]


@pytest.mark.parametrize("numeric", NUMERIC)
@given(cuts=st.lists(st.integers(0, 400), max_size=5))
@settings(max_examples=8, deadline=None)
def test_the_partition_of_a_source_changes_no_bit(numeric: str, cuts: list[int]) -> None:
    frame = table(400)
    whole, parts = (model_of(numeric, in_parts(frame, where)) for where in ([], cuts))
    X = frame.drop(columns=["y", "weight"])
    np.testing.assert_array_equal(whole.predict_proba(X), parts.predict_proba(X))
    np.testing.assert_array_equal(whole.class_count_, parts.class_count_)


@pytest.mark.parametrize("numeric", NUMERIC)
def test_a_source_of_few_distinct_values_is_learned_as_in_memory(numeric: Any) -> None:
    frame = table(1000).assign(length=lambda rows: rows["length"].round(1), gap=lambda rows: rows["gap"].round(1))
    X = frame.drop(columns=["y", "weight"])
    in_memory = NaiveBayesClassifier(numeric=numeric).fit(X, frame["y"], frame["weight"])
    streamed = model_of(numeric, polars.LazyFrame(frame))
    np.testing.assert_allclose(streamed.predict_proba(X), in_memory.predict_proba(X), atol=1e-9)
    for mine, theirs in zip(streamed.cut_points_, in_memory.cut_points_, strict=True):
        np.testing.assert_allclose(mine, theirs)


@pytest.mark.parametrize("numeric", NUMERIC)
def test_continuous_columns_are_learned_nearly_as_in_memory(numeric: Any) -> None:
    frame = table(5000)
    X = frame.drop(columns=["y", "weight"])
    in_memory = NaiveBayesClassifier(numeric=numeric).fit(X, frame["y"], frame["weight"])
    difference = np.abs(model_of(numeric, in_parts(frame, [999])).predict_proba(X) - in_memory.predict_proba(X))
    assert difference.mean() < (0.02 if numeric == "mdl" else 1e-9)


def test_normal_distributions_of_a_source_are_those_in_memory_and_can_be_updated() -> None:
    """Columns of few values and of many; parts of either hold few."""
    frame = table(2000).drop(columns="weight")
    X, y = frame.drop(columns="y"), frame["y"]
    in_memory = NaiveBayesClassifier(numeric="gaussian").fit(X, y)
    streamed = NaiveBayesClassifier(numeric="gaussian").fit(in_parts(frame, [100, 150, 1900]), "y")
    for _ in range(2):
        np.testing.assert_array_equal(streamed.predict_proba(X), in_memory.predict_proba(X))
        for model in (streamed, in_memory):
            model.partial_fit(X, y)


def test_counts_learned_from_a_source_can_be_updated() -> None:
    frame = table(600)
    X = frame.drop(columns=["y", "weight"])
    model = NaiveBayesClassifier(numeric="equal_width").fit(in_parts(frame, [300]), "y", "weight")
    before = model.class_count_.sum()
    assert model.partial_fit(X[:10], frame["y"][:10]).class_count_.sum() == pytest.approx(before + 10)


def test_kernels_and_wrong_arguments_are_refused() -> None:
    frame = table(50)
    with pytest.raises(ParameterError, match="kernel"):
        model_of("kernel", in_parts(frame, []))
    with pytest.raises(DataTypeError, match="y must be the name of a column"):
        NaiveBayesClassifier().fit(in_parts(frame, []), frame["y"])
    with pytest.raises(ParameterError, match="client must be None"):
        NaiveBayesClassifier().fit(frame[["length"]], frame["y"], client=object())


def test_a_class_or_category_of_one_part_only_is_learned() -> None:
    frame = pd.DataFrame({"town": list("aabbcc"), "x": [1.0, 2, 3, 4, 5, 6], "y": list("uuvvww")})
    in_memory = NaiveBayesClassifier(numeric="gaussian").fit(frame[["town", "x"]], frame["y"])
    streamed = NaiveBayesClassifier(numeric="gaussian").fit(in_parts(frame, [2, 4]), "y")
    np.testing.assert_allclose(
        streamed.predict_proba(frame[["town", "x"]]), in_memory.predict_proba(frame[["town", "x"]]), atol=1e-12
    )
