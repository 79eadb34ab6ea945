"""Unpruned trees against C4.5 release 8 and Weka's J48: tests, thresholds, counts and the class weights of new cases.

Figures and data: CALIBRANT_GOLDENS. What is compared, how closely, and every difference there is: SOURCE.md.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from calibrant import _core
from calibrant.data import CodedTable, read_table
from calibrant.data._frames.columns import match_columns

OWN_SETS = ["golf", "labor-neg", "monk1", "monk3", "soybean", "vote"]
TWINS = ["credit-g", "glass", "ionosphere", "iris", "labor", "segment-challenge", "soybean", "vote"]
RELEASE_8 = [*OWN_SETS, *(f"weka_{name}" for name in TWINS)]
WEKA = ["glass", "ionosphere", "iris", "labor", "soybean", "vote"]
BUILDS = ["c45_nc", "c45_dbl_nc"]  # those that do not collapse

# The runs with -s that part from ours, and the first node where they do; SOURCE.md says why.
OTHER_GROUPS = {
    ("soybean", "c45_nc"): "root/0/2/0",
    ("soybean", "c45_dbl_nc"): "root/0/2/0",
    ("weka_soybean", "c45_nc"): "root/0/1/1",
    ("weka_soybean", "c45_dbl_nc"): "root/0/1/1/1",
    ("weka_credit-g", "c45_nc"): "root/0/0/0/0/0/0/0/0/0/0/0/1/0/2",
    ("weka_labor", "c45_nc"): "root/1/0/0",
    ("weka_vote", "c45_nc"): "root/0/1/0",
    ("weka_vote", "c45_dbl_nc"): "root/0/1/0",
}


@cache
def read_json(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


@dataclass(frozen=True)
class Problem:
    """Training rows, coded, and the columns of test rows."""

    table: CodedTable
    labels: NDArray[np.uint16]
    n_classes: int
    n_test: int
    test: list[NDArray[Any]]

    @classmethod
    def of(cls, train: Any, test: Any) -> Problem:
        known = train.y.notna().to_numpy()
        table = CodedTable.from_frame(train.X[known])
        columns = match_columns(test.X, table.schema)
        labels = train.y[known].cat.codes.to_numpy().astype(np.uint16)
        return cls(table, labels, len(train.y.cat.categories), columns.n_rows, list(columns.arrays))

    def grow(self, options: _core.GrowOptions) -> _core.Tree:
        options.n_declared_classes = self.n_classes
        return _core.grow_tree(self.table.core, self.labels, None, self.n_classes, options)

    def predict(self, tree: _core.Tree, table: NDArray[np.float64]) -> NDArray[np.float64]:
        out = np.empty((self.n_test, table.shape[1]))
        _core.predict_tree(tree, self.n_test, self.test, [table], [out], 1)
        return out


@cache
def release_8_problem(goldens: Path, name: str) -> Problem:
    stem = goldens / "data" / f"c45_{name}"
    test = stem.with_suffix(".test")
    train = read_table(stem.with_suffix(".names"))
    return Problem.of(train, read_table(test, names=stem.with_suffix(".names")) if test.exists() else train)


@cache
def weka_problem(goldens: Path, name: str) -> Problem:
    whole = read_table(goldens / "data" / f"{name}.arff")
    split = read_json(goldens / "splits.json")[name]
    return Problem.of(whole.take(split["train"]), whole.take(split["test"]))


def release_8_options(words: str) -> _core.GrowOptions:
    options = _core.GrowOptions()
    options.ratio = "-g" not in words
    options.min_leaf = float(words.partition("-m ")[2] or 2)
    if "-s" in words:
        options.nominal_splits = _core.NominalSplits.subset
    return options


def j48_options(words: str) -> _core.GrowOptions:
    options = _core.GrowOptions()
    options.dialect = _core.Dialect.j48
    options.accept_zero_gain = False
    options.penalty = " -J" not in words
    options.midpoint = "-doNotMakeSplitPointActualValue" in words
    options.min_leaf = float((words.partition("-M ")[2] or "2").split()[0])
    if " -B" in words:
        options.nominal_splits = _core.NominalSplits.binary
    return options


def counts_of(tree: _core.Tree) -> NDArray[np.float64]:
    return np.asarray(tree.counts).reshape(tree.n_nodes, tree.n_classes)


def majority_table(tree: _core.Tree) -> NDArray[np.float64]:
    """Frequencies; an empty leaf has all in the class it is labelled with, as release 8 has it."""
    weight = np.asarray(tree.weight)[:, None]
    labelled = np.eye(tree.n_classes)[np.asarray(tree.label)]
    return np.where(weight > 0, counts_of(tree) / np.where(weight > 0, weight, 1), labelled)


def parent_table(tree: _core.Tree, laplace: bool) -> NDArray[np.float64]:
    """Frequencies, or Laplace's estimate; an empty leaf has those of its parent, as J48 has it."""
    weight, added = np.asarray(tree.weight), float(laplace)
    source = np.where(weight > 0, np.arange(tree.n_nodes), np.asarray(tree.parent))
    return (counts_of(tree)[source] + added) / (weight[source] + added * tree.n_classes)[:, None]


def branch_tests(tree: _core.Tree, node: int, values: list[str]) -> list[list[str]]:
    first = tree.first_value[node]
    branch_of_value = tree.branch_of_value[first : first + tree.n_values[node]]
    return [[values[v] for v in np.flatnonzero(branch_of_value == b)] for b in range(tree.n_children[node])]


def same_test(tree: _core.Tree, node: int, golden: Any, values: list[list[str]]) -> bool:
    if golden["type"] == "leaf" or tree.feature[node] < 0:
        return golden["type"] == "leaf" and tree.feature[node] < 0
    column = golden["att_index"]
    if tree.feature[node] != column or tree.n_children[node] != len(golden["branches"]):
        return False
    if golden["type"] == "threshold":
        return bool(np.isclose(tree.threshold[node], golden["cut"], rtol=1e-6, atol=1e-9))
    groups = golden["branch_tests"] if golden["type"] == "subset" else [[value] for value in values[column]]
    return branch_tests(tree, node, values[column]) == groups


def first_difference(tree: _core.Tree, golden: Any, values: list[list[str]]) -> str | None:
    """Return the path of the first node, in preorder, whose test or class counts differ."""
    counts = counts_of(tree)
    pending = [("root", 0, golden)]
    while pending:
        path, node, theirs = pending.pop()
        empty = theirs["items"] == 0  # it has its parent's counts there
        same_counts = empty or np.allclose(counts[node], theirs["class_dist"], rtol=1e-6, atol=2e-5)
        if not same_counts or not same_test(tree, node, theirs, values):
            return path
        children = tree.children[tree.first_child[node] :]
        branches = list(enumerate(theirs.get("branches", [])))
        pending += [(f"{path}/{b}", children[b], branch) for b, branch in reversed(branches)]
    return None


def agreeing_runs(goldens: Path, name: str) -> list[Any]:
    marked = read_json(goldens / "c45" / "AGREEMENT.json")
    agree = {(a["dataset"], a["options"], a["build"]) for a in marked if a["float64_tolerant_reimplementation_agrees"]}
    runs = read_json(goldens / "c45" / f"{name}.json")["runs"]
    return [r for r in runs if r["build"] in BUILDS and (name, r["options"], r["build"]) in agree]


def grouping_runs(goldens: Path, name: str) -> list[Any]:
    runs = read_json(goldens / "c45" / f"{name}.json")["runs"]
    return [r for r in runs if r["build"] in BUILDS and r["options"] == "-s"]


def assert_same_class_weights(problem: Problem, tree: _core.Tree, run: Any) -> None:
    golden = run.get("test_class_weights_unpruned")
    if golden:
        np.testing.assert_allclose(problem.predict(tree, majority_table(tree)), golden, rtol=0, atol=3e-7)


@pytest.mark.parametrize("name", RELEASE_8)
@pytest.mark.sample(3)
def test_release_8_grows_the_same_trees(goldens: Path, name: str) -> None:
    problem, values = release_8_problem(goldens, name), read_json(goldens / "c45" / f"{name}.json")["attribute_values"]
    for run in agreeing_runs(goldens, name):
        tree = problem.grow(release_8_options(run["options"]))
        assert first_difference(tree, run["unpruned_tree"], values) is None, (run["options"], run["build"])
        assert_same_class_weights(problem, tree, run)


def test_some_ninety_runs_of_release_8_are_compared(goldens: Path) -> None:
    assert sum(len(agreeing_runs(goldens, name)) for name in RELEASE_8) == 91


@pytest.mark.parametrize("name", RELEASE_8)
def test_release_8_groups_values_the_same_way(goldens: Path, name: str) -> None:
    problem, values = release_8_problem(goldens, name), read_json(goldens / "c45" / f"{name}.json")["attribute_values"]
    runs = grouping_runs(goldens, name)
    assert len(runs) == 2
    for run in runs:
        tree = problem.grow(release_8_options("-s"))
        where = OTHER_GROUPS.get((name, run["build"]))
        assert first_difference(tree, run["unpruned_tree"], values) == where, run["build"]
        if where is None:
            assert_same_class_weights(problem, tree, run)


@pytest.mark.parametrize("name", WEKA)
def test_j48_gives_the_same_distributions(goldens: Path, name: str) -> None:
    problem = weka_problem(goldens, name)
    models = read_json(goldens / "weka" / f"{name}.json")["models"]
    models = [m for m in models if m["scheme"].startswith("weka.classifiers.trees.J48 -U -O")]
    assert len(models) == 8
    for model in models:
        tree = problem.grow(j48_options(model["scheme"]))
        assert tree.n_nodes == model["tree_size"], model["scheme"]
        ours = problem.predict(tree, parent_table(tree, laplace=" -A" in model["scheme"]))
        np.testing.assert_allclose(ours, model["test_distribution"], rtol=0, atol=1e-6, err_msg=model["scheme"])
