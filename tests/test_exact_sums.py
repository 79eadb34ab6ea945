"""Exact sums: those of math.fsum, and the same for any order and partition."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from calibrant._exact_sums import ExactSums, round_weights, weight_step

finite = st.floats(allow_nan=False, allow_infinity=False, width=64).filter(lambda x: abs(x) < 1e300)


@given(st.lists(finite, max_size=60))
@settings(max_examples=50)
def test_a_sum_is_that_of_fsum(values: list[float]) -> None:
    assert ExactSums(1).add(np.array(values).reshape(-1, 1)).totals()[0] == math.fsum(values)


@given(st.lists(finite, min_size=2, max_size=40), st.data())
@settings(max_examples=50)
def test_neither_order_nor_partition_changes_a_sum(values: list[float], data: st.DataObject) -> None:
    order = data.draw(st.permutations(range(len(values))))
    cut = data.draw(st.integers(0, len(values)))
    rows = np.array(values)[list(order)].reshape(-1, 1)
    parts = ExactSums(1).add(rows[:cut]) + ExactSums(1).add(rows[cut:])
    assert parts.totals()[0] == ExactSums(1).add(np.array(values).reshape(-1, 1)).totals()[0]


def test_columns_are_summed_each() -> None:
    rows = np.random.default_rng(0).normal(size=(1000, 3)) * [1.0, 1e-200, 1e200]
    np.testing.assert_array_equal(ExactSums(3).add(rows).totals(), [math.fsum(column) for column in rows.T])


def test_a_sum_beyond_the_range_of_floats_is_infinite() -> None:
    assert ExactSums(1).add(np.full((4, 1), -1e308)).totals()[0] == -math.inf


@given(st.lists(st.floats(1e-6, 1e6), min_size=1, max_size=50))
@settings(max_examples=50)
def test_sums_of_rounded_weights_do_not_depend_on_their_order(weights: list[float]) -> None:
    rounded = round_weights(np.array(weights), weight_step(max(weights), len(weights)))
    assert float(rounded.sum()) == float(rounded[::-1].cumsum()[-1]) == math.fsum(rounded)
    np.testing.assert_allclose(rounded, weights, atol=max(weights) * len(weights) * 2.0**-52)
