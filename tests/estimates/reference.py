"""A simple reference implementation of every estimate: one row at a time down the public arrays of a tree.

A *path* is the tuple of nodes from the root to the node that predicts; a *reading* turns a path into probabilities
and determines which children may be entered. Sections are those of ALGORITHMS.md.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import digamma, gammaln

from calibrant.trees import ProbabilityTreeClassifier

Path = tuple[int, ...]
Vector = NDArray[np.float64]
Predict = Callable[[Path, Mapping[str, Any]], Vector]


@dataclass(frozen=True)
class Reading:
    """The rules of a reading: a path's prediction, entering a child (2.2), the vote of an empty leaf (10.19)."""

    predict: Predict
    enters: Callable[[int], bool] = lambda _child: True
    votes_when_empty: bool = False


# --- the walk ---------------------------------------------------------------------------------------------------------


def probabilities(model: ProbabilityTreeClassifier, rows: Iterable[Mapping[str, Any]], reading: Reading) -> Vector:
    """Return the probabilities of each row, a mapping of column to value, None or NaN where it is missing."""
    return np.array([walk(model.tree_, row, (0,), reading, votes_when_empty(model, reading)) for row in rows])


def walk(tree: Any, row: Mapping[str, Any], path: Path, reading: Reading, votes: bool) -> Vector:
    """Go on from the end of a path: a known value takes one branch, an unknown one every branch with its share."""
    node = path[-1]
    if tree.feature[node] < 0:
        return at_end(tree, row, path, reading, votes)
    children = [int(child) for child in tree.children_of(node)]
    branch = branch_of(tree, node, row)
    if branch is not None:
        return enter_or_stop(tree, row, path, children[branch], reading, votes)
    if tree.weight[node] <= 0:  # only in a tree that was recounted: nothing determines how to split the row
        return at_end(tree, row, path, reading, votes)
    mixed = np.zeros(tree.counts.shape[1])
    for child in children:
        share = tree.weight[child] / tree.weight[node]
        if share > 0:
            mixed += share * enter_or_stop(tree, row, path, child, reading, votes)
    return mixed


def enter_or_stop(tree: Any, row: Mapping[str, Any], path: Path, child: int, reading: Reading, votes: bool) -> Vector:
    """2.2: look at the child before entering it; where it may not be entered the current node predicts."""
    if reading.enters(child):
        return walk(tree, row, (*path, child), reading, votes)
    return at_end(tree, row, path, reading, votes)


def branch_of(tree: Any, node: int, row: Mapping[str, Any]) -> int | None:
    """Return the branch of a row, None where its value is missing, was never seen, or belongs to no branch."""
    feature = tree.schema.features[tree.feature[node]]
    value = row[feature.name]
    if is_missing(value):
        return None
    if feature.kind == "numeric":
        return 0 if value <= tree.threshold[node] else 1
    if value not in feature.categories:
        return None
    branch = int(tree.branches_of(node)[feature.categories.index(value)])
    return branch if branch >= 0 else None


def is_missing(value: Any) -> bool:
    return value is None or (isinstance(value, float) and math.isnan(value))


def at_end(tree: Any, row: Mapping[str, Any], path: Path, reading: Reading, votes: bool) -> Vector:
    """10.19: an empty node votes for its parent's majority, or its parent predicts."""
    if tree.weight[path[-1]] > 0:
        return reading.predict(path, row)
    while tree.weight[path[-1]] <= 0:
        path = path[:-1]
    return np.eye(tree.counts.shape[1])[tree.label[path[-1]]] if votes else reading.predict(path, row)


def votes_when_empty(model: ProbabilityTreeClassifier, reading: Reading) -> bool:
    if model.empty_leaf is not None:
        return bool(model.empty_leaf == "majority")
    return model.dialect == "c45" and reading.votes_when_empty


# --- from the counts of the node that predicts (2.1) ------------------------------------------------------------------


def frequency(tree: Any) -> Reading:
    return Reading(lambda path, _row: tree.counts[path[-1]] / tree.weight[path[-1]], votes_when_empty=True)


def laplace(tree: Any) -> Reading:
    return m_estimate(tree, m=tree.counts.shape[1], prior="uniform")


def m_estimate(
    tree: Any,
    m: float | None = None,
    strength: float = 10,
    prior: Literal["base_rate", "uniform"] | Vector = "base_rate",
) -> Reading:
    towards = prior_of(tree, prior)
    m = default_m(tree, strength, towards) if m is None else m
    return Reading(lambda path, _row: (tree.counts[path[-1]] + m * towards) / (tree.weight[path[-1]] + m))


def prior_of(tree: Any, prior: Literal["base_rate", "uniform"] | Vector) -> Vector:
    if isinstance(prior, str):
        n_classes = tree.counts.shape[1]
        return base_rates(tree) if prior == "base_rate" else np.full(n_classes, 1 / n_classes)
    return np.asarray(prior, dtype=float)


def base_rates(tree: Any) -> Vector:
    return np.asarray(tree.counts[0] / tree.weight[0])


def default_m(tree: Any, strength: float, prior: Vector) -> float:
    """10.3: b * m = strength with b the rate of the rarer of two classes; empirical Bayes for more."""
    return strength / base_rates(tree).min() if len(prior) == 2 else empirical_bayes(tree, prior)


def empirical_bayes(tree: Any, prior: Vector) -> float:
    """The m that maximises the Dirichlet-multinomial likelihood of the leaves, by halving the range of ln m.

    The likelihood has one maximum (Levin & Reeds 1977), so the sign of its slope shows on which side it lies.
    """
    leaves = tree.counts[(tree.feature < 0) & (tree.weight > 0)]
    low, high = math.log(1e-9), math.log(1e12)
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if slope(math.exp(middle), leaves, prior) > 0 else (low, middle)
    return math.exp(low)


def slope(m: float, leaves: Vector, prior: Vector) -> float:
    of_classes = prior * (digamma(leaves + m * prior) - digamma(m * prior))
    return math.fsum([*of_classes.ravel(), *(digamma(m) - digamma(leaves.sum(axis=1) + m))])


# --- curtailment (2.2) ------------------------------------------------------------------------------------------------


def curtailment(tree: Any, v: float | None = None, strength: float = 10, then: Reading | None = None) -> Reading:
    v = default_v(tree, strength) if v is None else v
    return Reading((then or frequency(tree)).predict, enters=lambda child: bool(tree.weight[child] >= v))


def default_v(tree: Any, strength: float) -> float:
    """10.3: b * v = strength with b the rate of the rarer of two classes, the median rate for more.

    Not strength / b, which may be a rounding above a node of exactly v rows.
    """
    counts = tree.counts[0]
    return float(strength * tree.weight[0] / (counts.min() if len(counts) == 2 else np.median(counts)))


def smoothed_curtailment(tree: Any) -> Reading:
    return curtailment(tree, then=m_estimate(tree))


# --- from the whole path (2.3, 8.3, Agarwal et al. 2022) --------------------------------------------------------------


def m_branch(tree: Any, M: float = 4, constant: bool = False) -> Reading:
    """2.3: each node is smoothed towards the one above it, the higher ones more."""

    def predict(path: Path, _row: Mapping[str, Any]) -> Vector:
        p = np.full(tree.counts.shape[1], 1 / tree.counts.shape[1])
        for j, node in enumerate(path, start=1):
            height = len(path) + 1 - j
            m = M if constant else M * (1 + (1 - 1 / height) * math.sqrt(tree.weight[0]))
            p = (tree.counts[node] + m * p) / (tree.weight[node] + m)
        return p

    return Reading(predict)


def path_average(tree: Any, prior: Literal["flat", "wallace"] = "flat", alpha: float = 1) -> Reading:
    """8.3: the chance that the true tree stops at each node, summed up from the leaves, met again on the way down."""
    of_leaf = np.array([ln_leaf(tree, node, prior, alpha) for node in range(len(tree.parent))])
    whole = subtree_evidence(tree, of_leaf, prior)

    def predict(path: Path, _row: Mapping[str, Any]) -> Vector:
        p, reach = np.zeros(tree.counts.shape[1]), 1.0
        for node in path:
            stops = 1.0 if node == path[-1] else math.exp(of_leaf[node] - whole[node])
            p += reach * stops * (tree.counts[node] + alpha) / (tree.weight[node] + alpha * len(p))
            reach *= 1 - stops
        return p

    return Reading(predict)


def subtree_evidence(tree: Any, of_leaf: Vector, prior: str) -> Vector:
    """S(t) of every node, children before parents (preorder backwards)."""
    whole = of_leaf.copy()
    for node in reversed(range(len(tree.parent))):
        if tree.feature[node] >= 0:
            below = ln_split_prior(tree, node, prior) + sum(whole[child] for child in tree.children_of(node))
            whole[node] = np.logaddexp(of_leaf[node], below)
    return whole


def ln_leaf(tree: Any, node: int, prior: str, alpha: float) -> float:
    """Leaf(t): the Dirichlet marginal of the counts with alpha_k = alpha, and the prior of being a leaf."""
    before = np.full(tree.counts.shape[1], float(alpha))
    marginal = ln_beta(tree.counts[node] + before) - ln_beta(before)
    return marginal + (0.0 if prior == "flat" else math.log1p(-wallace_split(tree, node)))


def ln_beta(a: Vector) -> float:
    return float(gammaln(a).sum() - gammaln(a.sum()))


def ln_split_prior(tree: Any, node: int, prior: str) -> float:
    return 0.0 if prior == "flat" else math.log(wallace_split(tree, node))


def wallace_split(tree: Any, node: int) -> float:
    """8.4: one in the number of outcomes of the test above; at the root all but one in the number of attributes."""
    if node == 0:
        n_features = len(tree.schema.features)
        return 0.5 if n_features == 1 else 1 - 1 / n_features
    return 1 / len(tree.children_of(tree.parent[node]))


def hierarchical_shrinkage(tree: Any, shrinkage: float) -> Reading:
    """Agarwal et al. (2022), equation 2: each step down the path shrunk by the weight of the node that it leaves."""

    def predict(path: Path, _row: Mapping[str, Any]) -> Vector:
        p = base_rates(tree).copy()
        for above, node in pairwise(path):
            step = tree.counts[node] / tree.weight[node] - tree.counts[above] / tree.weight[above]
            p += step / (1 + shrinkage / tree.weight[above])
        return p

    return Reading(predict)


# --- kernel densities over the columns of the path (2.6) --------------------------------------------------------------


@dataclass(frozen=True)
class Examples:
    """The training rows as plain values, the position of each row's class, and its weight."""

    rows: list[dict[str, Any]]
    label: NDArray[np.intp]
    weight: Vector


def kernel_density(tree: Any, examples: Examples) -> Reading:
    """Bayes' rule on densities that have a kernel at every training row which knows all columns of the path.

    A column that is missing in the row is left out; where every density is 0 Laplace's estimate predicts.
    """

    def predict(path: Path, row: Mapping[str, Any]) -> Vector:
        features = [tree.schema.features[f] for f in dict.fromkeys(tree.feature[node] for node in path[:-1])]
        classes = range(tree.counts.shape[1])
        joint = base_rates(tree) * [class_density(features, row, examples, k) for k in classes]
        return joint / joint.sum() if joint.sum() > 0 else laplace(tree).predict(path, row)

    return Reading(predict)


def class_density(features: list[Any], row: Mapping[str, Any], examples: Examples, k: int) -> float:
    mine = (examples.label == k) & np.logical_and.reduce(
        [knows(examples, feature) for feature in features], initial=True
    )
    product = examples.weight[mine]
    total = product.sum()
    for feature in features:
        if is_known(feature, row[feature.name]):
            product = product * kernel_values(feature, row[feature.name], examples, k)[mine]
    return float(product.sum() / total) if total > 0 else 0.0


def is_known(feature: Any, value: Any) -> bool:
    return not is_missing(value) and (feature.kind == "numeric" or value in feature.categories)


def knows(examples: Examples, feature: Any) -> NDArray[np.bool_]:
    return np.array([is_known(feature, row[feature.name]) for row in examples.rows])


def kernel_values(feature: Any, x: Any, examples: Examples, k: int) -> Vector:
    """The kernel of every training row at a value, NaN where the row does not know the column."""
    values = np.array([row[feature.name] for row in examples.rows], dtype=object)
    known = knows(examples, feature)
    of_class = known & (examples.label == k)
    if feature.kind == "nominal":
        return aitchison_aitken(values == x, examples.weight[of_class].sum(), len(feature.categories))
    numbers = np.where(known, values, np.nan).astype(float)
    width = bandwidth(numbers[of_class], examples.weight[of_class], np.ptp(numbers[known]))
    return np.exp(-(((x - numbers) / width) ** 2) / 2) / (width * math.sqrt(2 * math.pi))


def bandwidth(values: Vector, weight: Vector, extent: float) -> float:
    """1.06 s n^(-1/5), at least a thousandth of the column's range."""
    n = weight.sum()
    if n <= 1:
        return 1e-3 * extent
    s = math.sqrt((weight * (values - (weight * values).sum() / n) ** 2).sum() / (n - 1))
    return max(1.06 * s * n**-0.2, 1e-3 * extent)


def aitchison_aitken(is_same: NDArray[np.bool_], n: float, n_categories: int) -> Vector:
    """Leave the category with probability (c - 1) / (n + c), so that a column by itself has Laplace's estimates."""
    leave = (n_categories - 1) / (n + n_categories)
    return np.where(is_same, 1 - leave, leave / max(n_categories - 1, 1))
