"""From coded rows to a grown tree: the options of the core, and the counts of an honest tree."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from calibrant import _core
from calibrant._random import stream_seed
from calibrant.data._coding import n_threads
from calibrant.trees._rules import CRITERIA, TreeParams

if TYPE_CHECKING:
    from calibrant.data import CodedTable
    from calibrant.trees._parts import Parts
    from calibrant.trees._training import Training

__all__ = ["count_anew", "grow"]

_TIES = 0  # where the stream of one fit is used


def grow(
    table: CodedTable, training: Training, parts: Parts, params: TreeParams, seed: np.random.SeedSequence
) -> _core.Tree:
    """Grow a tree on the rows that are not set aside."""
    weights = training.weights if parts.grow is None else training.weights_of(parts.grow)
    options = _grow_options(params, training.n_declared)
    options.seed = stream_seed(seed, _TIES)
    return _core.grow_tree(table.core, training.labels, weights, len(training.classes), options)


def count_anew(tree: _core.Tree, training: Training, parts: Parts) -> _core.Tree:
    """Replace the counts of every node by those of the rows set aside to be counted, if any are."""
    if parts.count is None:
        return tree
    columns = list(training.columns.arrays)
    return _core.count_rows(tree, training.n_rows, columns, training.labels, training.weights_of(parts.count))


def _grow_options(params: TreeParams, n_declared: int) -> _core.GrowOptions:
    criterion = CRITERIA[params.criterion]
    options = _core.GrowOptions()
    options.criterion = criterion.core
    options.ratio = criterion.is_ratio
    options.penalty = bool(params.mdl_penalty) and criterion.in_bits
    options.min_leaf = float(params.min_leaf)
    options.c45_cuts = params.min_cut == "c45"
    options.max_depth = params.max_depth or 0
    options.midpoint = params.threshold == "midpoint"
    options.dialect = _core.Dialect[params.dialect]
    options.accept_zero_gain = _accepts_zero_gain(params)
    options.n_declared_classes = n_declared
    options.n_threads = n_threads(params.n_jobs)
    options.random_ties = params.tie_break == "random"
    options.nominal_splits = _core.NominalSplits[params.nominal_splits]
    return options


def _accepts_zero_gain(params: TreeParams) -> bool:
    if params.accept_zero_gain is None:
        return params.dialect == "c45" and CRITERIA[params.criterion].in_bits
    return bool(params.accept_zero_gain)
