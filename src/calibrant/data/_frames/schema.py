"""The schema of a fitted table, by which the columns of later tables are matched."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calibrant._repr import listed
from calibrant._saved import Text, Values, need, saved
from calibrant.data._frames.values import (
    CategoryCodes,
    column_kind,
    column_measure,
    nominal_codes,
    numeric_values,
)
from calibrant.data._tables.table import Kind
from calibrant.exceptions import DataTypeError, SchemaError, nearest

_MAX_NAMES = 5  # in a message
_HASHED, _MAX_LARGE = 2**61 - 2, 10_000  # larger ints share hashes, and a dict of many then takes forever
_CATEGORY_TYPES = ({str}, {bool}, {int, float})


@saved(
    inline=True,
    categories=Values(),
    measure=Text("", "numbers", "dates", "durations", "times of day", "text"),
)
@dataclass(frozen=True)
class Feature:
    """One column: its name, its kind, and the categories of a nominal one in the order of their codes.

    ``declared`` is True where the categories were declared (pandas, polars Enum, Arrow dictionary, ARFF, ``.names``,
    booleans) rather than collected from the rows. ``measure`` is what a numeric column holds: "numbers", "dates",
    "durations" or "times of day", of which all but the first are stored as microseconds; "" if all values are missing.
    A nominal column of measure "text" is free text: it has no categories, and every value counts as missing.
    """

    name: str
    kind: Kind
    categories: tuple[Any, ...] = ()
    declared: bool = False
    measure: str = ""

    def _check_saved(self) -> None:
        values, name = self.categories, repr(self.name)[:60]
        is_of_one_type = any({type(value) for value in values} <= one for one in _CATEGORY_TYPES)
        need(is_of_one_type, f"has categories of {name} that are not all strings, or all numbers")
        n_large = sum(type(value) is int and abs(value) > _HASHED for value in values)
        need(n_large <= _MAX_LARGE, f"has more than {_MAX_LARGE:,} categories of {name} beyond 2**61")
        are_distinct = len(set(values)) == len(values) and not (self.kind == "numeric" and values)
        need(are_distinct, f"has categories of {name} twice, or of a numeric column")
        is_text = self.measure == "text"
        need(not is_text or (self.kind == "nominal" and not values), f"has categories of {name}, which is free text")


@saved()
@dataclass(frozen=True)
class Schema:
    """The columns of a fitted table; ``named`` is True if the table had column names.

    Examples
    --------
    >>> schema = Schema((Feature("age", "numeric"), Feature("sex", "nominal", ("f", "m"))), named=True)
    >>> schema.locate(["sex", "town", "age"])
    [2, 0]
    >>> schema.locate(["sex", "agee"])
    Traceback (most recent call last):
    calibrant.exceptions.SchemaError: fitted with 2 columns; 'age' is missing. Found 'agee': the same column?
    """

    features: tuple[Feature, ...]
    named: bool

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of the columns, in the order of ``fit``."""
        return tuple(feature.name for feature in self.features)

    @cached_property
    def is_numbers(self) -> bool:
        """Whether every column holds numbers rather than categories, dates or times."""
        return all(feature.kind == "numeric" and feature.measure in ("", "numbers") for feature in self.features)

    def locate(
        self, names: Sequence[str] | None, n_columns: int | None = None, who: str = "the fitted table"
    ) -> list[int]:
        """Return the position of each fitted column in a new table: by name if both have names, else by order."""
        if names is None or not self.named:
            return self._by_position(len(names) if names is not None else n_columns, who)
        position_of = {name: position for position, name in enumerate(names)}
        if message := self.missing_message(position_of):
            raise SchemaError(message)
        return [position_of[name] for name in self.names]

    def _by_position(self, n_columns: int | None, who: str) -> list[int]:
        if n_columns != len(self.features):
            raise SchemaError(
                f"X has {n_columns} features, but {who} is expecting {len(self.features)} features as input. "
                "Pass the same columns in the same order, or a frame with their names."
            )
        return list(range(len(self.features)))

    def missing_message(self, found: Collection[str]) -> str:
        """Name the columns that are missing among those found, and those that fit had not; "" if none is missing."""
        missing = [name for name in self.names if name not in found]
        if not missing:
            return ""
        surplus = sorted(set(found) - set(self.names))
        verb = "is" if len(missing) == 1 else "are"
        message = f"fitted with {len(self.features)} columns; {listed(map(repr, missing), _MAX_NAMES)} {verb} missing."
        for name in missing[:_MAX_NAMES]:
            if guess := nearest(name, surplus):
                same = guess.removeprefix(" Did you mean ").removesuffix("?")
                message += f" Found {same}: the same column?"
                surplus = [other for other in surplus if repr(other) != same]
        return message + (f" Not in fit: {listed(map(repr, surplus), _MAX_NAMES)}." if surplus else "")

    def _check_saved(self) -> None:
        need(len(set(self.names)) == len(self.names) >= 1, "has a column twice, or none")


def column_problems(columns: Mapping[str, Any], schema: Schema) -> list[str]:
    """Return the problems of columns that a schema names, a sentence each."""
    problems = []
    for feature in schema.features:
        try:
            if feature.name in columns:
                match_column(feature, columns[feature.name])
        except (SchemaError, DataTypeError) as error:
            problems.append(str(error))
    return problems


def match_column(feature: Feature, column: Any) -> NDArray[Any]:
    """Return a column as floats or codes, as that of the fitted table; raise if it is of another kind."""
    if feature.measure == "text":
        return np.full(len(column), -1, dtype=np.int32)
    if feature.kind == "nominal":
        return _recode(feature, nominal_codes(column, feature.name))
    if column_kind(column, feature.name) == "nominal":
        return _numbers_of_nominal(feature, column)
    values = numeric_values(column, feature.name)
    _check_measure(feature, column_measure(column), values)
    return values


def _numbers_of_nominal(feature: Feature, column: Any) -> NDArray[Any]:
    coded = nominal_codes(column, feature.name)
    strings = [value for value in coded.categories if isinstance(value, str)]
    if strings and (coded.codes >= 0).any():
        before = "was numeric" if feature.measure in ("", "numbers") else f"held {feature.measure}"
        expected = feature.measure or "numbers"
        example = next((text for text in strings if not _is_number(text)), strings[0])
        raise SchemaError(f"column {feature.name!r} {before} in fit and holds {example!r:.60} now; pass {expected}.")
    numbers = [np.nan if isinstance(value, str) else float(value) for value in coded.categories]
    values = np.array([*numbers, np.nan])[coded.codes]
    _check_measure(feature, "numbers", values)
    return values


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _check_measure(feature: Feature, measure: str, values: NDArray[np.floating[Any]]) -> None:
    """Raise if numbers stand where dates were in ``fit``, or the reverse, which as floats look alike."""
    if measure != feature.measure and feature.measure and measure and not np.isnan(values).all():
        raise SchemaError(
            f"column {feature.name!r} held {feature.measure} in fit and holds {measure} now; pass {feature.measure}."
        )


def _recode(feature: Feature, coded: CategoryCodes) -> NDArray[np.int32]:
    if coded.categories == feature.categories:
        return coded.codes
    code_of = {value: code for code, value in enumerate(feature.categories)}
    recode = np.array([code_of.get(value, -1) for value in coded.categories] + [-1], dtype=np.int32)
    if (recode < 0).all() and {_are_strings(coded.categories), _are_strings(feature.categories)} == {False, True}:
        raise SchemaError(
            f"column {feature.name!r} holds none of the values seen in fit: fitted with {feature.categories[0]!r:.60}, "
            f"got {coded.categories[0]!r:.60}. Pass the values in the same form."
        )
    return recode[coded.codes]


def with_new_categories(feature: Feature, column: Any) -> Feature:
    """Add new categories to a feature, unless they are strings and the others are not, or the reverse."""
    if feature.kind == "numeric" or feature.measure == "text":
        return feature
    found = nominal_codes(column, feature.name).categories
    if {_are_strings(found), _are_strings(feature.categories)} == {False, True}:
        return feature
    return replace(feature, categories=tuple(dict.fromkeys((*feature.categories, *found))))


def _are_strings(categories: tuple[Any, ...]) -> bool | None:
    """Return whether categories are strings, or None if there are none."""
    return isinstance(categories[0], str) if categories else None
