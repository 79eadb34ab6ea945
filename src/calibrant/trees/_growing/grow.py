"""From coded rows to a grown tree: the options of the core, and the counts of an honest tree."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from calibrant import _core
from calibrant._random import stream_seed
from calibrant._threads import n_threads
from calibrant.trees._growing.memory import ALONE, Among, enough_memory
from calibrant.trees._pruning.prune import prune
from calibrant.trees._tree import Tree
from calibrant.trees._tree_params import CRITERIA, TreeParams

if TYPE_CHECKING:
    from calibrant.trees._growing.examples import Examples
    from calibrant.trees._growing.row_subsets import Parts

__all__ = ["grow", "grow_options"]

TIE_STREAM = 0  # where the stream of one fit is used


def grow(
    examples: Examples,
    parts: Parts,
    params: TreeParams,
    seed: np.random.SeedSequence,
    max_features: int = 0,
    among: Among = ALONE,
) -> Tree:
    """Grow a tree on the rows that are not set aside, cut it back, and count it anew where rows are set aside for that.

    Examples
    --------
    >>> from calibrant.trees import ProbabilityTreeClassifier
    >>> from calibrant.trees._growing.row_subsets import Parts
    >>> from calibrant.trees._growing.training_data import read_training
    >>> from calibrant.trees._growing.examples import Examples
    >>> examples = Examples.code(read_training([[1], [2], [3], [4]], ["a", "a", "b", "b"]))
    >>> grow(examples, Parts(), ProbabilityTreeClassifier(), np.random.SeedSequence(0))
    <Tree: 3 nodes, 2 leaves, depth 1, 2 classes>
    """
    weights = examples.weights if parts.grow is None else examples.weights_of(parts.grow)
    options = grow_options(params, examples.n_declared, max_features)
    options.seed = stream_seed(seed, TIE_STREAM)
    with enough_memory(examples, options, among):
        core = _core.grow_tree(
            examples.table.core, examples.labels, weights, len(examples.classes), options, examples.cases
        )
    core = prune(core, examples, parts, params)
    if parts.count is not None:
        core = _core.count_rows(
            core, examples.n_rows, examples.table.core, examples.labels, examples.weights_of(parts.count)
        )
    return Tree(core, examples.order, examples.classes, examples.table.schema)


def grow_options(params: TreeParams, n_declared: int, max_features: int = 0) -> _core.GrowOptions:
    """Give the core's options; it draws so many columns at each node, all of them for 0.

    Examples
    --------
    >>> from calibrant.trees import ProbabilityTreeClassifier
    >>> grow_options(ProbabilityTreeClassifier(min_leaf=3), 2).min_leaf
    3.0
    """
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
    options.accept_zero_gain = _accepts_zero_gain(params)
    options.n_declared_classes = n_declared
    options.n_threads = n_threads(params.n_jobs)
    options.random_ties = params.tie_break == "random"
    options.nominal_splits = _core.NominalSplits[params.nominal_splits]
    options.max_features = max_features
    options.redraw = bool(getattr(params, "redraw", True))
    return options


def _accepts_zero_gain(params: TreeParams) -> bool:
    if params.accept_zero_gain is None:
        return params.dialect == "c45" and CRITERIA[params.criterion].in_bits
    return bool(params.accept_zero_gain)
