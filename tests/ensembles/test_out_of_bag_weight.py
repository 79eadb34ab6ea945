"""Nielsen's alpha: chosen by the honest log-loss that anyone can compute, and moved by a leaf's own rows."""

from __future__ import annotations

import numpy as np
import pytest

from calibrant import _core
from calibrant.ensembles._readings.eb_pets import honest_oob_proba, read_eb_pets
from calibrant.ensembles._readings.mob_esp import read_mob_esp, strict_oob_proba
from calibrant.ensembles._readings.pooling import Pooling, probability_floor
from calibrant.estimates import Frequency, Laplace, MBranch

GRID = 2.0 ** np.arange(-3, 7)
READINGS = [
    (read_eb_pets, {"n_trees": 9}),
    (read_eb_pets, {"n_trees": 9, "n_classes": 4, "nominal": True, "missing": 0.1, "weighted": True}),
    (read_mob_esp, {"n_trees": 60}),  # few trees would let rows fall back, which have no part in the choice
    (read_mob_esp, {"n_trees": 60, "missing": 0.1, "weighted": True}),
]


def out_of_bag(members, read, pooling):
    reading = read(members, pooling)
    if read is read_mob_esp:
        return strict_oob_proba(members, pooling, reading)
    return honest_oob_proba(members, pooling, reading.alpha)


def honest_loss(members, proba):
    own = np.maximum(proba[np.arange(members.n_rows), members.labels], probability_floor(members.class_weights))
    weights = np.ones(members.n_rows) if members.weights is None else members.weights
    return -np.nansum(weights * np.log(own))


@pytest.mark.parametrize("estimate", [Frequency(), Laplace()], ids=["frequency", "laplace"])
@pytest.mark.parametrize(("read", "forest"), READINGS)
@pytest.mark.sample(3)
def test_auto_has_the_least_honest_loss_of_the_grid(make_forest, read, estimate, forest):
    members = make_forest(**forest).members
    tried = [out_of_bag(members, read, Pooling(weight=float(alpha), estimate=estimate)) for alpha in GRID]
    losses = [honest_loss(members, each) for each in tried]
    assert read(members, Pooling(weight="auto", estimate=estimate)).alpha.number == GRID[np.argmin(losses)]


def test_with_the_rows_out_of_the_bag_alone_there_is_nothing_to_choose(make_forest):
    members = make_forest().members
    one, other = (out_of_bag(members, read_eb_pets, Pooling(out_of_bag="only", weight=w)) for w in ("auto", 1.0))
    np.testing.assert_array_equal(one, other)


def alpha_of(inside, outside, number=1.0):
    pooling = _core.Pooling(False, number, True, 0.005, [0.0, 0.0])
    return pooling.alpha_of(np.array(inside, dtype=float), np.array(outside, dtype=float))


def test_a_leaf_without_rows_out_of_the_bag_has_the_common_weight():
    assert alpha_of([3, 1], [0, 0], 4.0) == pytest.approx(4.0)


def test_many_rows_against_the_bag_move_a_leaf_up_and_as_many_for_it_down():
    assert alpha_of([9, 1], [1, 9]) > 1 > alpha_of([9, 1], [9, 1])


def test_a_choice_for_an_estimate_that_looks_beyond_the_leaf_is_that_for_frequencies(make_forest):
    members = make_forest(n_trees=9).members
    one, other = (read_eb_pets(members, Pooling(weight="auto", **how)) for how in ({}, {"estimate": MBranch()}))
    assert one.alpha == other.alpha
