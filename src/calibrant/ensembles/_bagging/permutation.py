"""How much worse a forest's out-of-bag probabilities get when a column is permuted (Breiman 2001); nothing is grown."""

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

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.ensembles._bagging.bagged_trees import BaggedTreesClassifier
    from calibrant.ensembles._readings.read import GrownReading

__all__ = ["oob_permutation_importances"]

_MOST_SUMS = 2**26  # probabilities held at a time; columns are taken in blocks that need no more


def oob_permutation_importances(
    model: BaggedTreesClassifier,
    *,
    n_repeats: int = 5,
    metric: LossName = "avll",
    permute: Literal["forest", "tree"] = "forest",
    random_state: SeedLike = None,
) -> PermutationImportances:
    """Measure what each column is worth to a fitted forest, on the rows that its trees were grown without.

    The values of a column are permuted among the rows, and the out-of-bag loss is compared with that of the rows as
    they are. Trees answer with the estimates of their own bags, whatever the reading: what EB-PETs and MOB-ESP add to
    the leaves is left aside, since a permuted row would find itself counted in one leaf and answered for by another.

    Parameters
    ----------
    model : BaggedTreesClassifier
        A fitted forest; its method `oob_importances` is this function.
    n_repeats : int
        How often each column is permuted.
    metric : {"avll", "log_loss", "mse"}
        The loss, as `calibrant.metrics` defines it: log-loss in bits, finite also where a probability is 0; log-loss
        in nats, an error where it is infinite; Brier's.
    permute : {"forest", "tree"}
        Whether all trees are shown the same wrong value of a row, as on new rows of which a column is spoilt; or each
        tree another, permuted among its own out-of-bag rows: then averaging over trees makes up for a part.
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
    >>> found = model.oob_importances(n_repeats=2, random_state=0)
    >>> found.names[found.mean.argmax()]
    'months_since_last_gift'
    """
    check_param("n_repeats", n_repeats, Int(1))
    check_param("metric", metric, Choice(*LOSSES))
    check_param("permute", permute, Choice("forest", "tree"))
    model._check_fitted()
    permuting = _Permuting(model._reading, metric, seed_sequence(random_state), permute == "forest")
    increases = np.zeros((permuting.n_columns, permuting.losses.n_rows))
    for block, more in permuting.increases(n_repeats):
        increases[block] += more / n_repeats
    loss, _ = permuting.losses.mean(permuting.before[np.newaxis])
    return PermutationImportances(
        permuting.names, *permuting.losses.mean(increases), float(loss[0]), metric, int(n_repeats)
    )


class _Permuting:
    """A forest, and its training rows column by column."""

    def __init__(
        self, reading: GrownReading, metric: LossName, seed: np.random.SeedSequence, one_for_all: bool
    ) -> None:
        forest = reading.forest
        self.names, self.n_columns = forest.examples.table.schema.names, forest.examples.table.n_columns
        self._reading, self._forest, self._seed, self._one_for_all = reading, forest, seed, one_for_all
        self._n_classes = len(forest.examples.classes)
        self._out = [np.flatnonzero(in_bag == 0) for in_bag in forest.in_bag]
        self._n_trees = np.bincount(np.concatenate(self._out), minlength=forest.examples.n_rows)
        answered, examples = self._n_trees > 0, forest.examples
        if not answered.any():
            raise ParameterError("every row is in every bag: out-of-bag importances need a forest with a bootstrap.")
        self.losses = RowLosses(metric, examples.sorted_labels, examples.weights, self._n_classes, answered)

    @cached_property
    def _columns(self) -> list[NDArray[Any]]:
        rows = np.arange(self._forest.examples.n_rows)
        return [self._forest.examples.column(j, rows) for j in range(self.n_columns)]

    def increases(self, n_repeats: int) -> Iterator[tuple[range, NDArray[np.float64]]]:
        """Give blocks of columns with the increase of each row's loss (columns x rows), repeat after repeat."""
        at_once = max(1, _MOST_SUMS // self._sums.size)
        with progress(total=n_repeats * self.n_columns, description="Permuting columns") as bar:
            for repeat in range(n_repeats):
                for first in range(0, self.n_columns, at_once):
                    block = range(first, min(self.n_columns, first + at_once))
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
        for tree, rows in enumerate(self._out):
            sums[rows] += self._answer(tree, [column[rows] for column in self._columns])
        return sums

    def _changes(self, block: range, repeat: int) -> NDArray[np.float64]:
        """Give what permuting each column of a block adds to the sums of the trees' answers."""
        changes = np.zeros((len(block), self._forest.examples.n_rows, self._n_classes))
        spoilt = {j: self._columns[j][self._order(repeat, j)] for j in block} if self._one_for_all else {}
        for tree, rows in enumerate(self._out):
            tested = np.intersect1d(self._forest.trees[tree].feature, block)
            columns = [column[rows] for column in self._columns] if len(tested) else []
            before = self._answer(tree, columns) if len(tested) else 0.0
            for j in tested.tolist():
                values = spoilt[j][rows] if self._one_for_all else columns[j][self._order(repeat, j, tree)]
                changes[j - block.start, rows] += self._answer(tree, [*columns[:j], values, *columns[j + 1 :]]) - before
        return changes

    def _order(self, repeat: int, column: int, tree: int | None = None) -> NDArray[np.intp]:
        keys, n = ((), self._forest.examples.n_rows) if tree is None else ((tree,), len(self._out[tree]))
        return stream(self._seed, repeat, column, *keys).permutation(n)

    def _answer(self, tree: int, columns: Sequence[NDArray[Any]]) -> NDArray[np.float64]:
        answer, by_rows = np.empty((len(self._out[tree]), self._n_classes)), self._reading.by_rows
        if by_rows is not None and len(answer):
            return by_rows.answer(tree, (len(answer), list(columns)))
        if len(answer):
            core, table = self._forest.trees[tree].core, self._reading.tables[tree]
            _core.predict_tree(core, len(answer), columns, [table], [answer], n_threads(self._forest.params.n_jobs))
        return answer
