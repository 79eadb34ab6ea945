"""Collapsed and pruned trees against C4.5 release 8 and Weka 3.9.7's J48.

Figures and data: CALIBRANT_GOLDENS, described in its README.md. C4.5: tests, cuts, labels and class counts of every
node (single precision: 2e-4) and the class weights of the test cases (3e-7), in every run without -s that
AGREEMENT.json marks as growing our tree; in all runs, -s too, its own unpruned trees are pruned to its pruned ones.
J48: sizes, and distributions within 1e-6.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import norm

from calibrant import _core
from calibrant.data import CodedTable, read_table
from calibrant.data._frames.columns import match_columns

C45_TABLE = ([0, 0.001, 0.005, 0.01, 0.05, 0.10, 0.20, 0.40, 1.0], [4.0, 3.09, 2.58, 2.33, 1.65, 1.28, 0.84, 0.25, 0.0])
C45_SETS = ["golf", "labor-neg", "monk1", "monk3", "soybean", "vote"]
C45_TWINS = ["credit-g", "glass", "ionosphere", "iris", "labor", "segment-challenge", "soybean", "vote"]
J48_SETS = ["glass", "ionosphere", "iris", "labor", "soybean", "vote"]
J48_SCHEMES = ["-U", "-U -A", "-C 0.25 -M 2", "-C 0.25 -M 2 -A", "-C 0.1 -M 2", "-C 0.25 -M 2 -S"]

AsTree = Callable[[dict[str, Any], CodedTable, int], _core.Tree]


@cache
def read_json(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


class Problem:
    """Coded training rows, and the rows to be predicted."""

    def __init__(self, train: Any, test: Any) -> None:
        train = train.take(np.flatnonzero(train.y.notna()))
        self.coded = CodedTable.from_frame(train.X)
        self.labels = train.y.cat.codes.to_numpy().astype(np.uint16)
        self.n_classes = len(train.y.cat.categories)
        self.rows = None if test is None else match_columns(test.X, self.coded.schema)

    def options(self, dialect: str, **changes: Any) -> _core.GrowOptions:
        options = _core.GrowOptions()
        options.n_declared_classes = self.n_classes
        options.dialect = getattr(_core.Dialect, dialect)
        options.accept_zero_gain = dialect == "c45"
        for name, value in changes.items():
            setattr(options, name, value)
        return options

    def grow(self, options: _core.GrowOptions) -> _core.Tree:
        return _core.grow_tree(self.coded.core, self.labels, None, self.n_classes, options)

    def prune(self, tree: _core.Tree, dialect: str, confidence: float, raising: bool = True) -> _core.Tree:
        options = _core.PessimisticOptions()
        options.dialect = getattr(_core.Dialect, dialect)
        options.confidence = confidence
        options.z = float(np.interp(confidence, *C45_TABLE) if dialect == "c45" else norm.isf(confidence))
        options.raising = raising
        return _core.prune_pessimistic(tree, self.coded.core, self.labels, None, options)

    def predict(self, tree: _core.Tree, table: NDArray[np.float64]) -> NDArray[np.float64]:
        assert self.rows is not None
        out = np.empty((self.rows.n_rows, table.shape[1]))
        _core.predict_tree(tree, self.rows.n_rows, list(self.rows.arrays), [table], [out], 1)
        return out


@cache
def release_8(goldens: Path, name: str) -> Problem:
    stem = goldens / "data" / f"c45_{name}"
    test = stem.with_suffix(".test")
    names = stem.with_suffix(".names")
    return Problem(read_table(names), read_table(test, names=names) if test.exists() else None)


@cache
def split_arff(goldens: Path, name: str) -> Problem:
    table = read_table(goldens / "data" / f"{name}.arff")
    split = read_json(goldens / "splits.json")[name]
    return Problem(table.take(split["train"]), table.take(split["test"]))


def estimates(tree: _core.Tree, alpha: float, empty_leaf: str) -> NDArray[np.float64]:
    """Class frequencies of every node, `alpha` added to each count."""
    counts, weight = np.asarray(tree.counts).reshape(-1, tree.n_classes), np.asarray(tree.weight)
    table = (counts + alpha) / np.where(weight > 0, weight + tree.n_classes * alpha, 1)[:, None]
    for node in np.flatnonzero(weight == 0):
        table[node] = np.eye(tree.n_classes)[tree.label[node]] if empty_leaf == "majority" else table[tree.parent[node]]
    return np.ascontiguousarray(table)


def first_difference(tree: _core.Tree, golden: dict[str, Any]) -> str | None:
    """Return the first difference between a tree and one of C4.5's; None where they agree."""
    counts, todo, n_seen = np.asarray(tree.counts).reshape(-1, tree.n_classes), [(0, golden, "root")], 0
    while todo:
        node, other, path = todo.pop()
        n_seen += 1
        feature = -1 if other["type"] == "leaf" else other["att_index"]
        if tree.feature[node] != feature:
            return f"{path}: tests {tree.feature[node]}, not {feature}"
        if tree.label[node] != other["class_index"]:
            return f"{path}: class {tree.label[node]}, not {other['class_index']}"
        if not np.isclose(tree.weight[node], other["items"], rtol=1e-5, atol=1e-4):
            return f"{path}: weight {tree.weight[node]}, not {other['items']}"
        if other["items"] > 0 and not np.allclose(counts[node], other["class_dist"], atol=2e-4):
            return f"{path}: counts {counts[node]}, not {other['class_dist']}"
        if other["type"] == "threshold" and not np.isclose(tree.threshold[node], other["cut"], rtol=1e-6, atol=1e-9):
            return f"{path}: cut at {tree.threshold[node]}, not {other['cut']}"
        children = tree.children[tree.first_child[node] :]
        todo += [(children[b], branch, f"{path}/{b}") for b, branch in enumerate(other.get("branches") or [])]
    return None if n_seen == tree.n_nodes else f"{tree.n_nodes} nodes, not {n_seen}"


def agreeing_runs(goldens: Path, name: str) -> list[dict[str, Any]]:
    """The runs that grow our tree; -c alone changes nothing before pruning."""
    agreement = {(a["dataset"], a["options"], a["build"]): a for a in read_json(goldens / "c45" / "AGREEMENT.json")}

    def agrees(run: dict[str, Any]) -> bool:
        options = "(defaults)" if "-c" in run["options"] else run["options"]
        entry = agreement.get((name, options, run["build"]))
        return entry is not None and bool(entry["float64_tolerant_reimplementation_agrees"])

    return [run for run in read_json(goldens / "c45" / f"{name}.json")["runs"] if agrees(run)]


def c45_grown(problem: Problem, run: dict[str, Any]) -> _core.Tree:
    words = run["options"].split()
    min_leaf = float(words[words.index("-m") + 1]) if "-m" in words else 2.0
    tree = problem.grow(problem.options("c45", ratio="-g" not in words, min_leaf=min_leaf))
    return _core.collapse_tree(tree) if run["collapse"] else tree


@pytest.mark.parametrize("name", C45_SETS + [f"weka_{name}" for name in C45_TWINS])
@pytest.mark.sample(3)
def test_collapsed_and_pruned_trees_are_those_of_c45(goldens: Path, name: str) -> None:
    problem = release_8(goldens, name)
    for run in agreeing_runs(goldens, name):
        grown = c45_grown(problem, run)
        trees = {"unpruned": grown, "pruned": problem.prune(grown, "c45", 0.1 if "-c" in run["options"] else 0.25)}
        for kind, tree in trees.items():
            assert first_difference(tree, run[f"{kind}_tree"]) is None, (run["options"], run["build"], kind)
            weights = run.get(f"test_class_weights_{kind}")
            if weights:
                assert np.abs(problem.predict(tree, estimates(tree, 0, "majority")) - weights).max() < 3e-7


@pytest.mark.parametrize("name", C45_SETS + [f"weka_{name}" for name in C45_TWINS])
@pytest.mark.sample(3)
def test_c45s_own_trees_are_pruned_as_c45_prunes_them(goldens: Path, as_tree: AsTree, name: str) -> None:
    problem = release_8(goldens, name)
    for run in read_json(goldens / "c45" / f"{name}.json")["runs"]:
        grown = as_tree(run["unpruned_tree"], problem.coded, problem.n_classes)
        pruned = problem.prune(grown, "c45", 0.1 if "-c" in run["options"] else 0.25)
        assert first_difference(pruned, run["pruned_tree"]) is None, (run["options"], run["build"])
        theirs = as_tree(run["pruned_tree"], problem.coded, problem.n_classes)
        np.testing.assert_array_equal(pruned.branch_of_value, theirs.branch_of_value)  # the groups of values


@pytest.mark.parametrize("scheme", J48_SCHEMES)
@pytest.mark.parametrize("name", J48_SETS)
def test_collapsed_and_pruned_trees_predict_as_those_of_j48(goldens: Path, name: str, scheme: str) -> None:
    models = {model["scheme"]: model for model in read_json(goldens / "weka" / f"{name}.json")["models"]}
    model = models[f"weka.classifiers.trees.J48 {scheme}"]
    problem = split_arff(goldens, name)
    tree = _core.collapse_tree(problem.grow(problem.options("j48")))
    if "-C" in scheme:
        confidence = float(np.float32(scheme.split()[1]))  # single precision in Weka
        tree = problem.prune(tree, "j48", confidence, raising="-S" not in scheme)
    assert tree.n_nodes == model["tree_size"]
    proba = problem.predict(tree, estimates(tree, 1 if "-A" in scheme else 0, "parent"))
    assert np.abs(proba - model["test_distribution"]).max() < 1e-6
