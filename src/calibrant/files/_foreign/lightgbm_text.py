"""LightGBM's text format, read and checked: its own parser follows child numbers, columns and categories unchecked."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from calibrant.exceptions import ModelFileError

__all__ = ["TreesText", "check_trees_text"]

_FIRST = "tree\n"
_LAST = "end of trees\n"
_HEADER_FLAGS = ("average_output",)  # of random forests
_HEADER = {
    *("version", "num_class", "num_tree_per_iteration", "label_index", "max_feature_idx", "objective"),
    *("feature_names", "feature_infos", "tree_sizes", "monotone_constraints"),
}
_OBJECTIVES = re.compile(
    r"binary sigmoid:[0-9.e+-]{1,30}|multiclass num_class:(?P<softmax>[0-9]{1,6})"
    r"|multiclassova num_class:(?P<ova>[0-9]{1,6}) sigmoid:[0-9.e+-]{1,30}|cross_entropy"
)
_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:e[+-]?[0-9]{1,4})?|[+-]?inf")
_PER_LEAF = ("leaf_value", "leaf_weight", "leaf_count")
_PER_NODE = {
    *("split_feature", "split_gain", "threshold", "decision_type", "left_child", "right_child"),
    *("internal_value", "internal_weight", "internal_count"),
}
_WHOLE = {"num_leaves", "num_cat", "split_feature", "decision_type", "left_child", "right_child", "leaf_count"} | {
    *("internal_count", "cat_boundaries", "cat_threshold", "is_linear"),
}
_TREE = {"num_leaves", "num_cat", "cat_boundaries", "cat_threshold", "is_linear", "shrinkage", *_PER_LEAF, *_PER_NODE}


@dataclass(frozen=True)
class TreesText:
    """What a checked text says of its model."""

    n_features: int
    n_outputs: int
    n_trees: int
    objective: str


def check_trees_text(text: str) -> TreesText:
    """Return the sizes of a model in LightGBM's text format; raise if LightGBM would not have written it so."""
    try:
        return _checked(text)
    except ModelFileError:
        raise
    except (KeyError, ValueError, IndexError, OverflowError) as error:
        raise _damaged(str(error)) from error


def _damaged(why: str) -> ModelFileError:
    return ModelFileError(f"holds a damaged model of LightGBM ({why})")


def _need(holds: object, why: str) -> None:
    if not holds:
        raise _damaged(why)


def _checked(text: str) -> TreesText:
    _need(text.isascii() or "\0" not in text, "it is no text")
    _need(text.startswith(_FIRST) and text.endswith(_LAST), "it has no trees")
    head, _, body = text.partition("\n\n")
    header = _header(head[len(_FIRST) :].split("\n"))
    sizes = _numbers("tree_sizes", header["tree_sizes"])
    found = TreesText(
        n_features=int(header["max_feature_idx"]) + 1,
        n_outputs=int(header["num_tree_per_iteration"]),
        n_trees=len(sizes),
        objective=header["objective"].partition(" ")[0],
    )
    _check_header(header, found)
    data = body.encode()
    _need(int(sum(sizes)) + len(_LAST) == len(data) and all(size > 0 for size in sizes), "the sizes of its trees")
    start = 0
    for number, size in enumerate(map(int, sizes)):
        _check_tree(data[start : start + size].decode(), number, found.n_features)
        start += size
    return found


def _header(lines: list[str]) -> dict[str, str]:
    """Return the lines of the header by their names."""
    pairs = [line.partition("=") for line in lines if line not in _HEADER_FLAGS]
    found = {name: value for name, _, value in pairs}
    _need(len(found) == len(pairs) and found.keys() <= _HEADER, "its header has other lines than LightGBM writes")
    return found


def _check_header(header: dict[str, str], found: TreesText) -> None:
    objective = _OBJECTIVES.fullmatch(header["objective"])
    _need(objective, f"the objective {header['objective'][:40]!r} is not one of a classifier")
    classes = int(objective["softmax"] or objective["ova"] or 1)  # type: ignore[index]
    _need(header["version"] == "v4" and re.fullmatch("[0-9]+", header["label_index"]), "its version")
    _need(1 <= found.n_features <= 10**6 and 1 <= found.n_outputs <= 10**5, "its sizes")
    _need(int(header["num_class"]) == found.n_outputs == classes, "its number of classes")
    _need(found.n_trees >= 1 and found.n_trees % found.n_outputs == 0, "its number of trees")
    for name in ("feature_names", "feature_infos"):
        _need(len(header[name].split(" ")) == found.n_features and header[name].isprintable(), name)
    if "monotone_constraints" in header:
        signs = _numbers("num_cat", header["monotone_constraints"])
        _need(len(signs) == found.n_features and set(signs.tolist()) <= {-1, 0, 1}, "monotone_constraints")


def _check_tree(block: str, number: int, n_features: int) -> None:
    lines = block.rstrip("\n").split("\n")
    _need(lines[0] == f"Tree={number}" and block.endswith("\n\n\n"), f"where tree {number} starts")
    pairs = [line.partition("=") for line in lines[1:]]
    values = {name: _numbers(name, text) for name, _, text in pairs}
    _need(len(values) == len(pairs) and values.keys() <= _TREE, f"the lines of tree {number}")
    leaves, categories = int(values["num_leaves"][0]), int(values["num_cat"][0])
    _need(leaves >= 1 and int(values.get("is_linear", np.zeros(1))[0]) == 0, "a tree of linear leaves, or of none")
    for name in ("num_leaves", "num_cat", "is_linear", "shrinkage"):
        _need(len(values.get(name, "1")) == 1, name)
    _need(len(values["leaf_value"]) == leaves, "leaf_value")
    if leaves > 1:
        _need(all(len(values[name]) == leaves for name in _PER_LEAF), "the leaves of a tree")
        _need(all(len(values[name]) == leaves - 1 for name in _PER_NODE), "the nodes of a tree")
        _check_splits(values, n_features)
        _check_categories(values, categories)
    else:
        _need(not any(len(values.get(name, ())) > 1 for name in (*_PER_LEAF, *_PER_NODE)), "a tree of one leaf")
        _need(categories == 0, "a tree of one leaf")


def _check_splits(values: dict[str, np.ndarray], n_features: int) -> None:
    """Raise unless the nodes make up a tree: children come later, and each node and leaf is reached once."""
    feature, nodes = values["split_feature"], np.arange(len(values["split_feature"]))
    _need(((feature >= 0) & (feature < n_features)).all(), "a column of a tree")
    _need(np.isfinite(values["leaf_value"]).all() and not np.isnan(values["threshold"]).any(), "a value of a tree")
    reached = np.concatenate([values["left_child"], values["right_child"]])
    later = reached > np.tile(nodes, 2)
    _need((later | (reached < 0)).all(), "the order of its nodes")
    _need(sorted(reached[reached >= 0].tolist()) == nodes[1:].tolist(), "the nodes of a tree")
    _need(sorted((~reached[reached < 0]).tolist()) == [*nodes.tolist(), len(nodes)], "the leaves of a tree")
    kinds = values["decision_type"]
    _need(((kinds >= 0) & (kinds < 12)).all(), "decision_type")  # bit 0: categorical, 1: default left, 2-3: missing


def _check_categories(values: dict[str, np.ndarray], count: int) -> None:
    """Raise unless every split on categories refers to a set of them that is there."""
    split = (values["decision_type"] & 1) == 1
    number = values["threshold"][split]
    _need((number == np.floor(number)).all() and ((number >= 0) & (number < count)).all(), "a set of categories")
    if not count:
        return
    bounds, words = values["cat_boundaries"], values["cat_threshold"]
    _need(len(bounds) == count + 1 and bounds[0] == 0 and bounds[-1] == len(words), "cat_boundaries")
    _need((np.diff(bounds) > 0).all() and ((words >= 0) & (words < 2**32)).all(), "cat_threshold")


def _numbers(name: str, text: str) -> np.ndarray:
    """Return the numbers of a line; one that is not a number is an error."""
    words = text.split(" ") if text else []
    kind: Callable[[str], float] = int if name in _WHOLE or name == "tree_sizes" else float
    _need(all(map(_NUMBER.fullmatch, words)), f"{name} is not made of numbers")
    return np.array([kind(word) for word in words], dtype=np.int64 if kind is int else np.float64)
