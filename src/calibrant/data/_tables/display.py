"""The display of a table: its columns one by one, as text or as HTML."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Number
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from calibrant._sections import Block, Callout, DataTable, Paragraph, Section, Share, Shares, TableColumn
from calibrant.data._tables.table import Kind, Table

if TYPE_CHECKING:
    import pandas as pd

# Three values of 24 characters keep a line of the text view within about 120 characters.
_MAX_VALUES = 3
_MAX_VALUE_WIDTH = 24


@dataclass(frozen=True)
class ColumnSummary:
    """One column: its kind, its number of missing values and a short description of its values."""

    name: str
    kind: Kind
    missing: int
    values: str


@dataclass(frozen=True)
class ClassShare:
    """One class: its label, number of rows and share of the labelled rows; ``positive`` for the class of interest."""

    label: str
    rows: int
    share: float
    positive: bool


@dataclass(frozen=True)
class TableSummary:
    """The facts of a table: size, classes, columns and notes."""

    name: str
    size: str
    classes: tuple[ClassShare, ...]
    more_classes: int
    facts: tuple[str, ...]
    columns: tuple[ColumnSummary, ...]
    extend_columns: int
    notes: tuple[str, ...]


def summarize(table: Table, *, max_columns: int, max_classes: int) -> TableSummary:
    """Return the summary of a table; classes and columns beyond the limits are only counted.

    Examples
    --------
    >>> from calibrant.data import load
    >>> summarize(load("appeal"), max_columns=3, max_classes=5).size
    '1,500 rows, ... features (...)'
    """
    names = list(table.X.columns)
    counts = table.class_counts
    return TableSummary(
        name=table.name,
        size=_size(table),
        classes=_classes(table, counts, max_classes),
        more_classes=max(0, len(counts) - max_classes),
        facts=_facts(table),
        columns=tuple(_column(str(name), table.kinds[name], table.X[name]) for name in names[:max_columns]),
        extend_columns=max(0, len(names) - max_columns),
        notes=table.notes,
    )


def count(number: int, what: str, plural: str = "") -> str:
    """Return a number with its noun.

    Examples
    --------
    >>> count(1, "row"), count(1000, "row"), count(0, "class", "classes")
    ('1 row', '1,000 rows', '0 classes')
    """
    return f"{number:,} {what if number == 1 else plural or what + 's'}"


def truncate(text: str, width: int) -> str:
    """Return a text on one line, cut to ``width`` characters.

    Examples
    --------
    >>> truncate("months since the last gift", 12)
    'months sinc…'
    """
    line = " ".join(text.splitlines())
    return line if len(line) <= width else line[: width - 1] + "…"


def _size(table: Table) -> str:
    n_nominal = sum(kind == "nominal" for kind in table.kinds.values())
    kinds = f"{table.n_features - n_nominal:,} numeric, {n_nominal:,} nominal"
    return f"{count(table.n_rows, 'row')}, {count(table.n_features, 'feature')} ({kinds})"


def _classes(table: Table, counts: dict[Any, int], limit: int) -> tuple[ClassShare, ...]:
    total = max(1, sum(counts.values()))
    shown = list(counts.items())
    if len(shown) > limit:
        shown = sorted(shown, key=lambda pair: -pair[1])[:limit]
    return tuple(ClassShare(str(label), rows, rows / total, label == table.positive) for label, rows in shown)


def _facts(table: Table) -> tuple[str, ...]:
    is_missing = table.X.isna().to_numpy()
    n_cells, n_rows = int(is_missing.sum()), int(is_missing.any(axis=1).sum())
    facts = [f"missing: {count(n_cells, 'cell')} in {count(n_rows, 'row')}" if n_cells else "missing: none"]
    unlabelled = 0 if table.y is None else int(table.y.isna().sum())
    if unlabelled:
        facts.append(f"class missing: {count(unlabelled, 'row')}")
    if table.split is not None and table.n_rows:
        parts = table.split.value_counts(sort=False)
        facts.append("split: " + ", ".join(f"{part} {rows:,}" for part, rows in parts.items()))
    if table.sample_weight is not None and table.n_rows:
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
    distinct = f"{known.nunique():,} distinct"
    if not isinstance(known.iloc[0], Number):
        return f"{_time_text(known.min())} to {_time_text(known.max())}, {distinct}"
    try:
        values = np.asarray(known, dtype=np.float64)
    except OverflowError:
        return f"too large for a float, {distinct}"
    return f"{_number(values.min())} to {_number(values.max())}, median {_number(_median(values))}, {distinct}"


def _time_text(value: object) -> str:
    """Return a date, a time or a duration as text, without a time of midnight."""
    text = str(value).removesuffix(" 00:00:00")
    return text.replace("1 days", "1 day", 1) if text.startswith("1 days") else text


def _median(values: NDArray[np.float64]) -> float:
    middle = [(len(values) - 1) // 2, len(values) // 2]
    lower, upper = np.partition(values, middle)[middle].tolist()
    # The mean of the two infinities would be NaN.
    return float(lower) if lower == -upper == -np.inf else float(lower / 2 + upper / 2)


def _number(value: float) -> str:
    whole = float(value).is_integer() or abs(value) >= 1000
    return f"{value:,.0f}" if whole and abs(value) < 1e9 else f"{value:.4g}"


def _frequent(known: pd.Series[Any]) -> str:
    counts = known.value_counts()
    counts = counts[counts > 0]
    most = counts.iloc[:_MAX_VALUES]
    shown = ", ".join(f"{truncate(str(value), _MAX_VALUE_WIDTH)} ({rows:,})" for value, rows in most.items())
    more = len(counts) - _MAX_VALUES
    unseen = len(known.cat.categories) - len(counts) if known.dtype.name == "category" else 0
    return shown + (f", {more:,} more" if more > 0 else "") + (f"; {unseen:,} declared but unseen" if unseen else "")


_BAR_WIDTH = 24
_MAX_NAME_WIDTH = 32


def as_text(table: Table) -> str:
    """Return a table as text.

    Examples
    --------
    >>> from calibrant.data import load
    >>> print(as_text(load("appeal")))
    appeal: 1,500 rows, ...
    """
    summary = summarize(table, max_columns=20, max_classes=8)
    lines = [f"{summary.name}: {summary.size}", *_class_lines(summary), *(f"  {fact}" for fact in summary.facts)]
    lines += _column_lines(summary)
    lines += [f"  note: {note}" for note in summary.notes]
    return "\n".join(lines)


def _class_lines(summary: TableSummary) -> list[str]:
    width = max((len(_truncate(share.label)) for share in summary.classes), default=0)
    lines = [_class_line(share, width) for share in summary.classes]
    return lines + ([f"  {_more_classes(summary)}"] if summary.more_classes else [])


def _class_line(share: ClassShare, width: int) -> str:
    bar = "█" * max(1, round(_BAR_WIDTH * share.share))
    mark = "  (positive)" if share.positive else ""
    return f"  class {_truncate(share.label):<{width}} {share.rows:>9,} {share.share:>6.1%} {bar}{mark}"


def _column_lines(summary: TableSummary) -> list[str]:
    if not summary.columns:
        return []
    width = max(6, *(len(_truncate(column.name)) for column in summary.columns))
    lines = [f"  {'column':<{width}}  kind     missing  values"]
    lines += [
        f"  {_truncate(column.name):<{width}}  {column.kind:<7}  {_missing_text(column):>7}  {column.values}"
        for column in summary.columns
    ]
    return lines + ([f"  {_more_columns(summary)}"] if summary.extend_columns else [])


def _more_classes(summary: TableSummary) -> str:
    return f"… and {count(summary.more_classes, 'more class', 'more classes')}"


def _more_columns(summary: TableSummary) -> str:
    return f"… and {count(summary.extend_columns, 'more column')}"


def _missing_text(column: ColumnSummary) -> str:
    return f"{column.missing:,}" if column.missing else "·"


def _truncate(text: str) -> str:
    return truncate(text, _MAX_NAME_WIDTH)


def table_sections(table: Table) -> tuple[Section, ...]:
    """Return a table as sections.

    Examples
    --------
    >>> from calibrant.data import load
    >>> table_sections(load("appeal"))[0].title
    'appeal: 1,500 rows, ...'
    """
    summary = summarize(table, max_columns=30, max_classes=12)
    blocks: list[Block] = []
    if summary.classes:
        more = _more_classes(summary) if summary.more_classes else ""
        blocks.append(Shares("Classes", tuple(map(_class_share, summary.classes)), more))
    blocks.append(Paragraph(" · ".join(summary.facts), "note"))
    if summary.columns:
        blocks.append(_columns_table(summary))
    blocks += [Callout("info", note) for note in summary.notes]
    return (Section("table", f"{summary.name}: {summary.size}", tuple(blocks)),)


def _class_share(share: ClassShare) -> Share:
    mark = " · positive" if share.positive else ""
    return Share(share.label, share.share, f"{share.rows:,} ({share.share:.1%}){mark}", share.positive)


def _columns_table(summary: TableSummary) -> DataTable:
    columns = TableColumn("column", "left"), TableColumn("kind", "left"), TableColumn("missing")
    rows = tuple(
        (_truncate(column.name), column.kind, _missing_text(column), column.values) for column in summary.columns
    )
    more = _more_columns(summary) if summary.extend_columns else ""
    return DataTable("Columns", (*columns, TableColumn("values", "left")), rows, note=more)
