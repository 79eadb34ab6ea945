"""The rows of an experiment coded once; each split takes its training rows, or its trees, from the coded table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, fields, is_dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from calibrant._params import check_params
from calibrant._random import seed_sequence
from calibrant.data import CodedTable
from calibrant.data._internal import (
    Columns,
    Labels,
    Nominal,
    fit_columns,
    is_float_matrix,
    object_columns,
    read_groups,
    warn_of_weights,
)
from calibrant.estimates import Estimate, FittedHeldOut, Resolvable, RowEstimate, as_estimate
from calibrant.estimates._internal import with_classes
from calibrant.resampling._trials.trial_data import NumberedSplit, SplitPredictions, Stopwatch, TrialData, TrialSeconds
from calibrant.trees._internal import (
    GrownTree,
    TrainingSet,
    TreeReading,
)

if TYPE_CHECKING:
    from calibrant.resampling._trials.families import Family

_INSPECTED_ROWS = 100  # narwhals reads the type of pandas' objects from so many rows


@dataclass(frozen=True, eq=False)
class CodedRows:
    """A table validated and coded for all methods with the same nominal columns."""

    data: TrialData
    labels: Labels
    columns: Columns
    table: CodedTable
    uncharged: list[float] = field(default_factory=list)  # seconds of coding that no trial has been charged for

    @classmethod
    def of(cls, data: TrialData, nominal: Nominal, n_jobs: int | None) -> CodedRows | None:
        """Validate and code the table, or return None for regression."""
        if data.labels is None:
            return None
        watch, columns = Stopwatch(), fit_columns(data.X, nominal)
        return cls(data, data.labels, columns, CodedTable.from_columns(columns, n_jobs=n_jobs), [watch.lap()])

    def __getstate__(self) -> dict[str, Any]:
        # A process that fits methods takes rows from the codes; the one that coded them is charged for that
        return {**vars(self), "columns": replace(self.columns, arrays=(), matrix=None), "uncharged": []}

    def charge(self) -> float:
        """Return the seconds of coding to the first that asks, and 0 to the others."""
        seconds = sum(self.uncharged)
        self.uncharged.clear()
        return seconds

    def all_examples(self, class_weight: Any) -> TrainingSet:
        """Return all rows."""
        names = self.columns.feature_names
        return TrainingSet.number(
            self.table, self.labels, self.data.weight, class_weight=class_weight, feature_names=names
        )

    def can_take(self, rows: NDArray[np.intp]) -> bool:
        """Return whether the rows taken are those that `fit` would code: classes, kinds and categories are the same.

        Rows that lack a class are left to `fit`, and so are those of a list, whose type depends on all its values.
        """
        n_classes = len(self.labels.classes)
        if np.count_nonzero(np.bincount(self.labels.codes[rows], minlength=n_classes)) < n_classes:
            return False
        is_untyped = isinstance(self.data.X, list | tuple | np.ma.MaskedArray)
        return not is_untyped and all(self._is_same_kind(column, rows) for column in self._object_columns)

    @cached_property
    def _object_columns(self) -> list[int]:
        return object_columns(self.data.X)

    def _is_same_kind(self, column: int, rows: NDArray[np.intp]) -> bool:
        """Return whether the values of objects show the same kind, and the same categories where they are declared."""
        codes, missing = self.table.codes(column)[rows], self.table.missing_code(column)
        if (codes[:_INSPECTED_ROWS] == missing).all():
            return False
        is_declared = self.table.schema.features[column].declared
        return not is_declared or len(np.unique(codes[codes != missing])) == len(self.table.categories(column))

    def take(self, rows: NDArray[np.intp], method: Any, *, has_groups: bool) -> TrainingSet:
        """Return the rows as the `fit` of a method codes them."""
        weight = None if self.data.weight is None else self.data.weight[rows]
        if weight is not None and (weight == 1).all():
            weight = None
        if getattr(method, "weight_kind", "frequency") == "frequency":
            warn_of_weights(weight)
        groups = np.unique(self._groups[rows], return_inverse=True)[1] if has_groups else None
        labels = replace(self.labels, codes=self.labels.codes[rows])
        names, class_weight = self.columns.feature_names, getattr(method, "class_weight", None)
        return TrainingSet.number(self.table.take(rows), labels, weight, groups, class_weight, feature_names=names)

    @cached_property
    def _groups(self) -> NDArray[np.intp]:
        groups = read_groups(self.data.groups, self.data.n_rows)
        return np.zeros(self.data.n_rows, dtype=np.intp) if groups is None else groups


def fits_coded_rows(method: Any) -> bool:
    """Return whether a method can be fitted to coded rows, by a `fit` of calibrant's own.

    Examples
    --------
    >>> from calibrant.trees import ProbabilityTreeClassifier
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> fits_coded_rows(ProbabilityTreeClassifier()), fits_coded_rows(DecisionTreeClassifier())
    (True, False)
    """
    if getattr(method, "max_bins", None) is not None:  # bins depend on the training rows
        return False
    names = ("_grow_coded", "_fit_coded")
    owner = next((each for each in type(method).__mro__ if any(name in vars(each) for name in ("fit", *names))), object)
    return any(name in vars(owner) for name in names)


Reader = Callable[[GrownTree], TreeReading]


@dataclass(frozen=True, eq=False)
class CodedTrees:
    """A family of trees on a coded table; the rows of a split are weights on it, so nothing is coded again.

    Such a tree is the very tree that `fit` would grow on the rows themselves, because rows of weight 0 are absent to
    the core. Where that does not hold (a class or a category that was not declared is missing from the training rows,
    rows are set aside by number, classes are weighted by their frequency, an estimate is chosen by folds) the split is
    left to an ordinary `fit`.
    """

    family: Family
    estimates: tuple[Estimate, ...]
    data: TrialData
    rows: CodedRows
    examples: TrainingSet

    @classmethod
    def of(cls, family: Family, data: TrialData) -> CodedTrees | None:
        """Code the table, or return None where some member needs an ordinary `fit`."""
        if not family.is_tree or data.labels is None or family.head.max_bins is not None:
            return None
        estimates = [estimate for member in family.members if (estimate := _table_estimate(member)) is not None]
        if len(estimates) < len(family.members):
            return None
        for member in family.members:
            check_params(member)
        rows = family.rows if family.rows is not None else CodedRows.of(data, family.head.nominal, family.head.n_jobs)
        if rows is None:
            return None
        return cls(family, tuple(estimates), data, rows, rows.all_examples(family.head.class_weight))

    def subset(self, numbers: Sequence[int]) -> CodedTrees:
        """Return the same table for some of the members, by their numbers."""
        return replace(
            self, family=self.family.subset(numbers), estimates=tuple(self.estimates[number] for number in numbers)
        )

    def can_grow(self, counts: NDArray[np.uint16]) -> bool:
        """Return whether a tree grown on rows that occur so often is the one that `fit` would grow on them."""
        if int(counts.max()) > 1 and not self._repeats_are_weights:
            return False
        occurs = counts > 0
        n_classes = len(self.examples.classes)
        if np.count_nonzero(np.bincount(self.examples.labels[occurs], minlength=n_classes)) < n_classes:
            return False
        return all(_has_all_categories(self.examples, column, occurs) for column in self._collected)

    @cached_property
    def _repeats_are_weights(self) -> bool:
        """Whether a row twice is a row of weight 2 to the last bit: sums of whole numbers do not depend on order.

        Trees of probability weights count rows, and a row twice is two rows to them.
        """
        table, head = self.examples.table, self.family.head
        has_fractions = self.examples.weights is not None or any(map(table.n_missing, range(table.n_columns)))
        reads_rows = any(isinstance(estimate, RowEstimate) for estimate in self.estimates)
        return not has_fractions and not reads_rows and head.weight_kind != "probability"

    @cached_property
    def _collected(self) -> list[int]:
        """The nominal columns whose categories were collected from the rows."""
        features = self.examples.table.schema.features
        return [column for column, each in enumerate(features) if each.kind == "nominal" and not each.declared]

    def grow(
        self, counts: NDArray[np.uint16], split_seeds: Sequence[int | None], n_jobs: int | None
    ) -> tuple[list[GrownTree], float]:
        """Grow a tree for each split (rows of `counts`), which trains on each table row (columns) so often.

        The seconds are those of each split, with those of coding the table if it has not been used before.
        """
        watch, seeds = Stopwatch(), [self._seed(seed) for seed in split_seeds]
        grown = GrownTree.grow_many(self.examples, counts, self.family.head, seeds, n_jobs=n_jobs)
        seconds = watch.lap() + self.rows.charge()
        return grown, seconds / max(1, len(grown))

    def _seed(self, split_seed: int | None) -> np.random.SeedSequence:
        """Return the seed of a tree; one that the method sets itself is not consumed where the split has one."""
        own = self.family.head.random_state
        if split_seed is None:
            return seed_sequence(own)
        return seed_sequence(split_seed if own is None else deepcopy(own))

    def predict(self, grown: GrownTree, split: NumberedSplit, shared: float) -> list[SplitPredictions]:
        """Return the probabilities of each member for the rows of a split."""
        watch, readings, fit = Stopwatch(), [], []
        for read in self._readers:
            readings.append(read(grown))
            fit.append(watch.lap())
        by_rows = [TreeReading.predict_many(readings, self._columns(rows), 1) for rows in split.row_sets]
        n_members = len(readings)
        predict = watch.lap() / n_members
        return [
            SplitPredictions(list(found), TrialSeconds.of(seconds, predict, shared, n_members))
            for found, seconds in zip(zip(*by_rows, strict=True), fit, strict=True)
        ]

    @cached_property
    def _readers(self) -> list[Reader]:
        """The readers of a grown tree, one a member, made once for all splits: `isinstance` of a protocol is slow."""
        estimates = [with_classes(estimate, self.examples.classes) for estimate in self.estimates]
        return [_reader(*each) for each in zip(self.family.members, estimates, strict=True)]

    def _columns(self, rows: NDArray[np.intp]) -> tuple[int, Any]:
        X, schema = self.data.X, self.examples.table.schema
        if is_float_matrix(X, schema):
            return len(rows), X[rows]
        return len(rows), [array[rows] for array in self.rows.columns.arrays]


def _reader(member: Any, requested: Estimate) -> Reader:
    if isinstance(requested, RowEstimate):
        return lambda grown: TreeReading.of(grown, requested, member)
    is_resolvable = isinstance(requested, Resolvable)

    def read(grown: GrownTree) -> TreeReading:
        tree, estimate = grown.tree, requested
        if is_resolvable:
            estimate = cast("Resolvable", requested).resolve(tree.counts[0], tree.counts[tree.is_leaf])
        reading = TreeReading(tree, estimate, member.empty_leaf, member.dialect)
        _ = reading.table  # its time is that of fitting
        return reading

    return read


def _table_estimate(member: Any) -> Estimate | None:
    """Return the estimate of a member, or None if growing draws rows by number or reading needs more than the tree."""
    if member.honest or member.prune == "reduced_error":
        return None
    if isinstance(member.class_weight, str) or isinstance(member.ccp_alpha, str):
        return None
    try:
        estimate = as_estimate("estimate", member.estimate)
    except (TypeError, ValueError):
        return None  # its own `fit` raises the error
    return None if _is_fitted_by_folds(estimate) else estimate


def _is_fitted_by_folds(estimate: Any) -> bool:
    """Return whether an estimate is chosen or fitted by folds, which are drawn among the training rows by number."""
    if isinstance(estimate, FittedHeldOut) and estimate.needs_held_out:
        return True
    values = [getattr(estimate, field.name) for field in fields(estimate)] if is_dataclass(estimate) else ["cv"]
    return any(isinstance(each, Estimate) and _is_fitted_by_folds(each) for each in values) or "cv" in map(str, values)


def _has_all_categories(examples: TrainingSet, column: int, occurs: NDArray[np.bool_]) -> bool:
    """Return whether each category of a column occurs in some rows."""
    n_categories = len(examples.table.categories(column))
    codes = examples.table.codes(column)[occurs]
    return bool(np.count_nonzero(np.bincount(codes[codes < n_categories], minlength=n_categories)) == n_categories)
