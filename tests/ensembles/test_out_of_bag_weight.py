"""Nielsen's alpha: chosen by the honest log-loss that anyone can compute, and moved by a leaf's own rows."""

from __future__ import annotations

import numpy as np
import pytest

from calibrant.ensembles._eb_pets import read_eb_pets
from calibrant.ensembles._mob_esp import read_mob_esp
from calibrant.ensembles._out_of_bag_weight import Alpha, probability_floor
from calibrant.ensembles._pooling import Pooling, Pools
from calibrant.estimates import Frequency, Laplace, MBranch

GRID = 2.0 ** np.arange(-3, 7)
READINGS = [
    (read_eb_pets, {"n_trees": 9}),
    (read_eb_pets, {"n_trees": 9, "n_classes": 4, "nominal": True, "holes": 0.1, "weighted": True}),
    (read_mob_esp, {"n_trees": 40}),  # few trees would let rows fall back, which have no part in the choice
    (read_mob_esp, {"n_trees": 40, "holes": 0.1, "weighted": True}),
]


def honest_loss(members, proba):
    own = np.maximum(proba[np.arange(members.n_rows), members.labels], probability_floor(members.class_weights))
    weights = np.ones(members.n_rows) if members.weights is None else members.weights
    return -np.nansum(weights * np.log(own))


@pytest.mark.parametrize("estimate", [Frequency(), Laplace()], ids=["frequency", "laplace"])
@pytest.mark.parametrize(("read", "forest"), READINGS)
def test_auto_has_the_least_honest_loss_of_the_grid(make_forest, read, estimate, forest):
    members = make_forest(**forest).members
    tried = [read(members, Pooling(weight=float(alpha), estimate=estimate)) for alpha in GRID]
    losses = [honest_loss(members, each.oob_proba) for each in tried]
    assert read(members, Pooling(weight="auto", estimate=estimate)).alpha.number == GRID[np.argmin(losses)]


def test_with_the_rows_out_of_the_bag_alone_there_is_nothing_to_choose(make_forest):
    members = make_forest().members
    one, other = (read_eb_pets(members, Pooling(out_of_bag="only", weight=w)) for w in ("auto", 1.0))
    np.testing.assert_array_equal(one.oob_proba, other.oob_proba)


def test_a_leaf_without_rows_out_of_the_bag_has_the_common_weight():
    pools = Pools(np.array([[3.0, 1]]), np.zeros((1, 2)))
    assert Alpha(4.0, by_bin=True).of(pools) == pytest.approx(4.0)


def test_many_rows_against_the_bag_move_a_leaf_up_and_as_many_for_it_down():
    against, alike = (
        Pools(np.array([[9.0, 1]]), np.array([[1.0, 9]])),
        Pools(np.array([[9.0, 1]]), np.array([[9.0, 1]])),
    )
    assert Alpha(1.0, by_bin=True).of(against) > 1 > Alpha(1.0, by_bin=True).of(alike)


def test_a_choice_for_an_estimate_that_looks_beyond_the_leaf_is_that_for_frequencies(make_forest):
    members = make_forest(n_trees=9).members
    one, other = (read_eb_pets(members, Pooling(weight="auto", **how)) for how in ({}, {"estimate": MBranch()}))
    assert one.alpha == other.alpha
