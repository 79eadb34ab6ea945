"""A compared table in words and columns."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING

from calibrant.metrics._internal import number_text

if TYPE_CHECKING:
    from calibrant.decisions import DecisionReport
    from calibrant.studies._table_comparison.ranking import RankedMethod
    from calibrant.studies._table_comparison.table_comparison import TableComparison
    from calibrant.studies._table_comparison.table_rows import ComparedTable

__all__ = ["about_rows", "about_table", "findings", "ranking_cells", "text_of"]

_WIDTH = 110
_SHORT = {"log_loss": "log-loss", "mse": "MSE", "auc": "AUC", "ece": "ECE"}
_MAX_NAMES = 6
_MAX_LISTED = 3  # the ranking says it of each


def text_of(found: TableComparison) -> str:
    """Return the whole comparison as plain text."""
    head, *rows = ranking_cells(found)
    widths = [max(len(row[k]) for row in (head, *rows)) for k in range(len(head))]
    lines = [
        "  ".join(_aligned(cell, width, k) for k, (cell, width) in enumerate(zip(row, widths, strict=True)))
        for row in (head, *rows)
    ]
    paragraphs = [fill(f"{name}: {text}", _WIDTH, subsequent_indent="  ") for name, text in findings(found).items()]
    table = "\n".join(line.rstrip() for line in lines)
    return "\n".join([*about_table(found), "", table, "", *paragraphs])


def _aligned(cell: str, width: int, column: int) -> str:
    return cell.ljust(width) if column == 0 else cell.rjust(width)


def about_table(found: TableComparison) -> list[str]:
    """Return what was taken as what, and the plan, a line each."""
    return [*about_rows(found.compared), f"plan: {found.plan}"]


def about_rows(compared: ComparedTable) -> list[str]:
    """Return what was taken as what, a line each."""
    table = compared.table
    n_numeric = sum(kind == "numeric" for kind in table.kinds.values())
    kinds = [f"{n} {kind}" for n, kind in ((n_numeric, "numeric"), (table.n_features - n_numeric, "nominal")) if n]
    lines = [f"{table.name}: {table.n_rows:,} rows, {table.n_features} columns ({', '.join(kinds)})"]
    total = sum(table.class_counts.values())
    counts = {label: n for label, n in table.class_counts.items() if n}
    shares = ", ".join(f"{label} {100 * n / total:.3g} %" for label, n in list(counts.items())[:_MAX_NAMES])
    more = f" and {len(counts) - _MAX_NAMES} more" if len(counts) > _MAX_NAMES else ""
    positive = f"; probabilities are of {table.positive!r}" if len(counts) == 2 and table.positive is not None else ""
    lines.append(f"predicted: {compared.target} ({shares}{more}){positive}")
    if compared.groups_column is not None:
        n_groups = len(set(compared.groups.tolist()))  # type: ignore[union-attr]
        lines.append(f"rows that belong together: {n_groups:,} groups of {compared.groups_column!r}, kept whole")
    lines += [f"not used: {', '.join(map(str, table.extra))}"] if table.extra is not None else []
    lines += [f"note: {note}" for note in table.notes]
    return lines


def ranking_cells(found: TableComparison) -> list[tuple[str, ...]]:
    """Return the ranking as text: a header, and a row for each method."""
    others = list(found.ranking[0].others)
    has_interval = any(not math.isnan(each.low) for each in found.ranking)
    has_money = found.costs is not None
    head = ["method", _SHORT.get(found.metric, found.metric)]
    head += [f"{100 * found.best.confidence:g} % interval"] * has_interval
    head += [_SHORT.get(name, name) for name in others] + ["earned per 1,000"] * has_money + ["seconds", "against best"]
    rows = [tuple(head)]
    for each in found.ranking:
        cells = [each.method, number_text(each.value)]
        cells += [_interval(each)] * has_interval
        cells += [number_text(each.others[name]) for name in others]
        cells += [f"{1000 * each.earned:,.2f}"] * has_money
        rows.append((*cells, f"{each.seconds:.2f}", "" if each.difference == "best" else each.difference))
    return rows


def _interval(each: RankedMethod) -> str:
    return "" if math.isnan(each.low) else f"{number_text(each.low)} to {number_text(each.high)}"


def findings(found: TableComparison) -> dict[str, str]:
    """Return what the comparison found, by heading."""
    best, texts = found.best, {}
    if found.ended:
        why = "the time limit ended the run" if found.ended == "time limit" else "interrupted"
        is_cut = found.n_splits < found.n_planned
        when = f"after {found.n_splits} of {found.n_planned} splits" if is_cut else "before all methods were finished"
        texts["Unfinished"] = f"{why} {when}. Run it again to go on: what is recorded counts."
    if found.left_out:
        texts["Not ranked"] = _not_ranked(found.left_out)
    texts["Best"] = f"{best.method}. {_score(found)}"
    texts["Differences"] = _differences(found)
    if found.verdict is not None:
        texts["Calibration"] = f"of {best.method} on held-out rows: {found.verdict.words}."
    if found.money is not None:
        texts["Money"] = _money(found, found.money)
    texts["Advice"] = found.advice
    if found.no_model:
        texts["Model"] = found.no_model
    if found.files:
        texts["Saved"] = (
            ", ".join(found.files.values()) + f"; study {found.study.name!r} in {_store(found.study.store)}."
        )
    return texts


def _store(url: str) -> str:
    """Return a file in the working folder by its name, another store by its URL."""
    path = Path(url.removeprefix("sqlite:///"))
    is_here = url.startswith("sqlite:///") and path.parent == Path.cwd()
    return path.name if is_here else url


def _not_ranked(left_out: Mapping[str, str]) -> str:
    """Return the methods that are left out, by reason."""
    by_reason: dict[str, list[str]] = {}
    for method, reason in left_out.items():
        by_reason.setdefault(reason, []).append(method)
    return "; ".join(f"{_listed(methods)} ({reason})" for reason, methods in by_reason.items()) + "."


def _score(found: TableComparison) -> str:
    best, name = found.best, _SHORT.get(found.metric, found.metric)
    if math.isnan(best.corrected):
        return f"Its {name} of {number_text(best.apparent)} is flattered by the choice. {best.how}."
    ends = "" if math.isnan(best.low) else f" ({number_text(best.low)} to {number_text(best.high)})"
    if best.correction == "nothing chosen":
        return f"Its {name} is {number_text(best.corrected)}{ends}."
    return (
        f"Expect a {name} of {number_text(best.corrected)}{ends} on new rows: its mean of "
        f"{number_text(best.apparent)} is corrected for having been chosen among {best.n_methods}."
    )


def _differences(found: TableComparison) -> str:
    worse = [each.method for each in found.ranking if each.difference == "worse"]
    same = [each.method for each in found.ranking if each.difference == "not shown to differ"]
    test = found.comparison
    if test is None:
        return "there is one method."
    if not worse and not same:
        return f"no test holds: {test.reason}."
    parts = [f"{found.best.method} is better than {_listed(worse)}"] if worse else []
    subject = "it" if worse else found.best.method
    if same:
        others = _listed(same) if len(same) <= _MAX_LISTED else f"the other {len(same)}"
        parts.append(f"{subject} is not shown to differ from {others}")
    return f"{'; '.join(parts)} ({test.how}, at {100 * test.confidence:g} %)."


def _listed(names: list[str]) -> str:
    *rest, last = names
    return f"{', '.join(rest)} and {last}" if rest else last


def _money(found: TableComparison, report: DecisionReport) -> str:
    now, alone, lost = report.now.total, report.everybody, report.miscalibration
    shares = ", ".join(f"{action} for {100 * share:.3g} %" for action, share in report.now.share.items())
    text = (
        f"deciding by {found.best.method} earns {now!r} on {report.now.n_rows:,.0f} held-out rows ({shares}); "
        f"{report.now.best_alone} for every row earns {alone!r}"
    )
    if lost.low is not None and lost.low > 0:
        text += f"; recalibrating would earn {lost!r} more"
    return text + "."
