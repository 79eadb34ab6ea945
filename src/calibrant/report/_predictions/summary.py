"""What a report on predictions says, as plain values for programs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from calibrant._sections import Callout
from calibrant.report._predictions.model_choice import choose_model

if TYPE_CHECKING:
    from calibrant._sections import Section
    from calibrant.decisions import DecisionReport, Money
    from calibrant.report._predictions.report_data import ReportData

__all__ = ["summary_of"]


def summary_of(data: ReportData, sections: Sequence[Section]) -> dict[str, Any]:
    """Return the verdict and the money of each model, the best model, and the warnings."""
    choice = choose_model(data)
    return {
        "verdicts": {name: _verdict(data, name) for name in data.names},
        "money": None if data.costs is None else {name: _money(data.money(name)) for name in data.names},
        "best": data.names[0] if choice is None else choice.best,
        "warnings": [
            block.text
            for section in sections
            for block in section.blocks
            if section.name == "warnings" and isinstance(block, Callout) and block.kind != "good"
        ],
    }


def _verdict(data: ReportData, name: str) -> dict[str, Any]:
    found = data.verdict(name)
    bounds = {name: getattr(found, name) for name in ("gap_bound", "loss_bound", "money_bound")}
    return {"kind": found.kind, "words": found.words, **bounds, "rows_needed": found.rows_needed}


def _money(found: DecisionReport | None) -> dict[str, Any] | None:
    if found is None:
        return None
    names = ("everybody", "ranking", "miscalibration", "unknown", "perfect")
    return {"now": _amount(found.now.total), **{name: _amount(getattr(found, name)) for name in names}}


def _amount(money: Money) -> dict[str, float | None]:
    return {"value": money.value, "low": money.low, "high": money.high}
