"""A compared table in words, in columns, or as values that JSON can hold."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Any

from calibrant._repr import listed, number_text
from calibrant.studies._table_comparison.table_study import BASELINE, CALIBRATED

if TYPE_CHECKING:
    from calibrant.decisions import DecisionReport
    from calibrant.studies._table_comparison.table_comparison import TableComparison
    from calibrant.studies._table_comparison.table_study import TimeCheck

_WIDTH = 110
_SHORT = {"log_loss": "log-loss", "brier": "Brier", "mse": "MSE", "auc": "AUC", "ece": "ECE"}
_FEW = 4  # methods: more are not listed, as the table has them


def text_of(found: TableComparison) -> str:
    """Return the whole comparison as plain text."""
    head, *rows = ranking_cells(found, grouped=True)
    widths = [max(len(row[k]) for row in (head, *rows)) for k in range(len(head))]
    lines = ["  ".join([row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])]) for row in (head, *rows)]
    advice, *others = (
        fill(f"{name}: {text}", _WIDTH, subsequent_indent="  ") for name, text in findings(found).items()
    )
    table = "\n".join(line.rstrip() for line in lines)
    return "\n".join([advice, "", *found.compared.lines, f"plan: {found.plan}", "", table, "", *others])


def metric_words(metric: str) -> str:
    """Return the name of a metric as tables have it.

    Examples
    --------
    >>> metric_words("log_loss"), metric_words("kappa")
    ('log-loss', 'kappa')
    """
    return _SHORT.get(metric, metric)


def ranking_cells(found: TableComparison, *, grouped: bool = False) -> list[tuple[str, ...]]:
    """Return the ranking as text: a header, and a row for each method with its standing.

    With `grouped` a row above each group of methods says what it is, in the place of the standings.
    """
    others = list(found.ranking[0].others)
    has_interval = any(not math.isnan(each.low) for each in found.ranking)
    has_money = found.costs is not None
    head = ["method", metric_words(found.metric)]
    head += [f"{100 * found.best.confidence:g} % interval"] * has_interval
    head += [metric_words(name) for name in others] + ["earned per 1,000"] * has_money + ["seconds", "standing"]
    rows = [tuple(head)]
    for each in found.ranking:
        cells = [f"{each.method}, calibrated or not" if each.same else each.method, number_text(each.value)]
        if has_interval:
            cells.append("" if math.isnan(each.low) else f"{number_text(each.low)} to {number_text(each.high)}")
        cells += [number_text(each.others[name]) for name in others]
        cells += [f"{1000 * each.earned:,.2f}"] * has_money
        rows.append((*cells, f"{each.seconds:.2f}", each.standing))
    if not grouped:
        return rows
    groups = {
        "best": "Best here",
        "as good": f"As good here, as far as {found.n_rows:,} rows show",
        "worse": "Shown to be worse",
        "": "Not tested",
    }
    lines = [rows[0][:-1]]
    for standing, words in groups.items():
        own = [row for row in rows[1:] if row[-1] == standing]
        if own and len(found.ranking) > 1:
            lines.append((words, *("",) * (len(rows[0]) - 2)))
        lines += [(f"  {row[0]}", *row[1:-1]) for row in own]
    return lines


def findings(found: TableComparison) -> dict[str, str]:
    """Return the findings of the comparison by heading: the advice first, its limits after it."""
    texts = {"Advice": found.advice, "Score": _score(found)}
    if check := found.check.brief:
        texts["Table"] = f"{check} (calibrant check has the evidence, and what to do)."
    if found.time_check is not None:
        texts["Time"] = _time(found, found.time_check)
    as_good = _as_good(found)
    if as_good:
        texts["As good"] = as_good
    if found.verdict is not None and found.advised != BASELINE:
        where = "held-out rows" if found.test is None else f"the {found.test.n_rows:,} rows of {found.test.name}"
        texts["Calibration"] = f"of {found.advised} on {where}: {found.verdict.words}."
    if found.money is not None:
        texts["Money"] = _money(found, found.money)
    if found.left_out:
        texts["Not ranked"] = _not_ranked(found.left_out)
    if found.ended:
        texts["Note"] = _unfinished(found)
    if found.no_model:
        texts["Model"] = found.no_model
    if found.files:
        texts["Saved"] = (
            ", ".join(found.files.values()) + f"; study {found.study.name!r} in {_store(found.study.store)}."
        )
    return texts


def _unfinished(found: TableComparison) -> str:
    """Describe a run that was ended early: its splits, and the rows of its figures."""
    why = "the time limit ended the run" if found.ended == "time limit" else "the run was interrupted"
    is_cut = found.n_splits < found.n_planned
    when = f"after {found.n_splits} of {found.n_planned} splits" if is_cut else "before all methods were finished"
    rows = f"; all figures are of the {found.n_rows:,} rows that every ranked method has held out" if is_cut else ""
    return f"{why} {when}{rows if found.n_rows else ''}. Run it again to go on: what is recorded counts."


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
    return "; ".join(f"{listed(methods)} ({reason})" for reason, methods in by_reason.items()) + "."


def _score(found: TableComparison) -> str:
    best, name = found.best, metric_words(found.metric)
    value, low, high = found.expected
    ends = "" if math.isnan(low) else f" ({number_text(low)} to {number_text(high)})"
    article = "an" if name[0] in "aeiouAEM" or name in ("f1", "f_beta", "rms", "nce") else "a"  # as they are read
    if found.test is not None:
        by_plan = next(each.value for each in found.ranking if each.method == found.advised)
        text = f"{found.advised} has {article} {name} of {number_text(value)}{ends} on the {found.test.n_rows:,} rows"
        return f"{text} of {found.test.name}, kept apart; by the plan it was {number_text(by_plan)}."
    where = "new rows like these"
    if found.latest is not None:
        where = f"rows that follow in time (the latest {found.latest.n_rows:,}: {number_text(found.latest.value)})"
    text = f"expect {article} {name} of {number_text(value)}{ends} of {found.advised} on {where}"
    if found.advised == best.method and number_text(value) != number_text(best.apparent):
        return f"{text}; its mean of {number_text(best.apparent)} is flattered by its choice among {best.n_methods}."
    if found.advised != best.method:
        text += f"; the best mean, {number_text(best.apparent)}, is that of {best.method}"
    return f"{text}."


def _time(found: TableComparison, check: TimeCheck) -> str:
    """Return the scores of shuffled rows and by time, side by side."""
    name, own = metric_words(found.metric), next(each.value for each in found.ranking if each.method == found.advised)
    if found.latest is not None:
        return (
            f"{found.advised} by time ({check.column}): {name} {number_text(own)}; by shuffled rows "
            f"{number_text(check.value)}, as if the future were known."
        )
    return (
        f"{check.column!r} holds dates. {found.advised} by shuffled rows: {name} {number_text(own)}; trained on the "
        f"past and tested on what follows: {number_text(check.value)}. If it will predict the future, expect the "
        f"latter: --time {check.column} ranks by time."
    )


def _as_good(found: TableComparison) -> str:
    """Name the methods that are as good as the best one, and the one to take; empty where there are none."""
    names = [each.method for each in found.ranking if each.standing in ("best", "as good")]
    if found.comparison is not None and not found.comparison.pairs:
        return f"no test tells the methods apart: {found.comparison.reason}."
    kinds = {name.removeprefix(CALIBRATED) for name in names}
    if len(kinds) < 2 or found.advised == BASELINE:
        return ""
    own = next(each for each in found.ranking if each.method == found.advised)
    size = "" if found.model_bytes is None else f" and {_bytes(found.model_bytes)}"
    simple = f"the simplest of them within one standard error of the best is {found.advised}"
    if found.advised == found.best.method:
        simple = f"none of them is simpler than {found.advised} and within one standard error of it"
    which = listed(names) if len(names) < _FEW else f"the first {len(names)}"
    rows = f"{found.n_rows:,} rows do not tell {which} apart"
    return f"{rows}; {simple} ({own.seconds:.2g} s for a fit{size})."


def _bytes(number: int) -> str:
    for unit in ("bytes", "KB", "MB"):
        if number < 1000 or unit == "MB":
            break
        number = round(number / 1000)
    return f"{number:,} {unit}"


def _money(found: TableComparison, report: DecisionReport) -> str:
    now, alone, lost = report.now.total, report.everybody, report.miscalibration
    rows = "held-out rows" if found.test is None else f"rows of {found.test.name}"
    shares = ", ".join(f"{action} for {100 * share:.3g} %" for action, share in report.now.share.items())
    text = (
        f"deciding by {found.advised} earns {now!r} on {report.now.n_rows:,.0f} {rows} ({shares}); "
        f"{report.now.best_alone} for every row earns {alone!r}"
    )
    if lost.low is not None and lost.low > 0:
        text += f"; recalibrating would earn {lost!r} more"
    return text + "."


def document_of(found: TableComparison) -> dict[str, Any]:
    """Return the whole comparison; `TableComparison.to_dict` describes it."""
    table, best, verdict = found.table, found.best, found.verdict
    pairs = () if found.comparison is None else found.comparison.pairs
    document: dict[str, Any] = _plain(
        {
            "table": {
                "name": table.name,
                "n_rows": table.n_rows,
                "target": found.compared.target,
                "positive": table.positive,
                "classes": {str(label): n for label, n in table.class_counts.items()},
                "kinds": dict(table.kinds),
                "left_out": [] if table.extra is None else [str(name) for name in table.extra],
                "groups": found.compared.groups_column,
                "time": found.compared.time_column,
                "notes": list(table.notes),
            },
            "plan": found.plan,
            "n_splits": found.n_splits,
            "n_planned": found.n_planned,
            "ended": found.ended or None,
            "metric": found.metric,
            "n_rows": found.n_rows,
            "advised": found.advised,
            "ranking": [asdict(each) for each in found.ranking],
            "left_out": dict(found.left_out),
            "best": {
                "method": best.method,
                "apparent": best.apparent,
                "corrected": best.corrected,
                "low": best.low,
                "high": best.high,
                "confidence": best.confidence,
                "how": best.how,
            },
            "differences": [repr(pair) for pair in pairs if best.method in (pair.a, pair.b)],
            "test": None if found.comparison is None else found.comparison.how or found.comparison.reason,
            "verdict": None if verdict is None else {"kind": verdict.kind, "words": verdict.words},
            "model_bytes": found.model_bytes,
            "money": None if found.money is None else _money_document(found.money),
            "advice": found.advice,
            "kept_apart": None if found.test is None else asdict(found.test),
            "latest": None if found.latest is None else asdict(found.latest),
            "check": found.check.to_dict()["findings"],
            "without_suspects": None if found.without_suspects is None else asdict(found.without_suspects),
            "time_check": None if found.time_check is None else asdict(found.time_check),
            "no_model": found.no_model or None,
            "study": {"name": found.study.name, "store": found.study.store},
            "files": dict(found.files),
        }
    )
    return document


def _money_document(report: DecisionReport) -> dict[str, Any]:
    sums = {"now": report.now.total, "everybody": report.everybody, "miscalibration": report.miscalibration}
    sums |= {"perfect": report.perfect}
    return {"n_rows": report.now.n_rows, "best_alone": report.now.best_alone} | {
        name: {"value": money.value, "low": money.low, "high": money.high} for name, money in sums.items()
    }


def _plain(value: Any) -> Any:
    """Return a value as JSON has it: NaN is None, NumPy's numbers are Python's, a class of another type is text."""
    if isinstance(value, dict):
        return {str(name): _plain(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    if hasattr(value, "item"):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else str(value)
    return value if isinstance(value, str | int | float | bool | None) else str(value)
