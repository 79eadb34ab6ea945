import numpy as np
import pytest
from joblib import parallel_config
from scipy.interpolate import CubicSpline
from scipy.optimize import minimize
from scipy.special import expit, logit

from calibrant.calibration import Platt, Spline, calibrator_from_dict
from calibrant.exceptions import CalibrantWarning


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


@pytest.mark.parametrize("seed", range(3))
def test_degrees_of_freedom_are_the_trace_of_the_smoothing_matrix(seed):
    p, y = drawn(seed)
    found = Spline(n_knots=6).fit(p, y)
    units, positions = ((each - found.knots_[0]) / np.ptp(found.knots_) for each in (found.knots_, logit(p)))
    splines = CubicSpline(units, np.eye(len(units)), bc_type="natural")
    fitted, bends = found.predict(p), splines(np.linspace(0, 1, 20001), 2)
    hessian = (splines(positions).T * fitted * (1 - fitted)) @ splines(positions)
    ridge = len(y) * found.penalty_ * bends.T @ bends / 20001
    assert found.degrees_ == pytest.approx(np.trace(np.linalg.solve(hessian + ridge, hessian)), rel=1e-3)


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


@pytest.mark.parametrize(
    ("log_odds", "weight", "knots"),
    [
        ([0, 1, 2, 3, 4], [1, 6, 1, 1, 1], [0, 1, 4]),
        ([0, 1, 2, 3, 4], [1, 1, 1, 6, 1], [0, 3, 4]),
        ([0, 1e-9, 1], None, [0, 1]),
        ([0, 1 - 1e-9, 1], None, [0, 1]),
    ],
)
def test_knots_are_quantiles_of_weight_and_keep_their_distance(log_odds, weight, knots):
    found = Spline(n_knots=4).fit(expit(np.array(log_odds)), np.arange(len(log_odds)) % 2, weight)
    np.testing.assert_allclose(found.knots_, knots, atol=1e-6)


def test_one_score_has_one_probability():
    with pytest.warns(CalibrantWarning, match="all scores are equal"):
        found = Spline().fit([0.3] * 4, [0, 1, 1, 1])
    assert found.is_monotone
    np.testing.assert_array_equal(found.predict([0.1, 0.9]), found.predict([0.3, 0.3]))


@pytest.mark.parametrize("seed", range(40))
def test_it_is_called_monotone_just_where_the_curve_falls_nowhere(seed):
    random, written = np.random.default_rng(seed), Spline().fit(*drawn(0)).to_dict()
    written["learnt"] |= {"knots_": np.sort(random.random(5)), "values_": np.sort(random.normal(size=5))}
    found = calibrator_from_dict(written)
    inside = np.linspace(found.knots_[0], found.knots_[-1], 40_001)
    steps = np.diff(logit(found.predict(expit(inside))))
    assert found.is_monotone == (steps.min() >= -1e-12)


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
