"""Small trees, written down by the counts of their leaves."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace

import numpy as np
import pytest


def count(parent: Sequence[int], leaves: dict[int, Sequence[float]]) -> SimpleNamespace:
    """Make a tree of the parents of its nodes, in preorder, and the class counts of its leaves."""
    counts = np.zeros((len(parent), len(next(iter(leaves.values())))))
    depth = np.zeros(len(parent), dtype=np.intp)
    counts[list(leaves)] = list(leaves.values())
    for node in range(1, len(parent)):
        depth[node] = depth[parent[node]] + 1
    for node in range(len(parent) - 1, 0, -1):
        counts[parent[node]] += counts[node]
    return SimpleNamespace(
        parent=np.array(parent, dtype=np.int32),
        depth=depth,
        is_leaf=~np.isin(np.arange(len(parent)), parent),
        n_children=np.bincount(np.array(parent) + 1, minlength=len(parent) + 1)[1:].astype(np.uint32),
        n_features=3,
        counts=counts,
        weight=counts.sum(axis=1),
    )


@pytest.fixture(scope="session")
def make_tree():
    """Makes a tree of the parents of its nodes and the class counts of its leaves."""
    return count


@pytest.fixture(scope="session")
def fork():
    """Makes a root with two leaves."""
    return lambda one, other: count([-1, 0, 0], {1: one, 2: other})


@pytest.fixture(scope="session")
def stairs():
    """Makes a root, a leaf and a node with two leaves: (90, 10) splits into (40, 0) and (50, 10), that into two."""
    return count([-1, 0, 0, 2, 2], {1: [40, 0], 3: [48, 2], 4: [2, 8]})
