"""The report of a fitted blend agrees with its predictions."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.metrics import log_loss

from calibrant.blending import ProbabilityClassifier
from calibrant.exceptions import ParameterError


@pytest.fixture(scope="module")
def rows() -> tuple[np.ndarray, np.ndarray]:
    X, y = load_wine(return_X_y=True)
    return X[:, :4], y


@pytest.fixture(scope="module")
def model(rows: tuple[np.ndarray, np.ndarray]) -> ProbabilityClassifier:
    return ProbabilityClassifier(members=["bayes", "logistic", "forest"], random_state=0).fit(*rows)


def test_the_leaderboard_has_all_members_and_the_blend(model: ProbabilityClassifier) -> None:
    board = model.leaderboard()
    assert board.columns.tolist() == ["weight", "log_loss", "seconds", "note"]
    assert set(board.index) == {"blend", *(member.name for member in model.members_)}
    assert board["log_loss"].is_monotonic_increasing
    assert board.loc["blend", "log_loss"] == model.expected_log_loss_.value
    for member in model.members_:
        assert board.loc[member.name, ["weight", "log_loss"]].tolist() == [member.weight, member.log_loss]


def test_members_are_sorted_by_weight(model: ProbabilityClassifier) -> None:
    weights = [member.weight for member in model.members_]
    assert weights == sorted(weights, reverse=True)
    assert min(weights) >= 0 < max(weights)
    assert {member.family for member in model.members_} == {"bayes", "logistic", "forest"}


def test_the_repr_names_members_and_loss(model: ProbabilityClassifier) -> None:
    text = repr(model)
    assert f"expected log-loss on new rows like these {model.expected_log_loss_.value:.4f}" in text
    assert all(member.name in text for member in model.members_)
    assert "calibration:" in text
    assert repr(ProbabilityClassifier(random_state=0)) == "ProbabilityClassifier(random_state=0)"


def test_held_out_probabilities_have_the_expected_loss(
    model: ProbabilityClassifier, rows: tuple[np.ndarray, np.ndarray]
) -> None:
    proba = model.held_out_proba_
    assert proba.shape == (len(rows[1]), 3)
    assert proba.sum(axis=1) == pytest.approx(1)
    assert log_loss(rows[1], proba) == pytest.approx(model.expected_log_loss_.value)


def test_held_out_probabilities_do_not_know_the_class_of_their_row() -> None:
    X, y = np.random.default_rng(0).random((200, 3)), np.arange(200) % 2
    model = ProbabilityClassifier(members=["forest"], random_state=0).fit(X, y)  # which repeats its own rows exactly
    assert log_loss(y, model.held_out_proba_) > 0.68


def test_some_of_the_members_are_blended_again(
    model: ProbabilityClassifier, rows: tuple[np.ndarray, np.ndarray]
) -> None:
    before = repr(model)
    other = model.with_members("bayes", "forest")
    assert {member.family for member in other.members_} <= {"bayes", "forest"}
    assert other.predict_proba(rows[0]).sum(axis=1) == pytest.approx(1)
    assert repr(model) == before
    assert other.permutation_importances(random_state=0).loss != model.permutation_importances(random_state=0).loss


def test_with_members_names_what_there_is(model: ProbabilityClassifier) -> None:
    with pytest.raises(ParameterError, match="positive weight"):
        model.with_members("baies")
    with pytest.raises(ParameterError, match="at least one name"):
        model.with_members()
