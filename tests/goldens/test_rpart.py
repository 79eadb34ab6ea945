"""CART trees against rpart (R 4.2.2): tests and counts of every node, probabilities of new rows, the nested sequence.

Figures and data: CALIBRANT_GOLDENS. What is compared, how closely, and every difference there is: SOURCE.md.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from calibrant import _core
from calibrant.data import read_table
from calibrant.trees import CostComplexityPath, ProbabilityTreeClassifier, Tree

SETS = ["iris", "diabetes", "glass", "ionosphere", "segment-challenge"]
RUNS = [f"{name}/{split}" for name in SETS for split in ("gini", "information")]

# Nodes at which rpart took another test of equal gain, and the test rows whose probabilities change with them.
TIES = {
    "segment-challenge/gini": {321, 347, 1377, 5630},
    "segment-challenge/information": {65, 67, 313, 315, 624, 629},
}
TIED_ROWS = {"segment-challenge/gini": [207, 334, 365], "segment-challenge/information": [24, 108, 207, 427]}

# Test rows with a value on a cut: rpart's test is <, ours <=.
ON_A_CUT = {"glass/gini": {27}}

# The uppermost nodes that rpart prunes at another price of a leaf: its own, and the errors saved for each split.
OTHER_PRICE = {
    "diabetes/gini": {136: (1 / 2, 3 / 5)},
    "diabetes/information": {20: (8 / 9, 1), 22: (5 / 2, 3), 53: (4 / 3, 3 / 2), 63: (1 / 2, 3 / 5)},
    "ionosphere/information": {15: (4 / 3, 7 / 5)},
}
# Numbers of splits at which its table therefore has another row than ours, or one of us has none.
OTHER_STEPS = {
    "diabetes/gini": [69, 74],
    "diabetes/information": [9, 25, 31, 55, 74, 79],
    "ionosphere/information": [7],
}


@dataclass(frozen=True)
class Printed:
    """A tree as rpart printed it, by its numbers of nodes: the sons of n are 2n and 2n + 1."""

    counts: dict[int, NDArray[np.float64]]
    complexity: dict[int, float]  # in errors
    tests: dict[int, tuple[int, float, bool]]  # column, cut, whether smaller values go to the first son
    table: NDArray[np.float64]
    probabilities: NDArray[np.float64]

    @classmethod
    def of(cls, golden: dict[str, Any], columns: list[int]) -> Printed:
        frame, splits = golden["FRAME"][1:], iter(golden["SPLITS"][1:])
        counts = {int(row[0]): np.array(row[5:], dtype=float)[columns] for row in frame}
        complexity = {int(row[0]): float(row[4]) * float(frame[0][3]) for row in frame}
        inner = [(int(row[0]), next(splits)) for row in frame if row[1] != "<leaf>"]
        tests = {node: (int(split[0][1:]), float(split[4]), split[2] == "-1") for node, split in inner}
        table, proba = (np.array(golden[name][1:], dtype=float) for name in ("CP", "PRED"))
        return cls(counts, complexity, tests, table, proba[:, columns])

    def leaf(self, row: NDArray[np.float64], price: float) -> int:
        node = 1
        while node in self.tests and self.complexity[node] > price:
            column, cut, smaller_first = self.tests[node]
            node = 2 * node + int((row[column] < cut) != smaller_first)
        return node

    def predict(self, X: NDArray[np.float64], price: float) -> NDArray[np.float64]:
        counts = np.array([self.counts[self.leaf(row, price)] for row in X])
        return counts / counts.sum(axis=1, keepdims=True)


@dataclass(frozen=True)
class Run:
    """A tree of ours, the same of rpart's, and the test rows."""

    ours: ProbabilityTreeClassifier
    theirs: Printed
    test: Any

    @property
    def root_errors(self) -> float:
        return float(self.ours.tree_.weight[0] - self.ours.tree_.counts[0].max())

    def pairs(self) -> Iterator[tuple[int, int]]:
        """Return the nodes of both, in preorder, as long as their tests agree."""
        tree, waiting = self.ours.tree_, [(0, 1)]
        while waiting:
            node, number = waiting.pop()
            yield node, number
            if self.same_test(node, number) and not tree.is_leaf[node]:
                first, second = tree.children_of(node)[:: 1 if self.theirs.tests[number][2] else -1]
                waiting += [(second, 2 * number + 1), (first, 2 * number)]

    def same_test(self, node: int, number: int) -> bool:
        tree, test = self.ours.tree_, self.theirs.tests.get(number)
        if test is None or tree.is_leaf[node]:
            return test is None and bool(tree.is_leaf[node])
        return bool(tree.feature[node] == test[0] and np.isclose(tree.threshold[node], test[1], rtol=1e-12))


@cache
def read_json(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


@cache
def run_of(goldens: Path, key: str) -> Run:
    name, split = key.split("/")
    table, rows = read_table(goldens / f"data/{name}.arff"), read_json(goldens / "splits.json")[name]
    train, test = table.take(rows["train"]), table.take(rows["test"])
    rules = {"mdl_penalty": False, "min_cut": "min_leaf", "min_leaf": 1, "threshold": "midpoint"}
    criterion = "gini" if split == "gini" else "entropy"
    ours = ProbabilityTreeClassifier(criterion=criterion, estimate="frequency", **rules).fit(train.X, train.y)
    golden, declared = read_json(goldens / "rpart/rpart.json")[key], train.y.cat.categories.tolist()
    columns = [golden["PRED"][0].index(f"c{declared.index(label):02}") for label in ours.classes_]
    return Run(ours, Printed.of(golden, columns), test.X)


def impurity(split: str, *sides: NDArray[np.float64]) -> float:
    shares = [side[side > 0] / side.sum() for side in sides]
    each = [1 - (p**2).sum() if split == "gini" else -(p * np.log(p)).sum() for p in shares]
    return float(sum(side.sum() * one for side, one in zip(sides, each, strict=True)))


@pytest.mark.parametrize("key", RUNS)
def test_rpart_grows_the_same_trees_but_for_ties(goldens: Path, key: str) -> None:
    run, tied = run_of(goldens, key), set()
    tree, counts, split = run.ours.tree_, run.theirs.counts, key.split("/")[1]
    for node, number in run.pairs():
        np.testing.assert_array_equal(tree.counts[node], counts[number])
        if not run.same_test(node, number):
            tied.add(number)
            theirs = impurity(split, counts[2 * number], counts[2 * number + 1])
            assert impurity(split, *tree.counts[tree.children_of(node)]) == pytest.approx(theirs, abs=1e-12)
            assert tree.feature[node] < run.theirs.tests[number][0]  # we take the first of equals
    assert tied == TIES.get(key, set())
    assert tree.n_nodes == len(counts)


@pytest.mark.parametrize("key", RUNS)
def test_rpart_gives_its_test_rows_the_same_probabilities(goldens: Path, key: str) -> None:
    run = run_of(goldens, key)
    difference = np.abs(run.ours.predict_proba(run.test) - run.theirs.probabilities).max(axis=1)
    assert np.flatnonzero(difference > 1e-12).tolist() == TIED_ROWS.get(key, [])


@pytest.mark.parametrize("key", RUNS)
def test_rparts_print_out_read_by_us_gives_its_own_probabilities(goldens: Path, key: str) -> None:
    run = run_of(goldens, key)
    np.testing.assert_allclose(run.theirs.predict(run.test.to_numpy(), 0.0), run.theirs.probabilities, atol=1e-12)


def prices_between(run: Run) -> NDArray[np.float64]:
    """Return a price of a leaf, in errors, between every two at which either tree changes."""
    ours = run.ours.cost_complexity_path().alphas * run.ours.tree_.weight[0]
    theirs = run.theirs.table[:, 0] * run.root_errors
    prices = np.unique(np.concatenate([ours, theirs]).round(9))
    return np.asarray((prices[1:] + prices[:-1]) / 2)


def rows_below(run: Run, nodes: set[int]) -> set[int]:
    """Return the test rows whose path passes one of these nodes."""
    leaves = [run.theirs.leaf(row, 0.0) for row in run.test.to_numpy()]
    return {i for i, leaf in enumerate(leaves) if any(leaf >> up in nodes for up in range(leaf.bit_length()))}


@pytest.mark.parametrize("key", RUNS)
def test_rparts_pruned_trees_give_the_test_rows_the_same_probabilities(goldens: Path, key: str) -> None:
    run = run_of(goldens, key)
    path, named = run.ours.cost_complexity_path(), {*TIED_ROWS.get(key, []), *ON_A_CUT.get(key, set())}
    for price in prices_between(run):
        ours = path.at(price / run.ours.tree_.weight[0]).predict_proba(run.test)
        difference = np.abs(ours - run.theirs.predict(run.test.to_numpy(), price)).max(axis=1)
        other = {node for node, (low, high) in OTHER_PRICE.get(key, {}).items() if low < price < high}
        assert {*np.flatnonzero(difference > 1e-12).tolist()} <= named | rows_below(run, other), price


@pytest.mark.parametrize("key", RUNS)
def test_rpart_prunes_every_node_but_the_named_at_the_same_price(goldens: Path, key: str) -> None:
    run = run_of(goldens, key)
    prices = np.asarray(_core.cost_complexity(run.ours.tree_.core).node_alpha) * run.ours.tree_.weight[0]
    both = {number: (run.theirs.complexity[number], prices[node]) for node, number in run.pairs()}
    other = {number: pair for number, pair in both.items() if abs(pair[0] - pair[1]) > 1e-9}
    uppermost = {number: pair for number, pair in other.items() if number // 2 not in other}
    assert uppermost == {n: pytest.approx(pair, abs=1e-9) for n, pair in OTHER_PRICE.get(key, {}).items()}


def cp_table(path: CostComplexityPath) -> NDArray[np.float64]:
    """CP, splits and relative error as rpart prints them: the smallest tree first, relative to the root's error."""
    root = path.errors[-1]
    return np.column_stack([path.alphas / root, path.n_leaves - 1.0, path.errors / root])[::-1]


@pytest.mark.parametrize("key", RUNS)
def test_the_nested_sequence_is_that_of_rpart(goldens: Path, key: str) -> None:
    run = run_of(goldens, key)
    ours, theirs, off = cp_table(run.ours.cost_complexity_path()), run.theirs.table, OTHER_STEPS.get(key, [])
    saved, taken = -np.diff(ours[:, 2]), np.diff(ours[:, 1])
    np.testing.assert_allclose(saved / taken, ours[:-1, 0], atol=1e-12)  # what the steps are by definition
    kept, left = ours[~np.isin(ours[:, 1], off)], theirs[~np.isin(theirs[:, 1], off)]
    np.testing.assert_allclose(kept, left, rtol=0, atol=1e-12)


def rpart_complexities(tree: Tree) -> NDArray[np.float64]:
    """Return the complexity of every inner node, in errors, by rpart's rule."""
    errors = tree.weight - tree.counts.max(axis=1)
    below, splits, complexity = errors.copy(), np.zeros(tree.n_nodes), np.zeros(tree.n_nodes)
    inner = np.flatnonzero(~tree.is_leaf)
    for node in inner[::-1]:
        sons = sorted(tree.children_of(node), key=lambda son: complexity[son])
        for son in sons:
            if (errors[node] - below[sons].sum()) / (splits[sons].sum() + 1) <= complexity[son]:
                break
            below[son], splits[son] = errors[son], 0
        below[node], splits[node] = below[sons].sum(), splits[sons].sum() + 1
        complexity[node] = (errors[node] - below[node]) / splits[node]
    for node in inner[1:]:
        complexity[node] = min(complexity[node], complexity[tree.parent[node]])
    return complexity[inner]


@pytest.mark.parametrize("key", RUNS)
def test_rparts_own_rule_on_our_tree_gives_its_complexities(goldens: Path, key: str) -> None:
    run = run_of(goldens, key)
    theirs = [run.theirs.complexity[number] for number in run.theirs.tests]
    np.testing.assert_allclose(np.sort(rpart_complexities(run.ours.tree_)), np.sort(theirs), atol=1e-9)
