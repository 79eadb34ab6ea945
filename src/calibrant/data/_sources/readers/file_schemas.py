"""Checks that the files of a folder have the same columns, of the same types."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from calibrant.data._frames.columns import find_duplicates
from calibrant.data._readers.arrow_columns import is_text
from calibrant.exceptions import ReadError, SchemaError, nearest

__all__ = ["check_same_columns", "check_same_schema", "check_unique_columns", "is_unnamed_index"]

_UNNAMED_INDEX = re.compile(r"__index_level_\d+__")


def is_unnamed_index(name: str) -> bool:
    """Return whether a column is an index of pandas without a name."""
    return _UNNAMED_INDEX.fullmatch(name) is not None


def check_unique_columns(path: Path, names: Sequence[str]) -> None:
    """Raise if a file has a column twice."""
    duplicates = find_duplicates(names)
    if duplicates:
        raise ReadError.at(path, f"has the column {duplicates[0][:60]!r} twice", hint="Rename or remove one.")


def check_same_columns(first: Path, expected: Sequence[str], path: Path, names: Sequence[str]) -> None:
    """Raise if two files do not have the same columns; their order may differ.

    Examples
    --------
    >>> check_same_columns(Path("a.csv"), ["age", "ill"], Path("b.csv"), ["ages", "ill"])
    Traceback (most recent call last):
    calibrant.exceptions.SchemaError: b.csv has no column 'age', which a.csv has. Did you mean 'ages'? Pass files of the
    same columns.
    """
    for one, here, other, there in ((path, names, first, expected), (first, expected, path, names)):
        lacking = [name for name in there if name not in here]
        if lacking:
            guess = nearest(lacking[0], list(here))
            raise SchemaError(
                f"{one} has no column {lacking[0]!r}, which {other} has.{guess} Pass files of the same columns."
            )


def check_same_schema(paths: Sequence[Path], schemas: Sequence[Any]) -> None:
    """Raise if Parquet files differ in their columns or types."""
    for path, schema in zip(paths[1:], schemas[1:], strict=True):
        check_same_columns(paths[0], schemas[0].names, path, schema.names)
        for field in schema:
            before = schemas[0].field(field.name).type
            if not _are_alike(before, field.type):
                raise SchemaError(
                    f"column {field.name!r} is {field.type} in {path} and {before} in {paths[0]}. Write the files with "
                    "one schema, or pass pyarrow.dataset.dataset(folder, schema=...)."
                )


def _are_alike(one: Any, other: Any) -> bool:
    """Return whether types hold the same values: strings of any layout, also in dictionaries; nulls fit any type."""
    import pyarrow as pa

    if pa.types.is_null(one) or pa.types.is_null(other) or one.equals(other):
        return True
    values = [kind.value_type if pa.types.is_dictionary(kind) else kind for kind in (one, other)]
    same_form = pa.types.is_dictionary(one) == pa.types.is_dictionary(other)
    return same_form and (values[0].equals(values[1]) or all(map(is_text, values)))
