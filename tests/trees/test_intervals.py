"""Intervals of class probabilities: quantiles of the posterior where a row ends."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import beta

from calibrant.estimates import Curtailment, Laplace, MBranch, MEstimate
from calibrant.exceptions import ParameterError
from calibrant.trees import ProbabilityTreeClassifier

X, Y = [[1.0]] * 6 + [[2.0]] * 6, ["a"] * 5 + ["b"] + ["b"] * 4 + ["a", "c"]


def quantiles(a, b, confidence=0.95):
    return beta.ppf([(1 - confidence) / 2, (1 + confidence) / 2], a, b)


@pytest.mark.parametrize(
    ("estimate", "prior"),
    [
        ("laplace", [1, 1, 1]),
        ("frequency", [0.5] * 3),
        (Laplace(alpha=2.5), [2.5] * 3),
        (MEstimate(m=6), [3, 2.5, 0.5]),
        (MEstimate(m=6, prior="uniform"), [2, 2, 2]),
        ("hierarchical_shrinkage", [0.5] * 3),
        ("path_average", [0.5] * 3),
    ],
    ids=str,
)
def test_the_prior_matches_the_estimate(estimate, prior):
    model = ProbabilityTreeClassifier(estimate=estimate, mdl_penalty=False).fit(X, Y)
    assert model.n_leaves_ == 2
    parameters = np.array([5, 1, 0]) + prior
    for k, (low, high) in enumerate(model.predict_interval([[1.0]])[0]):
        np.testing.assert_allclose((low, high), quantiles(parameters[k], parameters.sum() - parameters[k]))


def test_m_branch_takes_the_node_above_for_its_prior():
    model = ProbabilityTreeClassifier(estimate=MBranch(M=4), mdl_penalty=False).fit(X, Y)
    p = model.predict_proba([[1.0]])[0]
    np.testing.assert_allclose(model.predict_interval([[1.0]])[0, 0], quantiles(10 * p[0], 10 * (1 - p[0])))


@pytest.mark.parametrize(("then", "prior"), [(None, 0.5), ("laplace", 1.0)])
def test_curtailment_predicts_from_the_node_where_it_stops(then, prior):
    model = ProbabilityTreeClassifier(estimate=Curtailment(v=7, then=then), mdl_penalty=False).fit(X, Y)
    parameters = np.array([6, 5, 1]) + prior
    np.testing.assert_allclose(
        model.predict_interval([[1.0]])[0, 1], quantiles(parameters[1], parameters.sum() - parameters[1])
    )


def test_an_empty_leaf_has_the_interval_of_its_parent():
    colour = pd.Categorical(["red"] * 4 + ["blue"] * 2, categories=["red", "blue", "never"])
    model = ProbabilityTreeClassifier(estimate="frequency").fit(pd.DataFrame({"c": colour}), ["a"] * 4 + ["b"] * 2)
    never = pd.DataFrame({"c": pd.Categorical(["never"], categories=["red", "blue", "never"])})
    np.testing.assert_allclose(model.predict_interval(never)[0, 0], quantiles(4.5, 2.5))


def test_a_missing_value_has_the_quantiles_of_the_mixture():
    model = ProbabilityTreeClassifier(mdl_penalty=False).fit(X, Y)
    low, high = model.predict_interval([[np.nan]], confidence=0.8)[0, 0]
    for end, tail in ((low, 0.1), (high, 0.9)):
        assert np.mean(beta.cdf(end, [6, 2], [3, 7])) == pytest.approx(tail, abs=1e-9)


def test_rows_with_missing_values_are_as_each_alone(ranks, monkeypatch):
    X, y = ranks
    missing = np.where(np.random.default_rng(0).random(X.shape) < 0.15, np.nan, X)[:60]
    model = ProbabilityTreeClassifier(min_leaf=30).fit(X, y)
    alone = np.concatenate([model.predict_interval(row[None]) for row in missing])
    monkeypatch.setattr("calibrant.trees._prediction.intervals._BLOCK", 7)
    np.testing.assert_allclose(model.predict_interval(missing), alone, atol=1e-9)
    assert (alone[..., 0] < alone[..., 1]).all()
    assert alone.min() >= 0
    assert alone.max() <= 1


def test_more_confidence_is_wider_and_two_classes_mirror_each_other(ranks):
    X, y = ranks
    model = ProbabilityTreeClassifier(min_leaf=30).fit(X, y)
    narrow, wide = model.predict_interval(X, 0.5), model.predict_interval(X, confidence=0.99)
    assert (wide[..., 0] < narrow[..., 0]).all()
    assert (wide[..., 1] > narrow[..., 1]).all()
    np.testing.assert_allclose(wide[:, 0], 1 - wide[:, 1, ::-1], atol=1e-9)


def test_certain_priors_give_points():
    model = ProbabilityTreeClassifier(estimate=MEstimate(m=np.inf)).fit(X, Y)
    np.testing.assert_allclose(model.predict_interval([[1.0]])[0, 0], 0.5, atol=1e-6)
    raw = model.with_estimate(MEstimate(m=0)).predict_interval([[1.0]])[0]
    np.testing.assert_allclose(raw[2], [0, 0], atol=1e-9)  # a class never met, and nothing put in beforehand
    alone = ProbabilityTreeClassifier().fit(X, ["a"] * 12).predict_interval([[1.0]])
    np.testing.assert_allclose(alone, [[[1, 1]]], atol=1e-9)


@pytest.mark.parametrize("confidence", [0, 1, 1.5, "high", None])
def test_a_confidence_that_is_none_is_rejected(confidence):
    with pytest.raises(ParameterError, match=r"confidence must be a number in \(0, 1\)"):
        ProbabilityTreeClassifier().fit(X, Y).predict_interval(X, confidence)


def test_kernel_densities_have_no_interval():
    """The interval of the leaf's counts need not contain a probability that depends on the place within the leaf."""
    X, y = [[1.0], [2.0], [3.0], [4.0], [5.0], [6.0]], ["a", "a", "a", "a", "b", "b"]
    model = ProbabilityTreeClassifier(estimate="kernel_density", min_leaf=6).fit(X, y)
    with pytest.raises(ParameterError, match="estimate must be read from counts for intervals; got KernelDensity"):
        model.predict_interval([[1.0]])
    assert model.with_estimate("laplace").predict_interval([[1.0]]).shape == (1, 2, 2)
