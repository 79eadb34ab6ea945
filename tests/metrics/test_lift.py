"""The area under the lift chart: by hand, by brute force, in closed form, and the figures of Nielsen (2004)."""

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import hypergeom

from calibrant.exceptions import ParameterError
from calibrant.metrics import aulc

SEEDS = st.integers(0, 2**32 - 1)


def draw(seed, *, n_values=8):
    random = np.random.default_rng(seed)
    n_classes = random.integers(2, 5)
    labels = np.append(np.arange(n_classes), random.integers(0, n_classes, random.integers(1, 25)))
    counts = random.integers(0, n_values, (len(labels), n_classes)) + 1
    return labels, counts / counts.sum(axis=1, keepdims=True), random.dirichlet(np.ones(n_classes))


def area_of_class(is_class, scores):
    """Go down the ranks one by one, in exact fractions, with the group's share at each rank of a group of ties."""
    n_rows, area, seen = len(scores), Fraction(0), Fraction(0)
    expected = {score: Fraction(int(is_class[scores == score].sum()), int((scores == score).sum())) for score in scores}
    for rank, score in enumerate(sorted(scores, reverse=True), start=1):
        seen += expected[score]
        area += seen / rank / Fraction(int(is_class.sum()), n_rows) / n_rows
    return area


@given(SEEDS)
def test_the_area_is_the_mean_lift_over_the_ranks(seed):
    labels, proba, prior = draw(seed)
    areas = [float(area_of_class(labels == k, proba[:, k])) for k in range(proba.shape[1])]
    assert aulc(labels, proba, prior=prior) == pytest.approx(np.dot(areas, prior), rel=1e-12)
    assert aulc(labels, proba) == pytest.approx(np.dot(areas, np.bincount(labels) / len(labels)), rel=1e-12)


@given(SEEDS)
def test_the_area_of_whole_weights_repeats_the_rows(seed):
    labels, proba, prior = draw(seed)
    weight = np.random.default_rng(seed).integers(1, 4, len(labels))
    y, often = np.repeat(labels, weight), np.repeat(proba, weight, axis=0)
    areas = [float(area_of_class(y == k, often[:, k])) for k in range(proba.shape[1])]
    found = aulc(labels, proba, sample_weight=weight, prior=prior)
    assert found == pytest.approx(np.dot(areas, prior), rel=1e-12)


@given(SEEDS)
def test_ties_count_as_the_mean_over_their_orders(seed):
    """The mean over every order of four tied rows."""
    random = np.random.default_rng(seed)
    labels = np.append([0, 1], random.integers(0, 2, 6))
    scores = np.array([0.9, 0.1, 0.5, 0.5, 0.5, 0.8, 0.2, 0.5])
    orders = np.array(np.meshgrid(*[range(4)] * 4)).reshape(4, -1).T
    orders = orders[[len(set(order)) == 4 for order in orders.tolist()]]
    broken = np.repeat(scores[None], len(orders), axis=0)
    broken[:, scores == 0.5] += orders / 100
    mean = np.mean([aulc(labels, row) for row in broken])
    assert aulc(labels, scores) == pytest.approx(mean, rel=1e-12)


def test_by_hand():
    """Ranks 1 to 4 hold b, a, b, a: for b the lifts are 2, 1, 4/3, 1 and for a the same."""
    assert aulc(["b", "a", "b", "a"], [0.9, 0.7, 0.4, 0.2]) == pytest.approx((2 + 1 + 4 / 3 + 1) / 4)


@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_a_constant_prediction_has_no_lift(n_classes):
    assert aulc(np.arange(n_classes), np.full((n_classes, n_classes), 1 / n_classes)) == pytest.approx(1.0, rel=1e-12)


@pytest.mark.parametrize("shares", [(0.5, 0.5), (0.9, 0.1), (0.2, 0.3, 0.5)])
def test_a_perfect_ranking_of_many_rows_has_1_and_the_entropy(shares):
    shares = np.array(shares)
    weights = shares * 1e7
    perfect = aulc(np.arange(len(shares)), np.eye(len(shares)), sample_weight=weights)
    assert perfect == pytest.approx(1 - (shares * np.log(shares)).sum(), abs=2e-6)


def test_the_worst_ranking_of_a_class_has_its_closed_form():
    """10 rows of a class after 30 others: the mean of (i - 30) / i / (1/4) over i = 31, ..., 40."""
    expected = sum((i - 30) / i for i in range(31, 41)) / 10
    worst = aulc([0, 1], [1.0, 0.0], sample_weight=[30, 10], prior=[0, 1])
    assert worst == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(
    ("n_rows", "n_first", "printed", "twice_sd"),
    [(100, 50, 1.698, 0.006), (61, 41, 1.639, 0.012), (180, 90, 1.698, 0.004), (79, 70, 1.348, 0.018)],
    ids=["iris", "zoo", "vowel", "glass"],
)
def test_perfect_rankings_have_the_papers_areas(n_rows, n_first, printed, twice_sd):
    """Nielsen 2004, Tables 2 and 6: means over 100 plain random thirds; here the expectation over all thirds.

    The priors are those of the other two thirds. One in 46 of the thirds of glass has the first class alone: 1.
    """
    n_test = n_rows // 3
    chance = hypergeom(n_rows, n_first, n_test)
    total = 0.0
    for first in range(max(1, n_test - (n_rows - n_first)), n_test + 1):
        prior = np.array([n_first - first, n_rows - n_first - (n_test - first)]) / (n_rows - n_test)
        area = aulc([0, 1], [0.0, 1.0], sample_weight=[first, n_test - first], labels=[0, 1], prior=prior)
        total += chance.pmf(first) * area
    assert total == pytest.approx(printed, abs=twice_sd)


def test_a_class_without_rows_is_left_out():
    proba = [[0.7, 0.2, 0.1], [0.1, 0.8, 0.1], [0.5, 0.4, 0.1]]
    full = aulc([0, 1, 0], proba, labels=[0, 1, 2], prior=[0.3, 0.2, 0.5])
    two = np.array(proba)[:, :2] / np.array(proba)[:, :2].sum(axis=1, keepdims=True)
    assert full == pytest.approx(aulc([0, 1, 0], two, prior=[0.6, 0.4]))
    assert aulc([1, 1], [0.2, 0.9], labels=[0, 1]) == pytest.approx(1.0, rel=1e-12)
    assert np.isnan(aulc([1, 1], [0.2, 0.9], labels=[0, 1], prior=[1, 0]))


def test_a_fractional_weight_is_in_between():
    areas = [aulc([0, 1, 1], [0.2, 0.9, 0.1], sample_weight=[1, 1, weight]) for weight in (1, 1.5, 2)]
    assert areas[0] > areas[1] > areas[2]


def test_a_million_rows_lose_no_digits():
    """Against the sum of the lifts in 80-bit arithmetic."""
    random = np.random.default_rng(0)
    scores = random.random(1_000_000)
    labels = (random.random(1_000_000) < scores).astype(int)
    hits = np.cumsum(labels[np.argsort(-scores)], dtype=np.longdouble)
    expected = float((hits / np.arange(1, len(hits) + 1)).sum() / hits[-1])
    assert aulc(labels, scores, prior=[0, 1]) == pytest.approx(expected, rel=1e-12)


def test_priors_are_frequencies_in_the_order_of_the_classes():
    y, proba = ["a", "b", "c", "a"], [[0.5, 0.3, 0.2], [0.1, 0.7, 0.2], [0.3, 0.3, 0.4], [0.4, 0.5, 0.1]]
    expected = aulc(y, proba, prior=[0.5, 0.3, 0.2])
    assert aulc(y, proba, prior={"b": 0.3, "c": 0.2, "a": 0.5}) == pytest.approx(expected, rel=1e-12)
    turned = np.array(proba)[:, [2, 0, 1]]
    assert aulc(y, turned, labels=["c", "a", "b"], prior=[0.2, 0.5, 0.3]) == pytest.approx(expected, rel=1e-12)


def test_a_series_of_priors_is_read_by_its_index():
    """As `value_counts` returns it: the most frequent class first."""
    y, p = [0, 1, 0, 1], [0.6, 0.7, 0.4, 0.2]
    counted = pd.Series([1, 0, 1, 1]).value_counts(normalize=True)
    assert counted.index.tolist() == [1, 0]
    assert aulc(y, p, prior=counted) == pytest.approx(aulc(y, p, prior=[0.25, 0.75]), rel=1e-12)
    assert aulc(["a", "b", "a", "b"], p, prior=pd.Series([0.25, 0.75])) == aulc(y, p, prior=[0.25, 0.75])
    with pytest.raises(ParameterError, match=r"prior must have a frequency for each class, \[0, 1\]"):
        aulc(y, p, prior=pd.Series([0.25, 0.75], index=["no", "yes"]))


def test_with_one_column_priors_are_sorted_whichever_class_is_positive():
    y, p, prior = ["a", "b", "a", "b"], np.array([0.6, 0.7, 0.4, 0.2]), [0.9, 0.1]
    assert aulc(y, p, prior=prior) == pytest.approx(aulc(y, 1 - p, pos_label="a", prior=prior))
    assert aulc(y, p, prior=prior) == pytest.approx(aulc(y, p, labels=["a", "b"], prior=prior))


@pytest.mark.parametrize(
    "prior",
    [[0.5], [0.5, 0.6], [1.5, -0.5], [0.5, np.nan], [30, 70], 0.5, "ab", [[0.5, 0.5]], [None, 1], [0.2, 0.3, 0.5]],
)
def test_invalid_priors_raise_an_error_that_shows_them(prior):
    with pytest.raises(ParameterError, match="prior must be 2 frequencies, one for each class, that sum to 1; got"):
        aulc([0, 1], [0.2, 0.7], prior=prior)


def test_priors_must_fit_the_classes():
    with pytest.raises(
        ParameterError, match=r"prior must have a frequency for each class, \[0, 1\]; got one for \[0, 2\]"
    ):
        aulc([0, 1], [0.2, 0.7], prior={0: 0.5, 2: 0.5})
    with pytest.raises(ParameterError, match="pass labels="):
        aulc([1, 1], [0.2, 0.7], pos_label=1, prior=[0.5, 0.5])
