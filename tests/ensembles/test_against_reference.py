"""Every reading equals its plain reference to 1e-12: many classes, nominal columns, missing values, weights."""

from __future__ import annotations

import numpy as np
import pytest

from calibrant.ensembles._readings.eb_pets import honest_oob_proba, read_eb_pets
from calibrant.ensembles._readings.forest_members import (
    average_cells,
    by_node,
    count_votes,
    out_of_bag_average,
    out_of_bag_votes,
)
from calibrant.ensembles._readings.mob_esp import read_mob_esp, strict_oob_proba
from calibrant.ensembles._readings.pooling import Pooling
from calibrant.estimates import Frequency, Laplace, MBranch, MEstimate
from calibrant.trees._prediction.tree_reading import TreeReading

FORESTS = {
    "two classes": {},
    "four classes": {"n_classes": 4, "n_trees": 6, "seed": 1},
    "two trees": {"n_trees": 2, "seed": 2},
    "nominal": {"n_classes": 4, "nominal": True, "seed": 3, "n_trees": 4},
    "missing": {"missing": 0.15, "seed": 4},
    "all at once": {"n_classes": 4, "nominal": True, "missing": 0.1, "weighted": True, "seed": 5, "n_trees": 4},
    "weights": {"weighted": True, "seed": 6, "min_leaf": 1},
}
POOLINGS = [
    (Pooling(), {}),
    (Pooling(weight=2.5), {"alpha": 2.5}),
    (Pooling(in_bag_counts="multiplicity"), {"multiplicity": True}),
    (Pooling(out_of_bag="only"), {"only": True}),
    (Pooling(estimate=Laplace()), {"add": 1.0}),
    (Pooling(out_of_bag="only", estimate=Laplace()), {"only": True, "add": 1.0}),
]


@pytest.fixture(scope="module", params=FORESTS.values(), ids=FORESTS)
def forest(request, make_forest):
    return make_forest(**request.param)


def check(found, expected):
    np.testing.assert_allclose(found, np.array(expected), rtol=0, atol=1e-12)


def all_rows(forest):
    return range(forest.members.n_rows)


def test_votes_of_all_trees(forest, reference):
    tally = count_votes(forest.members.frequencies, forest.paths)
    voters = list(range(forest.members.n_trees))
    expected = [reference.vote(forest.plain, ends, voters) for ends in forest.ends]
    np.testing.assert_array_equal(tally.labels, [label for label, _ in expected])
    np.testing.assert_array_equal(tally.votes, [votes for _, votes in expected])


def test_votes_out_of_the_bag(forest, reference):
    found = out_of_bag_votes(forest.members).labels
    np.testing.assert_array_equal(found, [reference.out_label(forest.plain, i) for i in all_rows(forest)])


@pytest.mark.parametrize("estimate", [Laplace(), MBranch()], ids=["laplace", "m_branch"])
def test_b_pets(forest, reference, estimate):
    tables = [TreeReading(tree, estimate, None, "c45").table for tree in forest.members.trees]
    plain, trees = forest.plain, list(range(forest.members.n_trees))
    expected = [reference.b_pets(plain, tables, ends, trees) for ends in forest.ends]
    check(average_cells(forest.paths, by_node(tables)), expected)
    own = [
        reference.b_pets(plain, tables, reference.own_ends(plain, i), reference.out_trees(plain, i))
        for i in all_rows(forest)
    ]
    check(out_of_bag_average(tables, forest.members), own)


@pytest.mark.parametrize(("pooling", "how"), POOLINGS, ids=[str(how) for _, how in POOLINGS])
def test_eb_pets(forest, reference, pooling, how):
    found = read_eb_pets(forest.members, pooling)
    check(found.predict_proba(forest.paths), [reference.eb_pets(forest.plain, ends, **how) for ends in forest.ends])
    honest = honest_oob_proba(forest.members, pooling, found.alpha)
    check(honest, [reference.eb_pets_out(forest.plain, i, **how) for i in all_rows(forest)])


@pytest.mark.parametrize(("pooling", "how"), POOLINGS, ids=[str(how) for _, how in POOLINGS])
def test_mob_esp(forest, reference, pooling, how):
    found = read_mob_esp(forest.members, pooling)
    labels = [reference.out_label(forest.plain, i) for i in all_rows(forest)]
    np.testing.assert_array_equal(found.oob_label, labels)
    expected = [reference.mob_esp(forest.plain, ends, labels, **how) for ends in forest.ends]
    check(found.predict_proba(forest.paths, forest.members.frequencies), expected)


@pytest.mark.parametrize(("pooling", "how"), POOLINGS, ids=[str(how) for _, how in POOLINGS])
@pytest.mark.sample(5)
def test_mob_esp_out_of_the_bag(forest, reference, pooling, how):
    found = strict_oob_proba(forest.members, pooling, read_mob_esp(forest.members, pooling))
    check(found, [reference.strict_mob_esp_out(forest.plain, i, **how) for i in all_rows(forest)])


def test_few_trees_leave_rows_in_every_bag_and_votes_tied(make_forest):
    """The forests above try what is rare: were they to lose it, they would test less than they claim."""
    members = make_forest(**FORESTS["two trees"]).members
    tally = out_of_bag_votes(members)
    is_tied = (tally.votes == tally.votes.max(axis=1, keepdims=True)).sum(axis=1) > 1
    assert (tally.labels < 0).any()
    assert (is_tied & (tally.labels >= 0)).any()
    oob_proba = strict_oob_proba(members, Pooling(), read_mob_esp(members, Pooling()))
    assert np.isnan(oob_proba[tally.labels < 0]).all()


def test_forests_with_missing_values_split_rows_and_leave_leaves_empty(make_forest):
    forest = make_forest(**FORESTS["all at once"])
    members = forest.members
    shares = [np.concatenate([[share for _, share in ends] for ends in tree]) for tree in forest.plain.ends]
    assert all(each.min() < 1 for each in shares)
    assert any((tree.weight[tree.is_leaf] == 0).any() for tree in members.trees)


def test_an_m_estimate_with_a_uniform_prior_is_laplace(make_forest):
    members = make_forest(n_classes=4).members
    uniform = MEstimate(m=4, prior="uniform")
    one, other = (read_eb_pets(members, Pooling(estimate=each)) for each in (uniform, Laplace()))
    out_of_bag = [honest_oob_proba(members, Pooling(estimate=each), one.alpha) for each in (uniform, Laplace())]
    check(*out_of_bag)
    check(np.vstack(one.tables), np.vstack(other.tables))


@pytest.mark.parametrize("empty_leaf", ["parent", "majority"])
def test_one_tree_without_a_bootstrap_is_the_tree(make_forest, empty_leaf):
    forest = make_forest(nominal=True, n_classes=4, n_trees=1, missing=0.1, bootstrap=False)
    tree = forest.members.trees[0]
    found = read_eb_pets(forest.members, Pooling(empty_leaf=empty_leaf))
    check(found.tables[0], TreeReading(tree, Frequency(), empty_leaf, "c45").table)
    assert np.isnan(honest_oob_proba(forest.members, Pooling(empty_leaf=empty_leaf), found.alpha)).all()


def test_an_m_that_has_no_end_gives_the_base_rates(make_forest):
    members = make_forest().members
    found = read_eb_pets(members, Pooling(estimate=MEstimate(m=np.inf)))
    base = members.class_weights / members.n_rows
    check(found.tables[0][members.trees[0].is_leaf], np.tile(base, (members.trees[0].n_leaves, 1)))
