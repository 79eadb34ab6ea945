"""Categories that a model has not seen: they are missing values to it, and a note names them."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import pandas as pd

    from calibrant.data._internal import Schema

__all__ = ["UnseenCategories"]

_MOST_VALUES = 3
_MOST_COUNTED = 1000  # of a column: more are free text


class UnseenCategories:
    """Counts the categories of nominal columns that are not in a schema, over all chunks."""

    def __init__(self, schema: Schema | None) -> None:
        features = schema.features if schema is not None and schema.named else ()
        self._known = {each.name: set(each.categories) for each in features if each.kind == "nominal"}
        self.counts: dict[str, Counter[Any]] = {}

    def add(self, X: pd.DataFrame) -> None:
        """Count those of a chunk."""
        for name, known in self._known.items():
            column = X[name]
            values = column.cat.categories if hasattr(column, "cat") else column.unique()
            unseen = [value for value in values.tolist() if value not in known and value == value and value is not None]
            if unseen:
                self._count(name, column, unseen)

    def _count(self, name: str, column: Any, unseen: list[Any]) -> None:
        counts = column[column.isin(unseen).to_numpy()].value_counts()
        found = self.counts.setdefault(name, Counter())
        for value, n in counts[counts > 0].items():
            key = value if value in found or len(found) < _MOST_COUNTED else "…"
            found[key] += int(n)

    def notes(self) -> list[str]:
        """Return a sentence for each column that has any."""
        return [self._note(name, found) for name, found in self.counts.items() if found]

    def _note(self, name: str, found: Counter[Any]) -> str:
        shown = ", ".join(f"{value!r:.40}" for value, _ in found.most_common(_MOST_VALUES))
        more = ", …" if len(found) > _MOST_VALUES else ""
        n_rows = int(np.sum(list(found.values())))
        rows = f"{n_rows:,} row{'' if n_rows == 1 else 's'}"
        return f"{name!r} holds categories that the model has not seen ({shown}{more}; {rows}): missing values to it."
