"""A compared table as values that JSON can hold."""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from calibrant.decisions import DecisionReport, Money
    from calibrant.studies._results.study_comparison import StudyComparison
    from calibrant.studies._table_comparison.table_comparison import TableComparison

__all__ = ["document_of"]


def document_of(found: TableComparison) -> dict[str, Any]:
    """Return the whole comparison; `TableComparison.to_dict` describes it."""
    table, best, verdict = found.table, found.best, found.verdict
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
            "differences": _differences(found.comparison, best.method),
            "test": None if found.comparison is None else found.comparison.how or found.comparison.reason,
            "verdict": None if verdict is None else {"kind": verdict.kind, "words": verdict.words},
            "model_bytes": found.model_bytes,
            "money": None if found.money is None else _money(found.money),
            "advice": found.advice,
            "no_model": found.no_model or None,
            "study": {"name": found.study.name, "store": found.study.store},
            "files": dict(found.files),
        }
    )
    return document


def _differences(comparison: StudyComparison | None, best: str) -> list[str]:
    return [] if comparison is None else [repr(pair) for pair in comparison.pairs if best in (pair.a, pair.b)]


def _money(report: DecisionReport) -> dict[str, Any]:
    sums = {"now": report.now.total, "everybody": report.everybody, "miscalibration": report.miscalibration}
    sums |= {"perfect": report.perfect}
    return {"n_rows": report.now.n_rows, "best_alone": report.now.best_alone} | {
        name: _amount(money) for name, money in sums.items()
    }


def _amount(money: Money) -> dict[str, Any]:
    return {"value": money.value, "low": money.low, "high": money.high}


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
