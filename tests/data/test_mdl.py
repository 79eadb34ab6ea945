"""Cut points by class entropy, against a plain search over rows, and for extreme numbers."""

from math import comb, log2

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from calibrant.data import CodedTable, MDLDiscretizer
from calibrant.data._discretize.mdl import interval_codes, mdl_cuts

ROWS = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 2)), min_size=2, max_size=60)


def entropy(labels):
    shares = np.bincount(labels)[np.bincount(labels) > 0] / len(labels)
    return -sum(share * log2(share) for share in shares)


def cut_by_brute_force(values, labels, among="rows"):
    """The recursion of Fayyad & Irani on rows, as in the paper."""
    n, best, k = len(labels), None, len(set(labels))
    for low, high in zip(np.unique(values)[:-1], np.unique(values)[1:], strict=True):
        left, right = labels[values <= low], labels[values > low]
        mean = (len(left) * entropy(left) + len(right) * entropy(right)) / n
        if best is None or mean < best[0] - 1e-9:
            best = mean, (low + high) / 2, left, right
    if best is None:
        return []
    mean, cut, left, right = best
    delta = log2(3**k - 2) - k * entropy(labels)
    delta += len(set(left)) * entropy(left) + len(set(right)) * entropy(right)
    n_cuts = (n if among == "rows" else len(np.unique(values))) - 1
    if not entropy(labels) - mean > (log2(n_cuts) + delta) / n:
        return []
    lower = cut_by_brute_force(values[values <= cut], left, among)
    return [*lower, cut, *cut_by_brute_force(values[values > cut], right, among)]


def cuts_of(values, labels, weights=None, criterion="fayyad_irani"):
    discretizer = MDLDiscretizer(criterion=criterion)
    return discretizer.fit(np.reshape(values, (-1, 1)), labels, weights).cut_points_[0].tolist()


@given(ROWS)
def test_cuts_are_those_of_a_search_over_rows(rows):
    values, labels = np.array(rows, dtype=float).T
    assert cuts_of(values, labels.astype(int)) == cut_by_brute_force(values, labels.astype(int))


@given(ROWS)
def test_cuts_coded_among_distinct_values_equal_those_of_a_search_over_rows(rows):
    values, labels = np.array(rows, dtype=float).T
    table = CodedTable.from_frame(values[:, None])
    cuts = mdl_cuts(table, labels.astype(int), 3, among="values")[0].tolist()
    assert cuts == cut_by_brute_force(values, labels.astype(int), among="values")


@given(ROWS, st.sampled_from(["fayyad_irani", "kononenko"]))
def test_a_weight_of_two_is_the_row_twice_and_halves_add_up(rows, criterion):
    values, labels = np.repeat(np.array(rows, dtype=float).T, 8, axis=1)
    once = cuts_of(values, labels, criterion=criterion)
    assert cuts_of(values[::8], labels[::8], np.full(len(rows), 8), criterion) == once
    assert cuts_of(np.repeat(values, 2), np.repeat(labels, 2), np.full(16 * len(rows), 0.5), criterion) == once


@pytest.mark.parametrize("n", [2, 4, 8, 50])
def test_kononenkos_rule_cuts_two_pure_halves_when_the_binomials_allow(n):
    before = log2(2 * n + 1) + log2(comb(2 * n, n))
    after = log2(2 * n - 1) + 2 * log2(n + 1)
    assert bool(cuts_of(range(2 * n), np.arange(2 * n) // n, criterion="kononenko")) == (before > after)


def test_adjacent_floats_are_split():
    low = np.nextafter(1.0, 0.0)
    cuts = np.array(cuts_of([low, 1.0] * 20, [0, 1] * 20))
    assert interval_codes(np.array([low, 1.0]), cuts).tolist() == [0, 1]


@pytest.mark.parametrize(
    "pair", [(-np.inf, 1.0), (1.0, np.inf), (-np.inf, np.inf), (-1.7e308, 1.7e308), (1.6e308, 1.7e308)]
)
def test_extreme_values_are_split(pair):
    cuts = np.array(cuts_of(pair * 20, [0, 1] * 20))
    assert interval_codes(np.array(pair), cuts).tolist() == [0, 1]


def test_one_class_one_row_and_only_missing_values_are_one_interval():
    assert cuts_of([1.0, 2.0, 3.0], ["a"] * 3) == []
    assert cuts_of([1.0], ["a"]) == []
    assert cuts_of([np.nan] * 4, ["a", "b"] * 2) == []


def test_weights_that_add_up_to_less_than_two_rows_cut_nothing():
    assert cuts_of(range(40), np.arange(40) // 20) == [19.5]
    assert cuts_of(range(40), np.arange(40) // 20, np.full(40, 1 / 40)) == []


def test_parts_with_fewer_rows_than_there_are_classes_are_cut_like_others():
    values = np.arange(60.0)
    assert cuts_of(values, range(60)) == cut_by_brute_force(values, np.arange(60)) != []


def test_very_many_classes_take_no_table_of_values_by_classes():
    table = CodedTable.from_frame(np.arange(1e4).reshape(-1, 1))
    labels = np.arange(10_000) // 5_000 * 999_999
    assert mdl_cuts(table, labels, 1_000_000)[0].tolist() == [4_999.5]
