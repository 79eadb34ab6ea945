"""Permutation importances of a blend: against scikit-learn's on the same rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.inspection import permutation_importance
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss

from calibrant.blending import ProbabilityClassifier
from calibrant.exceptions import ParameterError

NAMES = ["strong", "weak", "noise", "constant"]


def draw(n_rows: int, seed: int = 0) -> tuple[pd.DataFrame, np.ndarray]:
    random = np.random.default_rng(seed)
    X = random.normal(size=(n_rows, 4))
    X[:, 3] = 1.0
    y = random.random(n_rows) < 1 / (1 + np.exp(-2 * X[:, 0] - 0.7 * X[:, 1]))
    return pd.DataFrame(X, columns=NAMES), y.astype(int)


@pytest.fixture(scope="module")
def model() -> ProbabilityClassifier:
    return ProbabilityClassifier(members=["bayes", "logistic"], random_state=0).fit(*draw(500))


@pytest.mark.long
def test_they_are_those_of_scikit_learn(model: ProbabilityClassifier) -> None:
    X, y = draw(300, 1)
    ours = model.permutation_importances(X, y, n_repeats=40, random_state=0)
    theirs = permutation_importance(model, X, y, scoring="neg_log_loss", n_repeats=40, random_state=0)
    error = theirs.importances_std * np.sqrt(2 / 40)
    assert (np.abs(ours.mean - theirs.importances_mean) <= 4 * error).all()
    assert ours.loss == pytest.approx(log_loss(y, model.predict_proba(X)))


def test_a_constant_column_has_none(model: ProbabilityClassifier) -> None:
    importances = model.permutation_importances(*draw(100, 1), random_state=0)
    assert importances.names == tuple(NAMES)
    assert (importances.mean[3], importances.standard_error[3]) == (0.0, 0.0)
    assert importances.mean[0] > importances.mean[1] > importances.mean[2]


def test_without_rows_a_blend_of_three_quarters_is_measured(model: ProbabilityClassifier) -> None:
    importances = model.permutation_importances(random_state=0)
    assert importances.mean[0] > 10 * importances.standard_error[0] / 3
    assert abs(importances.mean[2]) < 4 * importances.standard_error[2] + 0.01
    assert importances.loss == pytest.approx(model.distill(2).blend_log_loss)  # the same rows
    assert repr(importances).startswith("Increase of the held-out log_loss (")


def test_the_seed_decides(model: ProbabilityClassifier) -> None:
    X, y = draw(100, 1)
    first, second, other = (model.permutation_importances(X, y, random_state=seed).mean for seed in (0, 0, 1))
    assert first.tolist() == second.tolist() != other.tolist()


def test_a_row_of_weight_0_is_absent(model: ProbabilityClassifier) -> None:
    X, y = draw(100, 1)
    weighted = model.permutation_importances(X, y, sample_weight=np.arange(100) < 60, random_state=0)
    assert weighted.mean.tolist() == model.permutation_importances(X[:60], y[:60], random_state=0).mean.tolist()


def test_groups_count_once_in_the_standard_error(model: ProbabilityClassifier) -> None:
    X, y = draw(100, 1)
    alone = model.permutation_importances(X, y, random_state=0)
    grouped = model.permutation_importances(X, y, groups=np.arange(100), random_state=0)
    assert grouped.standard_error == pytest.approx(alone.standard_error)
    halves = model.permutation_importances(X, y, groups=np.arange(100) // 50, random_state=0)
    assert halves.mean.tolist() == alone.mean.tolist()
    assert not np.allclose(halves.standard_error, alone.standard_error)


def _polars(X: pd.DataFrame) -> Any:
    return pl.DataFrame({name: X[name].to_numpy() for name in X})


def _shuffled(X: pd.DataFrame) -> Any:
    return X.set_index(np.arange(len(X))[::-1])[NAMES[::-1]]


def _arrow(X: pd.DataFrame) -> Any:
    return pa.table({name: X[name].to_numpy() for name in X})


class NamedColumns(LogisticRegression):  # type: ignore[misc]
    """Logistic regression that finds the columns of any frame by name, as a pipeline of another library would."""

    def fit(self, X: Any, y: Any) -> NamedColumns:
        super().fit(_by_name(X), y)
        return self

    def predict_proba(self, X: Any) -> np.ndarray:
        return np.asarray(super().predict_proba(_by_name(X)))


def _by_name(X: Any) -> np.ndarray:
    return np.column_stack([np.asarray(X[name]) for name in NAMES])


@pytest.mark.parametrize("frame", [_polars, _shuffled, _arrow])
def test_other_estimators_get_permuted_rows_of_any_frame(frame: Any) -> None:
    X, y = draw(200)
    new, classes = draw(80, 1)
    members = [("own", NamedColumns()), "bayes"]
    model = ProbabilityClassifier(members=members, random_state=0).fit(X, y)
    expected = model.permutation_importances(new, classes, random_state=0, n_repeats=2)
    found = model.permutation_importances(frame(new), classes, random_state=0, n_repeats=2)
    assert found.mean == pytest.approx(expected.mean, abs=1e-12)
    assert found.mean[0] > 0.1
    assert found.mean[3] == 0.0


def test_other_estimators_need_rows() -> None:
    X, y = draw(200)
    model = ProbabilityClassifier(members=[("own", LogisticRegression())], random_state=0).fit(X.to_numpy(), y)
    with pytest.raises(ParameterError, match="X and y must be passed where 'own'"):
        model.permutation_importances()
    new, classes = draw(100, 1)
    array = model.permutation_importances(new.to_numpy(), classes, random_state=0)
    assert array.mean[0] > array.mean[1] > 0
    assert array.mean[3] == 0.0
    rows = model.permutation_importances(new.to_numpy().tolist(), classes, random_state=0)
    assert rows.mean == pytest.approx(array.mean)


def test_n_repeats_is_checked(model: ProbabilityClassifier) -> None:
    with pytest.raises(ParameterError, match="n_repeats"):
        model.permutation_importances(n_repeats=0)
