"""A table as text for terminals, and as sections for notebooks."""

from __future__ import annotations

from calibrant._sections import Block, Callout, DataTable, Paragraph, Section, Share, Shares, TableColumn
from calibrant.data._tables.summary import ClassShare, ColumnSummary, TableSummary, count, summarize, truncate
from calibrant.data._tables.table import Table

__all__ = ["as_text", "table_sections"]

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
