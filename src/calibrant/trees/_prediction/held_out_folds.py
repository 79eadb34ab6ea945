"""Trees grown without one fold each, and the leaves of its rows: estimates are chosen and fitted on these."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from calibrant._random import stream_seed
from calibrant.estimates import HeldOut
from calibrant.exceptions import DataError
from calibrant.trees._growing.grow import grow
from calibrant.trees._prediction.leaf_shares import leaf_shares

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.trees._growing.examples import Examples
    from calibrant.trees._growing.row_subsets import RowSubsets
    from calibrant.trees._tree import Tree
    from calibrant.trees._tree_params import TreeParams

__all__ = ["held_out_folds"]

_MAX_FOLDS = 5  # as scikit-learn's cross-validation by default
_FOLDS = 3  # key of the random stream of one fit


def held_out_folds(
    examples: Examples,
    subsets: RowSubsets,
    params: TreeParams,
    seed: np.random.SeedSequence,
    *,
    max_folds: int = _MAX_FOLDS,
) -> tuple[HeldOut, ...]:
    """Grow a tree without each fold, on the same codes and in the same way, and send the fold down it.

    Rows set aside to prune or to count keep their role. A held-out row of a class that its tree never saw is left out:
    its log-loss would be infinite for every estimate that starts from base rates.

    Examples
    --------
    >>> from calibrant.trees import ProbabilityTreeClassifier
    >>> model = ProbabilityTreeClassifier(random_state=0).fit([[i] for i in range(20)], [0] * 10 + [1] * 10)
    >>> grown = model._grown_tree
    >>> folds = held_out_folds(grown.examples, grown.subsets, grown.params, grown.seed)
    >>> [len(fold.label) for fold in folds]
    [4, 4, 4, 4, 4]
    """
    found = []
    for held in _splits(examples.labels, seed, max_folds):
        without = subsets.within(~held)
        if not without.any_is_empty:
            found.append(_held_out(grow(examples, without, params, seed), examples, held, params))
    if not found:
        raise DataError(
            f"n_samples={examples.n_rows}: too few rows of weight > 0 for a number chosen by cross-validation, "
            "which needs several rows of a class. Pass a number instead."
        )
    return tuple(found)


def _splits(labels: NDArray[np.uint16], seed: np.random.SeedSequence, max_folds: int) -> Iterator[NDArray[np.bool_]]:
    """Yield the rows of each stratified fold: `max_folds` folds, or as many as the largest class has rows."""
    from sklearn.model_selection import StratifiedKFold  # slow to import

    n_folds = min(max_folds, int(np.bincount(labels).max()))
    if n_folds < 2:
        return
    folds = StratifiedKFold(n_folds, shuffle=True, random_state=stream_seed(seed, _FOLDS) % 2**32)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "The least populated class", UserWarning)
        tests = [test for _, test in folds.split(labels, labels)]
    for test in tests:
        held = np.zeros(len(labels), dtype=np.bool_)
        held[test] = True
        yield held


def _held_out(tree: Tree, examples: Examples, held: NDArray[np.bool_], params: TreeParams) -> HeldOut:
    labels = examples.sorted_labels
    held = held & (tree.counts[0] > 0)[labels]
    row, leaf, share = leaf_shares(tree, examples.n_rows, examples.table.core, params.n_jobs, wanted=held)
    number = np.cumsum(held) - 1  # only the rows of the fold
    return HeldOut(tree, number[row], leaf, share, labels[held], examples.weights_of(held)[held])
