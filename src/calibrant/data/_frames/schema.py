"""What was seen in ``fit``: the name, kind and categories of each column, so that later rows are read alike."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from calibrant.data._tables.table import Kind
from calibrant.exceptions import SchemaError, nearest

__all__ = ["Feature", "Schema"]


@dataclass(frozen=True)
class Feature:
    """One column: its name, its kind, and for a nominal one its categories in the order of their codes.

    ``declared`` says that the categories were declared (pandas, polars Enum, Arrow dictionary, ARFF, ``.names``, truth
    values) rather than collected from the rows. ``measure`` says what a numeric column holds: "numbers", "dates",
    "durations" or "times of day", of which all but the first are read as microseconds; "" where it holds nothing.
    """

    name: str
    kind: Kind
    categories: tuple[Any, ...] = ()
    declared: bool = False
    measure: str = ""


@dataclass(frozen=True)
class Schema:
    """The columns of a fitted table; ``named`` where they came with names of their own.

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
        """Whether every column holds numbers, and no dates or times."""
        return all(feature.kind == "numeric" and feature.measure in ("", "numbers") for feature in self.features)

    def locate(
        self, names: Sequence[str] | None, n_columns: int | None = None, who: str = "the fitted table"
    ) -> list[int]:
        """Say where each fitted column stands in a new table: by name where both have names, else by position."""
        if names is None or not self.named:
            return self._by_position(len(names) if names is not None else n_columns, who)
        place = {name: position for position, name in enumerate(names)}
        missing = [name for name in self.names if name not in place]
        if missing:
            raise SchemaError(self._missing_message(missing, sorted(place.keys() - set(self.names))))
        return [place[name] for name in self.names]

    def _by_position(self, n_columns: int | None, who: str) -> list[int]:
        if n_columns != len(self.features):
            raise SchemaError(
                f"X has {n_columns} features, but {who} is expecting {len(self.features)} features as input. "
                "Pass the same columns in the same order, or a frame with their names."
            )
        return list(range(len(self.features)))

    def _missing_message(self, missing: list[str], surplus: list[str]) -> str:
        shown = ", ".join(map(repr, missing[:5])) + (f" and {len(missing) - 5} more" if len(missing) > 5 else "")
        verb = "is" if len(missing) == 1 else "are"
        message = f"fitted with {len(self.features)} columns; {shown} {verb} missing."
        guess = nearest(missing[0], surplus)
        return message + guess.replace(" Did you mean ", " Found ").replace("?", ": the same column?")
