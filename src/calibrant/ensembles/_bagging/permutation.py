"""The increase of a forest's out-of-bag loss when a column is permuted (Breiman 2001); nothing is grown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from calibrant import _core
from calibrant._optional import optional_import
from calibrant._params import Choice, Int, check_param
from calibrant._progress import progress
from calibrant._random import SeedLike, seed_sequence, stream
from calibrant._source_limits import rows_needed
from calibrant._threads import n_threads
from calibrant.ensembles._readings.forest_reading import ForestReader
from calibrant.ensembles._readings.pooling import probability_floor
from calibrant.exceptions import ParameterError

if TYPE_CHECKING:
    import pandas as pd

    from calibrant.ensembles._bagging.bagged_trees import BaggedTreesClassifier

LossName: TypeAlias = Literal["avll", "log_loss", "mse"]

_MAX_SHOWN = 20


@dataclass(frozen=True, eq=False, repr=False)
class PermutationImportances:
    """The importance of each column to a model; its repr lists the most important first.

    Parameters
    ----------
    names : tuple of str
        The columns.
    mean : array of shape (n_columns,)
        The increase of the loss when the column is permuted, averaged over repeats and rows. About 0 for a useless one,
        and sometimes a little below.
    standard_error : array of shape (n_columns,)
        Its standard error over the rows, for the model as it is.
    loss : float
        The loss of the rows as they are.
    metric : str
        The loss, a name in `calibrant.metrics.METRICS`.
    n_repeats : int
        Number of times that each column was permuted.
    rows : str
        What it was measured on: ``"out-of-bag"`` or ``"held-out"`` rows.

    Examples
    --------
    >>> PermutationImportances(("age", "x"), np.array([0.25, -0.01]), np.array([0.02, 0.01]), 0.5, "avll", 5)
    Increase of the out-of-bag avll (0.5) by permuting a column, 5 times each:
      age   0.25 +- 0.02
      x    -0.01 +- 0.01
    """

    names: tuple[str, ...]
    mean: NDArray[np.float64]
    standard_error: NDArray[np.float64]
    loss: float
    metric: str
    n_repeats: int
    rows: str = "out-of-bag"

    def to_frame(self) -> pd.DataFrame:
        """Return the importances as a pandas frame with a row for each column of the model, in their order.

        Returns
        -------
        pandas.DataFrame
            Indexed by the names of the columns.

        Examples
        --------
        >>> result = PermutationImportances(("age",), np.array([0.25]), np.array([0.02]), 0.5, "avll", 5)
        >>> result.to_frame()
                mean  standard_error
        column
        age     0.25            0.02
        """
        pandas = optional_import("pandas", extra="data", purpose="return importances as a frame")
        figures = {"mean": self.mean, "standard_error": self.standard_error}
        frame: pd.DataFrame = pandas.DataFrame(figures, index=pandas.Index(self.names, name="column"))
        return frame

    def __repr__(self) -> str:
        order = np.argsort(-self.mean, kind="stable")
        width = max(len(str(self.names[j])) for j in order[:_MAX_SHOWN])
        means = [f"{self.mean[j]:.3g}" for j in order[:_MAX_SHOWN]]
        digits = max(map(len, means))
        head = (
            f"Increase of the {self.rows} {self.metric} ({self.loss:.4g}) by permuting a column, {self.n_repeats} times"
        )
        lines = [
            f"  {self.names[j]!s:{width}} {mean:>{digits}} +- {self.standard_error[j]:.2g}"
            for j, mean in zip(order, means, strict=False)
        ]
        left = len(order) - len(lines)
        return "\n".join([f"{head} each:", *lines, *([f"  and {left} more"] if left else [])])


@dataclass(frozen=True, eq=False)
class RowLosses:
    """The loss of each row that is out of some bag.

    Examples
    --------
    >>> losses = RowLosses("mse", np.array([0, 1]), None, 2, np.array([True, True]))
    >>> losses.of(np.array([[0.5, 0.5], [0.0, 1.0]]))
    array([0.5, 0. ])
    """

    metric: LossName
    labels: NDArray[np.intp]
    weights: NDArray[np.float64] | None
    n_classes: int
    has_prediction: NDArray[np.bool_]

    def of(self, proba: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the loss of each row that has a prediction."""
        proba, labels = proba[self.has_prediction], self.labels[self.has_prediction]
        rows, own = np.arange(len(labels)), proba[np.arange(len(labels)), labels]
        if self.metric == "mse":
            proba[rows, labels] -= 1.0
            return np.asarray(np.einsum("ij,ij->i", proba, proba))
        if self.metric == "log_loss":
            if not own.all():
                raise ParameterError(
                    "metric='log_loss' must be finite; got a row whose actual class has out-of-bag probability 0. Use "
                    "metric='avll' or 'mse', or a forest with estimate='laplace' or more trees."
                )
            return np.asarray(-np.log(own))
        # Nielsen (2004), eq. 11: only exact 0 and 1 are replaced.
        epsilon = probability_floor(np.bincount(self.labels, self.weights, self.n_classes).astype(np.float64))
        is_certain = (own <= 0.0) | (own >= 1.0)
        return np.asarray(-np.log2(np.where(is_certain, np.clip(own, epsilon, 1.0 - epsilon), own)))

    @property
    def n_rows(self) -> int:
        """Number of rows that have a prediction."""
        return int(self.has_prediction.sum())

    def mean(self, values: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the weighted means of the rows of values and their standard errors; a weight of 2 is the row twice.

        Examples
        --------
        >>> losses = RowLosses("mse", np.array([0, 1]), np.array([1.0, 2.0]), 2, np.array([True, True]))
        >>> losses.mean(np.array([[0.0, 3.0]]))
        (array([2.]), array([1.]))
        """
        weights = np.ones(len(self.labels)) if self.weights is None else self.weights
        weights = weights[self.has_prediction]
        total = weights.sum()
        means = values @ weights / total
        # Frequency weights: n is the sum of weights, and n - 1 its degrees of freedom.
        squares = ((values - means[:, np.newaxis]) ** 2) @ weights
        return means, np.sqrt(squares / total / max(total - 1.0, 1.0))


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
    check_param("metric", metric, Choice(*get_args(LossName)))
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
        """Return the changes of the summed probabilities of the trees by permuting each column of a block."""
        # Only the change by permuting is summed: trees that do not test a column add exactly nothing.
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
        # A column that the tree does not test cannot change its predictions.
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
        # Keyed by repeat and column, so that importances do not depend on how columns are blocked.
        return stream(self._seed, repeat, column, *keys).permutation(n)

    def _predict(self, tree: int, columns: Sequence[NDArray[Any]]) -> NDArray[np.float64]:
        proba, by_rows = np.empty((len(self._out(tree)), self._n_classes)), self._reading.by_rows
        if by_rows is not None and len(proba):
            return by_rows.predict_by_tree(tree, (len(proba), list(columns)))
        if len(proba):
            core, table = self._forest.trees[tree].core, self._reading.tables[tree]
            _core.predict_tree(core, len(proba), columns, [table], [proba], n_threads(self._forest.params.n_jobs))
        return proba
