"""The report of a table on which methods were compared: answer, ranking, held-out predictions, how it was made."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calibrant._repr import listed, number_text
from calibrant._sections import (
    Axis,
    Block,
    Callout,
    DataTable,
    Figure,
    Layer,
    Paragraph,
    Section,
    TableColumn,
)
from calibrant.data._internal import fingerprint_rows
from calibrant.exceptions import StoreError, StudyError
from calibrant.report._how_made import made_section, store_text, versions_text
from calibrant.report._predictions.read_report_data import read_report_data
from calibrant.report._predictions.section_list import sections_of
from calibrant.report._predictions.wording import capital, metric_heading, metric_term
from calibrant.studies import TableComparison
from calibrant.studies._internal import BASELINE, findings, ranking_cells

_VERDICTS = {
    "calibrated": ("good", "Its probabilities can be taken at their word."),
    "too little to matter": ("good", "Its probabilities are off, but too little to matter."),
    "miscalibrated": ("bad", "Its probabilities are off."),
    "cannot tell": ("unsure", "Whether its probabilities are right cannot be told from so few rows."),
}


def answer_section(found: TableComparison) -> Section:
    """Return the advice, the score to expect, which methods are as good, the verdict on calibration, and money."""
    texts = findings(found)
    blocks: list[Block] = [Paragraph(capital(found.advice.removeprefix(f"{found.warning} ")), "lead")]
    blocks[:0] = [Callout("bad", found.warning)] if found.warning else []
    blocks.append(Callout("info", capital(texts["Score"])))
    blocks.append(_standings(found, texts.get("As good", "")))
    if found.verdict is not None and "Calibration" in texts:
        kind, words = _VERDICTS[found.verdict.kind]
        blocks.append(Callout(kind, words, f"Verdict on the held-out rows: {found.verdict.words}."))  # type: ignore[arg-type]
    if "Money" in texts:
        blocks.append(_money(found, texts["Money"]))
    blocks += [Callout("warning", capital(texts[name])) for name in ("Note", "Not ranked") if name in texts]
    return Section("answer", "What to do", tuple(blocks))


def _standings(found: TableComparison, as_good: str) -> Callout:
    """Count the methods that are shown to be worse than the best one, and name those that are as good."""
    n_worse, n_others = sum(each.standing == "worse" for each in found.ranking), len(found.ranking) - 1
    if not any(each.standing for each in found.ranking):
        return Callout("unsure", "No test can tell the methods apart.", capital(as_good))
    if n_worse == n_others:
        return Callout("good", f"{found.best.method} is shown to be better than every other method.")
    shown = f"{n_worse} of {n_others} methods {'is' if n_worse == 1 else 'are'} shown to be worse than the best one."
    return Callout("info", shown, capital(as_good))


def _money(found: TableComparison, text: str) -> Callout:
    """Return the profit of deciding by the best method, compared with that of one action for all."""
    if found.money is None:
        return Callout("info", capital(text))
    gain = found.money.now.total.value - found.money.everybody.value
    lost = found.money.miscalibration
    if lost.low is not None and lost.low > 0:
        return Callout("bad", f"Miscalibration costs {lost!r} on these rows.", capital(text))
    best = "than the best single action for all"
    words = f"earns more {best}: {gain:,.2f} on these rows." if gain > 0 else f"earns no more {best}."
    return Callout("info", f"Deciding by it {words}", capital(text))


def ranking_section(found: TableComparison, models: tuple[str, ...]) -> Section:
    """Return the methods, the best first: a table, a figure of the intervals, and the differences from the best."""
    blocks: list[Block] = [_ranking_table(found, models)]
    blocks += [block for block in (_figure(found, models), _differences(found)) if block is not None]
    test = found.comparison
    if test is not None and test.pairs:
        text = (
            f"{test.how}, at {100 * test.confidence:g} %. The best one is chosen by the same rows, and the comparisons "
            "allow for that and for training sets that share rows. A method that is not shown to be worse may still "
            "be worse."
        )
        blocks.append(Paragraph(text, "note"))
    elif test is not None:
        blocks.append(Paragraph(f"No test holds: {test.reason}.", "note"))
    text = (
        f"The sections below are about the held-out predictions of {listed(list(models))} for the same "
        f"{len(found.held_out):,} rows, each predicted by a fit that did not see it; intervals are of these "
        "predictions."
    )
    blocks.append(Paragraph(text, "note"))
    return Section("ranking", "How do the methods compare?", tuple(blocks), term="Ranking")


def _of_model(method: str, models: tuple[str, ...]) -> str:
    return method if method in models else ""


def _ranking_table(found: TableComparison, models: tuple[str, ...]) -> DataTable:
    head, *rows = ranking_cells(found)
    text = ("method", "standing")
    # As the other tables of the report have them; the names of metrics stay
    heads = {name: capital(name) if name in (*text, "seconds") else name for name in head}
    columns = tuple(TableColumn(heads[name], "left" if name in text else "right") for name in head)
    caption = f"Methods by {metric_term(found.metric)}, the best first: means over held-out rows, {found.plan}"
    return DataTable(caption, columns, tuple(rows), tuple(_of_model(each.method, models) for each in found.ranking))


def _figure(found: TableComparison, models: tuple[str, ...]) -> Figure | None:
    """Return the intervals of the means; None where no method has one."""
    known = [each for each in found.ranking if math.isfinite(each.low) and math.isfinite(each.value)]
    if not known:
        return None
    layers = tuple(
        Layer.of_intervals(
            [(each.method, each.value, each.low, each.high)], "mean and interval", _of_model(each.method, models)
        )
        for each in known
    )
    term, percent = metric_term(found.metric), f"{100 * found.best.confidence:g} %"
    words = metric_heading(found.metric)[0]
    caption = f"Mean and {percent} interval of each method ({found.best.better}). Intervals are of one method each: "
    caption += "whether two differ is tested on the same rows, below."
    described = "; ".join(
        f"{each.method} {number_text(each.value)} ({number_text(each.low)} to {number_text(each.high)})"
        for each in known
    )
    return Figure("ranking-intervals", f"{words}, by method", caption, described, Axis("Method"), Axis(term), layers)


def _differences(found: TableComparison) -> DataTable | None:
    """Return the difference of each method from the best one; None where no test holds."""
    if found.comparison is None or not found.comparison.pairs:
        return None
    alone = round(100 * (1 - 2 * (1 - found.comparison.confidence)), 6)  # of a one-sided test
    columns = (
        TableColumn("Method", "left"),
        TableColumn("Difference from the best"),
        TableColumn("Interval", term=f"of this pair alone, {alone:g} %"),
        TableColumn("P-value of being the best"),
        TableColumn("Shown to be worse?", "left"),
    )
    rows = tuple(
        (
            pair.b,
            number_text(-pair.difference),
            "" if math.isnan(pair.low) else f"{number_text(-pair.high)} to {number_text(-pair.low)}",
            "" if math.isnan(pair.adjusted_pvalue) else f"{pair.adjusted_pvalue:.3g}",
            "yes" if pair.better else "no",
        )
        for pair in found.comparison.pairs
    )
    return DataTable(f"Every method against {found.best.method}", columns, rows)


_MOST = 4  # models in the figures: more lines than that cannot be told apart
_PREFIX = "probability_"


def held_out_classes(found: TableComparison) -> list[Any]:
    """Return the classes in the order of the columns of the held-out predictions."""
    by_text = {f"{_PREFIX}{label}": label for label in found.table.class_counts}
    return [by_text[name] for name in found.held_out if name in by_text]


def top_models(found: TableComparison) -> dict[str, NDArray[np.float64]]:
    """Return the probabilities of the advised method and, where the store has them, of the best ones.

    Every array has the rows of ``found.held_out``, in its order. Methods whose probabilities are those of a better one
    are left out, such as a calibrated one whose guard kept all of them, and the base rate, which is a constant.
    """
    columns = [f"{_PREFIX}{label}" for label in held_out_classes(found)]
    own = {found.advised: found.held_out[columns].to_numpy(dtype=np.float64)}
    models = own if found.advised != BASELINE else {}
    for each in found.ranking:
        if len(models) == _MOST:
            break
        proba = None if each.method in (*models, BASELINE) else _kept_proba(found, each.method)
        if proba is not None and not any(np.allclose(proba, other, atol=1e-9) for other in models.values()):
            models[each.method] = proba
    return models or own


def _kept_proba(found: TableComparison, method: str) -> NDArray[np.float64] | None:
    """Return the kept probabilities of a method for the held-out rows; None where a row is missing."""
    try:
        pooled = found.study.predictions(method)
    except (StoreError, StudyError):
        return None
    rows = zip(pooled.row.tolist(), pooled.split.tolist(), strict=True)
    places = {key: place for place, key in enumerate(rows)}
    wanted = zip(found.held_out["row"].tolist(), found.held_out["split"].tolist(), strict=True)
    kept = [places.get(key, -1) for key in wanted]
    if list(pooled.classes) != held_out_classes(found) or -1 in kept:
        return None
    return np.asarray(pooled.y_pred[kept], dtype=np.float64)


# The report of a comparison has its own: the comparison of predictions does not allow for the choice of the best one
_REPLACED = ("answer", "comparison", "how-made")


def held_out_sections(
    found: TableComparison, models: dict[str, NDArray[np.float64]], *, rows: bool
) -> tuple[Section, ...]:
    """Return the sections of a report of predictions, less those that the report of a comparison has of its own."""
    row, weight = found.held_out["row"].to_numpy(), found.table.sample_weight
    compared, classes = found.compared, held_out_classes(found)
    options: dict[str, Any] = {
        "costs": found.costs,
        "groups": None if compared.groups is None else compared.groups[row],
        "sample_weight": None if weight is None else np.asarray(weight)[row],
        "pos_label": found.table.positive if len(classes) == 2 else None,
        "labels": classes,
        "model": None if found.model is None else {found.advised: found.model},
    }
    data = read_report_data(found.held_out[compared.target].to_numpy(), models, rows=rows, **options)
    made = [section for section in sections_of(data) if section.name not in _REPLACED]
    # A section on the model may have nothing but its name, which the ranking has too
    return tuple(section for section in made if section.name != "tree" or len(section.blocks) > 1)


def how_made_section(found: TableComparison, command: str | None) -> Section:
    """Return the reading of the table, the plan, the seed, the versions and the fingerprint of the table."""
    table = found.table
    about, *others = (line.partition(": ") for line in found.compared.lines)
    splits = f"{found.n_splits} of {found.n_planned} splits"
    facts = [
        ("Table", "".join(about)),
        *((name.capitalize(), value) for name, _, value in others),
        ("Plan", found.plan if found.n_splits == found.n_planned else f"{found.plan} ({splits})"),
        ("Seed", str(found.study.definition.seed)),
        ("Study", f"{found.study.name}, in {store_text(found.study.store)}"),
        *(("Held-out rows" if name == "held_out" else name.capitalize(), path) for name, path in found.files.items()),
        ("Fingerprint of the table", fingerprint_rows(table.X, table.y, sample_weight=table.sample_weight)),
        ("Versions", versions_text()),
    ]
    return made_section(command, facts)


def comparison_sections(
    found: TableComparison, *, rows: bool, command: str | None
) -> tuple[tuple[Section, ...], tuple[str, ...]]:
    """Return the sections of the report of a compared table, and the methods whose predictions it shows."""
    models = top_models(found)
    sections = (
        *(found.check._sections() if found.check.findings else ()),
        answer_section(found),
        ranking_section(found, tuple(models)),
        *held_out_sections(found, models, rows=rows),
        how_made_section(found, command),
    )
    return sections, tuple(models)
