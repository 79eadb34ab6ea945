"""Blends in model files."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from tests.files.models import numbers, quiet, table, three_classes, two_classes

import calibrant
from calibrant.blending import ProbabilityClassifier
from calibrant.exceptions import NotSavedError
from calibrant.files import describe_model


def back(model: Any, folder: Path, **options: Any) -> Any:
    calibrant.save(model, folder / "m.calibrant", **options)
    return calibrant.load_model(folder / "m.calibrant")


@cache
def blend(members: Any = "auto") -> ProbabilityClassifier:
    with quiet():
        return ProbabilityClassifier(members=members, random_state=0).fit(table(), two_classes())


def test_all_members_come_back(tmp_path: Path) -> None:
    loaded = back(blend(), tmp_path)
    assert loaded.predict_proba(table()).tobytes() == blend().predict_proba(table()).tobytes()
    assert repr(loaded) == repr(blend())
    assert loaded.members_ == blend().members_
    assert loaded.leaderboard().equals(blend().leaderboard())
    assert repr(loaded.calibration_) == repr(blend().calibration_)


@pytest.mark.parametrize("member", ["bayes", "logistic", "kernel", "boosted", "gradient", "forest"])
@pytest.mark.parametrize("y", [two_classes(), three_classes()], ids=["two", "three"])
@pytest.mark.sample(5)
def test_each_member_comes_back(member: str, y: np.ndarray, tmp_path: Path) -> None:
    with quiet():
        model = ProbabilityClassifier(members=[member], random_state=0).fit(table(), y)
    assert back(model, tmp_path).predict_proba(table()).tobytes() == model.predict_proba(table()).tobytes()


def test_a_member_of_another_library_comes_back(tmp_path: Path) -> None:
    with quiet():
        members = ["bayes", ("mine", LogisticRegression())]
        model = ProbabilityClassifier(members=members, random_state=0).fit(numbers(), three_classes())
    loaded = back(model, tmp_path)
    assert loaded.predict_proba(numbers()).tobytes() == model.predict_proba(numbers()).tobytes()
    assert [each.name for each in loaded.members_] == [each.name for each in model.members_]


def test_a_blend_of_one_class_comes_back(tmp_path: Path) -> None:
    with quiet():
        model = ProbabilityClassifier(members=["bayes"]).fit(table(), np.ones(160))
    assert back(model, tmp_path).predict_proba(table()[:2]).tolist() == [[1.0], [1.0]]


def test_the_file_has_the_expected_score(tmp_path: Path) -> None:
    back(blend(), tmp_path)
    described = describe_model(tmp_path / "m.calibrant")
    loss = blend().expected_log_loss_
    assert [(each.metric, each.value, each.low) for each in described.expected] == [("log_loss", loss.value, loss.low)]
    assert described.notes == ()


def test_no_training_row_stands_in_the_file_of_the_default_model(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 4))
    with quiet():
        model = ProbabilityClassifier(random_state=0).fit(X, (X[:, 0] + rng.normal(size=300) > 0).astype(int))
    loaded = back(model, tmp_path)
    content = (tmp_path / "m.calibrant").read_bytes()
    (kernel,) = (member.model for member in loaded._blend.members if member.family == "kernel")
    assert kernel.centres.tobytes() in content
    for rows in (X, kernel.design.matrix(list(X.T))):  # as passed, and standardised
        assert not any(row.tobytes() in content for row in rows)
        assert np.abs(kernel.centres[:, np.newaxis] - rows).max(axis=2).min() > 1e-6


def test_what_needs_the_training_rows_says_so(tmp_path: Path) -> None:
    loaded = back(blend(("bayes", "logistic")), tmp_path)
    with pytest.raises(NotSavedError, match="which with_members needs: save it with training_rows=True"):
        loaded.with_members("bayes")
    with pytest.raises(NotSavedError, match="which distill needs"):
        loaded.distill(3)
    with pytest.raises(NotSavedError, match="which permutation_importances needs: pass X and y, or save"):
        loaded.permutation_importances()
    with pytest.raises(NotSavedError, match="without held_out_proba_"):
        _ = loaded.held_out_proba_
    assert not hasattr(loaded, "held_out_proba_")
    assert loaded.permutation_importances(table(), two_classes(), n_repeats=1).mean.shape == (4,)


def test_with_the_training_rows_everything_works_as_before(tmp_path: Path) -> None:
    model = blend(("bayes", "logistic"))
    loaded = back(model, tmp_path, training_rows=True)
    assert np.array_equal(loaded.held_out_proba_, model.held_out_proba_, equal_nan=True)
    one = loaded.with_members("bayes").predict_proba(table())
    assert one.tobytes() == model.with_members("bayes").predict_proba(table()).tobytes()
    assert repr(loaded.distill(3, table(), two_classes())) == repr(model.distill(3, table(), two_classes()))
