"""The contract of every estimate: names, comparison, copies; the simplest two are computed by hand."""

import copy
import pickle

import numpy as np
import pytest

from calibrant.estimates import ESTIMATES, Curtailment, Estimate, Frequency, Laplace, MEstimate, as_estimate
from calibrant.exceptions import ParameterError


@pytest.fixture
def tree(fork):
    return fork([4.0, 0, 1], [0, 0, 0])


def test_frequencies_are_shares(tree):
    np.testing.assert_allclose(Frequency().table(tree)[:2], [[0.8, 0, 0.2]] * 2)


def test_laplace_adds_a_row_of_each_class(tree):
    np.testing.assert_allclose(Laplace().table(tree), [[5 / 8, 1 / 8, 2 / 8], [5 / 8, 1 / 8, 2 / 8], [1 / 3] * 3])


def test_laplace_adds_alpha_rows_of_each_class(tree):
    np.testing.assert_allclose(Laplace(alpha=0.5).table(tree)[1], [4.5 / 6.5, 0.5 / 6.5, 1.5 / 6.5])
    np.testing.assert_allclose(
        Laplace(alpha=1 / 3).table(tree), MEstimate(m=1, prior="uniform").table(tree), rtol=0, atol=1e-15
    )
    np.testing.assert_array_equal(Laplace(alpha=0).table(tree), Frequency().table(tree))


@pytest.mark.parametrize("alpha", [-1, np.nan, np.inf, "cv"])
def test_alpha_is_a_finite_number_from_0(alpha):
    with pytest.raises(ParameterError, match="alpha must be a finite number >= 0; got"):
        Laplace(alpha=alpha)


def test_laplace_of_five_and_of_fifty_rows_is_the_papers(fork):
    """Chawla & Cieslak 2006, below equation 2."""
    np.testing.assert_array_equal(Laplace().table(fork([5, 0], [50, 0]))[1:, 0].round(2), [0.86, 0.98])


def test_the_names_are_those_of_the_design():
    named = ["frequency", "laplace", "m", "curtailment", "smoothed_curtailment", "m_branch", "path_average"]
    assert set(ESTIMATES) == {*named, "hierarchical_shrinkage", "kernel_density"}
    assert as_estimate("estimate", "smoothed_curtailment") == Curtailment(then="m")


@pytest.mark.filterwarnings("ignore:Curtailment")
@pytest.mark.parametrize("name", ESTIMATES)
def test_a_name_is_short_for_an_estimate(name, tree):
    estimate = ESTIMATES[name]()
    assert isinstance(estimate, Estimate)
    np.testing.assert_allclose(estimate.table(tree).sum(axis=1), 1)
    assert estimate == ESTIMATES[name]()


@pytest.mark.parametrize("name", ESTIMATES)
def test_estimates_can_be_copied_compared_and_hashed(name):
    estimate = ESTIMATES[name]()
    for again in (copy.deepcopy(estimate), pickle.loads(pickle.dumps(estimate))):  # noqa: S301
        assert again == estimate
        assert hash(again) == hash(estimate)
    assert MEstimate(prior=np.array([0.5, 0.5])) == MEstimate(prior=[0.5, 0.5])


def test_an_unknown_name_raises_with_the_nearest_name():
    with pytest.raises(ParameterError, match=r"got 'laplas'\. Did you mean 'laplace'\?"):
        as_estimate("estimate", "laplas")


def test_what_is_no_estimate_is_rejected():
    with pytest.raises(ParameterError, match=r"an estimate of calibrant\.estimates; got 3\."):
        as_estimate("estimate", 3)
