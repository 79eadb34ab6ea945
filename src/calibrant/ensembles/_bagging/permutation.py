"""The increase of a forest's out-of-bag loss when a column is permuted (Breiman 2001); nothing is grown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from calibrant import _core
from calibrant._params import Choice, Int, check_param
from calibrant._progress import progress
from calibrant._random import SeedLike, seed_sequence, stream
from calibrant._threads import n_threads
from calibrant.ensembles._bagging.permutation_losses import LOSSES, LossName, PermutationImportances, RowLosses
from calibrant.exceptions import ParameterError
from calibrant.trees._internal import rows_needed

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.ensembles._bagging.bagged_trees import BaggedTreesClassifier
    from calibrant.ensembles._readings.forest_reading import ForestReader

__all__ = ["oob_permutation_importances"]

_MAX_SUMS = 2**26  # probabilities in memory at once, 512 MB; columns are permuted in blocks within that


def oob_permutation_importances(
    model: BaggedTreesClassifier,
    *,
    n_repeats: int = 5,
    metric: LossName = "avll",
    permute: Literal["forest", "tree"] = "forest",
    random_state: SeedLike = None,
) -> PermutationImportances:
    """Measure the importance of each column to a fitted forest, on the rows that its trees were grown without.

    The values of a column are permuted among the rows, and the out-of-bag loss is compared with that of the rows as
    they are. Trees predict with the estimates of their own bags, whatever the reading: the out-of-bag rows that EB-PETs
    and MOB-ESP add to the leaves are ignored, because a permuted row would be counted in one leaf and read another.

    Parameters
    ----------
    model : BaggedTreesClassifier
        A fitted forest; its method `oob_importances` is this function.
    n_repeats : int
        Number of times that each column is permuted.
    metric : {"avll", "log_loss", "mse"}
        The loss, as `calibrant.metrics` defines it: log-loss in bits, finite also where a probability is 0; log-loss
        in nats, an error where it is infinite; the squared error summed over classes.
    permute : {"forest", "tree"}
        Whether all trees see the same permuted value of a row, as for new rows with a corrupted column; or each tree
        another, permuted among its own out-of-bag rows: then averaging over trees compensates for a part.
    random_state : int, numpy Generator, RandomState or SeedSequence, optional
        Seeds the permutations.

    Returns
    -------
    PermutationImportances
        The increase of the loss for each column, with standard errors.

    References
    ----------
    L. Breiman, "Random forests", Machine Learning 45, 2001, section 10.

    Examples
    --------
    >>> from calibrant.data import load
    >>> from calibrant.ensembles import BaggedTreesClassifier
    >>> donors = load("appeal")
    >>> model = BaggedTreesClassifier(n_trees=20, random_state=0).fit(donors.X, donors.y)
    >>> importances = model.oob_importances(n_repeats=2, random_state=0)
    >>> importances.names[importances.mean.argmax()]
    'months_since_last_gift'
    """
    check_param("n_repeats", n_repeats, Int(1))
    check_param("metric", metric, Choice(*LOSSES))
    check_param("permute", permute, Choice("forest", "tree"))
    model._check_fitted()
    with rows_needed(model, "oob_importances"):
        permutation = _OutOfBagPermutation(model._reading, metric, seed_sequence(random_state), permute == "forest")
    increases = np.zeros((permutation.n_columns, permutation.losses.n_rows))
    for block, more in permutation.increases(n_repeats):
        increases[block] += more / n_repeats
    loss, _ = permutation.losses.mean(permutation.before[np.newaxis])
    return PermutationImportances(
        permutation.names, *permutation.losses.mean(increases), float(loss[0]), metric, int(n_repeats)
    )


class _OutOfBagPermutation:
    """A forest and its training rows, column by column."""

    def __init__(self, reading: ForestReader, metric: LossName, seed: np.random.SeedSequence, shared: bool) -> None:
        forest = reading.forest
        self.names, self.n_columns = forest.examples.table.schema.names, forest.examples.table.n_columns
        self._reading, self._forest, self._seed, self._shared = reading, forest, seed, shared
        self._n_classes = len(forest.examples.classes)
        self._last_out: tuple[int, NDArray[np.intp]] | None = None
        self._n_trees = forest.bags.n_out_of_bag(len(forest.trees))
        has_trees, examples = self._n_trees > 0, forest.examples
        if not has_trees.any():
            raise ParameterError(
                "every row is in every bag; out-of-bag importances need a forest with a bootstrap. Set bootstrap."
            )
        self.losses = RowLosses(metric, examples.sorted_labels, examples.weights, self._n_classes, has_trees)

    def _out(self, tree: int) -> NDArray[np.intp]:
        """Return the out-of-bag rows of a tree; those of the last one are kept."""
        if self._last_out is None or self._last_out[0] != tree:
            self._last_out = tree, np.flatnonzero(self._forest.bags.count(tree) == 0)
        return self._last_out[1]

    @cached_property
    def _columns(self) -> list[NDArray[Any]]:
        rows = np.arange(self._forest.examples.n_rows)
        return [self._forest.examples.column(j, rows) for j in range(self.n_columns)]

    def increases(self, n_repeats: int) -> Iterator[tuple[range, NDArray[np.float64]]]:
        """Yield blocks of columns with the increase of each row's loss (columns x rows), repeat after repeat."""
        block_size = max(1, _MAX_SUMS // self._sums.size)
        with progress(total=n_repeats * self.n_columns, description="Permuting columns") as bar:
            for repeat in range(n_repeats):
                for first in range(0, self.n_columns, block_size):
                    block = range(first, min(self.n_columns, first + block_size))
                    after = [self._losses(self._sums + change) for change in self._changes(block, repeat)]
                    yield block, np.array(after) - self.before
                    bar.advance(len(block))

    @cached_property
    def before(self) -> NDArray[np.float64]:
        """The loss of each row as it is."""
        return self._losses(self._sums)

    def _losses(self, sums: NDArray[np.float64]) -> NDArray[np.float64]:
        return self.losses.of(sums / np.maximum(self._n_trees, 1)[:, np.newaxis])

    @cached_property
    def _sums(self) -> NDArray[np.float64]:
        sums = np.zeros((self._forest.examples.n_rows, self._n_classes))
        for tree in range(len(self._forest.trees)):
            rows = self._out(tree)
            sums[rows] += self._predict(tree, [column[rows] for column in self._columns])
        return sums

    def _changes(self, block: range, repeat: int) -> NDArray[np.float64]:
        """Return what permuting each column of a block adds to the sums of the trees' probabilities."""
        changes = np.zeros((len(block), self._forest.examples.n_rows, self._n_classes))
        trees = range(len(self._forest.trees))
        if self._reading.by_rows is not None:
            for tree in trees:
                self._add_by_rows(changes, tree, block, repeat)
        elif self._shared:
            self._add_by_tables(changes, trees, block, np.stack([self._order(repeat, j) for j in block]))
        else:
            for tree in trees:
                self._add_by_tables(changes, range(tree, tree + 1), block, self._orders_of(tree, block, repeat))
        return changes

    def _add_by_tables(
        self, changes: NDArray[np.float64], trees: range, block: range, order: NDArray[np.integer]
    ) -> None:
        """Add the changes by trees whose estimates are tables: only rows whose paths test a column are predicted."""
        forest = self._forest
        _core.permute_forest(
            [tree.core for tree in forest.trees[trees.start : trees.stop]],
            self._reading.tables[trees.start : trees.stop],
            forest.examples.table.core,
            forest.bags.core,
            trees.start,
            np.array(block, dtype=np.uint32),
            order.astype(np.uint32),
            changes.reshape(-1, self._n_classes),
            n_threads(forest.params.n_jobs),
        )

    def _add_by_rows(self, changes: NDArray[np.float64], tree: int, block: range, repeat: int) -> None:
        """Add the changes by a tree whose estimate looks at the rows themselves."""
        rows = self._out(tree)
        columns = [column[rows] for column in self._columns]
        for j in np.intersect1d(self._forest.trees[tree].feature, block).tolist():
            drawn = self._order(repeat, j)[rows] if self._shared else rows[self._order(repeat, j, tree)]
            permuted = self._predict(tree, [*columns[:j], self._columns[j][drawn], *columns[j + 1 :]])
            changes[j - block.start, rows] += permuted - self._predict(tree, columns)

    def _orders_of(self, tree: int, block: range, repeat: int) -> NDArray[np.intp]:
        """Return the row whose value each row takes in one tree, permuted among its out-of-bag rows."""
        rows, orders = self._out(tree), np.tile(np.arange(self._forest.examples.n_rows), (len(block), 1))
        for j in np.intersect1d(self._forest.trees[tree].feature, block).tolist():
            orders[j - block.start, rows] = rows[self._order(repeat, j, tree)]
        return orders

    def _order(self, repeat: int, column: int, tree: int | None = None) -> NDArray[np.intp]:
        keys, n = ((), self._forest.examples.n_rows) if tree is None else ((tree,), len(self._out(tree)))
        return stream(self._seed, repeat, column, *keys).permutation(n)

    def _predict(self, tree: int, columns: Sequence[NDArray[Any]]) -> NDArray[np.float64]:
        proba, by_rows = np.empty((len(self._out(tree)), self._n_classes)), self._reading.by_rows
        if by_rows is not None and len(proba):
            return by_rows.predict_by_tree(tree, (len(proba), list(columns)))
        if len(proba):
            core, table = self._forest.trees[tree].core, self._reading.tables[tree]
            _core.predict_tree(core, len(proba), columns, [table], [proba], n_threads(self._forest.params.n_jobs))
        return proba
