"""Shared by tests against other programs: the folder of their output, where there is one, and trees read from it."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from calibrant import _core
from calibrant.data import CodedTable

collect_ignore = ["comparison_peers.py"]  # makes figures by packages that tests do not need


@pytest.fixture(scope="session")
def goldens() -> Path:
    folder = os.environ.get("CALIBRANT_GOLDENS")
    if not folder:
        pytest.skip("needs the goldens: set CALIBRANT_GOLDENS to their folder")
    if not Path(folder).is_dir():
        pytest.skip(f"needs the goldens: CALIBRANT_GOLDENS is {folder!r}, which is not a folder")
    return Path(folder)


# The arrays of a tree, in the order of restore_tree.
STATE = {
    "parent": np.int32,
    "feature": np.int32,
    "threshold": np.float64,
    "cut_code": np.uint32,
    "label": np.int32,
    "weight": np.float64,
    "counts": np.float64,
    "first_child": np.uint32,
    "n_children": np.uint32,
    "children": np.int32,
    "first_value": np.uint32,
    "n_values": np.uint32,
    "branch_of_value": np.int32,
}


class Written:
    """The arrays of a tree, filled node by node from one that C4.5 has written."""

    def __init__(self, golden: dict[str, Any], table: CodedTable) -> None:
        self.table = table
        self.arrays: dict[str, list[Any]] = {name: [] for name in STATE}
        todo: list[tuple[dict[str, Any], int, int]] = [(golden, -1, -1)]
        while todo:
            node, parent, place = todo.pop()
            number, first = len(self.arrays["parent"]), len(self.arrays["children"])
            if place >= 0:
                self.arrays["children"][place] = number
            todo += reversed([(son, number, first + b) for b, son in enumerate(node.get("branches") or [])])
            self.add(node, parent)

    def add(self, node: dict[str, Any], parent: int) -> None:
        arrays, sons = self.arrays, node.get("branches") or []
        branches = self.branch_of_value(node)
        numbers = {
            "parent": parent,
            "feature": node.get("att_index", -1) if sons else -1,
            "threshold": node["cut"] if node["type"] == "threshold" else 0.0,
            "cut_code": self.cut_code(node) if node["type"] == "threshold" else 0,
            "label": node["class_index"],
            "weight": node["items"],
            "first_child": len(arrays["children"]),
            "n_children": len(sons),
            "first_value": len(arrays["branch_of_value"]),
            "n_values": len(branches),
        }
        for name, number in numbers.items():
            arrays[name].append(number)
        arrays["counts"] += [count if node["items"] > 0 else 0.0 for count in node["class_dist"]]
        arrays["children"] += [-1] * len(sons)
        arrays["branch_of_value"] += branches

    def cut_code(self, node: dict[str, Any]) -> int:
        values = np.asarray(self.table.values(node["att_index"]))
        cut = node["cut"] + 1e-6 * abs(node["cut"]) + 1e-9  # written in single precision
        return int(np.searchsorted(values, cut, side="right")) - 1

    def branch_of_value(self, node: dict[str, Any]) -> list[int]:
        if node["type"] not in ("discrete", "subset"):
            return []
        values = self.table.categories(node["att_index"])
        if node["type"] == "discrete":
            return list(range(len(values)))
        branches = {value: branch for branch, group in enumerate(node["branch_tests"]) for value in group}
        return [branches.get(value, -1) for value in values]

    def tree(self, n_classes: int) -> _core.Tree:
        state = tuple(np.array(self.arrays[name], dtype) for name, dtype in STATE.items())
        shared = np.full(len(state[0]), -1, dtype=np.int32)  # missing values go to every branch
        return _core.restore_tree(n_classes, (*state, shared, np.zeros(0)))


@pytest.fixture(scope="session")
def as_tree() -> Callable[[dict[str, Any], CodedTable, int], _core.Tree]:
    """Makes a tree of ours from one that C4.5 has written, for the table it was grown from and a number of classes."""
    return lambda golden, table, n_classes: Written(golden, table).tree(n_classes)
