"""A grown tree as arrays with an entry for each node, in memory or packed as model files hold it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from calibrant import _core
from calibrant._optional import optional_import
from calibrant._saved import Array, Field, LabelArray, Object, need, wrong
from calibrant._saved.arrays import narrowest
from calibrant.data._internal import Schema
from calibrant.exceptions import ModelFileError

if TYPE_CHECKING:
    from calibrant._saved.documents import Reader, Writer


@dataclass(frozen=True, eq=False, repr=False)
class Tree:
    """A tree as read-only arrays with one entry for each node; nodes are numbered in preorder, the root is 0.

    Parameters
    ----------
    core : calibrant._core.Tree
        The tree in the native core, which numbers the classes in the order in which they were declared.
    order : array of int
        The core's number of each class of ``classes``.
    classes : array
        The classes, sorted: the columns of ``counts``.
    schema : Schema
        Names, kinds and categories of the columns that the tree tests.

    Examples
    --------
    >>> from calibrant.trees import ProbabilityTreeClassifier
    >>> tree = ProbabilityTreeClassifier().fit([[1], [2], [3], [4]], ["a", "a", "b", "b"]).tree_
    >>> tree
    <Tree: 3 nodes, 2 leaves, depth 1, 2 classes>
    >>> tree.parent, tree.feature, tree.threshold
    (array([-1,  0,  0], dtype=int32), array([ 0, -1, -1], dtype=int32), array([ 2., nan, nan]))
    >>> tree.counts
    array([[2., 2.],
           [2., 0.],
           [0., 2.]])
    """

    core: _core.Tree
    order: NDArray[np.intp]
    classes: NDArray[Any]
    schema: Schema

    def __getattr__(self, name: str) -> Any:
        if name != "core" or "_packed" not in self.__dict__:
            raise AttributeError(f"'Tree' object has no attribute {name!r}")
        trees, number, table = self.__dict__["_packed"]
        # Loaded trees are unpacked when first used: a forest that predicts from packed trees never pays for it.
        core = self.__dict__["core"] = trees.unpack(number, table)
        return core

    @property
    def n_nodes(self) -> int:
        """Number of nodes: C4.5's "size", empty leaves counted."""
        if "core" not in self.__dict__ and "_packed" in self.__dict__:
            trees, number, _ = self.__dict__["_packed"]
            return int(trees.n_nodes(number))
        return self.core.n_nodes

    @property
    def n_leaves(self) -> int:
        """Number of leaves, empty ones counted."""
        return int(self.is_leaf.sum())

    @property
    def n_features(self) -> int:
        """Number of columns that a node could test."""
        return len(self.schema.features)

    @property
    def max_depth(self) -> int:
        """Number of tests on the longest path."""
        return int(self.depth.max())

    @cached_property
    def parent(self) -> NDArray[np.int32]:
        """The node above each node, -1 for the root."""
        return cast("NDArray[np.int32]", self.core.parent)

    @cached_property
    def feature(self) -> NDArray[np.int32]:
        """The column that each node tests, -1 for a leaf."""
        return cast("NDArray[np.int32]", self.core.feature)

    @cached_property
    def is_leaf(self) -> NDArray[np.bool_]:
        """Whether each node is a leaf."""
        return read_only(self.feature < 0)

    @cached_property
    def is_numeric(self) -> NDArray[np.bool_]:
        """Whether each node tests a numeric column: values up to the threshold go to the first child."""
        return read_only(~self.is_leaf & (self.n_values == 0))

    @cached_property
    def threshold(self) -> NDArray[np.float64]:
        """The threshold of each numeric test, NaN elsewhere."""
        return read_only(np.where(self.is_numeric, cast("NDArray[np.float64]", self.core.threshold), np.nan))

    @cached_property
    def weight(self) -> NDArray[np.float64]:
        """The training weight that reached each node, shares of rows with missing values included."""
        return cast("NDArray[np.float64]", self.core.weight)

    @cached_property
    def counts(self) -> NDArray[np.float64]:
        """The training weight of each class (columns, sorted) at each node (rows)."""
        counts = cast("NDArray[np.float64]", self.core.counts).reshape(self.n_nodes, -1)
        is_sorted = (self.order == np.arange(len(self.order))).all()
        return counts if is_sorted else read_only(np.ascontiguousarray(counts[:, self.order]))

    @cached_property
    def label(self) -> NDArray[np.intp]:
        """The majority class of each node, a position in ``classes``; an empty leaf has its parent's."""
        return read_only(np.argsort(self.order)[cast("NDArray[np.int32]", self.core.label)])

    @cached_property
    def depth(self) -> NDArray[np.intp]:
        """Number of tests above each node."""
        depth, above = (self.parent >= 0).astype(np.intp), self.parent.astype(np.intp)
        while (above >= 0).any():  # each round doubles the length of path that is counted
            below = np.flatnonzero(above >= 0)
            depth[below] += depth[above[below]]
            above[below] = above[above[below]]
        return read_only(depth)

    @cached_property
    def first_child(self) -> NDArray[np.uint32]:
        """The index in ``children`` at which the children of each node begin."""
        return cast("NDArray[np.uint32]", self.core.first_child)

    @cached_property
    def n_children(self) -> NDArray[np.uint32]:
        """Number of branches of each node, 0 for a leaf."""
        return cast("NDArray[np.uint32]", self.core.n_children)

    @cached_property
    def children(self) -> NDArray[np.int32]:
        """The children of all nodes, node after node."""
        return cast("NDArray[np.int32]", self.core.children)

    @cached_property
    def first_value(self) -> NDArray[np.uint32]:
        """The index in ``branch_of_value`` at which the categories of each nominal test begin."""
        return cast("NDArray[np.uint32]", self.core.first_value)

    @cached_property
    def n_values(self) -> NDArray[np.uint32]:
        """Number of categories of each nominal test, 0 elsewhere."""
        return cast("NDArray[np.uint32]", self.core.n_values)

    @cached_property
    def branch_of_value(self) -> NDArray[np.int32]:
        """The branch that each category takes, -1 for one that no branch takes, nominal test after nominal test."""
        return cast("NDArray[np.int32]", self.core.branch_of_value)

    @cached_property
    def missing_branch(self) -> NDArray[np.int32]:
        """The branch of missing values and unseen categories at each test; -1 where they are split among all."""
        return cast("NDArray[np.int32]", self.core.missing_branch)

    @cached_property
    def log_prior(self) -> NDArray[np.float64]:
        """The term that criterion ``"bayes"`` or ``"mml"`` adds to the log prior probability of each test; else 0.

        Of a cut: the log of the mean probability of the classes over the cuts of its column, less that of its own.
        """
        found = cast("NDArray[np.float64]", self.core.log_prior)
        return found if len(found) else read_only(np.zeros(self.n_nodes))

    def children_of(self, node: int) -> NDArray[np.int32]:
        """Return the children of a node in the order of its branches."""
        first = int(self.first_child[node])
        return self.children[first : first + int(self.n_children[node])]

    def branches_of(self, node: int) -> NDArray[np.int32]:
        """Return the branch of each category at a nominal test."""
        first = int(self.first_value[node])
        return self.branch_of_value[first : first + int(self.n_values[node])]

    def to_frame(self) -> Any:
        """Return the tree as a pandas frame with a row for each node, indexed by its number.

        ``condition`` leads to the node from its parent, ``test`` is the column that it tests itself; the columns named
        ``count`` and a class are the training weight of that class.

        Returns
        -------
        pandas.DataFrame
            One row for each node.

        Examples
        --------
        >>> from calibrant.trees import ProbabilityTreeClassifier
        >>> tree = ProbabilityTreeClassifier().fit([[1], [2], [3], [4]], ["a", "a", "b", "b"]).tree_
        >>> tree.to_frame()[["parent", "condition", "test", "label", "count a", "count b"]]
              parent condition test label  count a  count b
        node
        0         -1             x0     a      2.0      2.0
        1          0   x0 <= 2          a      2.0      0.0
        2          0    x0 > 2          b      0.0      2.0
        """
        from calibrant.trees._export.outline import all_conditions

        pd = optional_import("pandas", extra="data", purpose="return a tree as a frame")
        names = np.array([*self.schema.names, ""], dtype=object)
        columns = {
            "parent": self.parent,
            "depth": self.depth,
            "condition": all_conditions(self),
            "test": names[self.feature],
            "threshold": self.threshold,
            "weight": self.weight,
            "label": self.classes[self.label],
        }
        columns |= {f"count {label}": self.counts[:, k] for k, label in enumerate(self.classes)}
        return pd.DataFrame(columns, index=pd.RangeIndex(self.n_nodes, name="node"))

    def _with_table(self, table: _core.CodedTable) -> Tree:
        """Return a packed tree of a file that can predict the coded rows it was grown from."""
        trees, number, _ = vars(self)["_packed"]
        return packed_tree((trees, number, table), self.order, self.classes, self.schema)

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (self.core.n_classes, self.core.state, self.order, self.classes, self.schema)

    def __deepcopy__(self, memo: dict[int, Any]) -> Tree:
        return self  # it is immutable

    def __repr__(self) -> str:
        return (
            f"<Tree: {self.n_nodes:,} nodes, {self.n_leaves:,} leaves, depth {self.max_depth:,}, "
            f"{len(self.classes)} classes>"
        )


def packed_tree(
    packed: tuple[_core.PackedTrees, int, _core.CodedTable | None],
    order: NDArray[np.intp],
    classes: NDArray[Any],
    schema: Schema,
) -> Tree:
    """Return one of the packed trees of a file, unpacked when it is used; with a table it predicts its codes."""
    tree = object.__new__(Tree)
    vars(tree).update(order=order, classes=classes, schema=schema, _packed=packed)
    return tree


def read_only(array: NDArray[Any]) -> NDArray[Any]:
    """Return an array that can no longer be written to."""
    array.setflags(write=False)
    return array


def _restore(n_classes: int, state: Any, order: NDArray[np.intp], classes: NDArray[Any], schema: Schema) -> Tree:
    return Tree(_core.restore_tree(n_classes, state), order, classes, schema)


# In the order in which the core takes them.
_TREE_ARRAYS = (
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
    arrays: dict[str, NDArray[Any]] = dict(zip(_TREE_ARRAYS, found, strict=True))
    if len(np.unique(arrays["missing_branch"])) == 1:
        arrays["missing_branch"] = arrays["missing_branch"][:1]
    arrays |= _ranked_cuts(arrays["test"], arrays["cut"], first.schema)
    if len(arrays["log_prior"]) == 0:
        del arrays["log_prior"]  # which only criteria with priors have
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
    none = np.empty(0, dtype=np.uint8)  # `log_prior` of other criteria
    in_order = tuple(np.ascontiguousarray(arrays.get(name, none)) for name in _TREE_ARRAYS)
    packed = _core.packed_trees(len(classes), _n_categories(schema), cast("Any", in_order))
    return tuple(packed_tree((packed, number, None), order, classes, schema) for number in range(packed.n_trees))


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
        # Compared by bits, so that 0.0 and -0.0 stay what they are in the file.
        bits, rank[of_column] = np.unique(cut[of_column].view(np.int64), return_inverse=True)
        distinct.append(bits.view(np.float64))
        first.append(first[-1] + len(bits))
    ranked = {"cut": np.concatenate(distinct), "first_cut": np.array(first), "cut_rank": rank}
    # Ranks pay only where trees share cuts; else the cuts themselves are shorter.
    return ranked if sum(map(_n_bytes, ranked.values())) < _n_bytes(cut) else {}


def _n_bytes(array: NDArray[Any]) -> int:
    return narrowest(array).nbytes


def impurity_importances(trees: Iterable[Tree], criterion: str) -> NDArray[np.float64]:
    """Return the decrease of impurity by the tests on each column, averaged over the trees, as shares of the total.

    The impurity is the Gini index for ``"gini"`` and ``"twoing"``, else the entropy.

    Examples
    --------
    >>> from calibrant.trees import ProbabilityTreeClassifier
    >>> tree = ProbabilityTreeClassifier().fit([[1, 5], [2, 5], [3, 5], [4, 5]], ["a", "a", "b", "b"]).tree_
    >>> impurity_importances([tree], "entropy")
    array([1., 0.])
    """
    return _normalize(np.sum([_decreases(tree, criterion) for tree in trees], axis=0))


def _normalize(gains: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(gains / (gains.sum() or 1.0))


def _decreases(tree: Tree, criterion: str) -> NDArray[np.float64]:
    if criterion in ("gini", "twoing"):
        impurity = tree.weight - (tree.counts**2).sum(axis=1) / np.where(tree.weight > 0, tree.weight, 1.0)
    else:
        impurity = _x_log_x(tree.weight) - _x_log_x(tree.counts).sum(axis=1)
    # Impurities are weighted totals, so a node's decrease is its own minus those of its children.
    gain = impurity.copy()
    np.subtract.at(gain, tree.parent[1:], impurity[1:])
    inner = ~tree.is_leaf
    # Rows set aside by `honest` may raise the impurity; a column is not charged for that.
    gains = np.bincount(tree.feature[inner], np.maximum(gain[inner], 0.0), tree.n_features)
    return _normalize(gains.astype(np.float64))


def _x_log_x(x: NDArray[np.float64]) -> NDArray[np.float64]:
    return x * np.log2(np.where(x > 0, x, 1.0))


class Trees(Field):
    """A tuple of trees of the same columns and classes: at least one, or only one."""

    def __init__(self, *, only_one: bool = False) -> None:
        self.only_one = only_one

    def write(self, value: Any, out: Writer) -> dict[str, Any]:
        trees: Sequence[Tree] = tuple(value)
        if not trees:
            raise ModelFileError("has no trees: is it fitted?")
        first = trees[0]
        if any(tree.schema != first.schema or not np.array_equal(tree.classes, first.classes) for tree in trees):
            raise ModelFileError("has trees of different columns or classes")
        try:
            arrays = pack_trees(trees)
        except ValueError as error:
            raise ModelFileError(f"has a tree that cannot be packed: {error}") from None
        return {
            "schema": Object("data.Schema").write(first.schema, out),
            "classes": LabelArray().write(first.classes, out),
            "order": Array("i8").write(first.order, out),
            "arrays": {name: out.add_array(arrays[name]) for name in _TREE_ARRAYS if name in arrays},
        }

    def read(self, document: Any, source: Reader) -> tuple[Tree, ...]:
        if type(document) is not dict or document.keys() != {"schema", "classes", "order", "arrays"}:
            raise wrong("trees", document)
        named = document["arrays"]
        if type(named) is not dict or named.keys() | {"log_prior"} != set(_TREE_ARRAYS):
            raise wrong("the arrays of trees", named)
        arrays = {name: Array("u1 u2 u4 f4 f8").read(named[name], source) for name in named}
        classes, order = LabelArray().read(document["classes"], source), Array("i8").read(document["order"], source)
        check_order(order, len(classes))
        try:
            trees = unpack_trees(arrays, order, classes, Object("data.Schema").read(document["schema"], source))
        except ValueError as error:
            raise ModelFileError(f"holds no trees: {error}") from None
        if self.only_one and len(trees) != 1:
            raise ModelFileError("must hold one tree")
        return trees


def check_table(tree: Any, schema: Schema, classes: NDArray[Any]) -> None:
    """Raise unless a tree or training set of a file has these columns and classes."""
    same = tree.schema == schema and np.array_equal(tree.classes, classes)
    need(same, "has trees or rows of other columns or classes")


def check_order(order: NDArray[Any], n_classes: int) -> None:
    """Raise unless an order of classes is a permutation."""
    need(np.array_equal(np.sort(order), np.arange(n_classes)), "has an order of classes that is none")
