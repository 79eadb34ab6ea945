"""What a part knows of a column, merged to what the whole source knows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import narwhals as nw
import numpy as np

from calibrant.data._frames.schema import Feature
from calibrant.data._frames.values import column_kind, column_measure, nominal_codes, numeric_values
from calibrant.data._sources.distinct_values import NO_VALUES, DistinctValues, distinct_values
from calibrant.exceptions import DataError, SchemaError

if TYPE_CHECKING:
    from calibrant.data._tables.table import Kind

__all__ = ["ColumnFacts", "column_facts", "merge_columns"]

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
    """Return what the rows of a part show of a column."""
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
    """Return what two runs of parts show of a column; raise if its type differs."""
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
    categories = _union(one, other)
    _check_number(one.name, len(categories))
    return replace(one, n_missing=n_missing, categories=categories)


def _union(one: ColumnFacts, other: ColumnFacts) -> tuple[Any, ...]:
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
