import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.special import softmax

from calibrant.calibration import Isotonic, Pairwise, Platt, calibrator_from_dict
from calibrant.calibration._maps.composed import couple
from calibrant.exceptions import DataError, ParameterError


def draw(seed=0, n_rows=300, n_classes=3):
    rng = np.random.default_rng(seed)
    logits = rng.normal(size=(n_rows, n_classes))
    y = (rng.random((n_rows, 1)) > softmax(1.4 * logits, axis=1).cumsum(axis=1)[:, :-1]).sum(axis=1)
    return softmax(logits, axis=1), y


@given(shares=st.lists(st.floats(0.01, 1), min_size=3, max_size=6))
def test_pairs_that_agree_are_coupled_to_what_they_came_from(shares):
    proba = np.array(shares) / sum(shares)
    wins = proba[:, np.newaxis] / (proba[:, np.newaxis] + proba)
    np.testing.assert_allclose(couple(wins[np.newaxis])[0], proba, atol=1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_coupling_finds_what_a_general_optimiser_finds(seed):
    upper = np.triu(np.random.default_rng(seed).uniform(0.05, 0.95, (4, 4)), 1)
    wins = upper + np.tril(1 - upper.T, -1)

    def disagreement(p):
        away = wins.T * p[:, np.newaxis] - wins * p
        return np.sum(away[~np.eye(4, dtype=bool)] ** 2)

    limits = {"bounds": [(0, 1)] * 4, "constraints": {"type": "eq", "fun": lambda p: p.sum() - 1}}
    best = minimize(disagreement, np.full(4, 0.25), method="SLSQP", options={"ftol": 1e-14}, **limits).x
    np.testing.assert_allclose(couple(wins[np.newaxis])[0], best, atol=1e-5)


def test_pairs_that_are_certain_still_give_probabilities():
    wins = np.array(
        [[[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]], [[0, 1, 1], [0, 0, 1], [0, 0, 0]]], dtype=float
    )
    np.testing.assert_allclose(couple(wins), [[1 / 3, 1 / 3, 1 / 3], [1, 0, 0]], atol=1e-9)


def test_relabelling_classes_permutes_columns():
    proba, y = draw()
    order = np.array([2, 0, 1])
    straight = Pairwise().fit(proba, y).predict(proba)
    relabelled = Pairwise().fit(proba[:, order], np.argsort(order)[y]).predict(proba[:, order])
    np.testing.assert_allclose(relabelled, straight[:, order], atol=1e-6)


@pytest.mark.parametrize("calibrator", [None, Platt(on="score"), Isotonic()], ids=repr)
def test_any_calibrator_of_two_classes_is_coupled_and_written(calibrator):
    proba, y = draw()
    found = Pairwise(calibrator).fit(proba, y)
    assert [type(part) for part in found.parts_] == [type(calibrator or Platt())] * 3
    read = calibrator_from_dict(json.loads(json.dumps(found.to_dict())))
    np.testing.assert_array_equal(read.predict(proba), found.predict(proba))


def test_two_classes_are_the_calibrator_itself():
    proba, y = draw(n_classes=2)
    np.testing.assert_array_equal(Pairwise().fit(proba, y).predict(proba), Platt().fit(proba, y).predict(proba))


def test_rows_in_parts_are_the_rows_together(monkeypatch):
    proba, y = draw()
    found = Pairwise().fit(proba, y)
    together = found.predict(proba)
    monkeypatch.setattr("calibrant.calibration._maps.composed._CHUNK", 7)
    np.testing.assert_allclose(found.predict(proba), together, rtol=1e-12)


def test_a_class_without_rows_and_an_invalid_calibrator_raise():
    proba, y = draw()
    with pytest.raises(DataError, match="got none of the class 2"):
        Pairwise().fit(proba[y < 2], y[y < 2], labels=[0, 1, 2])
    with pytest.raises(ParameterError, match="calibrator must be a calibrator"):
        Pairwise("platt").fit(proba, y)
