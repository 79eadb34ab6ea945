import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit, logit

from calibrant.calibration import Platt, QuadraticLogit
from calibrant.exceptions import DataError


def drawn(seed, n=300):
    random = np.random.default_rng(seed)
    x = random.normal(size=n)
    truth = random.choice([x, x + x**2 / 2, x - x**2 / 2, -x, x**2], axis=0)
    return expit(x), random.random(n) < expit(truth)


def losses(p, y, penalty, low=-np.inf, high=np.inf):
    t, x = np.where(y, (y.sum() + 1) / (y.sum() + 2), 1 / ((~y).sum() + 2)), logit(p)
    near = np.clip(x, low, high)
    bend = near**2 + 2 * near * (x - near)

    def loss(coef):
        z = coef[0] * bend + coef[1] * x + coef[2]
        return float(np.sum(np.logaddexp(0, z) - t * z)) + penalty / 2 * coef[0] ** 2

    return loss


def coefficients(found):
    """Return the coefficients of x^2, x and 1."""
    q, s, c, at = found.quadratic_, found.linear_, found.intercept_, found.centre_
    return [q, s - 2 * q * at, c - s * at + q * at**2]


@pytest.mark.parametrize("seed", range(8))
def test_the_map_is_the_best_that_does_not_fall(seed):
    p, y = drawn(seed)
    found = QuadraticLogit().fit(p, y)
    loss, ends = losses(p, y, 50, found.low_, found.high_), (found.low_, found.high_)
    rising = [{"type": "ineq", "fun": lambda coef, end=end: 2 * coef[0] * end + coef[1]} for end in ends]
    best = minimize(loss, [0, 1, 0], constraints=rising, method="SLSQP", options={"ftol": 1e-13, "maxiter": 500}).fun
    assert loss(coefficients(found)) <= best + 1e-5
    assert (np.diff(found.predict(np.linspace(0, 1, 1001))) >= 0).all()


@pytest.mark.parametrize("seed", range(4))
def test_the_plain_parabola_is_the_best_of_all(seed):
    p, y = drawn(seed)
    found, loss = QuadraticLogit(monotone=False, penalty=3).fit(p, y), losses(p, y, 3)
    best = minimize(loss, [0, 1, 0], method="BFGS", options={"gtol": 1e-9}).fun
    assert loss(coefficients(found)) <= best + 1e-6


def test_the_bend_is_where_nine_tenths_of_the_weight_are():
    p, y = drawn(5)
    weight = np.random.default_rng(5).integers(1, 4, 300)
    found = QuadraticLogit().fit(p, y, weight)
    x, share, tiny = logit(p), 0.05 * weight.sum(), 1e-9
    assert weight[x < found.low_ - tiny].sum() <= share <= weight[x <= found.low_ + tiny].sum()
    assert weight[x > found.high_ + tiny].sum() <= share <= weight[x >= found.high_ - tiny].sum()


def test_beyond_the_bend_the_log_odds_go_on_as_a_straight_line():
    p, y = drawn(1)
    found = QuadraticLogit(penalty=0).fit(p, y)
    x = found.high_ + np.array([0.0, 1.0, 2.0, 3.0])
    np.testing.assert_allclose(np.diff(logit(found.predict(expit(x))), 2), 0, atol=1e-9)


def test_a_great_penalty_makes_it_platts_sigmoid():
    p, y = drawn(0)
    np.testing.assert_allclose(
        QuadraticLogit(penalty=1e12).fit(p, y).predict(p), Platt().fit(p, y).predict(p), atol=1e-6
    )


def test_scores_that_point_the_other_way_get_the_base_rate():
    x = np.linspace(-3, 3, 40)
    found = QuadraticLogit().fit(x, x < 0)
    assert np.ptp(found.predict(x)) == 0
    with pytest.raises(DataError, match="constant"):
        found.inverse([0.5])


def test_a_map_that_may_fall_has_no_inverse():
    with pytest.raises(DataError, match="monotone=False"):
        QuadraticLogit(monotone=False).fit(*drawn(2)).inverse([0.5])
