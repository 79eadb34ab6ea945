"""What readings see of a forest: weights as repeated rows, rows without weight, and rows drawn by weight."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from calibrant.ensembles._eb_pets import read_eb_pets
from calibrant.ensembles._members import Arrived, LeafMatrix, Members
from calibrant.ensembles._mob_esp import read_mob_esp
from calibrant.ensembles._pooling import Bins, Pooling, count_bins
from calibrant.ensembles._votes import Tally


@pytest.fixture
def members(make_forest):
    """A forest whose rows are whole, so that its leaves make a matrix."""
    members = make_forest(n_classes=4, n_trees=6).members
    return replace(members, ways=LeafMatrix(np.array([members.ways(t).leaf for t in range(6)])))


def repeated(members, times):
    chosen = np.repeat(np.arange(members.n_rows), times)
    ways, in_bag = LeafMatrix(members.ways.leaves[:, chosen]), members.in_bag[:, chosen]
    return chosen, replace(members, ways=ways, in_bag=in_bag, labels=members.labels[chosen])


@pytest.mark.parametrize("read", [read_eb_pets, read_mob_esp])
def test_a_weight_of_two_is_the_row_twice(members, read):
    """The two of a pair are in the same bags here, as a row of weight 2 is, but know of each other out of them."""
    times = 1 + np.arange(members.n_rows) % 3
    chosen, twice = repeated(members, times)
    weighted = read(replace(members, weights=times.astype(float)), Pooling())
    plain = read(twice, Pooling())
    ways = LeafMatrix(members.ways.leaves)
    last = members.n_rows if read is read_eb_pets else members.labels
    np.testing.assert_allclose(weighted.predict_proba(ways, last), plain.predict_proba(ways, last), atol=1e-12)
    once = np.flatnonzero(times[chosen] == 1)
    np.testing.assert_allclose(weighted.oob_proba[chosen[once]], plain.oob_proba[once], atol=1e-12)


@pytest.mark.parametrize("read", [read_eb_pets, read_mob_esp])
@pytest.mark.parametrize("pooling", [Pooling(), Pooling(out_of_bag="only"), Pooling(weight="auto")], ids=str)
def test_a_row_of_weight_0_is_as_if_absent(members, read, pooling):
    weights = (np.arange(members.n_rows) % 2).astype(float)
    _, without = repeated(members, weights.astype(int))
    weighted, absent = read(replace(members, weights=weights), pooling), read(without, pooling)
    np.testing.assert_allclose(weighted.oob_proba[1::2], absent.oob_proba, atol=1e-12)


@pytest.mark.parametrize("read", [read_eb_pets, read_mob_esp])
def test_arrivals_by_leaf_matrix_or_one_by_one_are_the_same(members, read, make_forest):
    one_by_one = make_forest(n_classes=4, n_trees=6).members
    np.testing.assert_array_equal(read(members, Pooling()).oob_proba, read(one_by_one, Pooling()).oob_proba)


def test_rows_drawn_by_weight_count_as_often_as_they_were_drawn():
    members = Members([], None, np.array([[3, 0]], dtype=np.uint8), np.array([0, 1]), 2, np.array([2.0, 5.0]))
    arrived, bins = Arrived(np.arange(2), np.zeros(2, dtype=np.int32)), Bins(np.zeros(2, dtype=int), 1)
    counted = Pooling(in_bag_counts="multiplicity")
    assert count_bins(members, 0, arrived, bins, counted).inside.tolist() == [[6, 0]]
    by_weight = replace(members, drawn_by_weight=True)
    assert count_bins(by_weight, 0, arrived, bins, counted).inside.tolist() == [[3, 0]]
    assert count_bins(by_weight, 0, arrived, bins, counted).outside.tolist() == [[0, 5]]


def test_a_tied_vote_goes_to_the_surer_leaves_and_then_to_the_lower_class():
    tally, rows = Tally.empty(2, 3), np.arange(2)
    for table in ([[0.1, 0.9, 0.0], [0.0, 0.5, 0.5]], [[0.2, 0.2, 0.6], [0.0, 0.4, 0.6]]):
        tally.add(np.array(table), Arrived(rows, rows))
    assert tally.labels().tolist() == [1, 2]
    tally.add(np.array([[0.9, 0.1, 0.0], [0.0, 1.0, 0.0]]), Arrived(rows, rows))
    assert tally.votes.tolist() == [[1, 1, 1], [0, 2, 1]]
    assert tally.labels().tolist() == [0, 1]


def test_sums_that_are_rounded_apart_are_a_tie():
    tally = Tally.empty(1, 2)
    for rate in (0.1, 0.2, 0.3, 0.9, 0.8, 0.7):
        tally.add(np.array([[1 - rate, rate]]), Arrived(np.array([0]), np.array([0])))
    assert tally.votes.tolist() == [[3, 3]]
    assert tally.labels().tolist() == [0]
