"""A forest whose trees predict from the rows of their bags, not from counts: kernel densities."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant.trees._internal import TreeReading, predict_rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.data._internal import Rows
    from calibrant.ensembles._bagging.forest import Forest
    from calibrant.estimates import RowEstimate

__all__ = ["RowReading"]

_MAX_KEPT_BYTES = 2**28  # of the rows of all bags kept between predictions; larger ones are decoded again


class RowReading:
    """A forest read by the rows of each tree's bag, with a row drawn twice counted twice.

    Examples
    --------
    >>> from calibrant.ensembles import BaggedTreesClassifier
    >>> from calibrant.estimates import KernelDensity
    >>> model = BaggedTreesClassifier(n_trees=3, bootstrap=None).fit([[1], [2], [3], [4]], ["a", "a", "b", "b"])
    >>> RowReading(model._forest, KernelDensity()).predict_proba((1, np.array([[2.4]]))).round(3)
    array([[0.569, 0.431]])
    """

    def __init__(self, forest: Forest, estimate: RowEstimate) -> None:
        self._forest, self._estimate = forest, estimate
        self._kept: dict[int, TreeReading] = {}
        n_cells = len(forest.trees) * forest.examples.n_rows * forest.examples.table.n_columns
        self._can_keep = 8 * n_cells <= _MAX_KEPT_BYTES

    def predict_by_tree(self, tree: int, rows: Rows) -> NDArray[np.float64]:
        """Return the probabilities of rows by one tree."""
        forest = self._forest
        return predict_rows(forest.trees[tree], rows, [self._reading(tree)], forest.params.n_jobs)[0]

    def predict_proba(self, rows: Rows) -> NDArray[np.float64]:
        """Return the mean of the trees' probabilities."""
        sums = np.zeros((rows[0], len(self._forest.examples.classes)))
        for tree in range(len(self._forest.trees)):
            sums += self.predict_by_tree(tree, rows)
        return np.divide(sums, len(self._forest.trees), out=sums)

    def oob_proba(self) -> NDArray[np.float64]:
        """Return the mean over the trees without the row in their bags; NaN where there is none."""
        examples, bags = self._forest.examples, self._forest.bags
        sums = np.zeros((examples.n_rows, len(examples.classes)))
        for tree in range(len(self._forest.trees)):
            out = np.flatnonzero(bags.count(tree) == 0)
            if len(out):
                columns = [examples.column(j, out) for j in range(examples.table.n_columns)]
                sums[out] += self.predict_by_tree(tree, (len(out), columns))
        n_trees = bags.n_out_of_bag(len(self._forest.trees))
        return np.asarray(sums / np.where(n_trees > 0, n_trees, np.nan)[:, np.newaxis])

    def _reading(self, tree: int) -> TreeReading:
        if tree in self._kept:
            return self._kept[tree]
        reading = TreeReading.of(self._forest.grown_tree(tree), self._estimate, self._forest.params)
        if self._can_keep:
            self._kept[tree] = reading
        return reading

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_kept": {}}  # read again when needed
