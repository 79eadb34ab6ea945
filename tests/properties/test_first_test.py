"""The test at the root is the best by brute force: all criteria, kinds of columns, missing values, weights.

The rules are Quinlan's as written in C4.5's sources (Release 8), worked out here in plain Python.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.typing import NDArray
from tests.properties.impurities import dkm, entropy, gini

from calibrant.trees import ProbabilityTreeClassifier

CRITERIA = ["gain_ratio", "entropy", "gini", "dkm", "dkm_ratio", "hellinger"]
EPSILON = 1e-3
Branches = list[NDArray[np.float64]]


def hellinger(branches: Branches) -> float:
    """Return the greatest distance of one class to the others, from their shares in the branches."""
    distances, whole = [0.0], sum(branches)
    for k in range(len(whole)):
        mine, others = whole[k], whole.sum() - whole[k]
        if mine > 0 and others > 0:
            shares = [(np.sqrt(n[k] / mine), np.sqrt((n.sum() - n[k]) / others)) for n in branches]
            distances.append(sum((a - b) ** 2 for a, b in shares))
    return float(np.sqrt(max(distances)))


def gain(criterion: str, branches: Branches) -> float:
    branches = [n for n in branches if n.sum() > 0]
    if criterion == "hellinger":
        return hellinger(branches)
    impurity = {"gini": gini, "dkm": dkm, "dkm_ratio": dkm}.get(criterion, entropy)
    whole = sum(branches)
    return impurity(whole) - sum(n.sum() * impurity(n) for n in branches) / whole.sum()


@dataclass
class Root:
    """The rows at the root, and the parameters of the tree."""

    X: pd.DataFrame
    y: NDArray[np.int64]
    weights: NDArray[np.float64]
    params: dict[str, Any]

    @property
    def n_classes(self) -> int:
        return len(np.unique(self.y))

    def counts(self, rows: NDArray[np.bool_]) -> NDArray[np.float64]:
        return np.bincount(self.y[rows], self.weights[rows], self.n_classes)

    def known(self, name: str) -> NDArray[np.bool_]:
        return self.X[name].notna().to_numpy()

    def cut(self, name: str, at: float) -> Branches:
        values = self.X[name].to_numpy()
        return [self.counts(values <= at), self.counts(values > at)]

    def groups(self, name: str, *groups: set[str]) -> Branches:
        return [self.counts(self.X[name].isin(group).to_numpy()) for group in groups]

    def gain(self, branches: Branches) -> float:
        """Return the gain, reduced by the share of rows with a missing value."""
        return gain(self.params["criterion"], branches) * float(sum(branches).sum() / self.weights.sum())

    def information(self, branches: Branches) -> float:
        known = sum(n.sum() for n in branches)
        return entropy(np.array([self.weights.sum() - known, *(n.sum() for n in branches)]))

    def ratio(self, branches: Branches) -> float:
        information = self.information(branches)
        return self.gain(branches) / information if information > 1e-6 else 0.0

    @property
    def is_ratio(self) -> bool:
        return self.params["criterion"] in ("gain_ratio", "dkm_ratio")


def first_best(candidates: list[Branches], worth: Callable[[Branches], float]) -> Branches:
    """Return the first of the best: a later one must be better by more than rounding."""
    best, most = candidates[0], worth(candidates[0])
    for branches in candidates[1:]:
        if worth(branches) > most + 1e-9:
            best, most = branches, worth(branches)
    return best


@dataclass
class Found:
    """The best test of a column: its gain after the penalty, and its split information."""

    gain: float
    information: float


def cuts(root: Root, name: str) -> Iterator[Branches]:
    known, least = root.weights[root.known(name)].sum(), root.params["min_leaf"]
    if known < 2 * least:
        return
    if root.params["min_cut"] == "c45":
        tenth = 0.1 * known / root.n_classes
        least = least if tenth <= least else min(tenth, 25)
    values = np.unique(root.X[name].to_numpy()[root.known(name)])
    for value, following in pairwise(values):
        branches = root.cut(name, value)
        if value < following - 1e-5 and min(n.sum() for n in branches) >= least - 1e-9:
            yield branches


def best_cut(root: Root, name: str) -> Found | None:
    tried = list(cuts(root, name))
    if not tried:
        return None
    best = first_best(tried, root.gain)
    has_penalty = root.params["mdl_penalty"] and root.params["criterion"] in ("gain_ratio", "entropy")
    penalty = np.log2(len(tried)) / root.weights.sum() if has_penalty else 0.0
    found = Found(root.gain(best) - penalty, root.information(best))
    return found if found.gain > 1e-12 else None


def best_nominal(root: Root, name: str) -> Found | None:
    categories = root.X[name].cat.categories.tolist()
    splits = [[{value} for value in categories]]
    if root.params["nominal_splits"] == "binary" and len(categories) > 2:
        splits = [[{value}, {*categories} - {value}] for value in categories]
    branches = [root.groups(name, *split) for split in splits]
    usable = [b for b in branches if sum(n.sum() >= root.params["min_leaf"] - 1e-9 for n in b) >= 2]
    if not usable:
        return None
    best = first_best(usable, root.ratio if root.is_ratio else root.gain)  # J48's -B compares ratios
    return Found(root.gain(best), root.information(best))


def best_tests(root: Root) -> dict[str, Found]:
    found = {name: (best_cut if root.X[name].dtype == float else best_nominal)(root, name) for name in root.X}
    return {name: test for name, test in found.items() if test is not None}


def scores(root: Root, tests: dict[str, Found]) -> dict[str, float]:
    if not root.is_ratio:
        return {name: test.gain for name, test in tests.items() if test.information > 0}
    wide = {name for name in root.X if root.X[name].dtype != float}
    wide = {name for name in wide if len(root.X[name].cat.categories) >= 0.3 * root.weights.sum()}
    counted = [test.gain for name, test in tests.items() if name not in wide]
    least = np.mean(counted) - EPSILON if counted else 1e6
    assume(all(abs(test.gain - least) > 1e-9 for test in tests.values()))
    return {n: t.gain / t.information for n, t in tests.items() if t.gain > least and t.information > EPSILON}


def chosen_branches(root: Root, model: ProbabilityTreeClassifier) -> Branches:
    tree = model.tree_
    name = root.X.columns[tree.feature[0]]
    if tree.is_numeric[0]:
        return root.cut(name, tree.threshold[0])
    categories, branches = root.X[name].cat.categories, tree.branches_of(0)
    return root.groups(name, *({*categories[branches == b]} for b in range(tree.n_children[0])))


@st.composite
def roots(draw: st.DrawFn) -> Root:
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    n = draw(st.sampled_from([8, 30, 150]))
    X = pd.DataFrame({"few": random.integers(0, 6, n).astype(float), "many": random.random(n)})
    X["word"] = pd.Categorical(random.choice(list("abcd"), n), categories=list("abcd"))
    X["sign"] = pd.Categorical(random.choice(list("+-"), n), categories=list("+-"))
    y = (
        (X["few"] * draw(st.sampled_from([0, 1])) + X["word"].cat.codes + random.integers(0, 3, n))
        .to_numpy()
        .astype(int)
    )
    y = np.unique(y % draw(st.integers(2, 4)), return_inverse=True)[1]
    weights = draw(st.sampled_from([np.ones(n), random.integers(1, 4, n) / 2, random.uniform(0.2, 3, n)]))
    params = {
        "min_leaf": draw(st.sampled_from([1, 2, 4.5])),
        "min_cut": draw(st.sampled_from(["c45", "min_leaf"])),
        "mdl_penalty": draw(st.booleans()),
        "nominal_splits": draw(st.sampled_from(["multiway", "binary"])),
    }
    return Root(X.mask(random.random(X.shape) < draw(st.sampled_from([0.0, 0.2]))), y, weights, params)


@pytest.mark.parametrize("criterion", CRITERIA)
@given(root=roots())
def test_no_test_at_the_root_is_better(criterion: str, root: Root) -> None:
    root.params["criterion"] = criterion
    model = ProbabilityTreeClassifier(max_depth=1, **root.params).fit(root.X, root.y, root.weights)
    total = root.weights.sum()
    if root.n_classes == 1 or total < 2 * root.params["min_leaf"]:
        assert model.n_nodes_ == 1
        return
    tests = best_tests(root)
    best = max(scores(root, tests).values(), default=-1.0)
    if model.n_nodes_ == 1:
        assert best <= 1e-6  # of tests that gain nothing C4.5 takes nominal ones, and none by other criteria
        return
    name, branches = root.X.columns[model.tree_.feature[0]], chosen_branches(root, model)
    paid = tests[name].gain if model.tree_.is_numeric[0] else root.gain(branches)
    assert paid == pytest.approx(tests[name].gain, abs=1e-7)  # the best of its column
    information = root.information(branches) if root.is_ratio else 1.0
    assert paid / information == pytest.approx(best, abs=1e-6)
    np.testing.assert_allclose(model.tree_.counts[0], root.counts(np.full(len(root.y), True)))
