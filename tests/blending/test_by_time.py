"""Blends and calibrated classifiers by time: held out by the past, honest about what follows, saved with the plan."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import TimeSeriesSplit
from sklearn.naive_bayes import GaussianNB

from calibrant.blending import ProbabilityClassifier
from calibrant.calibration import CalibratedClassifier
from calibrant.exceptions import DataError, ParameterError
from calibrant.files import load_model, save
from calibrant.metrics import log_loss
from calibrant.resampling import CrossValidation, RollingOrigin, TimeOrderedHoldout

FAST = ["bayes", "logistic", "gradient"]


def turning(n_rows: int, seed: int, turns: float = 1.0) -> tuple[pd.DataFrame, Any]:
    """Return rows in order of time: the direction that separates the classes turns, and 'index' grows with time."""
    rng = np.random.default_rng(seed)
    t = np.linspace(0, 1, n_rows)
    a, b = rng.normal(size=(2, n_rows))
    margin = np.cos(2 * np.pi * turns * t) * a + np.sin(2 * np.pi * turns * t) * b
    y = np.where(rng.random(n_rows) < 1 / (1 + np.exp(-12 * margin)), "yes", "no")
    return pd.DataFrame({"index": 100 * t + rng.normal(scale=0.3, size=n_rows), "a": a, "b": b}), y


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.long) for seed in (1, 2))])
def test_the_expected_loss_by_time_is_what_later_rows_score(seed: int) -> None:
    """Rows drawn at random look as if the turn were known; those that follow score several times as much."""
    X, y = turning(1200, seed)
    past, later = slice(0, 1000), slice(1000, None)
    shuffled = ProbabilityClassifier(members=FAST, random_state=0).fit(X[past], y[past])
    by_time = ProbabilityClassifier(members=FAST, cv="time", random_state=0).fit(X[past], y[past])
    expected, scored = by_time.expected_log_loss_, log_loss(y[later], by_time.predict_proba(X[later]))
    assert shuffled.expected_log_loss_.high < expected.value / 2
    assert expected.low <= scored <= expected.high
    assert scored < log_loss(y[later], shuffled.predict_proba(X[later]))


def test_rows_are_predicted_by_models_of_earlier_rows_alone() -> None:
    """A change of the last rows changes no earlier probability, and the first rows have none."""
    X, y = turning(600, 0)
    other = y.copy()
    other[500:] = np.random.default_rng(1).permutation(other[500:])
    model, changed = (
        ProbabilityClassifier(members=FAST, cv=RollingOrigin(5), random_state=0).fit(X, each).held_out_proba_
        for each in (y, other)
    )
    assert np.isnan(model[:100]).all()
    # The map is chosen with all rows at hand and then fitted to earlier ones, so only rows before the last part agree
    np.testing.assert_allclose(model[100:200], changed[100:200])
    assert not np.isnan(model[100:]).any()


def test_times_may_come_in_any_order_of_rows() -> None:
    X, y = turning(600, 2)
    order = np.random.default_rng(0).permutation(600)
    sorted_rows = ProbabilityClassifier(members=["logistic"], cv="time", random_state=0).fit(X, y)
    times = np.arange(600)[order]
    mixed = ProbabilityClassifier(members=["logistic"], cv="time", random_state=0).fit(
        X.iloc[order], y[order], times=times
    )
    assert mixed.expected_log_loss_.value == pytest.approx(sorted_rows.expected_log_loss_.value, rel=1e-6)


def test_rows_of_weight_0_take_their_times_with_them() -> None:
    X, y = turning(600, 2)
    weight = np.r_[np.zeros(60), np.ones(540)]
    times = np.arange(600)[::-1]
    rows = {"members": ["logistic"], "cv": "time", "random_state": 0}
    whole = ProbabilityClassifier(**rows).fit(X, y, weight, times=times)
    part = ProbabilityClassifier(**rows).fit(X[60:], y[60:], times=times[60:])
    assert whole.expected_log_loss_.value == pytest.approx(part.expected_log_loss_.value, rel=1e-9)


def test_other_estimators_are_members_by_time() -> None:
    X, y = turning(400, 3)
    model = ProbabilityClassifier(members=["bayes", ("other", LogisticRegression())], cv="time 3", random_state=0)
    assert {each.name for each in model.fit(X, y).members_} == {"bayes", "other"}


def test_what_is_expected_says_what_it_assumes() -> None:
    X, y = turning(400, 0)
    by_time = ProbabilityClassifier(members=["bayes"], cv="time", random_state=0).fit(X, y)
    shuffled = ProbabilityClassifier(members=["bayes"], random_state=0).fit(X, y)
    assert "expected log-loss on rows that follow in time" in repr(by_time)
    assert "expected log-loss on new rows like these" in repr(shuffled)
    assert repr(by_time.expected_log_loss_).endswith("on rows that follow in time")


@pytest.mark.parametrize("cv", ["time", RollingOrigin(3), TimeOrderedHoldout(0.4), TimeSeriesSplit(3)], ids=str)
def test_a_blend_by_time_is_saved_with_its_plan(tmp_path: Path, cv: Any) -> None:
    X, y = turning(300, 0)
    model = ProbabilityClassifier(members=["bayes", "logistic"], cv=cv, random_state=0).fit(X, y)
    save(model, tmp_path / "m.calibrant")
    loaded = load_model(tmp_path / "m.calibrant")
    np.testing.assert_array_equal(loaded.predict_proba(X), model.predict_proba(X))
    assert loaded.expected_log_loss_ == model.expected_log_loss_
    assert repr(loaded.cv) == repr(cv)


def test_a_distilled_tree_is_measured_on_the_latest_period() -> None:
    X, y = turning(600, 0)
    model = ProbabilityClassifier(members=["bayes", "logistic"], cv="time", random_state=0).fit(X, y)
    assert model.distill(4).n_leaves <= 4
    assert model.permutation_importances().loss > model.expected_log_loss_.low / 2


def test_only_plans_by_time_are_taken() -> None:
    X, y = turning(60, 0)
    for cv in (CrossValidation(), 5, "10x3"):
        with pytest.raises(ParameterError, match="cv must be 'time', a plan by time"):
            ProbabilityClassifier(cv=cv).fit(X, y)
    with pytest.raises(ParameterError, match="TimeSeriesSplit knows no times"):
        ProbabilityClassifier(cv=TimeSeriesSplit()).fit(X, y, times=np.arange(60))
    with pytest.raises(DataError, match="times must have a value for each of the 60 rows"):
        ProbabilityClassifier(cv="time").fit(X, y, times=np.arange(7))


def test_a_class_that_comes_late_needs_a_past() -> None:
    X, _ = turning(60, 0)
    with pytest.raises(DataError, match="no training rows of a split by time have all classes"):
        ProbabilityClassifier(members=["bayes"], cv="time").fit(X, np.r_[np.zeros(59), 1])


def test_a_calibrated_classifier_maps_the_scores_of_rows_that_follow() -> None:
    X, y = turning(600, 0)
    order = np.random.default_rng(0).permutation(600)
    plan = RollingOrigin(5)
    model = CalibratedClassifier(GaussianNB(), "platt", cv=plan).fit(X, y)
    assert model.held_out_.rows.tolist() == list(range(100, 600))
    for train, test in plan.split(X):
        alone = GaussianNB().fit(X.iloc[train], y[train]).predict_proba(X.iloc[test])[:, 1]
        np.testing.assert_allclose(model.held_out_.scores[test - 100, 0], alone)
    mixed = CalibratedClassifier(GaussianNB(), "platt", cv=plan).fit(X.iloc[order], y[order], times=order)
    np.testing.assert_allclose(mixed.predict_proba(X), model.predict_proba(X))


def test_a_calibrated_blend_by_time_is_saved(tmp_path: Path) -> None:
    X, y = turning(400, 0)
    blend = ProbabilityClassifier(members=["bayes"], cv="time", random_state=0)
    model = CalibratedClassifier(blend, cv=RollingOrigin(3, time=np.arange(400))).fit(X, y, times=np.arange(400))
    save(model, tmp_path / "m.calibrant")
    np.testing.assert_array_equal(load_model(tmp_path / "m.calibrant").predict_proba(X), model.predict_proba(X))


def test_few_times_make_fewer_splits() -> None:
    """Five moments are wanted, three years are there: the model is held out at two of them."""
    X, y = turning(300, 0)
    years = np.repeat([2021, 2022, 2023], 100)
    model = ProbabilityClassifier(members=["bayes"], cv="time", random_state=0).fit(X, y, times=years)
    assert np.isnan(model.held_out_proba_[:100]).all()
    assert not np.isnan(model.held_out_proba_[100:]).any()
    calibrated = CalibratedClassifier(GaussianNB(), cv=RollingOrigin(), calibrator="platt").fit(X, y, times=years)
    assert calibrated.held_out_.rows.tolist() == list(range(100, 300))
