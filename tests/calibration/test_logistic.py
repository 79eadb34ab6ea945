import numpy as np
import pytest
from joblib import parallel_config
from scipy.optimize import minimize

from calibrant.calibration._fitting.logistic import Target


def sample(n_rows=400, seed=0):
    rng = np.random.default_rng(seed)
    columns = [rng.normal(size=n_rows), rng.normal(size=n_rows) ** 2, rng.random(n_rows)]
    return columns, rng.random(n_rows) < 1 / (1 + np.exp(-columns[0])), rng.random(n_rows) + 0.1


def loss(coef, columns, target, penalty=0.0, towards=0.0):
    z = np.stack([*columns, np.ones(len(target.positive))]).T @ coef
    goal = np.where(target.positive, target.high, target.low)
    weight = np.ones(len(z)) if target.weight is None else target.weight
    return float(weight @ (np.logaddexp(0, z) - goal * z) + 0.5 * np.sum(penalty * (coef - towards) ** 2))


@pytest.mark.parametrize("n_columns", [1, 2, 3])
@pytest.mark.parametrize("is_weighted", [False, True])
def test_the_optimum_is_that_of_a_general_optimiser(n_columns, is_weighted):
    columns, positive, weight = sample()
    target = Target(positive, 0.02, 0.97, weight if is_weighted else None)
    found = target.fit(columns[:n_columns], np.zeros(n_columns + 1))
    best = minimize(loss, np.zeros(n_columns + 1), (columns[:n_columns], target), method="BFGS", options={"gtol": 1e-8})
    np.testing.assert_allclose(found, best.x, atol=1e-5)


def test_a_penalty_shrinks_coefficients_to_its_target():
    columns, positive, _ = sample()
    target, penalty, towards = Target(positive), np.array([50.0, 1.0, 0.0, 3.0]), np.array([1.0, 0.0, 0.0, -1.0])
    found = target.fit(columns, np.zeros(4), penalty=penalty, towards=towards)
    best = minimize(loss, np.zeros(4), (columns, target, penalty, towards), method="BFGS", options={"gtol": 1e-8})
    np.testing.assert_allclose(found, best.x, atol=1e-5)


@pytest.mark.parametrize(("scale", "shift"), [(1e9, 0.0), (1e-9, 0.0), (1e150, 0.0), (1.0, 1e6), (1e6, -1e9)])
def test_units_of_a_column_do_not_matter(scale, shift):
    columns, positive, _ = sample()
    target = Target(positive, 0.01, 0.99)
    plain = target.fit(columns[:1], np.zeros(2))
    other = target.fit([scale * columns[0] + shift], np.zeros(2))
    assert other[0] * scale == pytest.approx(plain[0], rel=1e-6)
    assert other[1] + other[0] * shift == pytest.approx(plain[1], rel=1e-4, abs=1e-4)


def test_an_outlier_does_not_hide_the_other_rows():
    columns, positive, _ = sample()
    column = np.append(columns[0], 1e9)
    target = Target(np.append(positive, True))
    found = target.fit([column], np.zeros(2))
    without = Target(positive).fit(columns[:1], np.zeros(2))
    np.testing.assert_allclose(found, without, rtol=1e-6)


def test_collinear_columns_do_no_harm():
    columns, positive, _ = sample()
    once = Target(positive).fit(columns[:1], np.zeros(2))
    twice = Target(positive).fit([columns[0], columns[0]], np.zeros(3))
    np.testing.assert_allclose([twice[0] + twice[1], twice[2]], once, rtol=1e-6)


def test_separable_rows_end_in_finite_coefficients():
    column = np.arange(-5.0, 6.0)
    slope, intercept = Target(column > 0.5).fit([column], np.zeros(2))
    assert np.isfinite([slope, intercept]).all()
    assert ((slope * column + intercept > 10) == (column > 0.5)).all()


def test_weights_of_any_size_give_the_same_optimum():
    columns, positive, weight = sample()
    found = [Target(positive, 0, 1, size * weight).fit(columns, np.zeros(4)) for size in (1e-9, 1.0, 1e9)]
    np.testing.assert_allclose(found[0], found[1], rtol=1e-6)
    np.testing.assert_allclose(found[2], found[1], rtol=1e-6)


def test_any_number_of_threads_gives_the_same_bits():
    columns, positive, _ = sample(200_000)
    one = Target(positive).fit(columns, np.zeros(4))
    with parallel_config(n_jobs=2):
        two = Target(positive).fit(columns, np.zeros(4))
    np.testing.assert_array_equal(one, two)
