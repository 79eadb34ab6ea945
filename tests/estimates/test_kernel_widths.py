"""Kernel widths by leave-one-out likelihood: against scikit-learn's densities, weights, categories, and a gain."""

import numpy as np
import pytest
from sklearn.neighbors import KernelDensity as SklearnDensity

from calibrant.estimates import KernelDensity
from calibrant.estimates import _kernels as widths_file
from calibrant.estimates._kernels import category_width, numeric_width
from calibrant.exceptions import ParameterError
from calibrant.metrics import log_loss
from calibrant.trees import ProbabilityTreeClassifier


def two_bumps(n=60, seed=0):
    random = np.random.default_rng(seed)
    return np.where(random.random(n) < 0.5, -4.0, 4.0) + random.normal(size=n)


def leave_one_out(values, width):
    """Return the log-likelihood of each value under scikit-learn's density of the others, summed."""
    total = 0.0
    for i in range(len(values)):
        others = np.delete(values, i)[:, np.newaxis]
        total += SklearnDensity(bandwidth=width).fit(others).score_samples([[values[i]]])[0]
    return total


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.sample(2)
def test_the_width_is_the_likeliest_by_scikit_learns_densities(seed):
    values = two_bumps(seed=seed)
    rule = numeric_width(values, np.ones(60), values, "silverman")
    candidates = rule * 2.0 ** np.arange(-4, 2.5, 0.5)
    best = candidates[np.argmax([leave_one_out(values, width) for width in candidates])]
    assert numeric_width(values, np.ones(60), values, "cv") == pytest.approx(best)
    assert best < rule / 2


def test_a_weight_of_three_is_the_row_three_times():
    values, weights = np.round(two_bumps(), 1), np.random.default_rng(1).integers(1, 4, 60)
    repeated = np.repeat(values, weights)
    once = numeric_width(values, weights.astype(float), values, "cv")
    assert once == pytest.approx(numeric_width(repeated, np.ones(len(repeated)), values, "cv"), rel=1e-12)


def test_many_distinct_values_have_the_width_of_their_exact_likelihood(monkeypatch):
    values = two_bumps(3000)
    near = numeric_width(values, np.ones(3000), values, "cv")
    monkeypatch.setattr(widths_file, "_MAX_EXACT", 10_000)
    assert near == numeric_width(values, np.ones(3000), values, "cv")


def test_the_width_is_at_least_a_thousandth_of_the_range():
    values = np.repeat([0.0, 1.0, 2.0], 20)
    assert numeric_width(values, np.ones(60), np.array([0.0, 1000.0]), "cv") == 1.0


def test_one_row_or_one_value_has_the_rules_width():
    for values in (np.array([3.0]), np.array([3.0, 3.0])):
        all_values, ones = np.array([0.0, 50.0]), np.ones(len(values))
        rule = numeric_width(values, ones, all_values, "silverman")
        assert numeric_width(values, ones, all_values, "cv") == rule


def test_the_kernel_of_a_category_is_the_likeliest_by_brute_force():
    random = np.random.default_rng(2)
    codes = random.choice(4, 40, p=[0.7, 0.2, 0.05, 0.05])
    rule = 3 / 44

    def likelihood(width):
        kernel = np.where(codes[:, np.newaxis] == codes, 1 - width, width / 3)
        np.fill_diagonal(kernel, 0.0)
        return np.log(kernel.sum(axis=1) / 39).sum()

    candidates = np.minimum(rule * 2.0 ** np.arange(-4, 2.5, 0.5), 3 / 4)
    best = candidates[np.argmax([likelihood(width) for width in candidates])]
    assert category_width(codes, np.ones(40), 4, "cv") == pytest.approx(best)


def test_cross_validated_widths_predict_two_bumps_better():
    """One class has two bumps, the other lies between them: the rule's width smooths the bumps over the gap."""
    random = np.random.default_rng(3)
    y = random.integers(0, 2, 3000)
    X = np.where(y == 0, two_bumps(3000, seed=4), random.normal(size=3000))[:, np.newaxis]
    model = ProbabilityTreeClassifier(max_depth=2).fit(X[:1000], y[:1000])
    losses = [
        log_loss(y[1000:], model.with_estimate(KernelDensity(width=width)).predict_proba(X[1000:]))
        for width in ("silverman", "cv")
    ]
    assert losses[1] < 0.8 * losses[0]


def test_an_unknown_width_raises():
    with pytest.raises(ParameterError, match="width must be 'silverman' or 'cv'; got 'scott'"):
        KernelDensity(width="scott")
