"""Trees packed into few narrow arrays, as model files hold them; each is unpacked at its first use."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from calibrant import _core
from calibrant.trees._tree import Tree, packed_tree

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.data._internal import Schema

__all__ = ["TREE_ARRAYS", "narrowest", "pack_trees", "unpack_trees"]

# In the order in which the core takes them.
TREE_ARRAYS = (
    "n_nodes",
    "test",
    "cut",
    "first_cut",
    "cut_rank",
    "n_branches",
    "branch_of_category",
    "missing_branch",
    "counts",
    "weight",
    "label_node",
    "label",
    "log_prior",
)
_UNSIGNED = (np.uint8, np.uint16, np.uint32)


def pack_trees(trees: Sequence[Tree]) -> dict[str, NDArray[Any]]:
    """Return the arrays of trees that have the same columns and classes.

    Examples
    --------
    >>> from calibrant.trees import ProbabilityTreeClassifier
    >>> tree = ProbabilityTreeClassifier().fit([[1], [2], [3], [4]], ["a", "a", "b", "b"]).tree_
    >>> arrays = pack_trees([tree, tree])
    >>> arrays["test"], arrays["cut"], arrays["counts"].dtype
    (array([1, 0, 0, 1, 0, 0], dtype=uint8), array([2, 2], dtype=uint8), dtype('uint8'))
    """
    first = trees[0]
    cores, n_categories = [tree.core for tree in trees], _n_categories(first.schema)
    found = cast("Any", _core.pack_trees(cores, len(first.classes), n_categories))
    arrays: dict[str, NDArray[Any]] = dict(zip(TREE_ARRAYS, found, strict=True))
    if len(np.unique(arrays["missing_branch"])) == 1:
        arrays["missing_branch"] = arrays["missing_branch"][:1]
    arrays |= _ranked_cuts(arrays["test"], arrays["cut"], first.schema)
    if len(arrays["log_prior"]) == 0:
        del arrays["log_prior"]  # so that earlier versions read the file
    return {name: narrowest(array) for name, array in arrays.items()}


def unpack_trees(
    arrays: Mapping[str, NDArray[Any]], order: NDArray[np.intp], classes: NDArray[Any], schema: Schema
) -> tuple[Tree, ...]:
    """Check the arrays and return the trees, which are unpacked when they are used; raise ValueError if they are none.

    Examples
    --------
    >>> from calibrant.trees import ProbabilityTreeClassifier
    >>> tree = ProbabilityTreeClassifier().fit([[1], [2], [3], [4]], ["a", "a", "b", "b"]).tree_
    >>> unpack_trees(pack_trees([tree]), tree.order, tree.classes, tree.schema)
    (<Tree: 3 nodes, 2 leaves, depth 1, 2 classes>,)
    """
    none = np.empty(0, dtype=np.uint8)  # files written before there were criteria with priors have no `log_prior`
    in_order = tuple(np.ascontiguousarray(arrays.get(name, none)) for name in TREE_ARRAYS)
    packed = _core.packed_trees(len(classes), _n_categories(schema), cast("Any", in_order))
    return tuple(packed_tree((packed, number, None), order, classes, schema) for number in range(packed.n_trees))


def narrowest(array: NDArray[Any]) -> NDArray[Any]:
    """Return an array as the narrowest unsigned or float type that has the same numbers, to the bit.

    Examples
    --------
    >>> [narrowest(np.array(numbers)).dtype.str for numbers in ([1.0, 300.0], [0.5, -0.0], [0.1])]
    ['<u2', '<f4', '<f8']
    """
    for dtype in (*_UNSIGNED, np.float32):
        with np.errstate(invalid="ignore", over="ignore"):
            narrow = array.astype(dtype)
        if narrow.astype(array.dtype).tobytes() == array.tobytes():
            return narrow
    return array


def _n_categories(schema: Schema) -> list[int]:
    return [len(feature.categories) if feature.kind == "nominal" else 0 for feature in schema.features]


def _ranked_cuts(test: NDArray[np.uint32], cut: NDArray[np.float64], schema: Schema) -> dict[str, NDArray[Any]]:
    """Return the distinct cuts of each column and the rank of each cut, where these take less space than the cuts."""
    if len(cut) == 0:
        return {}
    is_nominal = np.array([False, *(n > 0 for n in _n_categories(schema))])
    column = test[(test > 0) & ~is_nominal[test]] - 1
    distinct, rank, first = [], np.empty(len(cut), dtype=np.int64), [0]
    for j in range(len(schema.features)):
        of_column = np.flatnonzero(column == j)
        bits, rank[of_column] = np.unique(cut[of_column].view(np.int64), return_inverse=True)
        distinct.append(bits.view(np.float64))
        first.append(first[-1] + len(bits))
    ranked = {"cut": np.concatenate(distinct), "first_cut": np.array(first), "cut_rank": rank}
    return ranked if sum(map(_n_bytes, ranked.values())) < _n_bytes(cut) else {}


def _n_bytes(array: NDArray[Any]) -> int:
    return narrowest(array).nbytes
