"""The table of more than two classes, which leads to their pages."""

from __future__ import annotations

from calibrant._sections import DataTable, Paragraph, Section, TableColumn
from calibrant.metrics import Verdict
from calibrant.report._predictions.figure_words import percent
from calibrant.report._predictions.pooled_rows import FEWEST_ROWS
from calibrant.report._predictions.report_data import MOST_PAGES, ReportData

__all__ = ["section"]

_COLUMNS = (
    TableColumn("Class", "left"),
    TableColumn("Rows"),
    TableColumn("Frequency", term="base rate"),
    TableColumn("Mean prediction", term="mean probability"),
    TableColumn("Ranked above the others", term="AUC, interval"),
    TableColumn("Predicted as frequent as observed?", "left", term="calibration"),
)
_WORDS = {
    "calibrated": "yes",
    "miscalibrated": "no",
    "too little to matter": "off by too little to matter",
    "cannot tell": "cannot be told from these rows",
}


def section(data: ReportData) -> Section | None:
    """Return the section of the table of classes; None where there are two."""
    if data.is_binary:
        return None
    pages = data.class_pages()
    columns = _COLUMNS if len(data.names) == 1 else (_COLUMNS[0], TableColumn("Model", "left"), *_COLUMNS[1:])
    lines = [(page, name) for page in pages for name in data.names]
    table = DataTable(
        "Each class against all others",
        columns,
        tuple(_cells(page, name) for page, name in lines),
        tuple(name for _, name in lines) if len(data.names) > 1 else (),
        links=tuple(f"#page-{number}" for number, _ in enumerate(pages, start=1) for _ in data.names),
    )
    return Section("classes", "How does each class fare?", (table, *_left_out(data)), "One class against the others")


def _cells(page: ReportData, name: str) -> tuple[str, ...]:
    area, mean = page.area(name), float((page.weight * page.probas[name]).sum() / page.weight.sum())
    ends = "" if area.low is None or area.high is None else f"\n{area.low:.3f} to {area.high:.3f}"
    numbers = (
        f"{page.count(page.is_positive):,.0f}",
        percent(page.base_rate),
        percent(mean),
        f"{area.value:.3f}{ends}",
        _verdict_text(page.class_verdict(name)),
    )
    return (page.page, *((name,) if len(page.names) > 1 else ()), *numbers)


def _verdict_text(verdict: Verdict) -> str:
    return _WORDS.get(verdict.kind, verdict.kind)


def _left_out(data: ReportData) -> tuple[Paragraph, ...]:
    n_left_out = len(data.classes) - len(data.page_classes)
    if not n_left_out:
        return ()
    which = "" if data.rows else f" of at least {FEWEST_ROWS} rows"
    many = "1 other class has" if n_left_out == 1 else f"{n_left_out} other classes have"
    return (Paragraph(f"The {MOST_PAGES} most frequent classes{which} have a page; {many} none.", "note"),)
