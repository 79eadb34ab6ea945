"""Readings count the rows of a forest: weights as repeated rows, rows without weight, and rows drawn by weight."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from calibrant import _core
from calibrant.ensembles._bagging.bags import ForestBags
from calibrant.ensembles._readings.eb_pets import honest_oob_proba, read_eb_pets
from calibrant.ensembles._readings.forest_members import LeafMatrix, Members, count_votes
from calibrant.ensembles._readings.mob_esp import read_mob_esp, strict_oob_proba
from calibrant.ensembles._readings.pooling import Pooling


@pytest.fixture
def members(make_forest):
    """A forest whose rows are whole, so that its leaves make a matrix."""
    forest = make_forest(n_classes=4, n_trees=6)
    leaves = [[ends[0][0] for ends in tree] for tree in forest.plain.ends]
    return replace(forest.members, paths=LeafMatrix(np.array(leaves, dtype=np.int32)))


def repeated(members, times):
    chosen = np.repeat(np.arange(members.n_rows), times)
    paths = LeafMatrix(np.ascontiguousarray(members.paths.leaves[:, chosen]))
    in_bag = np.ascontiguousarray(members.in_bag[:, chosen])
    return chosen, replace(members, paths=paths, bags=ForestBags(drawn=in_bag), labels=members.labels[chosen])


def eb_pets(members, pooling):
    """Return the probabilities of the training rows as if they were new, and out of the bag."""
    reading = read_eb_pets(members, pooling)
    return reading.predict_proba(members.paths), honest_oob_proba(members, pooling, reading.alpha)


def mob_esp(members, pooling):
    reading = read_mob_esp(members, pooling)
    return reading.predict_proba(members.paths, members.frequencies), strict_oob_proba(members, pooling, reading)


@pytest.mark.parametrize("read", [eb_pets, mob_esp])
def test_a_weight_of_two_is_the_row_twice(members, read):
    """The two of a pair are in the same bags here, as a row of weight 2 is, but know of each other out of them."""
    times = 1 + np.arange(members.n_rows) % 3
    chosen, twice = repeated(members, times)
    weighted, plain = read(replace(members, weights=times.astype(float)), Pooling()), read(twice, Pooling())
    np.testing.assert_allclose(weighted[0][chosen], plain[0], atol=1e-12)
    once = np.flatnonzero(times[chosen] == 1)
    np.testing.assert_allclose(weighted[1][chosen[once]], plain[1][once], atol=1e-12)


@pytest.mark.parametrize("read", [eb_pets, mob_esp])
@pytest.mark.parametrize("pooling", [Pooling(), Pooling(out_of_bag="only"), Pooling(weight="auto")], ids=str)
def test_a_row_of_weight_0_is_as_if_absent(members, read, pooling):
    weights = (np.arange(members.n_rows) % 2).astype(float)
    _, without = repeated(members, weights.astype(int))
    weighted, absent = read(replace(members, weights=weights), pooling), read(without, pooling)
    np.testing.assert_allclose(weighted[1][1::2], absent[1], atol=1e-12)


@pytest.mark.parametrize("read", [eb_pets, mob_esp])
def test_paths_by_leaf_matrix_or_by_walking_are_the_same(members, read, make_forest):
    walking = make_forest(n_classes=4, n_trees=6).members
    for one, other in zip(read(members, Pooling()), read(walking, Pooling()), strict=True):
        np.testing.assert_array_equal(one, other)


def test_rows_drawn_by_weight_count_as_often_as_they_were_drawn():
    in_bag, paths = np.array([[3, 0]], dtype=np.uint16), LeafMatrix(np.zeros((1, 2), dtype=np.int32))
    members = Members([], paths, ForestBags(drawn=in_bag), np.array([0, 1]), 2, np.array([2.0, 5.0]))

    def counted(members):
        rows, pooling = members.bagged_rows(multiplicity=True), _core.Pooling(False, 1.0, False, 0.005, [0.0, 0.0])
        return _core.pool_leaves(paths.core, [np.array([-1], dtype=np.int32)], rows, None, pooling, 1)[0].tolist()

    assert counted(members) == [[6, 5]]
    assert counted(replace(members, drawn_by_weight=True)) == [[3, 5]]


def vote(*tables):
    """Return the votes of trees with one leaf for each row, row i at leaf i."""
    leaves = np.tile(np.arange(len(tables[0]), dtype=np.int32), (len(tables), 1))
    return count_votes([np.array(table) for table in tables], LeafMatrix(leaves))


def test_a_tied_vote_goes_to_the_surer_leaves_and_then_to_the_lower_class():
    tables = [[[0.1, 0.9, 0.0], [0.0, 0.5, 0.5]], [[0.2, 0.2, 0.6], [0.0, 0.4, 0.6]]]
    assert vote(*tables).labels.tolist() == [1, 2]
    tally = vote(*tables, [[0.9, 0.1, 0.0], [0.0, 1.0, 0.0]])
    assert tally.votes.tolist() == [[1, 1, 1], [0, 2, 1]]
    assert tally.labels.tolist() == [0, 1]


def test_sums_that_are_rounded_apart_are_a_tie():
    tally = vote(*([[1 - rate, rate]] for rate in (0.1, 0.2, 0.3, 0.9, 0.8, 0.7)))
    assert tally.votes.tolist() == [[3, 3]]
    assert tally.labels.tolist() == [0]
