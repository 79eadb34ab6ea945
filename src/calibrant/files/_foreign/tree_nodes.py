"""Checks of the node arrays of scikit-learn's trees: every child and column that compiled code follows exists."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from calibrant.exceptions import ModelFileError
from calibrant.files._foreign.skops_archive import SkopsArchive

__all__ = ["check_children", "check_tree_nodes"]

_TREE_KEYS = {"max_depth", "node_count", "nodes", "values"}


def check_tree_nodes(archive: SkopsArchive) -> None:
    """Raise if a tree of an archive does not hold what its compiled class copies and follows without a check."""
    try:
        for node in archive.trees():
            _check_tree(node, archive)
    except (AttributeError, KeyError, TypeError, ValueError, IndexError) as error:
        raise ModelFileError(f"holds a damaged tree of scikit-learn ({error})") from error


def _check_tree(node: dict[str, Any], archive: SkopsArchive) -> None:
    n_features, classes, n_outputs = _arguments(node, archive)
    content = node["content"]["content"]
    if content.keys() != _TREE_KEYS:
        raise ModelFileError("holds a tree of scikit-learn with other fields than its class has")
    nodes, values = archive.array(content["nodes"]), archive.array(content["values"])
    if nodes.dtype.names is None or nodes.ndim != 1 or not len(nodes) == _integer(content["node_count"]) >= 1:
        raise ModelFileError("holds a tree of scikit-learn whose number of nodes is wrong")
    if values.dtype != np.float64 or values.shape != (len(nodes), n_outputs, classes.max()):
        raise ModelFileError("holds a tree of scikit-learn whose values have the wrong shape")
    _integer(content["max_depth"])
    internal = nodes["left_child"] != -1
    check_children(nodes["left_child"], nodes["right_child"], internal)
    feature = nodes["feature"][internal]
    if feature.size and not (feature.min() >= 0 and feature.max() < n_features):
        raise ModelFileError("holds a tree of scikit-learn that splits on a column it does not have")


def _arguments(node: dict[str, Any], archive: SkopsArchive) -> tuple[int, np.ndarray, int]:
    """Return the number of columns, the numbers of classes and the number of outputs that a tree is made with."""
    n_features, classes, n_outputs = node["__reduce__"]["args"]["content"]
    counts = archive.array(classes)
    outputs = _integer(n_outputs)
    if counts.dtype != np.int64 or outputs != 1 or counts.shape != (1,) or counts[0] < 1:
        raise ModelFileError("holds a tree of scikit-learn with other than one output")
    return _integer(n_features), counts, outputs


def _integer(node: dict[str, Any]) -> int:
    """Return the whole number of a node of plain JSON."""
    value = json.loads(node["content"]) if node["__loader__"] == "JsonNode" else None
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 2**31:
        raise ModelFileError("holds a tree of scikit-learn whose sizes are not whole numbers")
    return value


def check_children(left: np.ndarray, right: np.ndarray, internal: np.ndarray) -> None:
    """Raise unless both children of every internal node come after it, so that each path ends, in a node there is."""
    parents = np.flatnonzero(internal)
    for child in (left[internal].astype(np.int64), right[internal].astype(np.int64)):
        if not ((child > parents) & (child < len(internal))).all():
            raise ModelFileError("holds a tree whose nodes are not in order")
