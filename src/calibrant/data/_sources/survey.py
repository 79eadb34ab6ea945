"""The first pass over a source: lengths, kinds, categories, classes, weights, groups of all parts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from calibrant.data._frames.schema import Feature, Schema
from calibrant.data._frames.values import column_kind, column_measure, nominal_codes, numeric_values
from calibrant.data._sources.source_part import ColumnRoles, SourcePart
from calibrant.data._tables.table import Kind
from calibrant.data._validation.labels_and_weights import Labels, factorize
from calibrant.exceptions import DataError, SchemaError

_PEEK = 4096  # rows that show in most cases that a column has many values
_PART_SAMPLE = 1024  # values of a part
_MOST_SAMPLED = 2**16  # values of all parts: some for each of the 2**14 cells that are counted next


@dataclass(frozen=True, eq=False)
class ValueSample:
    """About every ``rate``-th value of a column, of parts in order; the rate is a power of two."""

    values: NDArray[np.float64]
    rate: int

    def merge(self, other: ValueSample) -> ValueSample:
        """Return a sample of both at the same rate."""
        rate = max(self.rate, other.rate)
        values = np.concatenate([each.values[:: rate // each.rate] for each in (self, other)])
        while len(values) > _MOST_SAMPLED:
            values, rate = values[::2], 2 * rate
        return ValueSample(values, rate)

    def known(self) -> NDArray[np.float64]:
        """Return the values that are not missing, sorted."""
        return np.sort(self.values[~np.isnan(self.values)])


def _sample(values: NDArray[np.floating[Any]]) -> ValueSample:
    rate = 1 << max(0, (len(values) // _PART_SAMPLE).bit_length() - 1)
    return ValueSample(values[::rate].astype(np.float64), rate)


@dataclass(frozen=True, eq=False)
class DistinctValues:
    """At most ``most`` distinct values in order, or None if there are more; and a sample of all values."""

    values: NDArray[np.float64] | None
    most: int
    sample: ValueSample

    def merge(self, other: DistinctValues) -> DistinctValues:
        """Return the distinct values of both."""
        sample = self.sample.merge(other.sample)
        if self.values is None or other.values is None:
            return DistinctValues(None, self.most, sample)
        return _limited(np.union1d(self.values, other.values), self.most, sample)


NO_VALUES = DistinctValues(None, 0, ValueSample(np.empty(0), 1))


def distinct_values(values: NDArray[np.floating[Any]], most: int) -> DistinctValues:
    """Return the distinct values of a column, without NaN, if there are at most ``most``.

    Examples
    --------
    >>> distinct_values(np.array([2.0, np.nan, -0.0, 2.0, 0.0]), 3).values
    array([0., 2.])
    >>> distinct_values(np.array([2.0, 1.0, 3.0]), 2).values is None
    True
    """
    if not most:
        return NO_VALUES
    if len(_distinct(values[:_PEEK])) > most:
        return DistinctValues(None, most, _sample(values))
    return _limited(_distinct(values), most, _sample(values))


def _distinct(values: NDArray[np.floating[Any]]) -> NDArray[np.float64]:
    found = np.unique(values)
    return found[~np.isnan(found)].astype(np.float64) + 0.0  # -0.0 becomes 0.0


def _limited(values: NDArray[np.float64], most: int, sample: ValueSample) -> DistinctValues:
    return DistinctValues(values if len(values) <= most else None, most, sample)


_MOST_CATEGORIES = 2**16  # beyond this a column is an id or free text, and its categories are no longer collected


@dataclass(frozen=True)
class ColumnFacts:
    """Kind, type, categories and number of missing values of a column; ``is_empty`` where no value is known.

    ``distinct`` are the distinct values of a numeric column, as far as they are few.
    """

    name: str
    kind: Kind
    measure: str
    dtype: str
    origin: str
    categories: tuple[Any, ...] = ()
    declared: bool = False
    n_missing: int = 0
    is_empty: bool = False
    distinct: DistinctValues = NO_VALUES

    def feature(self, name: str) -> Feature:
        """Return the column of the schema."""
        if self.kind == "numeric":
            return Feature(name, "numeric", measure=self.measure)
        return Feature(name, "nominal", self.categories, self.declared)


def column_facts(column: Any, name: str, is_nominal: bool, n_distinct: int, origin: str) -> ColumnFacts:
    """Return the facts of a column in the rows of a part."""
    dtype = _type_name(column.dtype)
    kind: Kind = "nominal" if is_nominal else column_kind(column, name)
    if not len(column):
        measure = column_measure(column) if kind == "numeric" else ""
        return ColumnFacts(name, kind, measure, dtype, origin, is_empty=True)
    if kind == "numeric":
        values = numeric_values(column, name)
        n_missing = int(np.isnan(values).sum())
        facts = ColumnFacts(name, kind, column_measure(column), dtype, origin, n_missing=n_missing)
        return replace(facts, is_empty=n_missing == len(values), distinct=distinct_values(values, n_distinct))
    coded = nominal_codes(column, name)
    n_missing = int((coded.codes < 0).sum())
    _check_number(name, len(coded.categories))
    facts = ColumnFacts(name, kind, "", dtype, origin, coded.categories, coded.declared, n_missing)
    return replace(facts, is_empty=n_missing == len(coded.codes) and not coded.categories)


def _check_number(name: str, n_categories: int) -> None:
    if n_categories > _MOST_CATEGORIES:
        raise DataError(
            f"column {name!r} has more than {_MOST_CATEGORIES:,} categories: is it an id or free text? Drop it, or "
            "group its rare categories."
        )


def merge_columns(one: ColumnFacts, other: ColumnFacts) -> ColumnFacts:
    """Return the facts of a column in two runs of parts; raise if its type differs."""
    n_missing = one.n_missing + other.n_missing
    if one.is_empty or other.is_empty:
        is_known = not one.is_empty or (other.is_empty and bool(one.measure))
        return replace(one if is_known else other, n_missing=n_missing)
    if one.kind != other.kind or one.dtype != other.dtype:
        raise SchemaError(
            f"column {one.name!r} is {other.dtype} in {other.origin} and {one.dtype} in {one.origin}. Pass parts of "
            "the same types."
        )
    if one.kind == "numeric":
        return replace(one, n_missing=n_missing, distinct=one.distinct.merge(other.distinct))
    categories = _union_of_categories(one, other)
    _check_number(one.name, len(categories))
    return replace(one, n_missing=n_missing, categories=categories)


def _union_of_categories(one: ColumnFacts, other: ColumnFacts) -> tuple[Any, ...]:
    """Return the categories of both: sorted as those of a table in memory, declared ones in their order."""
    if one.categories == other.categories:
        return one.categories
    union = tuple(dict.fromkeys((*one.categories, *other.categories)))
    in_order = one.declared and all(isinstance(value, str) for value in union)
    return union if in_order else tuple(sorted(union))


def _type_name(dtype: Any) -> str:
    """Return the name of a type; strings and their categories are one, whatever the library calls them."""
    if isinstance(dtype, nw.Categorical | nw.Enum):
        return "Categorical"
    return "String" if isinstance(dtype, nw.String | nw.Object | nw.Unknown) else str(dtype)


@dataclass(frozen=True)
class LabelFacts:
    """The values of the target, those of them that have rows, and whether they are declared."""

    values: tuple[Any, ...]
    used: frozenset[Any]
    declared: bool

    def merge(self, other: LabelFacts) -> LabelFacts:
        """Return the values of both, in the order of the first where they are declared."""
        if not self.values or not other.values:
            return self if self.values else other
        values = tuple(dict.fromkeys((*self.values, *other.values)))
        return LabelFacts(values, self.used | other.used, self.declared and other.declared)

    def labels(self) -> Labels:
        """Return the classes as `code_labels` of all rows does, without the codes of rows."""
        values = self.values if self.declared else tuple(sorted(self.values))
        column_kind(np.array([*values, None], dtype=object), "y")  # raises if the classes are of several types
        seen = [value for value in values if value in self.used]
        classes, rank = np.unique(np.asarray(seen), return_inverse=True)
        n_declared = len(values) if self.declared else len(seen)
        return Labels(classes, np.empty(0, dtype=np.int32), tuple(rank.tolist()), n_declared)


def label_facts(part: SourcePart) -> LabelFacts:
    """Return the classes of a part; raise if one is missing."""
    if not part.n_rows:
        return LabelFacts((), frozenset(), declared=False)
    coded = factorize(part.labels.to_native())
    if coded.codes.min() < 0:
        missing = np.flatnonzero(coded.codes < 0)
        raise DataError(
            f"the target {part.roles.target!r} has {len(missing)} missing label(s) in {part.origin} (first at row "
            f"{missing[0]:,} of part {part.number}). Drop those rows before fitting."
        )
    has_rows = np.bincount(coded.codes, minlength=len(coded.categories)) > 0
    used = frozenset(value for value, has in zip(coded.categories, has_rows, strict=True) if has)
    return LabelFacts(coded.categories, used, coded.declared)


def group_values(part: SourcePart) -> NDArray[Any]:
    """Return the distinct groups of a part; raise if one is missing."""
    if not part.n_rows:
        return np.empty(0, dtype=object)
    coded = factorize(part.frame[part.roles.groups].to_native())
    if coded.codes.min() < 0:
        raise DataError(f"groups: column {part.roles.groups!r} has missing values in {part.origin}. Drop those rows.")
    return np.unique(np.asarray([coded.categories[code] for code in np.unique(coded.codes)]))


MAX_ROWS = 2**31 - 1  # as of tables in memory


@dataclass(frozen=True, eq=False)
class Survey:
    """The facts of a part, of some parts, or of all of them.

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
    """

    lengths: tuple[int, ...]
    columns: tuple[ColumnFacts, ...]
    labels: LabelFacts | None
    largest_weight: float
    are_whole: bool
    are_ones: bool
    groups: NDArray[Any] | None

    @cached_property
    def n_rows(self) -> int:
        """Number of rows of weight above 0."""
        return sum(self.lengths)

    @cached_property
    def first_rows(self) -> list[int]:
        """The number of the first row of each part."""
        return list(accumulate(self.lengths, initial=0))[:-1]

    def without_values(self) -> Survey:
        """Return the facts without distinct values and samples of columns."""
        return replace(self, columns=tuple(replace(facts, distinct=NO_VALUES) for facts in self.columns))

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
    """Return the facts of a part."""
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
    )


def merge_surveys(one: Survey, other: Survey) -> Survey:
    """Return the facts of two runs of parts that follow each other."""
    return Survey(
        one.lengths + other.lengths,
        tuple(map(merge_columns, one.columns, other.columns)),
        None if one.labels is None or other.labels is None else one.labels.merge(other.labels),
        max(one.largest_weight, other.largest_weight),
        one.are_whole and other.are_whole,
        one.are_ones and other.are_ones,
        None if one.groups is None or other.groups is None else _union_of_groups(one.groups, other.groups),
    )


def _union_of_groups(one: NDArray[Any], other: NDArray[Any]) -> NDArray[Any]:
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
