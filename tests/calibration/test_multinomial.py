import numpy as np
import pytest
from scipy.optimize import approx_fprime, minimize
from scipy.special import log_softmax

from calibrant.calibration._fitting import multinomial as _multinomial
from calibrant.calibration._fitting.multinomial import DiagonalLoss, FullLoss, Penalty


def problem(kind, seed, n_rows=80, n_classes=3):
    rng = np.random.default_rng(seed)
    logs = log_softmax(2 * rng.normal(size=(n_rows, n_classes)), axis=1)
    codes = rng.integers(0, n_classes, n_rows)
    n_params = n_classes * (n_classes + 1) if kind is FullLoss else 2 * n_classes
    penalty = Penalty(rng.uniform(0.01, 0.1, n_params), rng.normal(size=n_params))
    return kind(logs, codes, rng.uniform(0.5, 2.0, n_rows)), penalty


def objective(params, loss, penalty):
    return loss.value(loss.log_proba(params)) + penalty.value(params)


def gradient(params, loss, penalty):
    return loss.gradient(np.exp(loss.log_proba(params))) + penalty.gradient(params)


@pytest.mark.parametrize("kind", [FullLoss, DiagonalLoss])
@pytest.mark.parametrize("seed", range(3))
def test_a_general_optimiser_without_derivatives_finds_the_same(kind, seed):
    loss, penalty = problem(kind, seed)
    best = minimize(objective, penalty.towards, (loss, penalty), method="BFGS", options={"gtol": 1e-7}).x
    np.testing.assert_allclose(loss.fit(penalty), best, atol=1e-4)


@pytest.mark.parametrize("kind", [FullLoss, DiagonalLoss])
def test_no_derivative_exceeds_a_billionth(kind):
    loss, penalty = problem(kind, 0)
    assert np.abs(gradient(loss.fit(penalty), loss, penalty)).max() <= 1e-9


@pytest.mark.parametrize("kind", [FullLoss, DiagonalLoss])
def test_second_derivatives_are_those_of_the_first(kind):
    loss, penalty = problem(kind, 1)
    proba = np.exp(loss.log_proba(penalty.towards))
    numeric = approx_fprime(penalty.towards, lambda params: loss.gradient(np.exp(loss.log_proba(params))), 1e-7)
    np.testing.assert_allclose(loss.hessian(proba), numeric, atol=1e-6)


@pytest.mark.parametrize("kind", [FullLoss, DiagonalLoss])
def test_both_searches_end_at_the_same_minimum(kind, monkeypatch):
    loss, penalty = problem(kind, 2)
    newton = loss.fit(penalty)
    monkeypatch.setattr(_multinomial, "_MAX_NEWTON", 0)
    np.testing.assert_allclose(loss.fit(penalty), newton, atol=1e-6)


def test_rows_in_parts_are_the_rows_together(monkeypatch):
    loss, penalty = problem(FullLoss, 3)
    proba = np.exp(loss.log_proba(penalty.towards))
    together = loss.hessian(proba)
    monkeypatch.setattr(_multinomial, "_CHUNK", 7)
    np.testing.assert_allclose(loss.hessian(proba), together, rtol=1e-12, atol=1e-15)
