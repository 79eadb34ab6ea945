"""B-PETs, EB-PETs and MOB-ESP written plainly: loops over rows and trees, through the public arrays of a tree.

Nothing here comes from the package. Nielsen, "MOB-ESP and other improvements in probability estimation", UAI 2004.
"""

from __future__ import annotations

from typing import Any

import numpy as np

TIE = 1e-9


class Forest:
    """Trees, training rows (lists of numbers, NaN where a value is missing; categories by number) and their bags."""

    def __init__(self, trees: list[Any], rows: list[list[float]], y: list[int], in_bag: Any, weights: Any) -> None:
        self.trees, self.rows, self.y, self.in_bag, self.weights = trees, rows, y, in_bag, weights
        self.n_classes = trees[0].counts.shape[1]
        self.ends = [[ends_of(tree, row) for row in rows] for tree in trees]

    def is_out(self, t: int, i: int) -> bool:
        return int(self.in_bag[t][i]) == 0


def ends_of(tree: Any, row: list[float]) -> list[tuple[int, float]]:
    """Send a row down: at a test of a missing value it goes every way, in shares of the training weight."""
    ends, paths = [], [(0, 1.0)]
    while paths:
        node, share = paths.pop(0)
        if tree.feature[node] < 0:
            ends.append((node, share))
            continue
        children, value = tree.children_of(node), row[tree.feature[node]]
        branch = -1 if np.isnan(value) else branch_at(tree, node, value)
        if branch >= 0:
            paths.append((int(children[branch]), share))
        else:
            paths += [(int(c), share * tree.weight[c] / tree.weight[node]) for c in children if tree.weight[c] > 0]
    return ends


def branch_at(tree: Any, node: int, value: float) -> int:
    if tree.n_values[node] == 0:
        return 0 if value <= tree.threshold[node] else 1
    return int(tree.branches_of(node)[int(value)])


def greatest(values: list[float]) -> int:
    return next(k for k, value in enumerate(values) if value >= max(values) - TIE)


# Votes


def bag_frequencies(tree: Any, node: int) -> list[float]:
    while tree.counts[node].sum() <= 0:
        node = tree.parent[node]
    return [float(count) / float(tree.counts[node].sum()) for count in tree.counts[node]]


def mixed_frequencies(tree: Any, ends: list[tuple[int, float]], n_classes: int) -> list[float]:
    mixed = [0.0] * n_classes
    for leaf, share in ends:
        for k, rate in enumerate(bag_frequencies(tree, leaf)):
            mixed[k] += share * rate
    return mixed


def vote(forest: Forest, ends: list[Any], voters: list[int]) -> tuple[int, list[int]]:
    """Return the winner, -1 without voters, and the votes of each class; ``ends[t]`` are the leaves in tree t."""
    votes, sums = [0] * forest.n_classes, [0.0] * forest.n_classes
    for t in voters:
        rates = mixed_frequencies(forest.trees[t], ends[t], forest.n_classes)
        votes[greatest(rates)] += 1
        sums = [total + rate for total, rate in zip(sums, rates, strict=True)]
    if not voters:
        return -1, votes
    leading = [k for k in range(forest.n_classes) if votes[k] == max(votes)]
    return leading[greatest([sums[k] for k in leading])], votes


def out_trees(forest: Forest, i: int) -> list[int]:
    return [t for t in range(len(forest.trees)) if forest.is_out(t, i)]


def own_ends(forest: Forest, i: int) -> list[Any]:
    return [forest.ends[t][i] for t in range(len(forest.trees))]


def out_label(forest: Forest, i: int) -> int:
    return vote(forest, own_ends(forest, i), out_trees(forest, i))[0]


# B-PETs


def b_pets(forest: Forest, tables: list[Any], ends: list[Any], trees: list[int]) -> list[float]:
    if not trees:
        return [np.nan] * forest.n_classes
    predictions = [sum(share * tables[t][leaf] for leaf, share in ends[t]) for t in trees]
    return list(sum(predictions) / len(predictions))


# EB-PETs and MOB-ESP


def is_below(tree: Any, node: int, above: int) -> bool:
    while node > above:
        node = tree.parent[node]
    return node == above


def counts_at(
    forest: Forest, t: int, node: int, *, alpha=1.0, only=False, multiplicity=False, without=-1, label=None, labels=None
) -> list[float]:
    """Count the training rows that end at or below a node, with `label` only those that have it out of bag."""
    counts = [0.0] * forest.n_classes
    for i in range(len(forest.rows)):
        if i == without or (label is not None and labels[i] != label):
            continue
        for leaf, share in forest.ends[t][i]:
            if leaf == node or is_below(forest.trees[t], leaf, node):
                counts[forest.y[i]] += share * forest.weights[i] * factor(forest, t, i, alpha, only, multiplicity)
    return counts


def factor(forest: Forest, t: int, i: int, alpha: float, only: bool, multiplicity: bool) -> float:
    if forest.is_out(t, i):
        return 1.0 if only else alpha
    if only:
        return 0.0
    return float(forest.in_bag[t][i]) if multiplicity else 1.0


def smoothed(counts: list[float], add: float) -> list[float]:
    return [(count + add) / (sum(counts) + add * len(counts)) for count in counts]


def mixed_predictions(forest: Forest, t: int, ends: list[tuple[int, float]], add: float, **how: Any) -> Any:
    """Mix the leaves' probabilities by their shares; None where all are empty."""
    said = [(share, counts_at(forest, t, leaf, **how)) for leaf, share in ends]
    said = [(share, counts) for share, counts in said if sum(counts) > 0]
    if not said:
        return None
    mass = sum(share for share, _ in said)
    return sum(share / mass * np.array(smoothed(counts, add)) for share, counts in said)


def mean_answer(forest: Forest, ends: list[Any], trees: list[int], add: float, **how: Any) -> Any:
    predictions = [mixed_predictions(forest, t, ends[t], add, **how) for t in trees]
    predictions = [predict for predict in predictions if predict is not None]
    return sum(predictions) / len(predictions) if predictions else None


def eb_pets(forest: Forest, ends: list[Any], *, add=0.0, **how: Any) -> Any:
    """Predict a new row; an empty leaf predicts as the nearest filled node above, but with `only` is left out."""
    trees = list(range(len(forest.trees)))
    if how.get("only"):
        found = mean_answer(forest, ends, trees, add, **how)
        if found is not None:
            return found
    lifted = [[(filled_node(forest, t, leaf, **how), share) for leaf, share in ends[t]] for t in trees]
    return mean_answer(forest, lifted, trees, add, **how)


def filled_node(forest: Forest, t: int, node: int, **how: Any) -> int:
    while sum(counts_at(forest, t, node, **how)) <= 0:
        node = int(forest.trees[t].parent[node])
    return node


def eb_pets_out(forest: Forest, i: int, *, add=0.0, **how: Any) -> Any:
    trees = out_trees(forest, i)
    if not trees:
        return [np.nan] * forest.n_classes
    found = mean_answer(forest, own_ends(forest, i), trees, add, without=i, **how)
    return other_rows(forest, i) if found is None else found


def other_rows(forest: Forest, i: int) -> Any:
    counts = [0.0] * forest.n_classes
    for other, label in enumerate(forest.y):
        counts[label] += forest.weights[other] if other != i else 0.0
    return np.array(counts) / sum(counts)


def mob_esp(forest: Forest, ends: list[Any], labels: list[int], *, voters=None, add=0.0, **how: Any) -> Any:
    trees = list(range(len(forest.trees)))
    label = vote(forest, ends, trees if voters is None else voters)[0]
    found = mean_answer(forest, ends, trees, add, label=label, labels=labels, **how)
    return eb_pets(forest, ends, add=add, **how) if found is None else found


def strict_mob_esp_out(forest: Forest, i: int, *, add=0.0, **how: Any) -> Any:
    """Answer for a training row by the forest of the trees that were grown without it, labels included."""
    trees = out_trees(forest, i)
    if not trees:
        return [np.nan] * forest.n_classes
    part = Forest.__new__(Forest)
    part.__dict__ = {**forest.__dict__}
    part.trees, part.in_bag, part.ends = (
        [each[t] for t in trees] for each in (forest.trees, forest.in_bag, forest.ends)
    )
    labels, everyone = [out_label(part, r) for r in range(len(part.rows))], list(range(len(trees)))
    how_here = {**how, "label": labels[i], "labels": labels, "without": i}
    found = mean_answer(part, own_ends(part, i), everyone, add, **how_here)
    return eb_pets_out(forest, i, add=add, **how) if found is None else found
