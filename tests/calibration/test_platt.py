import numpy as np
import pytest
from scipy.optimize import minimize

from calibrant.calibration import Platt
from calibrant.exceptions import CalibrantWarning, ParameterError


def cross_entropy(params, scores, y):
    t = np.where(y, (y.sum() + 1) / (y.sum() + 2), 1 / ((~y).sum() + 2))
    z = params[0] * scores + params[1]
    return float(np.sum(np.logaddexp(0, z) - t * z))


@pytest.mark.parametrize("seed", range(5))
def test_platt_finds_the_optimum_that_a_general_optimiser_finds(seed):
    rng = np.random.default_rng(seed)
    scores, y = rng.normal(size=200), rng.random(200) < 0.3
    found = Platt().fit(scores, y)
    best = minimize(cross_entropy, [0.0, 0.0], (scores, y), method="BFGS", options={"gtol": 1e-9}).x
    np.testing.assert_allclose([found.slope_, found.intercept_], best, atol=1e-5)


def test_a_weight_of_two_is_the_row_twice():
    scores, y = np.array([-1.0, 0.0, 0.5, 2.0]), [0, 1, 0, 1]
    once = Platt().fit(np.repeat(scores, [1, 2, 3, 1]), np.repeat(y, [1, 2, 3, 1]))
    weighted = Platt().fit(scores, y, [1, 2, 3, 1])
    assert once.slope_ == pytest.approx(weighted.slope_, rel=1e-9)


def test_probabilities_are_taken_on_the_logit_unless_told():
    proba, y = [0.1, 0.4, 0.6, 0.9], [0, 1, 0, 1]
    assert Platt().fit(proba, y).on_ == "logit"
    assert Platt(on="score").fit(proba, y).on_ == "score"
    with pytest.raises(ParameterError, match="takes probabilities"):
        Platt(on="logit").fit([-1.0, 2.0], [0, 1])


def test_a_constant_score_gives_the_smoothed_base_rate():
    with pytest.warns(CalibrantWarning, match="all scores are equal"):
        found = Platt().fit([3.0] * 8, [0] * 6 + [1] * 2)
    high, low = 3 / 4, 1 / 8
    assert found.predict([3.0])[0] == pytest.approx((2 * high + 6 * low) / 8)
