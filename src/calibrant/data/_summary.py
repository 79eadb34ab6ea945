"""What a table holds, said column by column: the facts that its text and its notebook view show."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant.data._table import Kind, Table

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["ClassShare", "ColumnSummary", "TableSummary", "summarise"]

_MOST_VALUES = 3


@dataclass(frozen=True)
class ColumnSummary:
    """One column: its kind, its holes and its values in a few words."""

    name: str
    kind: Kind
    missing: int
    values: str


@dataclass(frozen=True)
class ClassShare:
    """One class: its label, rows and share of the labelled rows; ``positive`` for the class of interest."""

    label: str
    rows: int
    share: float
    positive: bool


@dataclass(frozen=True)
class TableSummary:
    """What a person wants to know of a table at a glance."""

    headline: str
    classes: tuple[ClassShare, ...]
    more_classes: int
    facts: tuple[str, ...]
    columns: tuple[ColumnSummary, ...]
    more_columns: int
    notes: tuple[str, ...]


def summarise(table: Table, *, most_columns: int, most_classes: int) -> TableSummary:
    """Collect the facts; columns and classes beyond the first few are only counted.

    Examples
    --------
    >>> from calibrant.data import load
    >>> summarise(load("appeal"), most_columns=3, most_classes=5).headline
    'appeal: 1,500 rows, ... features (...)'
    """
    names = list(table.X.columns)
    counts = table.class_counts
    return TableSummary(
        headline=_headline(table),
        classes=_classes(table, counts, most_classes),
        more_classes=max(0, len(counts) - most_classes),
        facts=_facts(table),
        columns=tuple(_column(name, table.kinds[name], table.X[name]) for name in names[:most_columns]),
        more_columns=max(0, len(names) - most_columns),
        notes=table.notes,
    )


def _headline(table: Table) -> str:
    n_nominal = sum(kind == "nominal" for kind in table.kinds.values())
    kinds = f"{table.n_features - n_nominal} numeric, {n_nominal} nominal"
    return f"{table.name}: {table.n_rows:,} rows, {table.n_features:,} features ({kinds})"


def _classes(table: Table, counts: dict[Any, int], most: int) -> tuple[ClassShare, ...]:
    total = max(1, sum(counts.values()))
    shown = list(counts.items())
    if len(shown) > most:
        shown = sorted(shown, key=lambda pair: -pair[1])[:most]
    return tuple(ClassShare(str(label), rows, rows / total, label == table.positive) for label, rows in shown)


def _facts(table: Table) -> tuple[str, ...]:
    holes = int(table.X.isna().to_numpy().sum())
    rows = int(table.X.isna().any(axis=1).sum()) if holes else 0
    facts = [f"missing: {holes:,} cells in {rows:,} rows" if holes else "missing: none"]
    unlabelled = 0 if table.y is None else int(table.y.isna().sum())
    if unlabelled:
        facts.append(f"class missing: {unlabelled:,} rows")
    if table.split is not None:
        parts = table.split.value_counts(sort=False)
        facts.append("split: " + ", ".join(f"{part} {rows:,}" for part, rows in parts.items()))
    if table.sample_weight is not None:
        facts.append(f"weights: {table.sample_weight.min():g} to {table.sample_weight.max():g}")
    if table.extra is not None:
        facts.append("not features: " + ", ".join(map(str, table.extra.columns)))
    return tuple(facts)


def _column(name: str, kind: Kind, column: pd.Series[Any]) -> ColumnSummary:
    missing = int(column.isna().sum())
    known = column.dropna()
    if not len(known):
        return ColumnSummary(name, kind, missing, "no values")
    return ColumnSummary(name, kind, missing, _range(known) if kind == "numeric" else _frequent(known))


def _range(known: pd.Series[Any]) -> str:
    n_values = known.nunique()
    if known.dtype.kind == "M":
        return f"{known.min():%Y-%m-%d} to {known.max():%Y-%m-%d}, {n_values:,} distinct"
    low, middle, high = (float(value) for value in (known.min(), known.median(), known.max()))
    return f"{_number(low)} to {_number(high)}, median {_number(middle)}, {n_values:,} distinct"


def _number(value: float) -> str:
    whole = value == np.floor(value) or abs(value) >= 1000
    return f"{value:,.0f}" if whole and abs(value) < 1e9 else f"{value:.4g}"


def _frequent(known: pd.Series[Any]) -> str:
    counts = known.value_counts()
    counts = counts[counts > 0]
    shown = ", ".join(f"{_short(value)} ({rows:,})" for value, rows in counts.iloc[:_MOST_VALUES].items())
    more = len(counts) - _MOST_VALUES
    unseen = len(known.cat.categories) - len(counts) if known.dtype.name == "category" else 0
    return shown + (f", {more:,} more" if more > 0 else "") + (f"; {unseen:,} declared but unseen" if unseen else "")


def _short(value: object) -> str:
    text = str(value)
    return text if len(text) <= 24 else text[:23] + "…"
