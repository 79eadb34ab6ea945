"""What differs between the columns of a model and those of a table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from calibrant._repr import listed
from calibrant.data._internal import match_problems
from calibrant.exceptions import SchemaError, nearest

if TYPE_CHECKING:
    from calibrant.data._internal import Chunk, TableChunks, WantedColumns

__all__ = ["check_match", "unused_columns"]

_MOST_NAMES = 10


def check_match(table: TableChunks, first: Chunk, wanted: WantedColumns, who: str) -> None:
    """Raise if columns are missing or hold values of another kind in the first rows; the message lists all of them."""
    missing = [name for name in wanted.names or () if name not in table.selection.features]
    schema = wanted.schema
    changed = match_problems(first.X, schema) if schema is not None and schema.named else []
    if not missing and not changed:
        return
    unused = unused_columns(table, wanted)
    lines = [f"{who} does not match the model, which was fitted with {wanted.n_features} columns."]
    lines += [f"Missing: {listed([_with_guess(name, unused) for name in missing], _MOST_NAMES)}."] if missing else []
    lines += [f"Not in the model: {listed(map(repr, unused), _MOST_NAMES)}."] if unused else []
    lines += [f"Changed: {problem}" for problem in changed]
    raise SchemaError("\n  ".join([*lines, "Rename or add the columns, or fit the model again."]))


def unused_columns(table: TableChunks, wanted: WantedColumns) -> list[str]:
    """Return the columns of the table that the model does not have."""
    return [name for name in table.columns if name not in (wanted.names or table.columns)]


def _with_guess(name: str, others: Sequence[str]) -> str:
    guess = nearest(name, others).removeprefix(" Did you mean ").removesuffix("?")
    return f"{name!r} (found {guess}: the same column?)" if guess else repr(name)
