"""No member's held-out probabilities of a row depend on the row's own label."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from calibrant.blending import ProbabilityClassifier
from calibrant.blending._plan import MEMBERS, plan_members
from calibrant.blending._table import read_blend_table

N_ROWS = 48
CHANGED = (0, 7, 30)


def mixed(seed=0):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.normal(size=(N_ROWS, 2)), columns=list("ab"))
    X["word"] = pd.Categorical(rng.choice(["x", "y", "z"], N_ROWS))
    X["name"] = pd.Categorical([f"row {i}" for i in range(N_ROWS)])  # of each row: a count of it is the label
    y = (X["a"] + rng.normal(size=N_ROWS) > 0).to_numpy().astype(int)
    return X.mask(rng.random(X.shape) < 0.05), np.where(np.arange(N_ROWS) % 11 == 5, 2, y)


def table_of(X, y, folds=None):
    """Return the table, in the folds of another one where labels differ: folds are drawn class by class."""
    table = read_blend_table(X, y, None, None, seed=np.random.SeedSequence(0), n_threads=1)
    if folds is None:
        return table
    return replace(table, pieces=folds.pieces, sample=replace(folds.sample, codes=table.sample.codes))


def held_out(member, table):
    (learner,) = plan_members([member], table).learners
    return np.stack(learner.fit(table).held_out)


@pytest.mark.parametrize("member", MEMBERS)
@pytest.mark.sample(2)
def test_the_label_of_a_row_does_not_change_its_held_out_probabilities(member):
    X, y = mixed()
    table = table_of(X, y)
    before = held_out(member, table)
    for row in CHANGED:
        other = y.copy()
        other[row] = (y[row] + 1) % 3
        after = held_out(member, table_of(X, other, table))
        np.testing.assert_allclose(after[:, row], before[:, row], rtol=0, atol=1e-9)
        assert np.abs(after - before).max() > 1e-4  # other rows do learn from it


@pytest.mark.parametrize("member", MEMBERS)
@pytest.mark.sample(2)
def test_a_class_with_one_row_is_not_known_to_that_row(member):
    X, y = mixed()
    y = np.where(np.arange(N_ROWS) == 4, 3, np.minimum(y, 1))
    table = table_of(X, y)
    shares = held_out(member, table)[:, 4, -1]
    assert (shares < 0.2).all()  # Laplace's correction of a leaf of a row or two


def test_rows_that_are_in_every_bag_have_the_base_rates_of_the_others():
    table = table_of(pd.DataFrame({"a": [1.0, 2.0, 3.0]}), np.array([0, 1, 1]))
    np.testing.assert_allclose(table.sample.base_rates_of_others, [[1 / 4, 3 / 4], [2 / 4, 2 / 4], [2 / 4, 2 / 4]])


def noise(kind, n_rows, rng):
    if kind == "name":
        return pd.DataFrame({"name": pd.Categorical([f"row {i}" for i in range(n_rows)])})
    return rng.normal(size=(n_rows, kind))


@pytest.mark.sample(3)
@pytest.mark.parametrize(("kind", "members"), [(5, "auto"), (50, ["logistic", "forest", "bagged"]), ("name", "auto")])
def test_on_noise_the_expectation_is_not_below_the_entropy(kind, members):
    rng = np.random.default_rng(5)
    X, y = noise(kind, 100, rng), np.arange(100) % 10 < 3
    model = ProbabilityClassifier(members=members, random_state=0).fit(X, y)
    entropy = -(0.3 * np.log(0.3) + 0.7 * np.log(0.7))
    expected = model.expected_log_loss_
    assert expected.low < entropy < expected.high
    assert entropy - 0.01 < expected.value < entropy + 0.06
    assert model.predict_proba(noise(kind, 100, rng))[:, 1].mean() == pytest.approx(0.3, abs=0.06)
