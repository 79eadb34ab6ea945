"""Predictions with the way to resample them, from which intervals, verdicts and comparisons are computed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from calibrant._random import stream
from calibrant.metrics._intervals.replicates import MOST_BLOCKS, Resampled, Sampling, replicate
from calibrant.metrics._metric import Metric
from calibrant.metrics._validation.predictions import BinaryRows, Predictions

WeightKind = Literal["frequency", "probability"]
_T = TypeVar("_T")
_MANY_ROWS = 50_000  # from here on; ends of intervals then move by less than 5 % of their width
_MOST_KINDS = 1_000  # a replicate draws a number for each
_SAMPLE = 1_000  # rows that show whether a value has few distinct ones
_KINDS_STREAM = 5  # of the random streams
_FEWEST_GROUPS = 10  # the variance between fewer is hardly known: signs of 9 groups can be drawn in 512 ways
FEW_GROUPS = f"rows of fewer than {_FEWEST_GROUPS} groups say too little"


@dataclass(frozen=True, eq=False)
class BootstrapPlan:
    """Predictions and how to resample them.

    Parameters
    ----------
    predictions : Predictions
        The rows.
    group : array of shape (n_rows,) or None
        The index of each row's cluster.
    weight_kind : {"frequency", "probability"}
        Whether a weight of 2 means the row twice, or one row that represents two of the population.
    stratified : bool
        Whether to resample within the classes.
    n_boot : int
        Number of replicates.
    confidence : float or None
        The confidence of intervals.
    seed : numpy.random.SeedSequence
        The root of all randomness.
    n_threads : int
        Number of threads.
    bound : dict of str to Metric
        The metrics that have options of their own, for `compare`.

    Examples
    --------
    >>> from calibrant.metrics._validation.read_predictions import read_predictions
    >>> plan = BootstrapPlan(read_predictions([0, 1, 1], [0.2, 0.7, 0.6]))
    >>> plan.is_simple, plan.sampling(None).n_units
    (True, 3)
    """

    predictions: Predictions
    group: NDArray[np.intp] | None = None
    weight_kind: WeightKind = "frequency"
    stratified: bool = False
    n_boot: int = 1000
    confidence: float | None = 0.95
    seed: np.random.SeedSequence = field(default_factory=lambda: np.random.SeedSequence(0))
    n_threads: int = 1
    bound: Mapping[str, Metric] = field(default_factory=dict)

    @property
    def is_simple(self) -> bool:
        """Whether rows are independent and weights are frequencies, so formulas for counts hold."""
        return self.group is None and (self.predictions.weights is None or self.weight_kind == "frequency")

    @property
    def has_few_groups(self) -> bool:
        """Whether rows belong to so few clusters that the variance between these is not known."""
        return self.group is not None and int(self.group.max()) + 1 < _FEWEST_GROUPS

    @property
    def has_many_rows(self) -> bool:
        """Whether there are very many independent rows."""
        is_plain = self.is_simple and self.counts_whole_rows and not self.stratified
        return is_plain and self.predictions.n_rows >= _MANY_ROWS

    @cached_property
    def counts_whole_rows(self) -> bool:
        """Whether every weight is a whole number of rows."""
        weights = self.predictions.weights
        return weights is None or (self.weight_kind == "frequency" and bool((weights == np.round(weights)).all()))

    def once(self, key: Any, compute: Callable[[], _T]) -> _T:
        """Return a result of these rows by its key; compute it the first time.

        Examples
        --------
        >>> from calibrant.metrics._validation.read_predictions import read_predictions
        >>> plan = BootstrapPlan(read_predictions([0, 1], [0.2, 0.7]))
        >>> plan.once("answer", lambda: 42), plan.once("answer", lambda: 0)
        (42, 42)
        """
        # Written past the frozen dataclass: a cache is no part of the value, and `replace` starts without one.
        computed: dict[Any, Any] = self.__dict__.setdefault("_computed", {})
        if key not in computed:
            computed[key] = compute()
        found: _T = computed[key]
        return found

    # What was computed stays behind: workers get the rows, not the replicates.
    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_computed"}

    def clusters(self) -> NDArray[np.intp] | None:
        """Return the unit that each row is drawn with, or None where formulas for independent rows hold.

        Examples
        --------
        >>> from calibrant.metrics._validation.read_predictions import read_predictions
        >>> predictions = read_predictions([0, 1], [0.2, 0.7], sample_weight=[1.5, 3.0])
        >>> BootstrapPlan(predictions).clusters(), BootstrapPlan(predictions, weight_kind="probability").clusters()
        (None, array([0, 1]))
        """
        if self.group is not None or self.is_simple:
            return self.group
        # A weight that is no count makes a row a cluster of one, whose variance is taken as observed.
        return np.arange(self.predictions.n_rows)

    def sampling(self, order: NDArray[np.intp] | None) -> Sampling:
        """Return the sampling of the rows, arranged in some order."""

        def arranged(values: Any) -> Any:
            return None if values is None else np.ascontiguousarray(values if order is None else values[order])

        weight, are_copies = arranged(self.predictions.weights), self.weight_kind == "frequency"
        return Sampling.of(
            self.predictions.n_rows,
            copies=weight if are_copies else None,
            row_weight=None if are_copies else weight,
            stratum=arranged(self.predictions.label).astype(np.intp) if self.stratified else None,
            group=arranged(self.group),
        )

    def design_effect(self, rows: BinaryRows | None = None, kept: NDArray[np.intp] | None = None) -> float:
        """Return the weight that counts as one independent row (Kish 1965): the largest over ranges of probabilities.

        Rows are those that calibration errors judge, unless others of the plan are passed, with their indices.

        Examples
        --------
        >>> from calibrant.metrics._validation.read_predictions import read_predictions
        >>> rows = read_predictions(np.repeat([0, 1], 100), np.tile([0.3, 0.7], 100))
        >>> BootstrapPlan(rows).design_effect(), round(BootstrapPlan(rows, np.arange(200) // 10).design_effect(), 1)
        (1.0, 9.1)
        """
        clusters = self.clusters()
        if clusters is None:
            return 1.0
        rows = self.predictions.calibration_rows() if rows is None else rows
        clusters = clusters if kept is None else np.unique(clusters[kept], return_inverse=True)[1]
        weight = np.ones(len(rows.proba)) if rows.weight is None else rows.weight
        rank = np.empty(len(weight))
        order = np.argsort(rows.proba, kind="stable")
        rank[order] = np.cumsum(weight[order]) - weight[order]
        # Ranges of equal weight by probability: clustering that hurts in one range must not be averaged away.
        share = rank / weight.sum()
        residual = rows.positive - rows.proba
        found = [_largest(residual, weight, clusters, np.minimum(share * n, n - 1).astype(np.intp)) for n in _RANGES]
        # Clusters may make the variance smaller, but frequency weights are not worth more rows than they count.
        return max(1.0 if self.weight_kind == "frequency" else 0.0, *found)

    def replicate_means(
        self, values: Sequence[NDArray[np.float64]]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64] | None]:
        """Return the means of values in replicates, and with blocks of rows left out, a column for each value.

        Of very many rows that are of few kinds, the number of rows of each kind is drawn.
        """
        # First: where values are few, a replicate draws a number for each kind of row, not for each row.
        found = replicate_few_kinds(self, values)
        if found is not None:
            return found
        rows = Resampled(self.predictions.n_rows, values=tuple(values))
        drawn, left_out = replicate(rows, self.sampling(None), self.seed, self.n_boot, n_threads=self.n_threads)
        return drawn.values, None if left_out is None else left_out.values

    def replicate_cells(self, cells: NDArray[np.uint32], n_cells: int) -> NDArray[np.float64]:
        """Return the weight of the rows in each cell in each replicate."""
        rows = Resampled(self.predictions.n_rows, cells=cells, n_cells=n_cells)
        sampling = self.sampling(None)
        drawn, _ = replicate(rows, sampling, self.seed, self.n_boot, n_threads=self.n_threads, leave_out=False)
        return drawn.cells

    def subset(self, rows: NDArray[np.bool_]) -> BootstrapPlan:
        """Return the plan of some of the rows."""
        # Numbered anew without gaps: sums over groups are arrays of that length.
        group = None if self.group is None else np.unique(self.group[rows], return_inverse=True)[1]
        return replace(self, predictions=self.predictions.take(np.flatnonzero(rows)), group=group)


_RANGES = (1, 2, 4, 8)  # numbers of ranges of equal weight that the rows are split into, by probability
_FEWEST = 10  # clusters of a range; the variance between fewer is not known


def _largest(
    residual: NDArray[np.float64], weight: NDArray[np.float64], cluster: NDArray[np.intp], part: NDArray[np.intp]
) -> float:
    """Return the largest ratio, over the parts, of the variance between clusters to that of independent rows."""
    mean = np.bincount(part, weight * residual) / np.bincount(part, weight)
    away = residual - mean[part]
    n_parts, n_clusters = len(mean), int(cluster.max()) + 1
    # Cluster and part in one key: a single pass instead of a loop over the parts.
    key = cluster * n_parts + part
    sums = np.bincount(key, weight * away, n_clusters * n_parts).reshape(n_clusters, n_parts)
    n_found = (np.bincount(key, minlength=n_clusters * n_parts).reshape(n_clusters, n_parts) > 0).sum(axis=0)
    alone = np.bincount(part, weight * away**2)
    is_known = (n_found >= min(_FEWEST, n_clusters)) & (alone > 0.0) & (n_found > 1)
    ratio = (sums**2).sum(axis=0)[is_known] / alone[is_known] * (n_found / np.maximum(n_found - 1.0, 1.0))[is_known]
    return float(ratio.max(initial=0.0))


def replicate_few_kinds(
    plan: BootstrapPlan, values: Sequence[NDArray[np.float64]]
) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
    """Return the means of values in bootstrap replicates, and with blocks of rows left out, a column for each value.

    The numbers of rows of each kind in a bootstrap sample are multinomial, so the replicates have the same distribution
    as those of single rows; a million rows take milliseconds instead of seconds.

    None where rows are few, of many kinds, of groups or of strata, or where their weights are not whole numbers.

    Examples
    --------
    >>> from calibrant.metrics._validation.read_predictions import read_predictions
    >>> y = np.arange(50_000) % 4 == 0
    >>> drawn, left_out = replicate_few_kinds(BootstrapPlan(read_predictions(y, np.full(50_000, 0.3))), [3.0 * y])
    >>> float(drawn.mean().round(3)), float(drawn.std().round(3)), left_out.shape  # 3 * 0.25, 3 * sqrt(3 / 16 / 50,000)
    (0.75, 0.006, (200, 1))
    """
    kinds = _kinds(values) if plan.has_many_rows else None
    if kinds is None:
        return None
    kind, of_kind = kinds
    weight = np.round(np.bincount(kind, plan.predictions.weights, len(of_kind))).astype(np.int64)
    rng = stream(plan.seed, _KINDS_STREAM)
    drawn = rng.multinomial(weight.sum(), weight / weight.sum(), plan.n_boot)
    # Each block takes a random share of every kind, as blocks of permuted rows would.
    left_out = weight - rng.multinomial(weight, np.full(MOST_BLOCKS, 1.0 / MOST_BLOCKS)).T
    means = [(counts @ of_kind) / counts.sum(axis=1, keepdims=True) for counts in (drawn, left_out)]
    return means[0], means[1]


def _kinds(values: Sequence[NDArray[np.float64]]) -> tuple[NDArray[np.intp], NDArray[np.float64]] | None:
    """Return the kind of each row and the values of each kind; None if there are very many."""
    kind, n_kinds = np.zeros(len(values[0]), dtype=np.intp), 1
    for column in values:
        # A sample shows a continuous column at once, where the exact answer takes a sort of all rows.
        if len(np.unique(column[:_SAMPLE])) > _MOST_KINDS // 4:
            return None
        distinct = np.unique(column)
        if len(distinct) * n_kinds > _MOST_KINDS:
            return None
        kind = kind * len(distinct) + np.searchsorted(distinct, column)
        # Only combinations that occur keep a number, or columns would multiply beyond the limit.
        present = np.flatnonzero(np.bincount(kind, minlength=n_kinds * len(distinct)))
        number = np.zeros(n_kinds * len(distinct), dtype=np.intp)
        number[present] = np.arange(len(present))
        kind, n_kinds = number[kind], len(present)
    row = np.zeros(n_kinds, dtype=np.intp)
    # Any row stands for its kind: all its values are equal.
    row[kind] = np.arange(len(kind))
    return kind, np.stack([column[row] for column in values], axis=1)
