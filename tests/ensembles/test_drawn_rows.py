"""Rows drawn by their weights: how many, how often, and the same from any part of the rows."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from scipy import stats

from calibrant.ensembles._boosting.tree_learner import draw_rows

WEIGHTS = np.arange(500) % 7 / 4


@pytest.mark.parametrize("edges", [[0, 500], [0, 0, 1, 2, 250, 250, 499, 500]], ids=["all", "parts"])
def test_parts_draw_their_rows_as_all_rows_are_drawn(edges: list[int]) -> None:
    drawn = [
        draw_rows(WEIGHTS[i:j], 5, before=float(WEIGHTS[:i].sum()), total=float(WEIGHTS.sum()))
        for i, j in pairwise(edges)
    ]
    np.testing.assert_array_equal(np.concatenate(drawn), draw_rows(WEIGHTS, 5))


def test_as_many_rows_are_drawn_as_the_weights_add_up_to_and_none_of_weight_0() -> None:
    for seed in range(20):
        drawn = draw_rows(WEIGHTS, seed)
        assert drawn.sum() == round(WEIGHTS.sum())
        assert not drawn[WEIGHTS == 0].any()


@pytest.mark.parametrize("scale", [1.0, 40.0], ids=["one by one", "in ranges"])
def test_rows_are_drawn_in_proportion_to_their_weights(scale: float) -> None:
    weights = scale * WEIGHTS[WEIGHTS > 0]
    drawn = np.array([draw_rows(weights, seed) for seed in range(400)])
    mean = round(weights.sum()) * weights / weights.sum()
    sums = drawn.sum(axis=0)
    chi_square = ((sums - 400 * mean) ** 2 / (400 * mean)).sum()
    assert 1e-6 < stats.chi2(len(weights) - 1).cdf(chi_square) < 1 - 1e-6
    # a count is binomial: its variance over fits, added up, is that of the multinomial distribution
    expected = (mean * (1 - weights / weights.sum())).sum()
    assert drawn.var(axis=0, ddof=1).sum() == pytest.approx(expected, rel=0.03)


def test_neighbors_are_drawn_as_a_multinomial_distribution_draws_them() -> None:
    drawn = np.array([draw_rows(np.array([1.0, 2.0, 3.0]), seed) for seed in range(4000)])
    triples = [(i, j, 6 - i - j) for i in range(7) for j in range(7 - i)]
    observed = [(drawn == triple).all(axis=1).sum() for triple in triples]
    expected = [4000 * stats.multinomial(6, [1 / 6, 2 / 6, 3 / 6]).pmf(triple) for triple in triples]
    assert stats.chisquare(observed, expected).pvalue > 1e-6


def test_vast_weights_are_drawn_in_units_of_a_power_of_two() -> None:
    weights = np.array([1.0, 3.0]) * 2.0**52
    drawn = draw_rows(weights, 0)
    assert drawn.sum() == weights.sum()
    np.testing.assert_allclose(drawn, weights, rtol=1e-3)
    assert (drawn % 2.0**23 == 0).all()


def test_a_tiny_total_is_one_draw() -> None:
    assert draw_rows(np.array([0.0, 5e-324, 0.0]), 1).tolist() == [0.0, 1.0, 0.0]
