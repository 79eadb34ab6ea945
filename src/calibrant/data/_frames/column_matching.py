"""One column of a new table as that of the fitted one: numbers as numbers, categories by their codes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant.data._frames.schema import Feature, Schema
from calibrant.data._frames.values import (
    CategoryCodes,
    column_kind,
    column_measure,
    nominal_codes,
    numeric_values,
)
from calibrant.exceptions import DataTypeError, SchemaError

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["column_problems", "match_column", "with_new_categories"]


def column_problems(columns: Mapping[str, Any], schema: Schema) -> list[str]:
    """Return what is wrong with columns that a schema names, a sentence each."""
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
    if feature.kind == "numeric":
        return feature
    found = nominal_codes(column, feature.name).categories
    if {_are_strings(found), _are_strings(feature.categories)} == {False, True}:
        return feature
    return replace(feature, categories=tuple(dict.fromkeys((*feature.categories, *found))))


def _are_strings(categories: tuple[Any, ...]) -> bool | None:
    """Return whether categories are strings, or None if there are none."""
    return isinstance(categories[0], str) if categories else None
