"""Spiegelhalter's Z: its p-value, and the variance of rows with probability weights."""

from __future__ import annotations

import copy

import numpy as np
import pytest
from scipy.stats import norm

from calibrant.exceptions import ParameterError
from calibrant.metrics import evaluate, spiegelhalter_z


def drawn(n=200):
    random = np.random.default_rng(0)
    p = random.random(n)
    return random.random(n) < p, p, random.lognormal(2.0, 0.7, n)


def test_the_p_value_is_that_of_the_normal_distribution():
    y, p, _ = drawn()
    found = spiegelhalter_z(y, p)
    assert found.p_value == pytest.approx(2 * norm.sf(abs(found)), rel=1e-12)
    assert copy.deepcopy(found).p_value == found.p_value


def test_probability_weights_enter_the_variance_squared():
    y, p, w = drawn()
    excess, variance = (w * (y - p) * (1 - 2 * p)).sum(), (w**2 * (1 - 2 * p) ** 2 * p * (1 - p)).sum()
    found = spiegelhalter_z(y, p, sample_weight=w, weight_kind="probability")
    assert found == pytest.approx(excess / np.sqrt(variance), rel=1e-12)


def test_the_scale_of_probability_weights_has_no_effect():
    y, p, w = drawn()
    one, many = (spiegelhalter_z(y, p, sample_weight=c * w, weight_kind="probability") for c in (1, 100))
    assert one == pytest.approx(many, rel=1e-12)


def test_without_weights_both_kinds_agree():
    y, p, _ = drawn()
    assert spiegelhalter_z(y, p, weight_kind="probability") == pytest.approx(spiegelhalter_z(y, p), rel=1e-12)


def test_the_card_has_the_p_value_of_its_kind_of_weights():
    y, p, w = drawn()
    for kind in ("frequency", "probability"):
        score = evaluate(y, p, metrics=["spiegelhalter_z"], sample_weight=w, weight_kind=kind)["spiegelhalter_z"]
        found = spiegelhalter_z(y, p, sample_weight=w, weight_kind=kind)
        assert (score.value, score.pvalue) == pytest.approx((found, found.p_value), rel=1e-12)
        assert (score.low, score.note) == (None, "no interval: the statistic of a test")


def test_the_p_value_needs_no_confidence():
    y, p, _ = drawn()
    score = evaluate(y, p, metrics=["spiegelhalter_z"], confidence=None)["spiegelhalter_z"]
    assert score.pvalue == pytest.approx(spiegelhalter_z(y, p).p_value)


def test_rows_of_clusters_have_no_p_value():
    y, p, _ = drawn()
    score = evaluate(y, p, metrics=["spiegelhalter_z"], groups=np.arange(200) // 4)["spiegelhalter_z"]
    assert (score.pvalue, score.note) == (None, "no p-value: rows of a cluster are not independent")


def test_where_it_is_undefined_there_is_no_p_value():
    score = evaluate([0, 1], [0.5, 0.5], metrics=["spiegelhalter_z"])["spiegelhalter_z"]
    assert np.isnan(score.value)
    assert (score.pvalue, score.note) == (None, "not defined for these rows")


def test_an_unknown_kind_of_weights_is_an_error():
    with pytest.raises(ParameterError, match="weight_kind must be"):
        spiegelhalter_z([0, 1], [0.2, 0.7], weight_kind="survey")
