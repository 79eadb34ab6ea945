import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.special import expit, log_softmax, logit, softmax

from calibrant.calibration import Dirichlet, MatrixScaling, VectorScaling
from calibrant.exceptions import DataError, ParameterError

FREE = [Dirichlet(off_diagonal=0, intercept=0, l2=0), MatrixScaling(strength=0), VectorScaling(strength=0)]
ALL = [*FREE, Dirichlet(), MatrixScaling(), VectorScaling()]

every = pytest.mark.parametrize("calibrator", ALL, ids=repr)
free = pytest.mark.parametrize("calibrator", FREE, ids=repr)


def draw(seed=0, n_rows=200, n_classes=4):
    rng = np.random.default_rng(seed)
    true = rng.normal(size=(n_rows, n_classes))
    y = (rng.random((n_rows, 1)) > softmax(true, axis=1).cumsum(axis=1)[:, :-1]).sum(axis=1)
    y[:n_classes] = range(n_classes)
    return softmax(1.7 * true + rng.normal(size=n_classes), axis=1), y


def log_loss(proba, y):
    return -np.mean(np.log(proba[np.arange(len(y)), y]))


@every
@settings(max_examples=10, deadline=None)
@given(order=st.permutations(range(4)))
def test_relabelling_classes_permutes_columns(calibrator, order):
    proba, y = draw()
    straight = calibrator.fit(proba, y).predict(proba)
    relabelled = calibrator.fit(proba[:, order], np.argsort(order)[y]).predict(proba[:, order])
    np.testing.assert_allclose(relabelled, straight[:, order], atol=1e-7)


@every
def test_a_weight_of_two_is_the_row_twice(calibrator):
    proba, y = draw()
    times = np.random.default_rng(1).integers(1, 4, len(y))
    repeated = calibrator.fit(np.repeat(proba, times, axis=0), np.repeat(y, times)).predict(proba)
    np.testing.assert_allclose(calibrator.fit(proba, y, times).predict(proba), repeated, atol=1e-8)


@free
@pytest.mark.parametrize("seed", range(5))
def test_without_a_penalty_the_loss_is_not_worse_than_that_of_the_scores(calibrator, seed):
    proba, y = draw(seed)
    assert log_loss(calibrator.fit(proba, y).predict(proba), y) <= log_loss(proba, y)


def test_without_a_penalty_matrix_scaling_is_dirichlet_calibration():
    proba, y = draw()
    np.testing.assert_allclose(FREE[0].fit(proba, y).predict(proba), FREE[1].fit(proba, y).predict(proba), atol=1e-12)


@free
def test_two_classes_without_a_penalty_are_beta_calibration(calibrator):
    rng = np.random.default_rng(0)
    p = rng.uniform(0.02, 0.98, 300)
    y = rng.random(300) < p**1.5
    z = [np.log(p), -np.log1p(-p), np.ones(300)]

    def loss(coef):
        return np.mean(np.logaddexp(0, coef @ z) - y * (coef @ z))

    best = minimize(loss, [1.0, 1.0, 0.0], method="BFGS", options={"gtol": 1e-8}).x
    np.testing.assert_allclose(logit(calibrator.fit(p, y).predict(p)), best @ z, atol=1e-4)


@every
def test_one_column_is_two(calibrator):
    proba, y = draw(n_classes=2)
    one, two = calibrator.fit(proba[:, 1], y).predict(proba[:, 1]), calibrator.fit(proba, y).predict(proba)[:, 1]
    np.testing.assert_allclose(one, two, atol=1e-9)


@every
def test_margins_are_read_alike_on_any_scale_and_with_any_constant_in_a_row(calibrator):
    proba, y = draw()
    logits = 5.0 + np.log(proba)
    here = calibrator.fit(logits, y).predict(logits)
    shifted = 1000.0 * (logits + np.arange(len(y))[:, np.newaxis] % 7)
    np.testing.assert_allclose(calibrator.fit(shifted, y).predict(shifted), here, atol=1e-7)


def test_structured_maps_tend_to_the_temperature_with_their_strength():
    proba, y = draw()
    for kind in (MatrixScaling, VectorScaling):
        found = kind(strength=1e9).fit(proba, y)
        np.testing.assert_allclose(found.coef_, np.eye(4), atol=1e-6)
        share = found.uniform_share_
        scaled = softmax(found.inverse_temperature_ * np.log(proba), axis=1)
        np.testing.assert_allclose(found.predict(proba), (1 - share) * scaled + share / 4, atol=1e-6)


def test_more_rows_leave_the_matrix_freer():
    proba, y = draw()
    away = [np.abs(MatrixScaling().fit(proba, y, np.full(len(y), w)).coef_ - np.eye(4)).max() for w in (0.1, 1, 100)]
    assert away[0] < away[1] < away[2]


@pytest.mark.parametrize("calibrator", [Dirichlet(), MatrixScaling(), VectorScaling()], ids=repr)
def test_a_penalty_bounds_classes_without_rows_and_separable_classes(calibrator):
    proba, _ = draw()
    y = proba[:, :3].argmax(axis=1)
    found = calibrator.fit(proba, y, labels=[0, 1, 2, 3]).predict(proba)
    assert found.min() > 0.0
    assert found[:, 3].mean() < proba[:, 3].mean()


@free
def test_without_a_penalty_a_class_without_rows_raises(calibrator):
    proba, y = draw()
    with pytest.raises(DataError, match="got none of the class 3"):
        calibrator.fit(proba[y < 3], y[y < 3], labels=[0, 1, 2, 3])


@free
def test_separable_classes_get_probabilities_all_the_same(calibrator):
    proba, _ = draw()
    found = calibrator.fit(proba, proba.argmax(axis=1)).predict(np.vstack([proba, np.eye(4)]))
    np.testing.assert_allclose(found.sum(axis=1), 1.0, rtol=1e-12)


def test_a_negative_penalty_raises():
    proba, y = draw()
    for calibrator, name in ((MatrixScaling(strength=-1), "strength"), (Dirichlet(l2=-1), "l2")):
        with pytest.raises(ParameterError, match=f"{name} must be a finite number >= 0"):
            calibrator.fit(proba, y)


def slopes_at(found, proba, y, penalty, towards):
    """Return the derivatives of the penalised mean log-loss by [W | b] at the map found."""
    scaled, share = softmax(found.inverse_temperature_ * np.log(proba), axis=1), found.uniform_share_
    logs = np.log((1 - share) * scaled + share / scaled.shape[1])
    excess = softmax(logs @ found.coef_.T + found.intercept_, axis=1) - np.eye(scaled.shape[1])[y]
    own = np.column_stack([found.coef_, found.intercept_])
    return excess.T @ np.column_stack([logs, np.ones(len(y))]) / len(y) + 2 * penalty * (own - towards)


@pytest.mark.parametrize(("n_rows", "n_classes", "most"), [(200, 3, 1e-9), (5000, 4, 1e-9), (400, 27, 1e-7)])
def test_no_derivative_of_the_penalised_loss_is_left(n_rows, n_classes, most):
    """Up to 25 classes are fitted by Newton's method, which sums over parts of 2,048 rows, and more by L-BFGS."""
    proba, y = draw(0, n_rows, n_classes)
    unit = np.eye(n_classes, n_classes + 1)
    of_row = np.where(unit == 0, n_classes - 1.0, 1.0) * n_classes / n_rows
    of_row[:, -1] = n_classes / n_rows
    assert np.abs(slopes_at(MatrixScaling().fit(proba, y), proba, y, of_row, unit)).max() <= most
    own = slopes_at(VectorScaling().fit(proba, y), proba, y, of_row, unit)
    assert max(np.abs(np.diag(own)).max(), np.abs(own[:, -1]).max()) <= most
    odir = np.where(unit == 0, 0.1 / (n_classes * (n_classes - 1)), 0.0)
    odir[:, -1] = 0.1 / n_classes
    l2 = 0.01 / (n_classes * (n_classes + 1))
    assert np.abs(slopes_at(Dirichlet().fit(proba, y), proba, y, odir + l2, 0.0)).max() <= most


@pytest.mark.parametrize("strength", [0.5, 1.0, 30.0])
def test_vector_scaling_of_two_classes_is_the_multinomial_one(strength):
    rng = np.random.default_rng(0)
    score, weight = rng.random(300), rng.random(300)
    y = (rng.random(300) < score**2).astype(int)
    found = VectorScaling(strength=strength).fit(score, y, weight)
    proba = (1 - found.uniform_share_) * expit(found.inverse_temperature_ * logit(score)) + found.uniform_share_ / 2
    logs = np.log(np.column_stack([1 - proba, proba]))

    def objective(flat):
        fit = log_softmax(logs * flat[:2] + flat[2:], axis=1)[np.arange(300), y]
        return (-weight @ fit + 2 * strength * np.sum((flat - [1, 1, 0, 0]) ** 2)) / weight.sum()

    best = minimize(objective, [1, 1, 0, 0], method="BFGS", options={"gtol": 1e-8}).x
    np.testing.assert_allclose([*np.diag(found.coef_), *found.intercept_], best, atol=1e-5)


@pytest.mark.parametrize("size", [1e-9, 1e9])
@pytest.mark.filterwarnings("ignore:sample_weight of 300 rows sums to")
def test_weights_of_any_size_have_the_same_coefficients(size):
    rng = np.random.default_rng(0)
    score, weight = rng.random(300), rng.random(300)
    y, kind = rng.random(300) < score**2, VectorScaling(strength=0)
    found, other = kind.fit(score, y, weight).coef_, kind.fit(score, y, size * weight).coef_
    np.testing.assert_allclose(np.diag(other), np.diag(found), rtol=1e-6)


def test_fitted_maps_of_two_classes_report_whether_they_are_monotone():
    score = np.linspace(0.01, 0.99, 200)
    assert VectorScaling().fit(score, np.random.default_rng(0).random(200) < score).is_monotone
    assert not VectorScaling(strength=0).fit(score, np.arange(200) % 150 < 60).is_monotone
    assert not VectorScaling().fit(np.eye(3)[[0, 1, 2, 0]] / 2 + 1 / 6, [0, 1, 2, 1]).is_monotone
