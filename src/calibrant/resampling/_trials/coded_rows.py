"""The rows of an experiment coded once; each split takes its training rows from the coded table."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant.data import CodedTable
from calibrant.data._internal import Columns, Nominal, fit_columns, object_columns, read_groups, warn_of_weights
from calibrant.resampling._trials.method_trial import Stopwatch
from calibrant.trees._internal import TrainingSet

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.data._internal import Labels
    from calibrant.resampling._trials.trial_data import TrialData

__all__ = ["CodedRows", "fits_coded_rows"]

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
        return {**vars(self), "columns": replace(self.columns, arrays=()), "uncharged": []}

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
        return not self._is_untyped and all(self._is_same_kind(column, rows) for column in self._object_columns)

    @cached_property
    def _is_untyped(self) -> bool:
        return isinstance(self.data.X, list | tuple | np.ma.MaskedArray)

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
