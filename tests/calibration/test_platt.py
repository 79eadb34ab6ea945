import numpy as np
import pytest
from joblib import parallel_config
from scipy.optimize import minimize

from calibrant.calibration import Platt
from calibrant.exceptions import CalibrantWarning, DataError, ParameterError


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


def test_probabilities_are_taken_on_the_logit_by_default():
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


def test_separable_scores_give_platts_targets_at_the_end_of_a_steep_slope():
    found = Platt().fit([-2.0, -1.0, 1.0, 2.0], [0, 0, 1, 1])
    proba = found.predict([-2.0, -1.0, 1.0, 2.0])
    np.testing.assert_allclose(proba.mean(), 0.5)
    assert (np.diff(proba) > 0).all()
    assert 0.0 < proba[0] < 0.25


@pytest.mark.parametrize(("factor", "shift"), [(1e9, 0), (1e-9, 0), (1e120, 0), (1, 1e6), (1e6, -1e9)])
def test_the_sigmoid_does_not_depend_on_the_unit_of_the_score(factor, shift):
    rng = np.random.default_rng(0)
    scores, y = rng.normal(size=300) * 2, rng.random(300) < 0.4
    plain, scaled = Platt(on="score").fit(scores, y), Platt(on="score").fit(factor * scores + shift, y)
    tolerance = 1e-4 if shift else 1e-9  # what rounding leaves of the scores
    assert scaled.slope_ * factor == pytest.approx(plain.slope_, rel=tolerance)
    assert scaled.intercept_ + scaled.slope_ * shift == pytest.approx(plain.intercept_, rel=tolerance)


def test_an_outlier_of_hardly_any_weight_does_not_hide_the_other_rows():
    rng = np.random.default_rng(0)
    scores, y = rng.normal(size=300) * 2, rng.random(300) < 0.4
    weight = np.append(np.ones(300), 1e-15)
    found = Platt(on="score").fit(np.append(scores, 1e9), np.append(y, True), weight)
    assert found.slope_ == pytest.approx(Platt(on="score").fit(scores, y).slope_, rel=1e-6)


def test_any_number_of_threads_gives_the_same_bits():
    rng = np.random.default_rng(0)
    scores, y = rng.normal(size=200_000), rng.random(200_000) < 0.4
    one = Platt().fit(scores, y)
    with parallel_config(n_jobs=2):
        two = Platt().fit(scores, y)
    assert (one.slope_, one.intercept_) == (two.slope_, two.intercept_)


def test_a_constant_map_has_no_inverse():
    with pytest.warns(CalibrantWarning, match="all scores are equal"):
        found = Platt().fit([3.0] * 4, [0, 0, 1, 1])
    with pytest.raises(DataError, match="no inverse"):
        found.inverse([0.5])


def test_a_class_without_rows_is_named_in_the_error():
    with pytest.raises(DataError, match=r"got none of the class 3"):
        Platt().fit([[0.2, 0.3, 0.5], [0.6, 0.2, 0.2]], [1, 2], labels=[1, 2, 3])
