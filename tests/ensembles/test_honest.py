"""Out-of-bag probabilities do not see a row's own class: exactly, and by their loss on labels that are pure noise."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier

from calibrant.ensembles import BaggedTreesClassifier
from calibrant.ensembles._bagging.bags import ForestBags
from calibrant.ensembles._readings.eb_pets import honest_oob_proba, read_eb_pets
from calibrant.ensembles._readings.forest_members import (
    LeafMatrix,
    Members,
    average_cells,
    by_node,
    count_votes,
    out_of_bag_average,
    out_of_bag_votes,
)
from calibrant.ensembles._readings.mob_esp import read_mob_esp, strict_oob_proba
from calibrant.ensembles._readings.pooling import Alpha, Pooling
from calibrant.ensembles._readings.sklearn_reading import _members_of, leaves_of
from calibrant.estimates import HierarchicalShrinkage, Laplace, MBranch

POOLINGS = {
    "unique": Pooling(),
    "multiplicity": Pooling(in_bag_counts="multiplicity"),
    "only": Pooling(out_of_bag="only"),
    "weight 4": Pooling(weight=4.0),
    "laplace": Pooling(estimate=Laplace()),
    "m_branch": Pooling(estimate=MBranch()),
    "shrinkage": Pooling(estimate=HierarchicalShrinkage()),
    "auto": Pooling(weight="auto"),
    "leaf": Pooling(weight="leaf"),
}
N_ROWS, N_TREES, N_FORESTS = 200, 30, 30


KINDS = [{"missing": 0.1, "nominal": True}, {"n_classes": 4, "weighted": True}]


def of_another_class(members, i):
    """Return the forest with another class of a row; trees with the row in the bag may then vote otherwise."""
    labels = members.labels.copy()
    labels[i] = (labels[i] + 1) % members.n_classes
    trees = [tree if members.in_bag[t, i] == 0 else turned(tree) for t, tree in enumerate(members.trees)]
    return replace(members, labels=labels, trees=trees)


def turned(tree):
    return SimpleNamespace(parent=tree.parent, counts=tree.counts[:, ::-1], weight=tree.weight)


def mob_esp_oob_proba(members, pooling, alpha):
    return strict_oob_proba(members, pooling, SimpleNamespace(alpha=alpha, fallback=SimpleNamespace(alpha=alpha)))


def check_a_row_of_another_class_is_answered_for_alike(members, oob_proba):
    honest = oob_proba(members)
    for i in range(members.n_rows):
        np.testing.assert_allclose(oob_proba(of_another_class(members, i))[i], honest[i], rtol=0, atol=1e-12)


@pytest.mark.parametrize("kind", KINDS, ids=str)
@pytest.mark.parametrize("name", ["unique", "multiplicity", "only", "weight 4", "laplace"])
@pytest.mark.parametrize("read", [honest_oob_proba, mob_esp_oob_proba])
@pytest.mark.sample(3)
def test_a_row_of_another_class_gets_the_same_probabilities(make_forest, read, name, kind):
    """Trees grown without a row know nothing about it; only counts and other trees could reveal its class."""
    members, alpha = make_forest(n_rows=40, n_trees=6, **kind).members, Alpha(4.0 if name == "weight 4" else 1.0)
    check_a_row_of_another_class_is_answered_for_alike(members, lambda each: read(each, POOLINGS[name], alpha))


@pytest.mark.parametrize("kind", KINDS, ids=str)
@pytest.mark.parametrize("name", ["m_branch", "shrinkage"])
@pytest.mark.sample(3)
def test_so_is_it_by_estimates_that_look_beyond_the_leaf(make_forest, name, kind):
    members = make_forest(n_rows=40, n_trees=4, **kind).members

    def oob_proba(each):
        return honest_oob_proba(replace(each, trees=members.trees), POOLINGS[name], Alpha(1.0))

    check_a_row_of_another_class_is_answered_for_alike(members, oob_proba)


def test_the_votes_of_trees_with_the_row_in_the_bag_would_be_noticed(make_forest):
    """Were labels not strict, some row would be predicted otherwise: the test above can fail."""
    members = make_forest(n_rows=40, n_trees=6).members
    labels = out_of_bag_votes(members).labels
    others = [out_of_bag_votes(of_another_class(members, i)).labels for i in range(members.n_rows)]
    assert any((other != labels).any() for other in others)


def losses(proba, y):
    """Return the mean log-loss in bits; Nielsen's floor keeps it finite."""
    return np.nanmean(-np.log2(np.maximum(proba[np.arange(len(y)), y], 0.005)))


def read_plain(members, paths):
    """Return out-of-bag probabilities that come free, and those of new rows."""
    laplace, m_branch = ([each.table(tree) for tree in members.trees] for each in (Laplace(), MBranch()))
    voted = count_votes(members.frequencies, paths)
    return {
        "vote": (out_of_bag_votes(members).shares(smooth=True), voted.shares(smooth=True)),
        "b_pets laplace": (out_of_bag_average(laplace, members), average_cells(paths, by_node(laplace))),
        "b_pets m_branch": (out_of_bag_average(m_branch, members), average_cells(paths, by_node(m_branch))),
    }


def read_eb(members, paths, names):
    """Read by leaf and, to see what honesty is worth, so with a row's own count left there."""
    found = {}
    for name in names:
        pooling = POOLINGS[name]
        reading = read_eb_pets(members, pooling)
        found[f"eb_pets {name}"] = honest_oob_proba(members, pooling, reading.alpha), reading.predict_proba(paths)
    plain = read_eb_pets(members, Pooling())
    return found | {"leaky": (out_of_bag_average(plain.tables, members), plain.predict_proba(paths))}


def read_mob(members, ends, names):
    """Read new rows as training rows of weight 0: those do not count, and each has the trees of another row."""
    both = Members(
        members.trees,
        LeafMatrix(np.hstack([members.paths.leaves, ends.leaves])),
        ForestBags(drawn=np.hstack([members.in_bag, members.in_bag])),
        np.append(members.labels, np.zeros(N_ROWS, dtype=int)),
        2,
        np.repeat([1.0, 0.0], N_ROWS),
    )
    found = {}
    for name in set(names) - {"m_branch", "shrinkage"}:
        proba = strict_oob_proba(both, POOLINGS[name], read_mob_esp(both, POOLINGS[name]))
        found[f"mob_esp {name}"] = proba[:N_ROWS], proba[N_ROWS:]
    return found


def differences(chance, seed, *, every=True):
    """Return the mean of out-of-bag loss minus loss on new rows over forests, and its error; `chance` is P(1) of rows.

    A new row is predicted by the trees that the training row of its number is out of the bag of: an average over
    more trees would be a better one.
    """
    found = {}
    for number in range(N_FORESTS):
        random = np.random.default_rng([seed, number])
        X = random.normal(size=(2 * N_ROWS, 4))
        y = (random.random(2 * N_ROWS) < chance(X)).astype(int)
        forest = RandomForestClassifier(N_TREES, max_features=1, min_samples_leaf=2, random_state=number)
        forest.fit(X[:N_ROWS], y[:N_ROWS])
        members, ends = _members_of(forest, X[:N_ROWS], y[:N_ROWS], None), leaves_of(forest, X[N_ROWS:])
        paths = LeafMatrix(np.where(members.in_bag == 0, ends.leaves, -1).astype(np.int32))
        names = list(POOLINGS) if every else ["unique"]
        readings = read_plain(members, paths) | read_eb(members, paths, names) | read_mob(members, ends, names)
        for name, (out, new_rows) in readings.items():
            found.setdefault(name, []).append(losses(out, y[:N_ROWS]) - losses(new_rows, y[N_ROWS:]))
    return {name: (np.mean(each), np.std(each, ddof=1) / N_FORESTS**0.5) for name, each in found.items()}


@pytest.fixture(scope="module")
def on_noise():
    return differences(lambda X: np.full(len(X), 0.5), 0)


@pytest.mark.long
def test_on_noise_the_out_of_bag_loss_is_that_of_new_rows(on_noise):
    """The forests are independent of each other, and five standard errors are passed once in 40,000 tests."""
    for name, (mean, error) in on_noise.items():
        if name != "leaky":
            assert abs(mean) < 5 * error, name


@pytest.mark.long
def test_a_row_that_finds_its_own_class_would_be_noticed(on_noise):
    mean, error = on_noise["leaky"]
    assert mean < -15 * error


@pytest.mark.parametrize("bootstrap", ["uniform", "by_class"])
@pytest.mark.sample(2)
def test_on_noise_forests_of_the_package_have_the_loss_of_new_rows_out_of_the_bag(bootstrap):
    """Fresh rows have more trees here, which is worth a little: less than 0.01 bits."""
    found = {}
    for number in range(16):
        random = np.random.default_rng([2, number])
        X, y = random.normal(size=(2 * N_ROWS, 4)), random.integers(0, 2, 2 * N_ROWS)
        plain = BaggedTreesClassifier(n_trees=100, bootstrap=bootstrap, max_features="ceil_sqrt", random_state=number)
        plain.fit(X[:N_ROWS], y[:N_ROWS])
        for kind in ("b_pets", "eb_pets", "mob_esp", None):
            reading = plain if kind is None else plain.reread(kind, estimate="laplace")
            difference = losses(reading.oob_proba_, y[:N_ROWS]) - losses(reading.predict_proba(X[N_ROWS:]), y[N_ROWS:])
            found.setdefault(kind, []).append(difference)
    for kind, each in found.items():
        assert abs(np.mean(each)) < 0.01 + 5 * np.std(each, ddof=1) / 4, kind or "as by default"


@pytest.mark.long
def test_where_there_is_something_to_learn_the_loss_of_mob_esp_is_that_of_new_rows():
    found = differences(lambda X: np.where(X[:, 0] + X[:, 1] > 0, 0.8, 0.2), 1, every=False)
    mean, error = found["mob_esp unique"]
    assert abs(mean) < 5 * error
    assert found["leaky"][0] < -10 * found["leaky"][1]
