"""Intervals of proportions equal those of SciPy and the figures of the chapter."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import beta, binomtest, norm

from calibrant.exceptions import ParameterError
from calibrant.metrics import proportion_interval


@pytest.mark.parametrize(
    ("successes", "n", "low", "high"), [(750, 1000, 0.732, 0.767), (75, 100, 0.691, 0.801), (7.5, 10, 0.549, 0.881)]
)
def test_intervals_equal_those_of_the_chapter(successes, n, low, high):
    """Witten, Frank & Hall 2011, section 5.2: confidence 80 %, z rounded to 1.28."""
    interval = proportion_interval(successes, n, 0.8, z=1.28)
    assert (round(interval.low, 3), round(interval.high, 3)) == (low, high)


@given(st.integers(1, 400).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))), st.floats(0.5, 0.999))
def test_wilson_and_clopper_pearson_are_scipy_s(counts, confidence):
    test = binomtest(*counts)
    for ours, theirs in (("wilson", "wilson"), ("clopper_pearson", "exact")):
        found = proportion_interval(*counts, confidence, method=ours)
        expected = test.proportion_ci(confidence, method=theirs)
        assert found == pytest.approx((expected.low, expected.high), abs=1e-9)


def test_jeffreys_is_the_posterior_under_its_prior():
    low, high = proportion_interval(7, 20, 0.9, method="jeffreys")
    assert (low, high) == pytest.approx(tuple(beta.ppf([0.05, 0.95], 7.5, 13.5)))


@pytest.mark.parametrize("method", ["wilson", "clopper_pearson", "jeffreys", "normal"])
def test_intervals_of_no_and_of_all_successes_end_at_0_and_1(method):
    assert proportion_interval(0, 8, method=method).low == 0.0
    assert proportion_interval(8, 8, method=method).high == 1.0


def test_without_a_trial_the_interval_is_from_0_to_1():
    assert proportion_interval(0, 0) == (0.0, 1.0)


def test_more_successes_than_trials_raise_an_error():
    with pytest.raises(ParameterError, match="at most n; got 3 of 2"):
        proportion_interval(3, 2)


def test_z_is_for_methods_of_the_normal_quantile():
    with pytest.raises(ParameterError, match="z belongs to"):
        proportion_interval(1, 2, method="jeffreys", z=1.28)
    for method in ("wilson", "agresti_coull", "normal"):
        of_z = proportion_interval(7, 20, method=method, z=float(norm.ppf(0.95)))
        assert of_z == pytest.approx(proportion_interval(7, 20, 0.9, method=method), rel=1e-12)


@given(st.integers(1, 400).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))), st.floats(0.5, 0.999))
def test_agresti_coull_and_normal_are_their_closed_forms(counts, confidence):
    k, n = counts
    z = norm.ppf(0.5 + confidence / 2)
    p, q = k / n, (k + z**2 / 2) / (n + z**2)
    closed = {"normal": (p, n), "agresti_coull": (q, n + z**2)}
    for method, (middle, size) in closed.items():
        reach = z * (middle * (1 - middle) / size) ** 0.5
        expected = max(0.0, middle - reach), min(1.0, middle + reach)
        assert proportion_interval(k, n, confidence, method=method) == pytest.approx(expected, abs=1e-12)


def test_agresti_coull_is_the_published_example():
    """Agresti & Coull 1998, section 2: at 95 % nearly two successes and two failures are added."""
    low, high = proportion_interval(0, 10, method="agresti_coull", z=2.0)
    assert (low, high) == pytest.approx((0.0, 2 / 14 + 2 * (2 / 14 * 12 / 14 / 14) ** 0.5))


@given(st.integers(1, 400).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))), st.floats(0.5, 0.999))
def test_one_sided_intervals_are_scipy_s(counts, confidence):
    for side, alternative in (("lower", "greater"), ("upper", "less")):
        test = binomtest(*counts, alternative=alternative)
        for ours, theirs in (("wilson", "wilson"), ("clopper_pearson", "exact")):
            found = proportion_interval(*counts, confidence, method=ours, side=side)
            expected = test.proportion_ci(confidence, method=theirs)
            assert found == pytest.approx((expected.low, expected.high), abs=1e-9)


@pytest.mark.parametrize("method", ["wilson", "clopper_pearson", "jeffreys", "agresti_coull", "normal"])
def test_a_one_sided_end_is_that_of_two_sides_with_twice_the_tail(method):
    both = proportion_interval(7, 20, 0.9, method=method)
    assert proportion_interval(7, 20, 0.95, method=method, side="lower") == (pytest.approx(both.low), 1.0)
    assert proportion_interval(7, 20, 0.95, method=method, side="upper") == (0.0, pytest.approx(both.high))


def test_an_unknown_side_is_an_error():
    with pytest.raises(ParameterError, match="side must be 'both', 'lower' or 'upper'"):
        proportion_interval(1, 2, side="left")
