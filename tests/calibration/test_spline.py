import numpy as np
import pytest
from joblib import parallel_config
from scipy.interpolate import CubicSpline
from scipy.optimize import minimize
from scipy.special import expit, logit

from calibrant.calibration import Platt, Spline
from calibrant.calibration._fitting.natural_spline import SplineLoss, choose_knots, evaluate_spline, is_nondecreasing


def drawn(seed, n=400, bent=1.0):
    random = np.random.default_rng(seed)
    x = 1.5 * random.normal(size=n)
    return expit(x), random.random(n) < expit(x + bent * np.sin(2 * x))


def loss_of(found, p, y):
    """Return the penalised loss of other values at the knots found, from scipy's spline and its integral."""
    goal = np.where(y, (y.sum() + 1) / (y.sum() + 2), 1 / ((~y).sum() + 2))
    units = (found.knots_ - found.knots_[0]) / np.ptp(found.knots_)
    positions = (logit(p) - found.knots_[0]) / np.ptp(found.knots_)

    def loss(values):
        spline = CubicSpline(units, values, bc_type="natural")
        z, bend = spline(positions), spline.derivative(2)
        fine = np.linspace(0, 1, 20001)
        return np.sum(np.logaddexp(0, z) - goal * z) + len(y) * found.penalty_ / 2 * np.mean(bend(fine) ** 2)

    return loss


@pytest.mark.parametrize("seed", range(3))
def test_the_curve_is_the_one_that_a_general_optimiser_finds(seed):
    p, y = drawn(seed)
    found = Spline(n_knots=6).fit(p, y)
    loss = loss_of(found, p, y)
    assert loss(found.values_) <= minimize(loss, found.values_, method="BFGS").fun + 1e-5


def test_derivatives_are_those_of_the_loss():
    random = np.random.default_rng(0)
    positions, knots, values = np.sort(random.random(50)), np.array([0, 0.3, 0.5, 1.0]), random.normal(size=4)
    positions[[0, -1]] = 0, 1
    loss = SplineLoss(knots, positions, random.random(50), random.random(50))
    sums, step = loss.derivatives(values), 1e-6
    for k, unit in enumerate(np.eye(4)):
        up, down = loss.derivatives(values + step * unit), loss.derivatives(values - step * unit)
        assert sums.gradient[k] == pytest.approx((up.loss - down.loss) / (2 * step), abs=1e-6)
        np.testing.assert_allclose(sums.hessian[k], (up.gradient - down.gradient) / (2 * step), atol=1e-6)


def test_roughness_is_the_integral_of_the_squared_second_derivative():
    knots, values, fine = np.array([0, 0.2, 0.7, 1.0]), np.array([1.0, -1.0, 0.5, 2.0]), np.linspace(0, 1, 100_001)
    loss = SplineLoss(knots, knots, np.ones(4), np.ones(4))
    bend = CubicSpline(knots, values, bc_type="natural")(fine, 2)
    assert loss.roughness @ (loss.shapes.T @ values) ** 2 == pytest.approx(np.sum(bend**2) / 100_000, rel=1e-3)


def test_what_is_straight_stays_straight_and_what_is_bent_is_bent():
    straight, bent = Spline().fit(*drawn(1, 5000, bent=0)), Spline().fit(*drawn(1, 5000, bent=1))
    assert straight.degrees_ < 5 < bent.degrees_


def test_a_curve_without_bends_is_platts_sigmoid():
    p, y = drawn(2, bent=0)
    np.testing.assert_allclose(Spline(n_knots=2).fit(p, y).predict(p), Platt().fit(p, y).predict(p), atol=1e-6)


def test_beyond_the_scores_seen_the_log_odds_go_on_as_a_straight_line():
    found = Spline().fit(*drawn(3))
    x = found.knots_[-1] + np.arange(4.0)
    np.testing.assert_allclose(np.diff(logit(found.predict(expit(x))), 2), 0, atol=1e-7)


def test_knots_are_quantiles_of_weight_and_keep_their_distance():
    np.testing.assert_array_equal(choose_knots(np.arange(5.0), np.array([1, 6, 1, 1, 1.0]), 4, 0.01), [0, 1, 4])
    np.testing.assert_array_equal(choose_knots(np.array([0, 1e-9, 1.0]), np.ones(3), 3, 0.01), [0, 1])


def test_one_knot_is_a_constant():
    np.testing.assert_array_equal(evaluate_spline(np.array([2.0]), np.array([0.3]), np.array([-1.0, 9.0])), [0.3, 0.3])


@pytest.mark.parametrize("seed", range(40))
def test_it_is_called_monotone_just_where_the_curve_falls_nowhere(seed):
    random = np.random.default_rng(seed)
    knots, values = np.sort(random.random(5)), np.sort(random.normal(size=5))
    steps = np.diff(evaluate_spline(knots, values, np.linspace(-0.5, 1.5, 40_001)))
    assert is_nondecreasing(knots, values) == (steps.min() >= -1e-12)


def test_a_curve_that_falls_is_not_called_monotone():
    p, y = drawn(0, 4000, bent=3.0)
    assert not Spline().fit(p, y).is_monotone
    assert Spline().fit(*drawn(0, bent=0.0)).is_monotone


def test_any_number_of_threads_gives_the_same_bits():
    p, y = drawn(0, 5000)
    one = Spline().fit(p, y)
    with parallel_config(n_jobs=3):
        three = Spline().fit(p, y)
    np.testing.assert_array_equal(one.values_, three.values_)
