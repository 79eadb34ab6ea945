"""Deleted interpolation: the fitted weights of nodes of each size."""

import numpy as np
import pytest

from calibrant.estimates import FittedHeldOut, HeldOutLeaves, PathAverage
from calibrant.exceptions import ParameterError


@pytest.fixture
def rows(stairs):
    """Six rows in the leaves of the stairs; the last one in two of them, by halves."""
    row, leaf = np.array([0, 1, 2, 3, 4, 5, 5]), np.array([1, 3, 3, 4, 4, 1, 4])
    return HeldOutLeaves(
        stairs, row, leaf, np.array([1, 1, 1, 1, 1, 0.5, 0.5]), np.array([0, 0, 1, 1, 1, 0]), np.ones(6)
    )


def fitted(rows, n_rounds):
    """Return the weights of nodes of each size that are fitted in so many rounds."""
    return np.array(PathAverage("interpolate", n_rounds=n_rounds).fit_held_out([rows]).trust)


def log_loss(table, rows):
    return -(rows.weight * np.log(rows.probabilities(table))).sum()


def path_up(tree, node):
    while node >= 0:
        yield node
        node = tree.parent[node]


def one_round_by_hand(held_out, trust):
    """Expectation maximisation row by row, node by node."""
    tree = held_out.tree
    stops, visits = np.zeros(len(trust)), np.zeros(len(trust))
    for i, label in enumerate(held_out.label):
        found = []  # of every place where the row may stop: the nodes it passed, and the probability
        for leaf, share in zip(held_out.leaf[held_out.row == i], held_out.share[held_out.row == i], strict=True):
            passed = []
            for node in path_up(tree, leaf):
                here = 1.0 if node == 0 else trust[int(np.log2(tree.weight[node]))]
                found.append((node, [*passed], share * here * tree.counts[node, label] / tree.weight[node]))
                passed.append(node)
                share *= 1 - here
        total = sum(chance for _, _, chance in found)
        for node, passed, chance in found:
            for each in [*passed, node]:
                if each != 0:
                    size = int(np.log2(tree.weight[each]))
                    visits[size] += held_out.weight[i] * chance / total
                    stops[size] += held_out.weight[i] * chance / total * (each == node)
    return stops, visits


def test_a_round_is_the_expected_share_of_stops(rows):
    stops, visits = one_round_by_hand(rows, [0.5] * 7)
    met = visits > 0
    np.testing.assert_allclose(fitted(rows, 1)[met], (stops / np.where(met, visits, 1))[met], rtol=1e-10)


def test_each_round_makes_the_rows_more_probable(rows):
    losses = [
        log_loss(PathAverage("interpolate", n_rounds=n).fit_held_out([rows, rows]).table(rows.tree), rows)
        for n in range(1, 30)
    ]
    assert np.all(np.diff(losses) <= 1e-12)


def test_sizes_that_no_row_met_lie_between_their_neighbours(make_tree):
    """Leaves of 1 and of 40 rows are met; sizes 2 to 31 are not."""
    tree = make_tree([-1, 0, 0], {1: [1, 0], 2: [0, 40]})
    rows = HeldOutLeaves(tree, np.arange(3), np.array([1, 2, 2]), np.ones(3), np.array([1, 1, 1]), np.ones(3))
    trust = fitted(rows, 20)
    np.testing.assert_allclose(np.diff(trust[:6], 2), 0, atol=1e-12)
    assert trust[0] < 1e-6 < 0.6 < trust[5]


def test_weights_are_repetitions(rows):
    twice = HeldOutLeaves(rows.tree, rows.row, rows.leaf, rows.share, rows.label, np.array([2.0, 1, 1, 1, 0, 1]))
    row = np.concatenate([rows.row[rows.row != 4], [6]])
    repeated = HeldOutLeaves(
        rows.tree,
        row,
        np.append(rows.leaf[rows.row != 4], 1),
        np.append(rows.share[rows.row != 4], 1.0),
        np.append(rows.label, 0),
        np.ones(7) - (np.arange(7) == 4),
    )
    np.testing.assert_allclose(fitted(twice, 10), fitted(repeated, 10), rtol=1e-10)


def test_a_class_that_no_node_has_is_ignored(fork):
    tree = fork([3, 0, 0], [0, 4, 0])
    rows = HeldOutLeaves(tree, np.arange(2), np.array([1, 1]), np.ones(2), np.array([0, 2]), np.ones(2))
    assert np.isfinite(fitted(rows, 5)).all()


def test_a_root_alone_has_nothing_to_fit(make_tree):
    tree = make_tree([-1], {0: [3, 1]})
    rows = HeldOutLeaves(tree, np.array([0]), np.array([0]), np.ones(1), np.array([1]), np.ones(1))
    np.testing.assert_array_equal(PathAverage("interpolate").fit_held_out([rows]).table(tree), [[0.75, 0.25]])


def test_trust_of_one_gives_the_frequencies_and_of_none_the_base_rates(stairs):
    plain = stairs.counts / stairs.weight[:, np.newaxis]
    np.testing.assert_array_equal(PathAverage("interpolate", trust=[1.0]).table(stairs), plain)
    np.testing.assert_array_equal(PathAverage("interpolate", trust=[0.0]).table(stairs), plain[[0] * 5])


def test_there_is_no_table_before_the_fit(stairs, rows):
    estimate = PathAverage("interpolate")
    assert isinstance(estimate, FittedHeldOut)
    assert estimate.needs_held_out
    with pytest.raises(ParameterError, match="which a classifier fits on held-out rows"):
        estimate.table(stairs)
    assert not estimate.fit_held_out([rows]).needs_held_out
    assert PathAverage().fit_held_out([rows]) == PathAverage()


@pytest.mark.parametrize("wrong", [[], [0.5, 1.5], "0.5", 0.5, [None]])
def test_wrong_trust_is_named(wrong):
    with pytest.raises(ParameterError, match=r"trust must be None or numbers in \[0, 1\]"):
        PathAverage("interpolate", trust=wrong)
