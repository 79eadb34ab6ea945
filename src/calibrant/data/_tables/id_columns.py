"""Columns that look like ids or free text: a different value in every row."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from calibrant._repr import listed
from calibrant.data._tables.table import Table
from calibrant.exceptions import DataError

if TYPE_CHECKING:
    from collections.abc import Collection

    import pandas as pd

__all__ = ["find_id_columns", "note_guessed_class", "note_id_columns"]

_MIN_ROWS = 20  # in fewer rows the values of a real feature often differ
_FIRST_ROWS = 1_000  # which show at once that values repeat
_ID_NAME = re.compile(r"(?i:(^|[^a-z])(ids?|key|no|nr|num|number|index|row|uuid|guid|code)$)|[a-z](Id|ID)$")


def find_id_columns(X: pd.DataFrame) -> dict[str, str]:
    """Return the columns with a different value in every row, and whether each is ``"an id"`` or ``"free text"``.

    Numbers that are measured rarely repeat either, so integers are ids only if they are named like one or increase by
    a constant from row to row, and other numbers never.

    Examples
    --------
    >>> import pandas as pd
    >>> find_id_columns(pd.DataFrame({"key": [f"k{i}" for i in range(30)], "age": range(0, 60, 2), "won": [0, 1] * 15}))
    {'key': 'an id', 'age': 'an id'}
    """
    return {str(name): kind for name, column in X.items() if (kind := _kind(str(name), column))}


def _kind(name: str, column: pd.Series[Any]) -> str:
    """Return "an id", "free text", or "" for another column."""
    if column.dtype.kind in "fb" or not column.iloc[:_FIRST_ROWS].dropna().is_unique:
        return ""
    known = column.dropna()
    if len(known) < _MIN_ROWS or not known.is_unique:
        return ""
    if known.dtype.kind in "iu":
        return "an id" if _ID_NAME.search(name) or known.diff().iloc[1:].nunique() == 1 else ""
    if not isinstance(known.iloc[0], str):
        return ""
    has_words = known.astype(str).str.contains(" ", regex=False).mean() > 0.5
    return "free text" if has_words else "an id"


def note_guessed_class(table: Table) -> Table:
    """Add a note that names the class column, which was not specified, and questions it where no value repeats."""
    if table.y is None:
        return table
    name = table.y.name
    notes = [f"The class is the last column, {name!r}; pass target= for another."]
    if len(table.y) >= _MIN_ROWS and table.y.is_unique:
        notes = [f"{name!r} has a different value in every row: is it the class? Pass target= for another."]
    return replace(table, notes=(*table.notes, *notes))


def note_id_columns(table: Table, nominal: Collection[str], *, drop: bool) -> Table:
    """Add a note that names the columns that look like ids or free text, and leave them out on request.

    Columns that the caller declared nominal are features.
    """
    found = {name: kind for name, kind in find_id_columns(table.X).items() if name not in nominal}
    if not found:
        return table
    names = listed([f"{name!r} ({kind})" for name, kind in found.items()])
    what = f"{names} {'have' if len(found) > 1 else 'has'} a different value in every row"
    if not drop:
        them = "them" if len(found) > 1 else "it"
        note = f"{what}, from which nothing can be learned; drop_ids=True leaves {them} out."
        return replace(table, notes=(*table.notes, note))
    note = f"{what}, and {'are left out: they are' if len(found) > 1 else 'is left out: it is'} in extra."
    return _without(table, found, note)


def _without(table: Table, found: Mapping[str, str], note: str) -> Table:
    import pandas as pd

    names = list(found)
    if len(names) == table.n_features:
        raise DataError(f"{table.name}: every column looks like an id or free text. Pass drop_ids=False to keep them.")
    moved = table.X[names]
    return replace(
        table,
        X=table.X.drop(columns=names),
        extra=moved if table.extra is None else pd.concat([table.extra, moved], axis=1),
        kinds={name: kind for name, kind in table.kinds.items() if name not in found},
        notes=(*table.notes, note),
    )
