import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit, logit

from calibrant.calibration import Beta, Platt
from calibrant.exceptions import DataError, ParameterError

FORMS = ["abm", "am", "ab"]


def drawn(seed, n=300):
    random = np.random.default_rng(seed)
    p = random.beta(1.5, 2, n)
    return p, random.random(n) < random.choice([p, p**2, np.sqrt(p), 1 - p])


def brute_force(p, y, bounds):
    def loss(coef):
        z = coef[0] * np.log(2 * p) - coef[1] * np.log(2 * (1 - p)) + coef[2]
        return float(np.sum(np.logaddexp(0, z) - y * z))

    return loss, minimize(loss, [1, 1, 0], bounds=bounds, options={"ftol": 1e-15, "gtol": 1e-9}).fun


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(("form", "last"), [("abm", (None, None)), ("ab", (0, 0))])
def test_the_coefficients_are_the_best_that_are_not_negative(seed, form, last):
    p, y = drawn(seed)
    found = Beta(form=form).fit(p, y)
    loss, best = brute_force(p, y, [(0, None), (0, None), last])
    assert min(found.a_, found.b_) >= 0
    assert loss([found.a_, found.b_, found.intercept_]) <= best + 1e-6


def test_one_slope_is_a_sigmoid_of_the_log_odds():
    p, y = np.array([0.1, 0.3, 0.4, 0.6, 0.7, 0.9]), [0, 1, 0, 1, 0, 1]
    found = Beta(form="am").fit(p, y)
    np.testing.assert_allclose(found.predict(p), expit(found.a_ * logit(p) + found.intercept_))


def test_two_scores_whose_logarithms_are_collinear_get_their_frequencies():
    p, y = np.repeat([0.2, 0.7], [10, 20]), np.arange(30) % 5 < np.repeat([1, 3], [10, 20])
    np.testing.assert_allclose(Beta().fit(p, y).predict([0.2, 0.7]), [0.2, 0.6], atol=1e-6)


def test_separable_scores_end_in_finite_coefficients():
    p = np.linspace(0.05, 0.95, 19)
    found = Beta().fit(p, p > 0.6)
    assert np.isfinite([found.a_, found.b_, found.intercept_]).all()
    np.testing.assert_allclose(found.predict(p), p > 0.6, atol=1e-4)


def test_calibrated_scores_stay_nearly_as_they_are():
    random = np.random.default_rng(0)
    p = random.random(200_000)
    found = Beta().fit(p, random.random(200_000) < p)
    np.testing.assert_allclose(found.predict(p), p, atol=0.02)


@pytest.mark.parametrize("form", FORMS)
def test_no_greater_score_gets_a_smaller_probability(form):
    p, y = drawn(7)
    grid = np.linspace(0, 1, 501)
    assert (np.diff(Beta(form=form).fit(p, y).predict(grid)) >= 0).all()


def test_scores_that_point_the_other_way_get_the_base_rate():
    p = np.linspace(0.05, 0.95, 20)
    found = Beta().fit(p, p < 0.3)
    np.testing.assert_allclose(found.predict(p), (p < 0.3).mean())
    with pytest.raises(DataError, match="constant"):
        found.inverse([0.5])


@pytest.mark.parametrize("form", FORMS)
def test_margins_are_bent_on_a_line_of_their_own(form):
    random = np.random.default_rng(1)
    margin = random.normal(size=500)
    found, again = Beta(form=form).fit(margin, margin > random.normal(size=500)), np.array([-2.0, 0.0, 1.5])
    wide = Beta(form=form).fit(1e9 * margin, margin > random.normal(size=500))
    np.testing.assert_allclose(found.inverse(found.predict(again)), again, atol=1e-7)
    assert np.isfinite(wide.predict([-1e9, 0, 1e9])).all()


def test_one_slope_on_margins_is_platts_sigmoid_but_for_its_targets():
    random = np.random.default_rng(2)
    margin = 5 + 3 * random.normal(size=20_000)
    y = random.random(20_000) < expit(margin - 5)
    np.testing.assert_allclose(
        Beta(form="am").fit(margin, y).predict(margin), Platt().fit(margin, y).predict(margin), atol=1e-3
    )


def test_an_unknown_form_raises():
    with pytest.raises(ParameterError, match="form must be 'abm', 'am' or 'ab'"):
        Beta(form="a").fit([0.1, 0.9], [0, 1])
