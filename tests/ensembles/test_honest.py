"""Out-of-bag probabilities do not see a row's own class: exactly, and by their loss on labels that are pure noise."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier

from calibrant.ensembles._averages import average, out_of_bag_average
from calibrant.ensembles._eb_pets import read_eb_pets
from calibrant.ensembles._foreign import _members_of
from calibrant.ensembles._foreign_trees import leaves_of
from calibrant.ensembles._members import LeafMatrix, Members
from calibrant.ensembles._mob_esp import read_mob_esp
from calibrant.ensembles._pooling import Pooling
from calibrant.ensembles._strict import strict_oob_proba
from calibrant.ensembles._votes import count_votes, out_of_bag_votes
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


@pytest.mark.parametrize("kind", [{"holes": 0.1, "nominal": True}, {"n_classes": 4, "weighted": True}], ids=str)
@pytest.mark.parametrize("name", ["unique", "multiplicity", "only", "weight 4", "laplace", "m_branch", "shrinkage"])
def test_a_row_of_another_class_is_answered_for_alike(make_forest, name, kind):
    """The trees that a row is out of the bag of know nothing of it, so that only the counts could tell."""
    members = make_forest(n_rows=40, n_trees=4, **kind).members
    honest = read_eb_pets(members, POOLINGS[name]).oob_proba
    for i in range(members.n_rows):
        labels = members.labels.copy()
        labels[i] = (labels[i] + 1) % members.n_classes
        other = read_eb_pets(replace(members, labels=labels), POOLINGS[name]).oob_proba
        np.testing.assert_allclose(other[i], honest[i], rtol=0, atol=1e-12)


def losses(proba, y):
    """Give the mean log-loss in bits; Nielsen's floor keeps it finite."""
    return np.nanmean(-np.log2(np.maximum(proba[np.arange(len(y)), y], 0.005)))


def read_plain(members, ways):
    """Give out-of-bag probabilities that come free, and those of fresh rows."""
    laplace, m_branch = ([each.table(tree) for tree in members.trees] for each in (Laplace(), MBranch()))
    voted = count_votes(members.trees, ways, N_ROWS)
    return {
        "vote": (out_of_bag_votes(members).shares(smooth=True), voted.shares(smooth=True)),
        "b_pets laplace": (out_of_bag_average(laplace, members), average(laplace, ways, N_ROWS)),
        "b_pets m_branch": (out_of_bag_average(m_branch, members), average(m_branch, ways, N_ROWS)),
    }


def read_eb(members, ways):
    found = {}
    for name, pooling in POOLINGS.items():
        reading = read_eb_pets(members, pooling)
        found[f"eb_pets {name}"] = reading.oob_proba, reading.predict_proba(ways, N_ROWS)
    return found


def read_mob(members, ways):
    """Read by leaf and vote, and, to see what honesty is worth, by leaf with a row's own count left there."""
    reading = read_mob_esp(members, Pooling())
    fresh = reading.predict_proba(ways, count_votes(members.trees, ways, N_ROWS).labels())
    leaky = out_of_bag_average(reading.fallback.tables, members), reading.fallback.predict_proba(ways, N_ROWS)
    return {"mob_esp": (reading.oob_proba, fresh), "leaky": leaky}


def read_strictly(members, ends):
    """Read fresh rows as training rows of weight 0: those do not count, and each has the trees of another row."""
    both = Members(
        members.trees,
        LeafMatrix(np.hstack([members.ways.leaves, ends.leaves])),
        np.hstack([members.in_bag, members.in_bag]),
        np.append(members.labels, np.zeros(N_ROWS, dtype=int)),
        2,
        np.repeat([1.0, 0.0], N_ROWS),
    )
    proba = strict_oob_proba(both, Pooling(), read_mob_esp(both, Pooling()))
    return {"strict mob_esp": (proba[:N_ROWS], proba[N_ROWS:])}


def differences(chance, seed, *, every=True):
    """Give out-of-bag loss less fresh loss, its mean over forests and the error of that; `chance` gives P(1) of rows.

    A fresh row is answered for by the trees that the training row of its number is out of the bag of: an average over
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
        ways = lambda t, m=members, e=ends: e(t).part(m.out_of_bag(t))  # noqa: E731
        readings = read_mob(members, ways)
        if every:
            readings |= read_plain(members, ways) | read_eb(members, ways) | read_strictly(members, ends)
        for name, (out, fresh) in readings.items():
            found.setdefault(name, []).append(losses(out, y[:N_ROWS]) - losses(fresh, y[N_ROWS:]))
    return {name: (np.mean(each), np.std(each, ddof=1) / N_FORESTS**0.5) for name, each in found.items()}


@pytest.fixture(scope="module")
def on_noise():
    return differences(lambda X: np.full(len(X), 0.5), 0)


def test_on_noise_the_out_of_bag_loss_is_that_of_fresh_rows(on_noise):
    """The forests are independent of each other, and five standard errors are passed once in 40,000 tests."""
    for name, (mean, error) in on_noise.items():
        if name not in ("mob_esp", "leaky"):
            assert abs(mean) < 5 * error, name


def test_a_row_that_finds_its_own_class_would_be_noticed(on_noise):
    mean, error = on_noise["leaky"]
    assert mean < -15 * error


def test_on_noise_mob_esp_hears_a_little_of_a_rows_class_through_the_labels_of_others(on_noise):
    """Trees that have a row in the bag label its neighbours; the strict way leaves them out."""
    mean, error = on_noise["mob_esp"]
    assert abs(mean) < 5 * error + 0.3 * abs(on_noise["leaky"][0])


def test_where_there_is_something_to_learn_the_loss_of_mob_esp_is_that_of_fresh_rows():
    found = differences(lambda X: np.where(X[:, 0] + X[:, 1] > 0, 0.8, 0.2), 1, every=False)
    mean, error = found["mob_esp"]
    assert abs(mean) < 5 * error
    assert found["leaky"][0] < -10 * found["leaky"][1]
