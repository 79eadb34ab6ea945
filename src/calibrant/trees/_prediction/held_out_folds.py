"""Trees grown without one fold each, and the leaves of its rows: estimates are chosen and fitted on these."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from calibrant._folds import Pieces, count_by_group, deal_groups, unit_folds
from calibrant._random import stream
from calibrant.data._internal import can_be_frequencies, warn_of_number
from calibrant.estimates import HeldOutLeaves
from calibrant.exceptions import DataError
from calibrant.trees._growing.grow import RowSubsets, grow
from calibrant.trees._growing.training_set import TrainingSet
from calibrant.trees._prediction.tree_reading import leaf_shares
from calibrant.trees._tree import Tree
from calibrant.trees._tree_params import TreeParamsMixin

_MAX_FOLDS = 5  # as scikit-learn's cross-validation by default
_FOLDS = 3  # key of the random stream of one fit
_ROUNDING = 1e-9


def held_out_folds(
    examples: TrainingSet,
    subsets: RowSubsets,
    params: TreeParamsMixin,
    seed: np.random.SeedSequence,
    *,
    max_folds: int = _MAX_FOLDS,
) -> tuple[HeldOutLeaves, ...]:
    """Grow a tree without each fold, on the same codes and in the same way, and send the fold down it.

    A row of weight 3 may be in three folds with a third of its weight each, as its three copies would be; rows of a
    group stay together, and with ``weight_kind="probability"`` rows are whole. The folds depend on the rows, not on
    their order. Rows set aside to prune or to count keep their role. A held-out row of a class that its tree never saw
    is left out: its log-loss would be infinite for every estimate that starts from base rates.

    Examples
    --------
    >>> from calibrant.trees import ProbabilityTreeClassifier
    >>> model = ProbabilityTreeClassifier(random_state=0).fit([[i] for i in range(20)], [0] * 10 + [1] * 10)
    >>> grown = model._grown_tree
    >>> folds = held_out_folds(grown.examples, grown.subsets, grown.params, grown.seed)
    >>> [len(fold.label) for fold in folds]
    [4, 4, 4, 4, 4]
    """
    if examples.groups is None:
        warn_of_number(examples.n_copies, examples.n_rows)
    found = []
    for held in fold_weights(examples, params, seed, max_folds):
        rest = examples.reweighted(examples.weights_or_ones - held)
        without = subsets.within(rest.weights_or_ones > 0.0)
        kept = (without.grow, without.prune, without.count)
        if all(subset is None or subset.any() for subset in kept):
            found.append(_held_out(grow(rest, without, params, seed), examples, held, params))
    if not found:
        raise DataError(
            f"n_samples={examples.n_rows}: too few rows of weight > 0 for a number chosen by cross-validation, "
            "which needs several rows of a class. Pass a number instead."
        )
    return tuple(found)


def fold_weights(
    examples: TrainingSet, params: TreeParamsMixin, seed: np.random.SeedSequence, max_folds: int = _MAX_FOLDS
) -> list[NDArray[np.float64]]:
    """Return the weight of each row in each fold: `max_folds`, at most the rows of the largest class or the groups.

    Examples
    --------
    >>> from calibrant.trees import ProbabilityTreeClassifier
    >>> grown = ProbabilityTreeClassifier(random_state=0).fit([[1], [2], [3]], [0, 0, 1], [2, 2, 2])._grown_tree
    >>> np.array(fold_weights(grown.examples, grown.params, grown.seed))
    array([[0., 1., 1.],
           [1., 0., 1.],
           [1., 0., 0.],
           [0., 1., 0.]])
    """
    # The number of rows that each row stands for: its weight as a frequency, else one
    copies, weights = np.ones(examples.n_rows), examples.weights_or_ones
    is_frequency = getattr(params, "weight_kind", "frequency") == "frequency"
    if is_frequency and examples.copies is not None and can_be_frequencies(examples.copies):
        copies = examples.copies
    pieces = _pieces(examples, copies, max_folds, stream(seed, _FOLDS))
    if pieces is None:
        return []
    held = np.zeros((int(pieces.fold.max()) + 1, examples.n_rows))
    np.add.at(held, (pieces.fold, pieces.rows), pieces.weight)
    # Whole rows are held out with exactly their weight: rounding must not leave a sliver behind
    return [np.where(each > (1.0 - _ROUNDING) * copies, weights, each * (weights / copies)) for each in held]


def _pieces(
    examples: TrainingSet, copies: NDArray[np.float64], max_folds: int, random: np.random.Generator
) -> Pieces | None:
    labels = examples.sorted_labels
    if examples.groups is not None:
        n_folds = min(max_folds, int(examples.groups.max()) + 1)
        fold = deal_groups(count_by_group(examples.groups, labels, copies), np.ones(n_folds), random)[examples.groups]
        return Pieces(np.arange(examples.n_rows), copies, fold) if n_folds > 1 else None
    n_folds = min(max_folds, int(np.bincount(labels, copies).max()))
    if n_folds < 2:
        return None
    # Rows are dealt in an order that their values decide, so that folds do not depend on the order of the file.
    order = np.lexsort([copies, examples.row_hashes, labels])
    pieces = unit_folds(labels[order], copies[order], n_folds, random)
    return Pieces(order[pieces.rows], pieces.weight, pieces.fold)


def _held_out(tree: Tree, examples: TrainingSet, weight: NDArray[np.float64], params: TreeParamsMixin) -> HeldOutLeaves:
    labels = examples.sorted_labels
    # A class that is absent from the other folds gets probability 0 from any estimate and would decide every choice.
    held = (weight > 0.0) & (tree.counts[0] > 0)[labels]
    row, leaf, share = leaf_shares(tree, examples.n_rows, examples.table.core, params.n_jobs, wanted=held)
    number = np.cumsum(held) - 1  # only the rows of the fold
    return HeldOutLeaves(tree, number[row], leaf, share, labels[held], weight[held])
