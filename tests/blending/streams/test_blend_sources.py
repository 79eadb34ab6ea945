"""ProbabilityClassifier on sources: as in memory where the rows fit, a forest of all rows and a sample where not."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from calibrant import load_model, save
from calibrant.blending import ProbabilityClassifier
from calibrant.blending import _source_sample as source_sample
from calibrant.data._internal import open_source
from calibrant.exceptions import ParameterError

pa = pytest.importorskip("pyarrow")
dataset = pytest.importorskip("pyarrow.dataset")


def table(n_rows: int) -> pd.DataFrame:
    random = np.random.default_rng(0)
    X = random.normal(size=(n_rows, 2)).round(2)
    town = np.array(["a", "b", "c"])[random.integers(0, 3, n_rows)]
    y = np.where(random.random(n_rows) < 1 / (1 + np.exp(-2 * X[:, 0] - (town == "a"))), "yes", "no").astype(object)
    y[random.permutation(n_rows)[:12]] = "rare"
    return pd.DataFrame(X, columns=["a", "b"]).assign(town=town, y=y)


def in_parts(frame: pd.DataFrame, cuts: list[int]) -> Any:
    whole = pa.Table.from_pandas(frame, preserve_index=False)
    ends = [0, *cuts, len(frame)]
    return dataset.dataset([dataset.dataset(whole.slice(a, b - a)) for a, b in itertools.pairwise(ends)])


@pytest.fixture
def small_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source_sample, "_OF_A_CLASS", 10)
    monkeypatch.setattr(source_sample.sample_source, "__defaults__", (300,))


def test_a_source_that_fits_is_blended_as_in_memory() -> None:
    frame = table(400)
    X = frame.drop(columns="y")
    members = ["bayes", "logistic"]
    in_memory = ProbabilityClassifier(members=members, random_state=0).fit(X, frame["y"])
    streamed = ProbabilityClassifier(members=members, random_state=0).fit(in_parts(frame, [150]), "y")
    np.testing.assert_allclose(streamed.predict_proba(X), in_memory.predict_proba(X), atol=1e-9)


@pytest.mark.usefixtures("small_sample")
def test_the_forest_learns_all_rows_and_the_others_a_sample(tmp_path: Path) -> None:
    frame = table(1500)
    X = frame.drop(columns="y")
    fits = [
        ProbabilityClassifier(members=["bayes", "forest", "bagged"], random_state=0).fit(in_parts(frame, cuts), "y")
        for cuts in ([], [1, 700])
    ]
    np.testing.assert_array_equal(fits[0].predict_proba(X), fits[1].predict_proba(X))
    notes = {member.name: member.note for member in fits[0].members_}
    assert "all 1,500 rows" in notes["forest"]
    assert "of 1,500 rows" in notes["bayes"]
    assert "bagged" in fits[0].left_out_
    assert fits[0].classes_.tolist() == ["no", "rare", "yes"]
    accuracy = (fits[0].predict(X) == frame["y"]).mean()
    assert accuracy > 0.7
    save(fits[0], tmp_path / "blend.cal")
    np.testing.assert_array_equal(load_model(tmp_path / "blend.cal").predict_proba(X), fits[0].predict_proba(X))


def test_every_class_is_in_the_sample_with_its_share_of_weight(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source_sample, "_OF_A_CLASS", 10)
    frame = table(1500)
    with open_source(in_parts(frame, [500]), target="y") as source:
        sample = source_sample.sample_source(source, np.array(["no", "rare", "yes"]), 300)
    weights = sample.balanced_weights
    assert weights is not None
    shares = np.bincount(sample.codes, weights) / weights.sum()
    np.testing.assert_allclose(shares, sample.counts / 1500, rtol=1e-9)
    assert (frame["a"].to_numpy()[sample.numbers] == sample.X["a"]).all()


def test_groups_of_a_source_are_refused() -> None:
    with pytest.raises(ParameterError, match="groups must be None"):
        ProbabilityClassifier().fit(in_parts(table(50), []), "y", groups="town")
