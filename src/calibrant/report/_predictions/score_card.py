"""The score cards of all models with intervals, of all classes or a line for each."""

from __future__ import annotations

import re
from collections.abc import Iterator

from calibrant._repr import listed, percent
from calibrant._sections import Axis, Block, DataTable, Figure, Layer, Paragraph, Section, TableColumn
from calibrant.decisions import Money
from calibrant.metrics._internal import scope_text
from calibrant.report._predictions.report_data import FEWEST_ROWS, MOST_PAGES, ReportData
from calibrant.report._predictions.wording import (
    LONG_TERMS,
    capital,
    cell_text,
    ends_text,
    metric_words,
    money_text,
    pvalue_words,
    rows_text,
    upper_first,
)

_SHARES = ("auc", "average_precision", "accuracy")  # from 0 to 1, higher is better: one scale for a figure


def score_card_section(data: ReportData) -> Section:
    """Return the score card."""
    rate = f"; {100 * data.base_rate:.3g} % are of class {data.positive}" if data.is_binary else ""
    about = (
        f"{rows_text(data.n_counted)}, {len(data.classes)} classes{rate}. An interval holds the value on "
        f"infinitely many rows like these in {data.level.removesuffix(' %')} of 100 such reports."
    )
    blocks: list[Block] = [Paragraph(about), _table(data), *_figures(data)]
    blocks += [Paragraph(text, "note") for text in _remarks(data)]
    return Section("score-card", "How good are they?", tuple(blocks), "Score card")


def _table(data: ReportData) -> DataTable:
    interval = f"{data.level} interval"
    titles = ["Value"] if len(data.names) == 1 else data.names
    values = (
        TableColumn(title, "right", interval, data.model_of(name))
        for title, name in zip(titles, data.names, strict=True)
    )
    columns = (TableColumn("Score", "left", "term, and what is better"), *values)
    card = data.cards[data.names[0]]
    rows = [row for metric in card for row in _rows(data, metric)] + _money_rows(data)
    long_terms = "; ".join(LONG_TERMS[metric] for metric in card if metric in LONG_TERMS)
    return DataTable("Scores with their intervals", columns, tuple(rows), note=f"{long_terms}.")


def _stacked(first: str, *below: str) -> str:
    """Return a cell of two lines; columns of their own would leave no room for values on a phone."""
    return "\n".join(filter(None, [first, ", ".join(filter(None, below))]))


def _named(words: str, term: str, better: str) -> str:
    return _stacked(words, term, f"{better} is better" if better else "")


def _rows(data: ReportData, metric: str) -> Iterator[tuple[str, ...]]:
    """Yield the row of a metric and, of a calibration error, that of what is left without what chance adds to it."""
    scores = [card[metric] for card in data.cards.values()]
    cells = (_stacked(cell_text(score.value), ends_text(score.low, score.high)) for score in scores)
    yield _named(*metric_words(metric)), *cells
    if metric == "ece" and all(score.debiased is not None and score.pvalue is not None for score in scores):
        cells = (_stacked(cell_text(score.debiased), pvalue_words(score.pvalue or 0.0)) for score in scores)
        yield _named("The same, less what chance adds to it", "debiased ECE", "lower"), *cells


def _money_rows(data: ReportData) -> list[tuple[str, ...]]:
    reports = [data.money(name) for name in data.names]
    found = [report for report in reports if report is not None]
    if len(found) < len(reports):
        return []
    sums = {
        ("What decisions by the model earn", "profit", "higher"): [report.now.total for report in found],
        ("Lost by miscalibration", "", "lower"): [report.miscalibration for report in found],
    }
    return [(_named(*words), *map(_money_cell, each)) for words, each in sums.items()]


def _money_cell(money: Money) -> str:
    if money.low is None or money.high is None:
        return money_text(money.value)
    return _stacked(money_text(money.value), f"{money_text(money.low)} to {money_text(money.high)}")


def _figures(data: ReportData) -> list[Block]:
    """Return the shares of several models as a figure; for one model the table says it all."""
    shown = [metric for metric in _SHARES if metric in data.cards[data.names[0]]]
    if len(data.names) == 1 or not shown:
        return []
    layers = []
    for name in data.names:
        scores = [(metric_words(metric)[1], data.cards[name][metric]) for metric in shown]
        ends = [(each.value, each.value) if each.low is None else (each.low, each.high) for _, each in scores]
        rows = ((term, each.value, *end) for (term, each), end in zip(scores, ends, strict=True))
        layers.append(Layer.of_intervals(rows, model=name))
    terms = listed([metric_words(metric)[1] for metric in shown])
    figure = Figure(
        "score-intervals",
        "Main scores of the models",
        f"{capital(terms)}: higher is better. A bar is the {data.level} interval. "
        "Whether models differ is tested below, on the same rows: bars may overlap although one model is better.",
        f"Intervals of {terms} of {len(data.names)} models; the table above has the numbers.",
        Axis("Score"),
        Axis("Value: higher is better", ".2f"),
        tuple(layers),
    )
    return [figure]


def _remarks(data: ReportData) -> list[str]:
    """Return the scope of the intervals and the notes on single scores, each once."""
    scope = dict.fromkeys(filter(None, map(scope_text, data.cards.values())))
    of_note: dict[str, dict[str, list[str]]] = {}
    for name, card in data.cards.items():
        for score in card.values():
            # The number of a row says something of a single row, and the card itself has it
            note = re.sub(r" \(first: row.*?\)", "", score.note).replace("1 row(s)", "1 row").replace("row(s)", "rows")
            if note:
                of_note.setdefault(note, {}).setdefault(name, []).append(metric_words(score.metric)[1])
    is_one = len(data.names) == 1
    whose = {
        note: "; ".join(listed(terms) + ("" if is_one else f" of {name}") for name, terms in found.items())
        for note, found in of_note.items()
    }
    return [*scope, *(upper_first(f"{of}: {note}") for note, of in whose.items())]


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


def class_table_section(data: ReportData) -> Section | None:
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
    blocks: list[Block] = [table]
    if n_left_out := len(data.classes) - len(data.page_classes):
        which = "" if data.rows else f" of at least {FEWEST_ROWS} rows"
        many = "1 other class has" if n_left_out == 1 else f"{n_left_out} other classes have"
        text = f"The {MOST_PAGES} most frequent classes{which} have a page; {many} none."
        blocks.append(Paragraph(text, "note"))
    return Section("classes", "How does each class fare?", tuple(blocks), "One class against the others")


def _cells(page: ReportData, name: str) -> tuple[str, ...]:
    area, mean = page.area(name), float((page.weight * page.probas[name]).sum() / page.weight.sum())
    ends = "" if area.low is None or area.high is None else f"\n{area.low:.3f} to {area.high:.3f}"
    numbers = (
        f"{page.count(page.is_positive):,.0f}",
        percent(page.base_rate),
        percent(mean),
        f"{area.value:.3f}{ends}",
        _WORDS[page.class_verdict(name).kind],
    )
    return (page.page, *((name,) if len(page.names) > 1 else ()), *numbers)
