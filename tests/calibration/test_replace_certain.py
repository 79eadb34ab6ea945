"""Certain probabilities, exactly 0 or 1: what replaces them in every map on the scale of log-odds."""

import json
import pickle

import numpy as np
import pytest
from scipy.special import expit
from sklearn.linear_model import LogisticRegression

from calibrant.calibration import (
    Beta,
    Dirichlet,
    MatrixScaling,
    Pairwise,
    Platt,
    QuadraticLogit,
    Spline,
    Temperature,
    VectorScaling,
    calibrator_from_dict,
)

MAPS = [Platt, Beta, Temperature, VectorScaling, QuadraticLogit, Spline, MatrixScaling, Dirichlet, Pairwise]
GRID = np.linspace(0.05, 0.95, 19)
WITH_ENDS = np.r_[0.0, 1e-300, 1e-9, 1e-3, GRID, 1 - 1e-3, 1 - 1e-9, 1.0]


def calibrated(n=400, seed=0):
    random = np.random.default_rng(seed)
    scores = random.beta(2, 2, n).clip(0.03, 0.97)
    return scores, random.random(n) < scores


def votes(n=400, seed=0):
    """Frequencies of ten, of which some are certain and wrong."""
    random = np.random.default_rng(seed)
    true = random.random(n)
    return random.binomial(10, true) / 10, random.random(n) < 0.8 * true + 0.1


def table_of_votes(n=400, seed=0):
    random = np.random.default_rng(seed)
    true = random.dirichlet(np.ones(3), n)
    counts = np.array([random.multinomial(8, row) for row in true])
    return counts / 8, (random.random((n, 1)) > true.cumsum(axis=1)[:, :-1]).sum(axis=1)


@pytest.mark.parametrize("kind", [kind for kind in MAPS if kind is not Spline])  # which chooses its bends by the rows
def test_one_certain_wrong_score_does_not_bend_the_map(kind):
    scores, y = calibrated()
    alone = kind().fit(scores, y).predict(GRID)
    for score in (0.0, 1.0):
        bent = kind().fit(np.append(scores, score), np.append(y, score == 0.0)).predict(GRID)
        assert np.abs(bent - alone).max() < 0.08


def test_platts_sigmoid_is_a_logistic_regression_of_the_replaced_log_odds():
    scores, y = votes()
    wrong = [(y[scores == 0].sum() + 1) / ((scores == 0).sum() + 2), (~y[scores == 1]).sum() + 1]
    floor, ceiling = min(wrong[0], 0.05), 1 - min(wrong[1] / ((scores == 1).sum() + 2), 0.05)
    found = Platt().fit(scores, y)
    assert found.certain_ == pytest.approx({"floor": floor, "ceiling": ceiling})
    x = np.clip(scores, floor, ceiling)
    x = np.log(x / (1 - x))[:, None]
    high, low = (y.sum() + 1) / (y.sum() + 2), 1 / ((~y).sum() + 2)
    target = np.where(y, high, low)
    peer = LogisticRegression(C=np.inf, tol=1e-10).fit(
        np.r_[x, x], np.r_[np.ones(400), np.zeros(400)], np.r_[target, 1 - target]
    )
    assert [found.slope_, found.intercept_] == pytest.approx([peer.coef_[0, 0], peer.intercept_[0]], abs=1e-4)


@pytest.mark.parametrize("kind", [Platt, Beta, Temperature, VectorScaling, QuadraticLogit])
def test_the_map_is_monotone_from_end_to_end(kind):
    found = kind().fit(*votes())
    proba = found.predict(WITH_ENDS)
    assert found.is_monotone
    assert (np.diff(proba) >= 0).all()
    assert 0.02 < proba[0] < 0.3
    assert 0.7 < proba[-1] < 0.98


@pytest.mark.parametrize("kind", MAPS)
@pytest.mark.parametrize("draw", [votes, table_of_votes])
def test_the_replacements_are_written_and_pickled(kind, draw):
    scores, y = draw()
    found = kind().fit(scores, y)
    pickled = pickle.loads(pickle.dumps(found))  # noqa: S301
    for again in (calibrator_from_dict(json.loads(json.dumps(found.to_dict()))), pickled):
        np.testing.assert_array_equal(again.predict(scores), found.predict(scores))


@pytest.mark.parametrize("kind", MAPS)
def test_certain_votes_of_three_classes_stay_possible(kind):
    scores, y = table_of_votes()
    proba = kind().fit(scores, y).predict(np.eye(3))
    assert proba.sum(axis=1) == pytest.approx(np.ones(3))
    assert proba.min() > 0.002


@pytest.mark.parametrize("kind", MAPS)
def test_two_columns_are_replaced_as_the_second_alone(kind):
    scores, y = votes()
    one, both = kind().fit(scores, y), kind().fit(np.stack([1 - scores, scores], axis=1), y)
    table = both.predict(np.stack([1 - WITH_ENDS, WITH_ENDS], axis=1))
    np.testing.assert_allclose(table[:, 1], one.predict(WITH_ENDS), rtol=1e-9)


@pytest.mark.parametrize("kind", [Platt, Beta, Temperature, QuadraticLogit])
def test_the_inverse_returns_the_replaced_ends(kind):
    found = kind().fit(*votes())
    floor, ceiling = found.inverse(found.predict([0.0, 1.0]))
    assert floor == pytest.approx(0.05)
    assert ceiling == pytest.approx(0.95)
    np.testing.assert_allclose(found.inverse(found.predict(GRID)), GRID, atol=1e-9)
    np.testing.assert_allclose(found.inverse([0.0, 1.0]), [floor, ceiling], atol=1e-9)


def test_without_certain_rows_the_line_of_log_odds_continues():
    scores, y = calibrated()
    found = Platt().fit(scores, y)
    assert found.certain_ == {"floor": 0.0, "ceiling": 1.0}
    assert found.predict([1e-6])[0] == pytest.approx(expit(found.slope_ * np.log(1e-6) + found.intercept_), rel=1e-4)


def test_a_map_written_before_the_replacement_is_read():
    written = Platt().fit(*calibrated()).to_dict()
    del written["learnt"]["certain_"]
    assert calibrator_from_dict(written).predict([0.5]) == pytest.approx(Platt().fit(*calibrated()).predict([0.5]))
