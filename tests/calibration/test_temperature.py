import math

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.special import expit, log_softmax, logit, softmax

from calibrant.calibration import Temperature
from calibrant.exceptions import DataError


@pytest.mark.parametrize("seed", range(5))
def test_the_temperature_is_the_one_that_a_general_optimiser_finds(seed):
    random = np.random.default_rng(seed)
    scores = 3 * random.normal(size=(300, 4))
    y = np.array([random.choice(4, p=p) for p in softmax(scores / 2, axis=1)])
    best = minimize_scalar(
        lambda t: -log_softmax(scores / t, axis=1)[np.arange(300), y].mean(), bounds=(0.1, 50), options={"xatol": 1e-12}
    )
    assert Temperature().fit(scores, y).temperature_ == pytest.approx(best.x, rel=1e-5)


@pytest.mark.parametrize("seed", range(5))
def test_the_loss_is_flat_at_the_temperature_found(seed):
    random = np.random.default_rng(seed)
    margin = 1e3 * random.normal(size=200)
    y = random.random(200) < expit(margin / 2e3)
    slope = Temperature().fit(margin, y).inverse_temperature_
    assert abs(np.sum((expit(slope * margin) - y) * margin)) < 1e-9 * np.abs(margin).sum()


def test_one_column_two_columns_and_their_log_odds_are_the_same():
    p, y = np.array([0.1, 0.3, 0.8, 0.6, 0.9, 0.2]), [0, 1, 1, 0, 1, 0]
    one = Temperature().fit(p, y)
    assert Temperature().fit(np.stack([1 - p, p], axis=1), y).temperature_ == pytest.approx(one.temperature_)
    assert Temperature().fit(logit(p), y).temperature_ == pytest.approx(one.temperature_)
    np.testing.assert_allclose(one.predict(p), expit(logit(p) / one.temperature_))


def test_probabilities_of_many_classes_are_sharpened_or_flattened_as_powers():
    random = np.random.default_rng(3)
    proba = random.dirichlet(np.ones(3), 200)
    found = Temperature().fit(proba, random.integers(3, size=200), labels=[0, 1, 2])
    power = proba**found.inverse_temperature_
    np.testing.assert_allclose(found.predict(proba), power / power.sum(axis=1, keepdims=True))


def test_scores_worse_than_random_make_all_classes_equal():
    found = Temperature().fit([-2.0, -1.0, 1.0, 2.0], [1, 1, 0, 0])
    assert found.temperature_ == math.inf
    np.testing.assert_array_equal(found.predict([-9.0, 9.0]), [0.5, 0.5])
    with pytest.raises(DataError, match="constant"):
        found.inverse([0.5])


def test_rows_without_an_error_get_the_loss_of_laplaces_rule():
    y = np.array([0] * 20 + [1] * 30)
    own = Temperature().fit(np.where(y, 3.0, -3.0), y).predict([3.0])[0]
    assert own == pytest.approx(51 / 52)


@pytest.mark.parametrize("on", ["probabilities", "log-odds"])
def test_several_columns_are_mapped_back(on):
    random = np.random.default_rng(4)
    proba = random.dirichlet(np.ones(3), 100)
    scores = proba if on == "probabilities" else np.log(proba) - np.log(proba).mean(axis=1, keepdims=True)
    y = np.array([random.choice(3, p=p) for p in proba])
    found = Temperature().fit(scores, y)
    np.testing.assert_allclose(found.inverse(found.predict(scores)), scores, atol=1e-8)


def test_what_is_mapped_back_must_be_probabilities():
    found = Temperature().fit([[0.2, 0.3, 0.5], [0.6, 0.2, 0.2], [0.1, 0.8, 0.1]], [2, 0, 1])
    with pytest.raises(DataError, match="3 columns of probabilities"):
        found.inverse([[0.5, 0.5]])


def test_equal_scores_leave_the_temperature_at_one():
    with pytest.warns(UserWarning, match="equal"):
        assert Temperature().fit([0.5, 0.5], [0, 1]).temperature_ == 1


def test_one_informative_row_among_many_uninformative_ones_is_too_few():
    found = Temperature().fit([0.0] * 1000 + [5.0], [0, 1] * 500 + [1])
    assert found.inverse_temperature_ == 0.0
