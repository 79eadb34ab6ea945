"""Growing trees from coded rows: the options of the core, one tree at a time or many in one call."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from calibrant import _core
from calibrant._random import stream_seed
from calibrant._threads import n_threads
from calibrant.exceptions import ParameterError
from calibrant.trees._growing.memory import WHOLE_BUDGET, MemoryBudget, limit_memory
from calibrant.trees._pruning.prune import prune
from calibrant.trees._tree import Tree
from calibrant.trees._tree_params import CRITERIA, TreeParams

if TYPE_CHECKING:
    from calibrant.trees._growing.examples import Examples
    from calibrant.trees._growing.row_subsets import RowSubsets

__all__ = ["grow", "grow_options", "grow_unpruned", "tie_seed"]

_TIES = 0  # key of the random stream of one fit


def grow(
    examples: Examples,
    subsets: RowSubsets,
    params: TreeParams,
    seed: np.random.SeedSequence,
    max_features: int = 0,
    budget: MemoryBudget = WHOLE_BUDGET,
) -> Tree:
    """Grow a tree on the rows that are not set aside, prune it, and recount its nodes where rows are set aside for it.

    Examples
    --------
    >>> from calibrant.trees import ProbabilityTreeClassifier
    >>> from calibrant.trees._growing.row_subsets import RowSubsets
    >>> from calibrant.trees._growing.training_data import read_training
    >>> from calibrant.trees._growing.examples import Examples
    >>> examples = Examples.code(read_training([[1], [2], [3], [4]], ["a", "a", "b", "b"]))
    >>> grow(examples, RowSubsets(), ProbabilityTreeClassifier(), np.random.SeedSequence(0))
    <Tree: 3 nodes, 2 leaves, depth 1, 2 classes>
    """
    weights = examples.weights if subsets.grow is None else examples.weights_of(subsets.grow)
    options = grow_options(params, examples.n_declared, max_features)
    options.seed = tie_seed(seed)
    with limit_memory(examples, options, budget):
        core = _core.grow_tree(
            examples.table.core, examples.labels, weights, len(examples.classes), options, examples.cases
        )
    core = prune(core, examples, subsets, params)
    if subsets.count is not None:
        core = _core.count_rows(
            core, examples.n_rows, examples.table.core, examples.labels, examples.weights_of(subsets.count)
        )
    return Tree(core, examples.order, examples.classes, examples.table.schema)


def grow_unpruned(
    examples: Examples,
    bags: _core.Bags,
    params: TreeParams,
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
    >>> from calibrant.trees._growing.training_data import read_training
    >>> from calibrant.trees._growing.examples import Examples
    >>> examples = Examples.code(read_training([[1], [2], [3], [4]], ["a", "a", "b", "b"]))
    >>> row_counts = np.array([[1, 1, 1, 1], [2, 2, 0, 0]], dtype=np.uint16)
    >>> bags = _core.bags_from_counts(row_counts)
    >>> [tree.n_nodes for tree in grow_unpruned(examples, bags, ProbabilityTreeClassifier(), [0, 1], n_jobs=1)]
    [3, 1]
    """
    options = grow_options(params, examples.n_declared, max_features)
    options.n_threads = n_threads(n_jobs)
    with limit_memory(examples, options, MemoryBudget(len(tie_seeds), held_bytes)):
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
    return [Tree(core, examples.order, examples.classes, examples.table.schema) for core in cores]


def tie_seed(seed: np.random.SeedSequence) -> int:
    """Return the number that seeds random ties between tests."""
    return stream_seed(seed, _TIES)


def grow_options(params: TreeParams, n_declared: int, max_features: int = 0) -> _core.GrowOptions:
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
    options.penalty = bool(params.mdl_penalty) and criterion.in_bits
    options.min_leaf = float(params.min_leaf)
    if getattr(params, "weight_kind", "frequency") == "probability":
        options.min_rows = options.min_leaf
    options.c45_cuts = params.min_cut == "c45"
    options.max_depth = params.max_depth or 0
    options.midpoint = params.threshold == "midpoint"
    options.dialect = _core.Dialect[params.dialect]
    options.missing = _core.MissingValues[getattr(params, "missing", "fractional")]  # older pickles have none
    options.accept_zero_gain = _accepts_zero_gain(params)
    options.n_declared_classes = n_declared
    options.n_threads = n_threads(params.n_jobs)
    options.random_ties = params.tie_break == "random"
    options.nominal_splits = _core.NominalSplits[params.nominal_splits]
    options.max_features = max_features
    options.redraw = bool(getattr(params, "redraw", True))
    return options


def _check_criterion(params: TreeParams) -> None:
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
    if getattr(params, "missing", "fractional") == "learned":
        raise ParameterError(
            f"missing must be 'fractional' with criterion={params.criterion!r}, which averages over cuts that send "
            "missing values to all branches; got 'learned'."
        )


def _accepts_zero_gain(params: TreeParams) -> bool:
    if params.accept_zero_gain is None:
        return params.dialect == "c45" and CRITERIA[params.criterion].in_bits
    return bool(params.accept_zero_gain)
