"""Growing trees from coded rows: options of the core, rows set aside, memory limits, pruning, one tree or many."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from calibrant import _core
from calibrant._folds import count_by_group, deal_groups
from calibrant._memory import FLOAT_BYTES, check_count_memory, count_memory, format_bytes, table_too_large
from calibrant._random import stream, stream_seed
from calibrant._threads import n_threads
from calibrant.estimates._internal import leaves_of_most_probable
from calibrant.exceptions import DataError, ParameterError
from calibrant.trees._growing.training_set import TrainingSet
from calibrant.trees._tree import Tree
from calibrant.trees._tree_params import CRITERIA, TreeParamsMixin

# Quinlan's table: the deviate is interpolated between these confidences (C4.5 Release 8, stats.c).
_CONFIDENCES = (0.0, 0.001, 0.005, 0.01, 0.05, 0.10, 0.20, 0.40, 1.00)
_DEVIATES = (4.0, 3.09, 2.58, 2.33, 1.65, 1.28, 0.84, 0.25, 0.00)


def prune(tree: _core.Tree, examples: TrainingSet, subsets: RowSubsets, params: TreeParamsMixin) -> _core.Tree:
    """Collapse and prune a tree as the parameters specify."""
    # C4.5 collapses while it grows, so collapsing comes before any pruning.
    if params.collapse:
        tree = _core.collapse_tree(tree)
    if params.prune == "pessimistic":
        options = _options(params.confidence, params.dialect, raising=bool(params.subtree_raising))
        # Pruning sends the growing rows down again: rows set aside to count must not choose the pruned tree either.
        weights = examples.weights_of(subsets.grow)
        tree = _core.prune_pessimistic(tree, examples.table.core, examples.labels, weights, options)
    elif params.prune == "reduced_error":
        tree = _core.prune_reduced_error(tree, examples.counted_in(tree, subsets.prune))
    elif params.prune == "cost_complexity":
        tree = _core.prune_cost_complexity(tree, float(params.ccp_alpha))
    elif params.prune == "mdl":
        tree = _core.prune_mdl(tree, examples.table.core)
    elif params.prune == "continuity":
        tree = _core.prune_continuity(tree)
    elif params.prune == "map":
        # The most probable subtree is searched under the prior that grew the tree, Wallace's where it has none.
        prior = CRITERIA[params.criterion].prior or "wallace"
        tree = _core.prune_marked(tree, leaves_of_most_probable(examples.tree(tree), prior=prior))
    return tree


def deviate(confidence: float, dialect: str) -> float:
    """Return the normal deviate of a confidence: from Quinlan's table (C4.5) or exact (J48, at most 0.5).

    Examples
    --------
    >>> round(deviate(0.25, "c45"), 4), round(deviate(0.25, "j48"), 4)
    (0.6925, 0.6745)
    """
    if dialect == "c45":
        return float(np.interp(confidence, _CONFIDENCES, _DEVIATES))
    if confidence > 0.5:
        raise ParameterError(f"confidence must be a number in (0, 0.5] with dialect='j48'; got {confidence!r}.")
    from scipy.stats import norm

    return float(norm.isf(float(np.float32(confidence))))  # Weka keeps the confidence in single precision


def extra_errors(n: float, errors: float, confidence: float) -> float:
    """Return C4.5's pessimistic addition to the errors of a leaf of n cases (Release 8, stats.c).

    Examples
    --------
    >>> round(extra_errors(2, 0, 0.25), 3), round(extra_errors(10, 1, 0.25), 3)
    (1.0, 1.441)
    """
    return _core.extra_errors(n, errors, _options(confidence, "c45"))


def _options(confidence: float, dialect: str, *, raising: bool = True) -> _core.PessimisticOptions:
    options = _core.PessimisticOptions()
    options.confidence = float(confidence)
    options.z = deviate(confidence, dialect)
    options.raising = raising
    options.dialect = _core.Dialect[dialect]
    return options


_TOO_MANY_COUNTS = "class counts of all nodes"  # of the core's message; other allocations have none
_MAX_KEYS = 2**32  # the core sorts a value and a class as one 32-bit key; columns beyond that are counted in a table


@contextmanager
def _limited_memory(
    examples: TrainingSet, options: _core.GrowOptions, n_trees: int = 1, held_bytes: int = 0
) -> Iterator[None]:
    """Limit the class counts that the core may allocate; raise if a column or the nodes need more.

    Trees that are grown at once share what is left by the counts that other trees already hold.
    """
    max_bytes = count_memory()
    options.most_counts = max(0, max_bytes - held_bytes) // FLOAT_BYTES // n_trees
    n_classes = len(examples.classes)
    table = examples.table
    # The bits of a value and of a class, with one for missing values: the layout of the core's keys
    most_sorted = (_MAX_KEYS >> (n_classes - 1).bit_length() + 1) - 1
    are_sorted = table.n_rows <= most_sorted  # whatever the values of a numeric column
    for index, feature in enumerate(table.schema.features):
        if feature.kind == "numeric" and are_sorted:
            continue
        n_values = table.core.n_values(index)
        if feature.kind != "numeric" or n_values > most_sorted:  # counted in a table of values x classes by each thread
            check_count_memory(feature.name, n_values, n_classes, max_bytes, options.n_threads)
    try:
        yield
    except MemoryError as error:
        if _TOO_MANY_COUNTS not in str(error):
            if examples.is_binned:
                raise
            raise table_too_large(examples.n_rows, examples.table.n_columns) from None
        what = "a smaller tree" if n_trees == 1 and held_bytes == 0 else "smaller trees, or grow fewer of them"
        raise DataError(
            f"y has {n_classes:,} classes, and the class counts of all nodes take more than the "
            f"{format_bytes(max_bytes)} available for them. Group rare classes, or raise min_leaf or set max_depth "
            f"for {what}."
        ) from error


_TIES = 0  # key of the random stream of one fit


def grow(
    examples: TrainingSet,
    subsets: RowSubsets,
    params: TreeParamsMixin,
    seed: np.random.SeedSequence,
    max_features: int = 0,
    n_concurrent: int = 1,
    held_bytes: int = 0,
) -> Tree:
    """Grow a tree on the rows that are not set aside, prune it, and recount its nodes where rows are set aside for it.

    Examples
    --------
    >>> from calibrant.trees import ProbabilityTreeClassifier
    >>> from calibrant.trees._growing.grow import RowSubsets
    >>> from calibrant.data._internal import read_training_rows
    >>> from calibrant.trees._growing.training_set import TrainingSet
    >>> examples = TrainingSet.of(read_training_rows([[1], [2], [3], [4]], ["a", "a", "b", "b"]))
    >>> grow(examples, RowSubsets(), ProbabilityTreeClassifier(), np.random.SeedSequence(0))
    <Tree: 3 nodes, 2 leaves, depth 1, 2 classes>
    """
    options, weights = grow_options(params, examples.n_declared, max_features), examples.weights_of(subsets.grow)
    options.seed = tie_seed(seed)
    with _limited_memory(examples, options, n_concurrent, held_bytes):
        core = _core.grow_tree(
            examples.table.core, examples.labels, weights, len(examples.classes), options, examples.cases
        )
    # Pruned by the growing rows first: counts of an honest tree come from rows that chose neither tests nor size.
    core = prune(core, examples, subsets, params)
    if subsets.count is not None:
        core = examples.counted_in(core, subsets.count)
    return examples.tree(core)


def grow_unpruned(
    examples: TrainingSet,
    bags: _core.Bags,
    params: TreeParamsMixin,
    tie_seeds: Sequence[int],
    *,
    first_tree: int = 0,
    n_jobs: int | None,
    max_features: int = 0,
    held_bytes: int = 0,
) -> list[Tree]:
    """Grow a tree for each seed in one call of the core, which threads share; the first has the bag of `first_tree`.

    Examples
    --------
    >>> from calibrant.trees import ProbabilityTreeClassifier
    >>> from calibrant.data._internal import read_training_rows
    >>> from calibrant.trees._growing.training_set import TrainingSet
    >>> examples = TrainingSet.of(read_training_rows([[1], [2], [3], [4]], ["a", "a", "b", "b"]))
    >>> row_counts = np.array([[1, 1, 1, 1], [2, 2, 0, 0]], dtype=np.uint16)
    >>> bags = _core.bags_from_counts(row_counts)
    >>> [tree.n_nodes for tree in grow_unpruned(examples, bags, ProbabilityTreeClassifier(), [0, 1], n_jobs=1)]
    [3, 1]
    """
    options = grow_options(params, examples.n_declared, max_features)
    options.n_threads = n_threads(n_jobs)
    with _limited_memory(examples, options, len(tie_seeds), held_bytes):
        cores = _core.grow_forest(
            examples.table.core,
            examples.labels,
            examples.weights,
            bags,
            first_tree,
            list(tie_seeds),
            len(examples.classes),
            options,
        )
    return [examples.tree(core) for core in cores]


def tie_seed(seed: np.random.SeedSequence) -> int:
    """Return the number that seeds random ties between tests."""
    return stream_seed(seed, _TIES)


def grow_options(params: TreeParamsMixin, n_declared: int, max_features: int = 0) -> _core.GrowOptions:
    """Return the core's options; ``max_features`` columns are drawn at each node, 0 for all of them.

    Examples
    --------
    >>> from calibrant.trees import ProbabilityTreeClassifier
    >>> grow_options(ProbabilityTreeClassifier(min_leaf=3), 2).min_leaf
    3.0
    """
    _check_criterion(params)
    criterion = CRITERIA[params.criterion]
    options = _core.GrowOptions()
    options.criterion = criterion.core
    options.ratio = criterion.is_ratio
    # Quinlan's penalty is a number of bits, which has no meaning for other impurities (ALGORITHMS.md 2.7).
    options.penalty = bool(params.mdl_penalty) and criterion.in_bits
    options.min_leaf = float(params.min_leaf)
    # A row that represents many cases is still one observation, so weight alone does not make a leaf large enough.
    if getattr(params, "weight_kind", "frequency") == "probability":
        options.min_rows = options.min_leaf
    options.c45_cuts = params.min_cut == "c45"
    options.max_depth = params.max_depth or 0
    options.midpoint = params.threshold == "midpoint"
    options.dialect = _core.Dialect[params.dialect]
    options.missing = _core.MissingValues[params.missing]
    # C4.5 starts its search at -EPS, so a gain of 0 is accepted; J48 demands more than 0 (ALGORITHMS.md 1.2).
    of_dialect = params.dialect == "c45" and criterion.in_bits
    options.accept_zero_gain = of_dialect if params.accept_zero_gain is None else bool(params.accept_zero_gain)
    options.n_declared_classes = n_declared
    options.n_threads = n_threads(params.n_jobs)
    options.random_ties = params.tie_break == "random"
    options.nominal_splits = _core.NominalSplits[params.nominal_splits]
    options.max_features = max_features
    options.redraw = bool(getattr(params, "redraw", True))
    return options


def _check_criterion(params: TreeParamsMixin) -> None:
    """Raise if the criterion is not defined for the requested tests."""
    if params.criterion == "twoing" and params.nominal_splits == "subset":
        raise ParameterError(
            "nominal_splits must be 'multiway' or 'binary' with criterion='twoing', which compares two branches; got "
            "'subset'. Both split one category from the rest."
        )
    if CRITERIA[params.criterion].prior is None:
        return
    if params.nominal_splits == "subset":
        raise ParameterError(
            f"nominal_splits must be 'multiway' or 'binary' with criterion={params.criterion!r}, which has no prior "
            "probabilities of groups; got 'subset'."
        )
    if params.missing == "learned":
        raise ParameterError(
            f"missing must be 'fractional' with criterion={params.criterion!r}, which averages over cuts that send "
            "missing values to all branches; got 'learned'."
        )


# Keys of the random streams of one fit.
_HONEST, _HOLDOUT = 1, 2


@dataclass(frozen=True)
class RowSubsets:
    """The rows that grow the tree, those that prune it and those counted in its leaves; None where not set aside."""

    grow: NDArray[np.bool_] | None = None
    prune: NDArray[np.bool_] | None = None
    count: NDArray[np.bool_] | None = None

    def within(self, rows: NDArray[np.bool_]) -> RowSubsets:
        """Return the subsets restricted to some of the rows."""
        return RowSubsets(
            rows if self.grow is None else self.grow & rows,
            None if self.prune is None else self.prune & rows,
            None if self.count is None else self.count & rows,
        )


def draw_row_subsets(examples: TrainingSet, params: TreeParamsMixin, seed: np.random.SeedSequence) -> RowSubsets:
    """Draw the rows that do not grow the tree, stratified by class."""
    if not params.honest and params.prune != "reduced_error":
        return RowSubsets()
    grow, prune, count = np.ones(examples.n_rows, dtype=np.bool_), None, None
    if params.honest:
        # Streams have keys of their own, so that switching one subset on does not change the draw of the other.
        count = _one_in(2, grow, examples, stream(seed, _HONEST))
        _require_rows(count, "honest=True grows on one half of the rows and counts on the other", 2)
        grow = grow & ~count
    if params.prune == "reduced_error":
        prune = _one_in(3, grow, examples, stream(seed, _HOLDOUT))
        _require_rows(prune, "prune='reduced_error' sets a third of the growing rows aside", 5 if params.honest else 3)
        grow = grow & ~prune
    return RowSubsets(grow, prune, count)


def _one_in(n: int, rows: NDArray[np.bool_], examples: TrainingSet, random: np.random.Generator) -> NDArray[np.bool_]:
    """Draw one in n of the rows: shuffled, sorted by class, then every n-th; or about as many in whole groups."""
    if examples.groups is not None:
        counts = count_by_group(examples.groups, examples.labels, rows.astype(np.float64))
        return np.asarray(rows & (deal_groups(counts, np.array([n - 1.0, 1.0]), random)[examples.groups] == 1))
    shuffled = random.permutation(np.flatnonzero(rows))
    # Every n-th row of the rows sorted by class is stratified; the shuffle before decides which ones.
    by_class = shuffled[np.argsort(examples.labels[shuffled], kind="stable")]
    chosen = np.zeros_like(rows)
    chosen[by_class[n - 1 :: n]] = True
    return chosen


def _require_rows(chosen: NDArray[np.bool_], why: str, minimum: int) -> None:
    if not chosen.any():
        raise DataError(f"X has {len(chosen)} row(s) of weight > 0; {why} and needs at least {minimum}.")
