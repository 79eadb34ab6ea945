"""
The native core of calibrant; private, its interface may change at any time.
"""

from collections.abc import Sequence
import enum
from typing import Annotated, overload

import numpy
from numpy.typing import NDArray


class CodedTable:
    """Columns as small integers; immutable."""

    @property
    def n_rows(self) -> int: ...

    @property
    def n_columns(self) -> int: ...

    @property
    def n_bytes(self) -> int: ...

    def codes(self, index: int) -> object:
        """
        Return a view of the codes of a column: uint8, uint16 or uint32, the greatest for missing values.
        """

    def values(self, index: int) -> object:
        """
        Return the distinct values of a numeric column, ascending, or the greatest of each bin; None for a nominal one.
        """

    def lows(self, index: int) -> object:
        """
        Return the least value of each bin of a numeric column; None where each bin has one value.
        """

    @property
    def byte_matrix(self) -> object: ...

    def n_values(self, index: int) -> int: ...

    def n_missing(self, index: int) -> int: ...

def code_table(n_rows: int, columns: Sequence[Annotated[NDArray[numpy.float32], dict(shape=(None,), device='cpu', writable=False)] | Annotated[NDArray[numpy.float64], dict(shape=(None,), device='cpu', writable=False)] | tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,), device='cpu', writable=False)], int]], n_threads: int) -> CodedTable:
    """
    Return columns coded: float32 or float64 arrays for numbers, (int32 codes, n_categories) for nominal ones.
    """

def draws_too_few_to_code(n_rows: int, n_columns: int, max_features: int) -> bool:
    """
    Return whether trees that draw so many columns at a node grow faster from code_when_asked.
    """

def code_when_asked(matrix: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], n_threads: int) -> CodedTable:
    """
    Return a table that views a matrix with a row for each column: those of many values are coded when they are first asked for.
    """

def byte_table(matrix: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu', writable=False)], columns: Sequence[tuple[int, Annotated[NDArray[numpy.float64], dict(shape=(None,), device='cpu', writable=False)] | None, Annotated[NDArray[numpy.float64], dict(shape=(None,), device='cpu', writable=False)] | None]], n_threads: int = 1) -> CodedTable:
    """
    Return a table that views a matrix of codes, 255 where missing: (n_values, highs, lows) for each column, the greatest and least values of its bins, None for a nominal one.
    """

def code_bytes(columns: Sequence[Annotated[NDArray[numpy.float32], dict(shape=(None,), device='cpu', writable=False)] | Annotated[NDArray[numpy.float64], dict(shape=(None,), device='cpu', writable=False)] | tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,), device='cpu', writable=False)], int]], highs: Sequence[Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None], out: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu')], n_threads: int = 1) -> None:
    """
    Write the bin of each value, the first whose greatest value is not less, or its category code; 255 where missing.
    """

@overload
def values_at(column: Annotated[NDArray[numpy.float32], dict(shape=(None,), device='cpu', writable=False)], positions: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> object:
    """
    Return the values at ascending positions of the sorted column, missing ones left out, and the least greater value of each, NaN where there is none.
    """

@overload
def values_at(column: Annotated[NDArray[numpy.float64], dict(shape=(None,), device='cpu', writable=False)], positions: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> object: ...

@overload
def power_sums(values: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_classes: int, counts: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> list:
    """
    Return the exact sums of the finite values of each class: the exponent of their unit, and the words, the lowest first, of the sum of the positive values, of the negative ones, and of the squares.
    """

@overload
def power_sums(values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_classes: int, counts: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> list: ...

@overload
def add_normal_logs(values: Annotated[NDArray[numpy.float32], dict(shape=(None,), device='cpu', writable=False)], step: float, origin: float, floor: float, classes: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], output: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')]) -> None:
    """
    Add to output (classes x values) the log-probability of the grid unit of each finite value, for classes of rows (mean, deviation, and the coefficients of the powers 0 to 2 of the squared distance).
    """

@overload
def add_normal_logs(values: Annotated[NDArray[numpy.float64], dict(shape=(None,), device='cpu', writable=False)], step: float, origin: float, floor: float, classes: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], output: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')]) -> None: ...

def find_cells(values: Annotated[NDArray[numpy.float32], dict(shape=(None,), device='cpu', writable=False)] | Annotated[NDArray[numpy.float64], dict(shape=(None,), device='cpu', writable=False)], edges: Annotated[NDArray[numpy.float64], dict(shape=(None,), device='cpu', writable=False)], out: Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C', device='cpu')], n_threads: int = 1) -> None:
    """
    Write the number of edges that are less than each value, 65535 for NaN; edges are ascending.
    """

def take_table(table: CodedTable, rows: Annotated[NDArray[numpy.int64], dict(shape=(None,), device='cpu', writable=False)], collected: Sequence[bool], n_threads: int) -> tuple[CodedTable, list[list[int]]]:
    """
    Return the table of some rows, and the codes that the categories of each collected column had.
    """

def restore_table(n_rows: int, columns: Sequence[tuple[Annotated[NDArray[numpy.uint16], dict(shape=(None,), device='cpu', writable=False)] | Annotated[NDArray[numpy.uint32], dict(shape=(None,), device='cpu', writable=False)], int, Annotated[NDArray[numpy.float64], dict(shape=(None,), device='cpu', writable=False)] | None]], lows: Sequence[Annotated[NDArray[numpy.float64], dict(shape=(None,), device='cpu', writable=False)] | None] = []) -> CodedTable:
    """
    Return a table restored from (codes, n_values, values or None) for each column, and the least value of each bin of those in bins.
    """

class Criterion(enum.Enum):
    entropy = 0

    gini = 1

    dkm = 2

    hellinger = 3

    twoing = 4

    bayes = 5

    mml = 6

class NominalSplits(enum.Enum):
    multiway = 0

    subset = 1

    binary = 2

class MissingValues(enum.Enum):
    fractional = 0

    learned = 1

class Dialect(enum.Enum):
    c45 = 0

    j48 = 1

class GrowOptions:
    """Options of the growth of a tree."""

    def __init__(self) -> None: ...

    @property
    def criterion(self) -> Criterion: ...

    @criterion.setter
    def criterion(self, arg: Criterion, /) -> None: ...

    @property
    def ratio(self) -> bool: ...

    @ratio.setter
    def ratio(self, arg: bool, /) -> None: ...

    @property
    def nominal_splits(self) -> NominalSplits: ...

    @nominal_splits.setter
    def nominal_splits(self, arg: NominalSplits, /) -> None: ...

    @property
    def min_leaf(self) -> float: ...

    @min_leaf.setter
    def min_leaf(self, arg: float, /) -> None: ...

    @property
    def min_rows(self) -> float: ...

    @min_rows.setter
    def min_rows(self, arg: float, /) -> None: ...

    @property
    def c45_cuts(self) -> bool: ...

    @c45_cuts.setter
    def c45_cuts(self, arg: bool, /) -> None: ...

    @property
    def max_depth(self) -> int: ...

    @max_depth.setter
    def max_depth(self, arg: int, /) -> None: ...

    @property
    def midpoint(self) -> bool: ...

    @midpoint.setter
    def midpoint(self, arg: bool, /) -> None: ...

    @property
    def penalty(self) -> bool: ...

    @penalty.setter
    def penalty(self, arg: bool, /) -> None: ...

    @property
    def dialect(self) -> Dialect: ...

    @dialect.setter
    def dialect(self, arg: Dialect, /) -> None: ...

    @property
    def missing(self) -> MissingValues: ...

    @missing.setter
    def missing(self, arg: MissingValues, /) -> None: ...

    @property
    def accept_zero_gain(self) -> bool: ...

    @accept_zero_gain.setter
    def accept_zero_gain(self, arg: bool, /) -> None: ...

    @property
    def n_declared_classes(self) -> int: ...

    @n_declared_classes.setter
    def n_declared_classes(self, arg: int, /) -> None: ...

    @property
    def random_ties(self) -> bool: ...

    @random_ties.setter
    def random_ties(self, arg: bool, /) -> None: ...

    @property
    def seed(self) -> int: ...

    @seed.setter
    def seed(self, arg: int, /) -> None: ...

    @property
    def n_threads(self) -> int: ...

    @n_threads.setter
    def n_threads(self, arg: int, /) -> None: ...

    @property
    def max_features(self) -> int: ...

    @max_features.setter
    def max_features(self, arg: int, /) -> None: ...

    @property
    def redraw(self) -> bool: ...

    @redraw.setter
    def redraw(self, arg: bool, /) -> None: ...

    @property
    def most_counts(self) -> int: ...

    @most_counts.setter
    def most_counts(self, arg: int, /) -> None: ...

class PessimisticOptions:
    """Options of pruning by C4.5's error estimates."""

    def __init__(self) -> None: ...

    @property
    def confidence(self) -> float: ...

    @confidence.setter
    def confidence(self, arg: float, /) -> None: ...

    @property
    def z(self) -> float: ...

    @z.setter
    def z(self, arg: float, /) -> None: ...

    @property
    def raising(self) -> bool: ...

    @raising.setter
    def raising(self, arg: bool, /) -> None: ...

    @property
    def dialect(self) -> Dialect: ...

    @dialect.setter
    def dialect(self, arg: Dialect, /) -> None: ...

class CostComplexity:
    """The nested sequence of weakest-link pruning."""

    @property
    def node_alpha(self) -> object:
        """The alpha from which each node tests nothing."""

    @property
    def alphas(self) -> object:
        """Where the pruned tree changes, ascending from 0."""

    @property
    def n_leaves(self) -> object: ...

    @property
    def risks(self) -> object: ...

class Tree:
    """A grown tree, nodes in preorder."""

    @property
    def n_classes(self) -> int: ...

    @property
    def n_nodes(self) -> int: ...

    @property
    def parent(self) -> object: ...

    @property
    def feature(self) -> object: ...

    @property
    def threshold(self) -> object: ...

    @property
    def label(self) -> object: ...

    @property
    def weight(self) -> object: ...

    @property
    def counts(self) -> object: ...

    @property
    def first_child(self) -> object: ...

    @property
    def n_children(self) -> object: ...

    @property
    def children(self) -> object: ...

    @property
    def first_value(self) -> object: ...

    @property
    def n_values(self) -> object: ...

    @property
    def branch_of_value(self) -> object: ...

    @property
    def missing_branch(self) -> object: ...

    @property
    def log_prior(self) -> object:
        """Of each test; empty where all are 0."""

    @property
    def state(self) -> object:
        """Every array, as restore_tree takes them."""

def grow_tree(table: CodedTable, labels: Annotated[NDArray[numpy.uint16], dict(shape=(None,), device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), device='cpu', writable=False)] | None, n_classes: int, options: GrowOptions, cases: Annotated[NDArray[numpy.float64], dict(shape=(None,), device='cpu', writable=False)] | None = None) -> Tree:
    """
    Grow a tree from coded rows, their classes and their weights; cases: the number of cases of each row for J48's rule, default its weight.
    """

def grow_forest(table: CodedTable, labels: Annotated[NDArray[numpy.uint16], dict(shape=(None,), device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), device='cpu', writable=False)] | None, bags: Bags, first_tree: int, seeds: Sequence[int], n_classes: int, options: GrowOptions) -> list[Tree]:
    """
    Grow a tree for each seed, rows weighted by the number of times they are in its bag; the first has the bag of first_tree.
    """

def collapse_tree(tree: Tree) -> Tree:
    """
    Return the tree with every node made a leaf whose leaves make no fewer training errors.
    """

def extra_errors(weight: float, errors: float, options: PessimisticOptions) -> float:
    """Return the upper confidence limit of the errors, less the errors."""

def prune_pessimistic(tree: Tree, table: CodedTable, labels: Annotated[NDArray[numpy.uint16], dict(shape=(None,), device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), device='cpu', writable=False)] | None, options: PessimisticOptions) -> Tree:
    """
    Prune by C4.5's error estimates; the rows are those the tree was grown from.
    """

def prune_continuity(tree: Tree) -> Tree:
    """
    Prune where a leaf makes fewer errors than the leaves below and their standard error, half an error added for each leaf.
    """

def prune_marked(tree: Tree, is_leaf_now: Annotated[NDArray[numpy.bool_], dict(shape=(None,), device='cpu', writable=False)]) -> Tree:
    """Return the tree with the marked nodes made leaves."""

def prune_reduced_error(tree: Tree, holdout: Tree) -> Tree:
    """
    Prune where that makes no more errors on a holdout, passed as the same tree with its counts.
    """

def cost_complexity(tree: Tree) -> CostComplexity:
    """Return the nested sequence of weakest-link pruning."""

def prune_cost_complexity(tree: Tree, alpha: float) -> Tree:
    """Prune every link no stronger than alpha."""

def prune_to_leaves(tree: Tree, max_leaves: int) -> Tree:
    """
    Return the subtree of at most so many leaves that has the least log-loss on its own rows.
    """

def prune_mdl(tree: Tree, table: CodedTable) -> Tree:
    """Prune where a leaf is the shorter description."""

def predict_tree(tree: Tree, n_rows: int, columns: CodedTable | Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)] | Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)] | Sequence[Annotated[NDArray[numpy.float32], dict(shape=(None,), device='cpu', writable=False)] | Annotated[NDArray[numpy.float64], dict(shape=(None,), device='cpu', writable=False)] | Annotated[NDArray[numpy.int32], dict(shape=(None,), device='cpu', writable=False)]], tables: Sequence[Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]], outputs: Sequence[Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')]], n_threads: int) -> None:
    """
    Write the rows of tables, one row per node, at the leaves that the rows reach, in one descent.
    """

def apply_tree(tree: Tree, n_rows: int, columns: CodedTable | Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)] | Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)] | Sequence[Annotated[NDArray[numpy.float32], dict(shape=(None,), device='cpu', writable=False)] | Annotated[NDArray[numpy.float64], dict(shape=(None,), device='cpu', writable=False)] | Annotated[NDArray[numpy.int32], dict(shape=(None,), device='cpu', writable=False)]], n_threads: int) -> object:
    """Return the leaf of each row."""

def leaf_shares(tree: Tree, n_rows: int, columns: CodedTable | Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)] | Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)] | Sequence[Annotated[NDArray[numpy.float32], dict(shape=(None,), device='cpu', writable=False)] | Annotated[NDArray[numpy.float64], dict(shape=(None,), device='cpu', writable=False)] | Annotated[NDArray[numpy.int32], dict(shape=(None,), device='cpu', writable=False)]], wanted: Annotated[NDArray[numpy.bool_], dict(shape=(None,), device='cpu', writable=False)] | None, n_threads: int) -> object:
    """
    Return the leaves that rows reach: row, leaf and the share of the row, three arrays.
    """

def count_rows(tree: Tree, n_rows: int, columns: CodedTable | Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)] | Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)] | Sequence[Annotated[NDArray[numpy.float32], dict(shape=(None,), device='cpu', writable=False)] | Annotated[NDArray[numpy.float64], dict(shape=(None,), device='cpu', writable=False)] | Annotated[NDArray[numpy.int32], dict(shape=(None,), device='cpu', writable=False)]], labels: Annotated[NDArray[numpy.uint16], dict(shape=(None,), device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), device='cpu', writable=False)]) -> Tree:
    """Return the same tests with the counts of these rows at every node."""

def restore_tree(n_classes: int, state: tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,), device='cpu', writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), device='cpu', writable=False)], Annotated[NDArray[numpy.float64], dict(shape=(None,), device='cpu', writable=False)], Annotated[NDArray[numpy.uint32], dict(shape=(None,), device='cpu', writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), device='cpu', writable=False)], Annotated[NDArray[numpy.float64], dict(shape=(None,), device='cpu', writable=False)], Annotated[NDArray[numpy.float64], dict(shape=(None,), device='cpu', writable=False)], Annotated[NDArray[numpy.uint32], dict(shape=(None,), device='cpu', writable=False)], Annotated[NDArray[numpy.uint32], dict(shape=(None,), device='cpu', writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), device='cpu', writable=False)], Annotated[NDArray[numpy.uint32], dict(shape=(None,), device='cpu', writable=False)], Annotated[NDArray[numpy.uint32], dict(shape=(None,), device='cpu', writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), device='cpu', writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), device='cpu', writable=False)], Annotated[NDArray[numpy.float64], dict(shape=(None,), device='cpu', writable=False)]]) -> Tree:
    """Return a tree restored from its arrays."""

class PackedTrees:
    """Trees in few narrow arrays, as model files keep them."""

    @property
    def n_trees(self) -> int: ...

    def n_nodes(self, tree: int) -> int:
        """Return the number of nodes of a tree."""

    def unpack(self, tree: int, table: CodedTable | None) -> Tree:
        """
        Return a tree; with the table that it was grown from, it can predict its codes.
        """

def packed_trees(n_classes: int, n_categories: Sequence[int], arrays: Sequence[Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)] | Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C', device='cpu', writable=False)] | Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)] | Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)] | Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]]) -> PackedTrees:
    """Return packed trees after checking their arrays."""

def pack_trees(trees: Sequence[Tree], n_classes: int, n_categories: Sequence[int]) -> object:
    """
    Return the arrays of trees, not yet narrow; n_categories is 0 for a numeric column.
    """

class Bags:
    """The number of times that each row is drawn for each tree."""

    def count(self, tree: int, first: int, last: int) -> object:
        """
        Return the number of times that each row from first up to last is in the bag of a tree.
        """

    @property
    def n_rows(self) -> int:
        """Number of rows."""

def bags_of_all_rows(n_rows: int) -> Bags:
    """Return bags that hold every row once."""

def bags_from_counts(in_bag: Annotated[NDArray[numpy.uint16], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> Bags:
    """Return bags that were drawn elsewhere, trees x rows."""

def bootstrap_bags(seed: int, n_rows: int, n_units: Sequence[int], first_units: Sequence[int], labels: Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, groups: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None) -> Bags:
    """
    Return bags of rows drawn with replacement: from all rows, of which there are n_units anywhere and first_units before these; from those of each class by labels, n_units and first_units by class; or by groups, n_units of them.
    """

def subsample_bags(seed: int, n_rows: int, n_units: int, n_drawn: int, first_unit: int, groups: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None) -> Bags:
    """Return bags of n_drawn rows, or groups, drawn without replacement."""

def draw_by_weight(seed: int, n_draws: int, total: float, edges: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> object:
    """
    Return how many of so many random points of [0, total) lie in each interval between edges.
    """

class LevelTree:
    """The top of a tree, grown level by level from histograms."""

    def __init__(self, columns: CodedTable, counts: Annotated[NDArray[numpy.float64], dict(shape=(None,), device='cpu', writable=False)], options: GrowOptions, whole: tuple[int, int, float, float, bool, Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None], few_rows: float) -> None: ...

    def request(self) -> tuple[list[int], list[int], list[int], bool]:
        """Return the histograms needed next: nodes, columns, first, counts_rows."""

    def grow(self, cells: Annotated[NDArray[numpy.uint32], dict(shape=(None,), device='cpu', writable=False)] | Annotated[NDArray[numpy.float64], dict(shape=(None,), device='cpu', writable=False)], rows: Annotated[NDArray[numpy.uint32], dict(shape=(None,), device='cpu', writable=False)] | None) -> None:
        """
        Split the nodes of the last request by their histograms, added up over all parts.
        """

    @property
    def tree(self) -> Tree:
        """The tree so far, nodes in the order made."""

    @property
    def left(self) -> list[int]:
        """The nodes left to be grown from their rows."""

    def top_of(self, node: int) -> tuple[int, int, list[bool]]:
        """Return key, depth and used columns of a node left."""

    def weight_of(self, node: int) -> float:
        """Return the weight of a node."""

    def finished(self, subtrees: Sequence[Tree]) -> Tree:
        """Return the tree with the subtrees of the nodes left, in preorder."""

def part_totals(table: CodedTable, labels: Annotated[NDArray[numpy.uint16], dict(shape=(None,), device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), device='cpu', writable=False)] | None, n_classes: int) -> object:
    """
    Return class weights, number of rows, greatest weight, whether all are whole, and the codes present.
    """

def route_rows(tree: Tree, table: CodedTable, node_of_row: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')]) -> None:
    """
    Move each row of a table of bytes on to the leaf below its node; -1 stays, and is what becomes of a row that reaches several leaves.
    """

def count_level(table: CodedTable, labels: Annotated[NDArray[numpy.uint16], dict(shape=(None,), device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), device='cpu', writable=False)] | None, n_classes: int, node_of_row: Annotated[NDArray[numpy.int32], dict(shape=(None,), device='cpu', writable=False)], request: tuple[Sequence[int], Sequence[int], Sequence[int], bool], is_whole: bool) -> object:
    """
    Return the histograms of a request, and the rows of each value where requested.
    """

def grow_subtree(table: CodedTable, labels: Annotated[NDArray[numpy.uint16], dict(shape=(None,), device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), device='cpu', writable=False)] | None, n_classes: int, options: GrowOptions, whole: tuple[int, int, float, float, bool, Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None], top: tuple[int, int, Sequence[bool]]) -> Tree:
    """
    Grow the subtree of a node from its rows; whole: what it must know of the others.
    """

class Stop:
    """A request to stop the work that threads of Python started in the core."""

    def __init__(self) -> None: ...

    def watch(self) -> None:
        """Make the request stop the work of the calling thread."""

    def request(self) -> None:
        """Stop the work, and any that is started later."""

def permute_forest(trees: Sequence[Tree], tables: Sequence[Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]], table: CodedTable, bags: Bags, first_tree: int, columns: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], order: Annotated[NDArray[numpy.uint32], dict(shape=(None, None), order='C', device='cpu', writable=False)], changes: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], n_threads: int) -> None:
    """
    Add to changes (columns x rows, classes) how the trees' predictions of out-of-bag rows change when a column takes the values of the rows in order (columns x rows).
    """

class PackedForest:
    """Trees with their tables; immutable."""

    def __init__(self, trees: Sequence[Tree], tables: Sequence[Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]]) -> None: ...

    def sum(self, n_rows: int, columns: CodedTable | Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)] | Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)] | Sequence[Annotated[NDArray[numpy.float32], dict(shape=(None,), device='cpu', writable=False)] | Annotated[NDArray[numpy.float64], dict(shape=(None,), device='cpu', writable=False)] | Annotated[NDArray[numpy.int32], dict(shape=(None,), device='cpu', writable=False)]], output: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], n_threads: int) -> None:
        """Write the sum of the trees' tables at the leaves that the rows reach."""

def predict_lazy_trees(codes: Annotated[NDArray[numpy.uint32], dict(shape=(None, None), order='C', device='cpu', writable=False)], order: Annotated[NDArray[numpy.uint32], dict(shape=(None, None), order='C', device='cpu', writable=False)], is_nominal: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C', device='cpu', writable=False)], bags: Bags, n_bags: int, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, queries: Annotated[NDArray[numpy.uint32], dict(shape=(None, None), order='C', device='cpu', writable=False)], output: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], *, max_options: int, option_fraction: float, min_leaf: float, max_leaves: int, n_threads: int) -> None:
    """
    Write the class probabilities of coded queries; codes and order are columns x rows, the other tables rows first.
    """

class LeafPaths:
    """The leaves that rows reach in the trees of a forest."""

def leaf_paths_from_leaves(leaves: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> LeafPaths:
    """
    Return leaf paths from the leaves of rows, trees x rows; -1 where a tree is not used for a row.
    """

def leaf_paths_of_rows(trees: Sequence[Tree], n_rows: int, columns: CodedTable | Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)] | Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)] | Sequence[Annotated[NDArray[numpy.float32], dict(shape=(None,), device='cpu', writable=False)] | Annotated[NDArray[numpy.float64], dict(shape=(None,), device='cpu', writable=False)] | Annotated[NDArray[numpy.int32], dict(shape=(None,), device='cpu', writable=False)]]) -> LeafPaths:
    """Return the leaf paths of new rows, found whenever they are used."""

def leaf_paths_of_table(trees: Sequence[Tree], table: CodedTable, most_bytes: int, n_threads: int) -> LeafPaths:
    """
    Return the leaf paths of the table that the trees were grown from, stored as far as they fit into most_bytes.
    """

class BaggedRows:
    """The training rows of a forest."""

def bagged_rows(bags: Bags, classes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, n_classes: int, drawn_by_weight: bool, multiplicity: bool, groups: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, step: float) -> BaggedRows: ...

class Pooling:
    """Options of probabilities from counts."""

    def __init__(self, only: bool, alpha: float, by_bin: bool, floor: float, added: Sequence[float]) -> None: ...

    def alpha_of(self, inside: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], outside: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> float:
        """Return the weight of an out-of-bag row in a bin of these counts."""

def vote_forest(paths: LeafPaths, frequencies: Sequence[Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]], bags: Bags | None, n_threads: int) -> object:
    """
    Return the votes of the trees whose bag does not hold the row, and the class that wins, -1 without votes.
    """

def average_forest(paths: LeafPaths, voters: Sequence[Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]], levels: Sequence[Sequence[tuple[Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None, Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]]]], bags: Bags | None, n_threads: int) -> object:
    """
    Return the mean prediction of the trees by leaf and voted label, at the first level that has any.
    """

def count_leaves(paths: LeafPaths, first: int, n_nodes: Sequence[int], rows: BaggedRows, left_out: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, n_threads: int) -> object:
    """
    Return for some trees from `first` on, of so many nodes each, the class counts of the rows in and out of the bag at each node, those out of the bag unless they are left out.
    """

def count_cells(paths: LeafPaths, first: int, n_nodes: Sequence[int], rows: BaggedRows, labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_threads: int) -> object:
    """
    Return the same by leaf and label: the index of a cell, -1 for none, and the counts.
    """

def pool_nodes(leaves: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], parents: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], pooling: Pooling) -> object:
    """
    Return the pooled counts of every node of a tree from the counts of its leaves.
    """

def pool_bins(index: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], counts: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], pooling: Pooling) -> object:
    """
    Return the index of the prediction for a leaf and a label, and the predictions, from counts.
    """

def pool_leaves(paths: LeafPaths, parents: Sequence[Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]], rows: BaggedRows, left_out: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, pooling: Pooling, n_threads: int) -> object:
    """Return the pooled counts of every node, for each tree."""

def pool_cells(paths: LeafPaths, n_nodes: Sequence[int], rows: BaggedRows, labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], pooling: Pooling, n_threads: int) -> object:
    """
    Return for each tree the index of the prediction for a leaf and a label, and the predictions.
    """

def predict_leave_one_out(paths: LeafPaths, n_nodes: Sequence[int], rows: BaggedRows, pooling: Pooling, alphas: Sequence[float], n_threads: int, whole: Sequence[Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]] = []) -> object:
    """
    Return out-of-bag predictions by leaf, each row left out of its leaves, or the probabilities of its own class for each alpha; NaN where no tree has a prediction. `whole` has the counts of all rows, for each tree, where these are some of them.
    """

def predict_leave_one_out_by_label(paths: LeafPaths, n_nodes: Sequence[int], rows: BaggedRows, frequencies: Sequence[Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]], pooling: Pooling, alphas: Sequence[float], max_neighbors: int, n_threads: int) -> object:
    """
    Return out-of-bag predictions by leaf and label from the trees grown without each row; NaN where there is none.
    """

class StumpCriterion(enum.Enum):
    entropy = 0

    gain_ratio = 1

    gini = 2

    dkm = 3

    twoing = 4

class Stump:
    """
    A test with three branches: up to a threshold or of a category, the rest, missing values.
    """

    @property
    def column(self) -> int:
        """The column tested, -1 for none."""

    @property
    def code(self) -> int:
        """The greatest code of the first branch, or its category."""

    @property
    def threshold(self) -> float: ...

    @property
    def gain(self) -> float: ...

    @property
    def counts(self) -> object:
        """Class weights of the branches."""

class StumpSearch:
    """A search for the best test of a table under any weights of its rows."""

    def best(self, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Stump:
        """Return the best test, the first of equals."""

    def reweight(self, stump: Stump, factors: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> None:
        """
        Multiply the weights, in place, by the factors of branches and classes.
        """

def stump_search(table: CodedTable, labels: Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C', device='cpu', writable=False)], n_classes: int, criterion: StumpCriterion, n_threads: int) -> StumpSearch:
    """
    Return a search with the rows of every column sorted, once for all rounds.
    """

class GradientOptions:
    """Options of gradient boosting."""

    def __init__(self) -> None: ...

    @property
    def rate(self) -> float: ...

    @rate.setter
    def rate(self, arg: float, /) -> None: ...

    @property
    def max_rounds(self) -> int: ...

    @max_rounds.setter
    def max_rounds(self, arg: int, /) -> None: ...

    @property
    def patience(self) -> int: ...

    @patience.setter
    def patience(self, arg: int, /) -> None: ...

    @property
    def max_leaves(self) -> int: ...

    @max_leaves.setter
    def max_leaves(self, arg: int, /) -> None: ...

    @property
    def max_depth(self) -> int: ...

    @max_depth.setter
    def max_depth(self, arg: int, /) -> None: ...

    @property
    def l2(self) -> float: ...

    @l2.setter
    def l2(self, arg: float, /) -> None: ...

    @property
    def min_leaf(self) -> float: ...

    @min_leaf.setter
    def min_leaf(self, arg: float, /) -> None: ...

    @property
    def min_hessian(self) -> float: ...

    @min_hessian.setter
    def min_hessian(self, arg: float, /) -> None: ...

    @property
    def column_share(self) -> float: ...

    @column_share.setter
    def column_share(self, arg: float, /) -> None: ...

    @property
    def node_share(self) -> float: ...

    @node_share.setter
    def node_share(self, arg: float, /) -> None: ...

    @property
    def row_share(self) -> float: ...

    @row_share.setter
    def row_share(self, arg: float, /) -> None: ...

    @property
    def category_smoothing(self) -> float: ...

    @category_smoothing.setter
    def category_smoothing(self, arg: float, /) -> None: ...

    @property
    def category_l2(self) -> float: ...

    @category_l2.setter
    def category_l2(self, arg: float, /) -> None: ...

    @property
    def category_support(self) -> float: ...

    @category_support.setter
    def category_support(self, arg: float, /) -> None: ...

    @property
    def max_categories(self) -> int: ...

    @max_categories.setter
    def max_categories(self, arg: int, /) -> None: ...

    @property
    def max_bins(self) -> int: ...

    @max_bins.setter
    def max_bins(self, arg: int, /) -> None: ...

class GradientFolds:
    """The gradient-boosted models of all folds."""

    @property
    def n_rounds(self) -> object: ...

    def predict_proba(self, n_rows: int, columns: CodedTable | Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)] | Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)] | Sequence[Annotated[NDArray[numpy.float32], dict(shape=(None,), device='cpu', writable=False)] | Annotated[NDArray[numpy.float64], dict(shape=(None,), device='cpu', writable=False)] | Annotated[NDArray[numpy.int32], dict(shape=(None,), device='cpu', writable=False)]], by_scores: bool, out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], n_threads: int) -> None:
        """Write the class probabilities of rows, in the order of the labels."""

    def __getstate__(self) -> tuple: ...

    def __setstate__(self, arg: tuple[int, tuple[Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]], tuple[Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order='C', device='cpu', writable=False)]], Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)]], /) -> None: ...

def fit_gradient_folds(table: CodedTable, labels: Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, folds: Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C', device='cpu', writable=False)], n_classes: int, options: GradientOptions, seeds: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], held_out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], n_threads: int) -> GradientFolds:
    """
    Fit a model for each fold, stopped early by the next one; write the probabilities of held-out rows.
    """

class IsotonicFit:
    """
    Blocks of neighbouring scores that share a probability, and the ranking by scores and by probabilities.
    """

    @property
    def first(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """The least score of each block."""

    @property
    def last(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """The greatest score of each block."""

    @property
    def centre(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """The weighted mean score of each block."""

    @property
    def probability(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

    @property
    def auc_before(self) -> float: ...

    @property
    def auc_after(self) -> float: ...

    @property
    def pairs_before(self) -> float:
        """Weight of the pairs of rows with different scores."""

    @property
    def pairs_after(self) -> float:
        """Weight of those with different probabilities."""

def fit_isotonic(scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], positive: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, smooth_ends: bool, centred: bool, n_threads: int) -> IsotonicFit:
    """Fit isotonic regression: pool equal scores, then adjacent violators."""

def pool_ties(scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], positive: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, n_threads: int) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]:
    """
    Return the distinct scores, ascending, with the weight of their rows and of the positive ones among them.
    """

class ScoreBins:
    """Scores in bins, with the weight of their rows."""

    @property
    def below(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """The last score of each bin but the last, or its upper edge."""

    @property
    def above(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """The first score of each bin but the first, or its lower edge."""

    @property
    def weight(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

    @property
    def positive(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """The weight of the positive rows of each bin."""

def count_bins(scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], positive: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, n_bins: int, n_threads: int) -> ScoreBins:
    """
    Return bins of about equal weight: each is closed once it holds its share and the score changes.
    """

def width_bins(scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], positive: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, n_bins: int, low: float, high: float) -> ScoreBins:
    """Return bins of equal width from low to high."""

def logistic_sums(columns: Sequence[Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]], scale: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], shift: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], positive: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, low: float, high: float, coef: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_threads: int) -> tuple[float, Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None, None))]]:
    """
    Return the cross-entropy at some coefficients of columns * scale - shift, the intercept last, with its gradient and its Hessian.
    """

def piece_sums(offsets: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], targets: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], bounds: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], cubics: Annotated[NDArray[numpy.float64], dict(shape=(None, 4), order='C', device='cpu', writable=False)], n_threads: int) -> tuple[float, Annotated[NDArray[numpy.float64], dict(shape=(None, None))], Annotated[NDArray[numpy.float64], dict(shape=(None, None))]]:
    """
    Return the cross-entropy of log-odds that are cubic in each piece of the rows, and for each piece the moments of its derivatives.
    """

def logs(proba: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], least: float) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
    """Return ln p, p clipped to least or more."""

def logits(proba: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], least: float) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
    """Return ln(p / (1 - p)), p clipped to [least, 1 - least]."""

def venn_abers(weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], positive: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], if_negative: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], if_positive: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> None:
    """
    Write p0 and p1 at each position among distinct ascending scores, from the weight at each and that of its positive rows.
    """

class ResampledRows:
    """Rows in memory of Python, and what replicates compute of them."""

    def __init__(self, *, n_rows: int, row_unit: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, row_weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, values: Sequence[Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]], cells: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, n_cells: int, rankings: Sequence[tuple[Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]]]) -> None: ...

N_RANK_MEASURES: int = 8

def resample(rows: ResampledRows, *, stratum_ends: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], unit_weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, seed: int, blocks: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, counts: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, first: int, n_replicates: int, everything: bool, top_share: float, n_threads: int, out: tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]]) -> None:
    """
    Write the weight, value sums, cells and rank measures of replicates from `first` on, drawn or with a block left out.
    """

def area_variance(scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], positive: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, n_threads: int) -> tuple[float, float, float, float, float]:
    """
    Return the area under the ROC curve, its variance due to positive and to negative rows, and the weight of either class.
    """

class Ranking:
    """Rows of two classes sorted by probability, the likeliest first."""

    def __init__(self, proba: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], positive: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, n_threads: int) -> None: ...

    @property
    def weight(self) -> float:
        """The weight of all rows."""

    @property
    def positive(self) -> float:
        """The weight of the positive rows."""

    def groups(self) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]:
        """
        Return the distinct probabilities, the highest first, with the weight of their rows and of the positive ones.
        """

    def auc(self) -> float:
        """Return the share of pairs in the right order, half of those tied."""

    def average_precision(self) -> float:
        """Return the mean precision at the positive rows."""

    def precision_area(self, straight: bool) -> float:
        """Return the area under precision against recall."""

    def greatest_gap(self) -> float:
        """
        Return the greatest difference between the shares of both classes ranked as high.
        """

    def mean_lift(self, of_other: bool) -> float:
        """Return the mean lift over all ranks."""

    def found_within(self, depths: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], of_other: bool) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """
        Return the positives expected among the first rows, for ascending weights of them.
        """

    def precision_at(self, recalls: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """Return the greatest precision at ascending recalls or beyond."""

    def window_calibration(self, width: float) -> float:
        """Return the mean calibration error in windows of neighbouring ranks."""

    def mass_bins(self, n_bins: int) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]:
        """
        Return weight, weight of positives and sum of probabilities in bins of about equal weight, the lowest first.
        """

    def isotonic_gap(self) -> float:
        """
        Return the mean difference, in absolute value, from the probabilities of isotonic regression.
        """

    def hull(self) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]:
        """
        Return weight, weight of positives and sum of probabilities in the blocks of isotonic regression, the highest first.
        """

def squared_errors(proba: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], positive: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, n_threads: int) -> float:
    """Return the sum of the squared errors of the positive class."""

def squared_errors_of_classes(proba: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, own_only: bool, n_threads: int) -> float:
    """
    Return the sum of the squared errors of all classes, or of each row's actual class.
    """

def log_loss_sums(proba: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], positive: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, least: float, n_threads: int) -> tuple[float, float, float]:
    """
    Return the sum of -ln p of each row's actual class where p is between 0 and 1, and the weight of the rows where p is 0 and where it is 1.
    """

def log_loss_sums_of_classes(proba: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, least: float, n_threads: int) -> tuple[float, float, float]:
    """Sum -ln p as log_loss_sums does, for several classes."""

def width_sums(proba: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], positive: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, n_bins: int, n_threads: int) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]:
    """
    Return weight, weight of positives and sum of probabilities in bins of equal width from 0 to 1.
    """
