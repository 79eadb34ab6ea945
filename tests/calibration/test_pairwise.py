import json
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.special import softmax

from calibrant.calibration import Isotonic, Pairwise, Platt, ScoreMap, calibrator_from_dict
from calibrant.exceptions import DataError, ParameterError


def draw(seed=0, n_rows=300, n_classes=3):
    rng = np.random.default_rng(seed)
    logits = rng.normal(size=(n_rows, n_classes))
    y = (rng.random((n_rows, 1)) > softmax(1.4 * logits, axis=1).cumsum(axis=1)[:, :-1]).sum(axis=1)
    return softmax(logits, axis=1), y


class Unchanged(ScoreMap):
    """Returns the probability of a pair as it is."""

    _learned = ()

    def _learn(self, sample):
        pass

    def _map(self, scores):
        return scores


class Certain(ScoreMap):
    """Returns 1 where the score is on the side of the second class, and 0 elsewhere."""

    _learned = ("sign_",)

    def _learn(self, sample):
        self.sign_ = np.sign(sample.scores[sample.positive].mean() - sample.scores[~sample.positive].mean())

    def _map(self, scores):
        return (self.sign_ * (scores - 0.5) > 0) * 1.0


@given(shares=st.lists(st.floats(0.01, 1), min_size=3, max_size=6))
def test_pairs_that_agree_are_coupled_to_what_they_came_from(shares):
    proba = np.array(shares) / sum(shares)
    n = len(proba)
    found = Pairwise(Unchanged()).fit((np.eye(n) + 1 / n) / 2, range(n)).predict([proba])
    np.testing.assert_allclose(found[0], proba, atol=1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_coupling_finds_what_a_general_optimiser_finds(seed):
    proba, y = draw(seed, n_classes=4)
    found, row, wins = Pairwise(Isotonic()).fit(proba, y), proba[seed], np.zeros((4, 4))
    for (low, high), part in zip(combinations(range(4), 2), found.parts_, strict=True):
        wins[high, low] = part.predict([row[high] / (row[low] + row[high])])[0]
        wins[low, high] = 1 - wins[high, low]

    def disagreement(p):
        away = wins.T * p[:, np.newaxis] - wins * p
        return np.sum(away[~np.eye(4, dtype=bool)] ** 2)

    limits = {"bounds": [(0, 1)] * 4, "constraints": {"type": "eq", "fun": lambda p: p.sum() - 1}}
    best = minimize(disagreement, np.full(4, 0.25), method="SLSQP", options={"ftol": 1e-14}, **limits).x
    np.testing.assert_allclose(found.predict([row])[0], best, atol=1e-5)


def test_pairs_that_are_certain_still_give_probabilities():
    """Scores of the pair (0, 2) are the wrong way round: in one row each class beats another, in one 2 beats both."""
    found = Pairwise(Certain()).fit([[0.2, 0.1, 0.7], [0.3, 0.6, 0.1], [0.5, 0.3, 0.2]], [0, 1, 2])
    proba = found.predict([[0.5, 0.3, 0.2], [0.5, 0.2, 0.3]])
    np.testing.assert_allclose(proba, [[1 / 3, 1 / 3, 1 / 3], [0, 0, 1]], atol=1e-9)


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


def test_very_many_rows_are_predicted_as_a_few_are():
    proba, y = draw()
    found = Pairwise().fit(proba, y)
    many = found.predict(np.tile(proba, (30, 1)))  # 9,000 rows: their matrices are held in memory in parts
    np.testing.assert_allclose(many, np.tile(found.predict(proba), (30, 1)), rtol=1e-12)


def test_a_class_without_rows_and_an_invalid_calibrator_raise():
    proba, y = draw()
    with pytest.raises(DataError, match="got none of the class 2"):
        Pairwise().fit(proba[y < 2], y[y < 2], labels=[0, 1, 2])
    with pytest.raises(ParameterError, match="calibrator must be a calibrator"):
        Pairwise("platt").fit(proba, y)
