"""The first pass over a source: lengths, kinds, categories, classes, weights and groups of all parts."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant.data._frames.schema import Schema
from calibrant.data._sources.column_facts import ColumnFacts, column_facts, merge_columns
from calibrant.data._sources.column_roles import ColumnRoles
from calibrant.data._sources.label_facts import LabelFacts, group_values, label_facts
from calibrant.data._sources.source_part import SourcePart
from calibrant.exceptions import DataError

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Survey", "check_same_length", "merge_surveys", "survey_part"]

MAX_ROWS = 2**31 - 1  # as of tables in memory


@dataclass(frozen=True, eq=False)
class Survey:
    """What is known of a part, of some parts, or of all of them.

    Parameters
    ----------
    lengths : tuple of int
        Number of rows of weight above 0 of each part.
    columns : tuple of ColumnFacts
        Kind, categories and values of each feature.
    labels : LabelFacts or None
        The classes; None without a target.
    largest_weight, are_whole, are_ones : float, bool, bool
        The greatest weight, and whether all weights are whole numbers, or 1.
    groups : array or None
        The distinct groups, sorted; None without a column of groups.
    n_distinct : int
        Number of distinct values up to which those of numeric columns are collected.
    """

    lengths: tuple[int, ...]
    columns: tuple[ColumnFacts, ...]
    labels: LabelFacts | None
    largest_weight: float
    are_whole: bool
    are_ones: bool
    groups: NDArray[Any] | None
    n_distinct: int

    @cached_property
    def n_rows(self) -> int:
        """Number of rows of weight above 0."""
        return sum(self.lengths)

    @cached_property
    def first_rows(self) -> list[int]:
        """The number of the first row of each part."""
        return list(accumulate(self.lengths, initial=0))[:-1]

    def schema(self, roles: ColumnRoles) -> Schema:
        """Return the schema of all parts."""
        return Schema(
            tuple(facts.feature(name) for name, facts in zip(roles.features, self.columns, strict=True)), roles.named
        )

    def check(self, name: str, roles: ColumnRoles) -> None:
        """Raise if there is no row, or there are too many."""
        if not self.n_rows:
            of_weight = " of weight above 0" if roles.sample_weight else ""
            raise DataError(f"{name} has no row{of_weight}. Pass a table with rows.")
        if self.n_rows > MAX_ROWS:
            raise DataError(f"{name} has {self.n_rows:,} rows; at most {MAX_ROWS:,} are supported. Pass some of them.")


def survey_part(part: SourcePart, roles: ColumnRoles, n_distinct: int = 0) -> Survey:
    """Return what is known of a part."""
    nominal, frame = roles.nominal_positions(), part.features
    columns = tuple(
        column_facts(column, name, position in nominal, n_distinct, part.origin)
        for position, (name, column) in enumerate(zip(roles.features, frame.iter_columns(), strict=True))
    )
    weights = part.weights
    return Survey(
        (part.n_rows,),
        columns,
        None if roles.target is None else label_facts(part),
        1.0 if weights is None else float(weights.max(initial=0.0)),
        weights is None or bool((weights == np.rint(weights)).all()),
        weights is None or bool((weights == 1).all()),
        None if roles.groups is None else group_values(part),
        n_distinct,
    )


def merge_surveys(one: Survey, other: Survey) -> Survey:
    """Return what is known of two runs of parts that follow each other."""
    return Survey(
        one.lengths + other.lengths,
        tuple(map(merge_columns, one.columns, other.columns)),
        None if one.labels is None or other.labels is None else one.labels.merge(other.labels),
        max(one.largest_weight, other.largest_weight),
        one.are_whole and other.are_whole,
        one.are_ones and other.are_ones,
        None if one.groups is None or other.groups is None else _union(one.groups, other.groups),
        one.n_distinct,
    )


def _union(one: NDArray[Any], other: NDArray[Any]) -> NDArray[Any]:
    if not len(one) or not len(other):
        return one if len(one) else other
    return np.union1d(one, other)


def check_same_length(before: Survey | None, now: Survey, name: str) -> None:
    """Raise if a second pass found other rows than the first."""
    if before is not None and before.n_rows != now.n_rows:
        raise DataError(
            f"{name} changed while it was read (it had {before.n_rows:,} rows, then {now.n_rows:,}). Read it again "
            "when nobody writes to it."
        )
