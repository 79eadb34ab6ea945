"""The blend learns from dates and free text, within its folds, and leaves them out where they say nothing."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import calibrant
from calibrant import ProbabilityClassifier
from calibrant.blending._parts import ColumnParts
from calibrant.exceptions import ParameterError

WORDS = [
    "late",
    "paid",
    "twice",
    "call",
    "again",
    "never",
    "asked",
    "refund",
    "sent",
    "lost",
    "parcel",
    "broken",
    "nice",
    "thanks",
]
MEMBERS = ["bayes", "logistic", "boosted"]


def orders(n_rows: int, seed: int, effect: float) -> tuple[pd.DataFrame, Any]:
    random = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "x": random.normal(size=n_rows),
            "when": pd.Timestamp("2020-01-01") + pd.to_timedelta(random.integers(0, 700, n_rows), unit="D"),
            "note": [" ".join(random.choice(WORDS, size=random.integers(3, 9))) for _ in range(n_rows)],
        }
    )
    signal = (X["when"].dt.day_of_week >= 5).astype(float) + X["note"].str.contains("lost") - 0.6
    return X, np.where(random.random(n_rows) < 1 / (1 + np.exp(-X["x"] - effect * signal)), "bad", "good")


def loss(model: Any, X: pd.DataFrame, y: Any) -> float:
    proba = model.predict_proba(X)
    return float(-np.log(proba[np.arange(len(y)), np.searchsorted(model.classes_, y)]).mean())


@pytest.fixture(scope="module")
def fitted() -> Any:
    return ProbabilityClassifier(members=MEMBERS, random_state=0).fit(*orders(500, 0, 2.0))


def test_they_gain_where_they_say_something(fitted: Any) -> None:
    X, y = orders(500, 0, 2.0)
    without = ProbabilityClassifier(members=MEMBERS, random_state=0).fit(X[["x"]], y)
    new, actual = orders(2_000, 1, 2.0)
    assert loss(fitted, new, actual) < loss(without, new[["x"]], actual) - 0.03


def test_they_cost_little_where_they_say_nothing() -> None:
    X, y = orders(800, 0, 0.0)
    model, without = (ProbabilityClassifier(members=MEMBERS, random_state=0).fit(each, y) for each in (X, X[["x"]]))
    new, actual = orders(2_000, 1, 0.0)
    assert loss(model, new, actual) < loss(without, new[["x"]], actual) + 0.01


def test_the_expected_loss_is_that_of_new_rows(fitted: Any) -> None:
    expected = fitted.expected_log_loss_
    found = loss(fitted, *orders(4_000, 1, 2.0))
    assert expected.low - 0.02 < found < expected.high + 0.02


def test_their_members_are_named(fitted: Any) -> None:
    assert {f"{name} (dates, text)" for name in MEMBERS} <= {member.name for member in fitted.members_}


def test_parts_are_fitted_to_training_rows_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    n_fitted: list[int] = []
    fit = ColumnParts.fit.__func__  # type: ignore[attr-defined]

    def counted(cls: Any, columns: Any, words: Any, weights: Any) -> Any:
        n_fitted.append(columns.n_rows)
        assert [each.shape[0] for each in words] == [columns.n_rows]
        return fit(cls, columns, words, weights)

    monkeypatch.setattr(ColumnParts, "fit", classmethod(counted))
    ProbabilityClassifier(members=["logistic"], random_state=0).fit(*orders(80, 0, 1.0))
    assert sorted(n_fitted) == [70] * 8 + [80]


def test_a_loaded_model_predicts_alike_and_keeps_no_words(fitted: Any, tmp_path: Path) -> None:
    X, _ = orders(50, 2, 1.0)
    calibrant.save(fitted, tmp_path / "m.calibrant")
    loaded = calibrant.load_model(tmp_path / "m.calibrant")
    assert np.array_equal(loaded.predict_proba(X), fitted.predict_proba(X))
    assert b"parcel" not in (tmp_path / "m.calibrant").read_bytes()


def test_threads_do_not_change_a_bit() -> None:
    X, y = orders(60, 0, 2.0)
    one, other = (ProbabilityClassifier(members=MEMBERS, random_state=0, n_jobs=n).fit(X, y) for n in (1, 2))
    assert np.array_equal(other.predict_proba(X), one.predict_proba(X))


def test_a_row_of_weight_0_is_as_if_absent() -> None:
    X, y = orders(120, 0, 1.0)
    weight = np.ones(120)
    weight[::4] = 0
    kept = np.flatnonzero(weight)
    one = ProbabilityClassifier(members=["logistic"], random_state=0).fit(X, y, weight)
    other = ProbabilityClassifier(members=["logistic"], random_state=0).fit(X.iloc[kept], y[kept])
    assert np.array_equal(one.predict_proba(X), other.predict_proba(X))


def test_dates_alone_can_be_fitted_again_and_text_needs_rows(fitted: Any) -> None:
    X, y = orders(200, 0, 2.0)
    dated = ProbabilityClassifier(members=["bayes", "logistic"], random_state=0).fit(X[["x", "when"]], y)
    assert dated.distill(3).n_leaves <= 3
    with pytest.raises(ParameterError, match="X and y must be passed"):
        fitted.distill(3)
    assert fitted.permutation_importances(X, y, random_state=0).mean.shape == (3,)


def test_no_warning_of_free_text() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ProbabilityClassifier(members=["logistic"], random_state=0).fit(*orders(200, 0, 1.0))
