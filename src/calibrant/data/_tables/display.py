"""Text and HTML views of a table, for terminals and notebooks."""

from __future__ import annotations

from html import escape

from calibrant.data._tables.summary import ClassShare, ColumnSummary, TableSummary, count, summarize, truncate
from calibrant.data._tables.table import Table

__all__ = ["as_html", "as_text"]

_BAR_WIDTH = 24
_MAX_NAME_WIDTH = 32
# Legible on white and on black; text keeps the colour of the page.
_BLUE, _GREY = "#4477aa", "rgba(128,128,128,.45)"


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


def as_html(table: Table) -> str:
    """Return a table as HTML.

    Examples
    --------
    >>> from calibrant.data import load
    >>> as_html(load("appeal"))[:4]
    '<div'
    """
    summary = summarize(table, max_columns=30, max_classes=12)
    parts = [
        '<div style="font-family:system-ui,sans-serif;font-size:13px;line-height:1.45;max-width:70em">',
        f'<div style="font-size:15px;margin-bottom:4px"><b>{escape(summary.name)}</b> · {escape(summary.size)}</div>',
        *(_class_html(share) for share in summary.classes),
        f"<div>{_more_classes(summary)}</div>" if summary.more_classes else "",
        f'<div style="opacity:.75;margin:4px 0">{escape(" · ".join(summary.facts))}</div>',
        _columns_html(summary) if summary.columns else "",
        *(f'<div style="margin-top:3px">ⓘ {escape(note)}</div>' for note in summary.notes),
        "</div>",
    ]
    return "".join(parts)


def _class_html(share: ClassShare) -> str:
    colour = _BLUE if share.positive else _GREY
    weight = "600" if share.positive else "400"
    bar = "height:9px;border-radius:2px"
    cut = "overflow:hidden;text-overflow:ellipsis;white-space:nowrap"
    return (
        '<div style="display:flex;align-items:center;gap:8px">'
        f'<span style="width:12em;{cut};font-weight:{weight}">{escape(share.label)}</span>'
        f'<span style="width:12em;{bar};background:rgba(128,128,128,.12)">'
        f'<span style="display:block;{bar};width:{share.share:.2%};background:{colour}"></span></span>'
        f'<span style="font-variant-numeric:tabular-nums">{share.rows:,} ({share.share:.1%})'
        f"{' · positive' if share.positive else ''}</span></div>"
    )


def _columns_html(summary: TableSummary) -> str:
    head = "".join(_cell(word, "th") for word in ("column", "kind", "missing", "values"))
    rows = "".join(_row_html(column) for column in summary.columns)
    more = f"<tr>{_cell(_more_columns(summary))}</tr>" if summary.extend_columns else ""
    return f'<table style="border-collapse:collapse;margin-top:4px;font-size:13px"><tr>{head}</tr>{rows}{more}</table>'


def _row_html(column: ColumnSummary) -> str:
    cells = (
        _cell(_truncate(column.name)),
        _cell(column.kind),
        _cell(_missing_text(column), align="right"),
        _cell(column.values),
    )
    return f"<tr>{''.join(cells)}</tr>"


def _cell(text: str, tag: str = "td", align: str = "left") -> str:
    wrap = "normal" if len(text) > _MAX_NAME_WIDTH else "nowrap"
    border = "padding:1px 14px 1px 0;border-bottom:1px solid rgba(128,128,128,.2)"
    style = f"text-align:{align};white-space:{wrap};{border}"
    return f'<{tag} style="{style}">{escape(text)}</{tag}>'
