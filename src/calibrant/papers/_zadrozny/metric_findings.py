"""What Zadrozny & Elkan (2001) claim of profit, lift, and the rankings of methods by several metrics."""

from __future__ import annotations

from typing import TYPE_CHECKING

from calibrant.papers._zadrozny.comparisons import METRIC_NAMES, PAPERS_OWN, pair
from calibrant.papers._zadrozny.evidence import Checked, TableEvidence, conclude, interval_text, is_above

if TYPE_CHECKING:
    from calibrant.papers._reproduction.finding import Finding

__all__ = ["metric_findings"]

_ALIKE = 0.8  # rank correlation; the paper's own figures have 0.83 and more
_BEST = "Smoothed curtailment"
_PROFIT = METRIC_NAMES["profit"]


def metric_findings(evidence: TableEvidence) -> list[Finding]:
    """Return what holds of metrics."""
    return [
        _alike(evidence, "log-loss", "Log-loss ranks the methods as MSE does", "Table 2, section 4"),
        _alike(evidence, "profit", "Profit ranks the methods as MSE does", "Table 3, section 4"),
        _alike(evidence, "lift at 0.1", "Lift charts rank the methods as MSE does", "Figures 4 and 5, section 4"),
        _profit(evidence),
        _lift(evidence),
    ]


def _alike(evidence: TableEvidence, metric: str, claim: str, source: str) -> Finding:
    table, checked = evidence.tables["rankings"], []
    own = [each for each in table.cells if each.block == PAPERS_OWN and each.row == metric and each.column == "test"]
    for cell in table.cells:
        if cell.row == metric and cell.column == "test" and cell.block != PAPERS_OWN:
            outcome = True if cell.low >= _ALIKE else False if cell.high < _ALIKE else None
            checked.append(Checked(outcome, f"{evidence.short(cell.block)}: {interval_text(cell, 2)}"))
    of_paper = f" (the paper's own figures: {own[0].ours:.2f})" if own else ""
    return conclude(
        f"{metric.split()[0]}-ranks-like-mse",
        f"{claim} on test rows: rank correlation of at least {_ALIKE}{of_paper}.",
        source,
        checked,
        "Judge by the metric of the decision, with an interval.",
    )


def _profit(evidence: TableEvidence) -> Finding:
    datasets = [each for each in evidence.datasets if f"{each}: {_PROFIT}" in evidence.tables["comparisons"].blocks]
    rows = [pair(_BEST, other) for other in ("All base rate", "All one")]
    return conclude(
        "profit-of-smoothed-curtailment",
        "A mailing by smoothed curtailment earns more than one by the base rate, and than a letter to everybody.",
        "Table 3",
        evidence.check(rows, _PROFIT, is_above, datasets=datasets),
        "Expect thousands of dollars of chance in a profit; look at its interval before preferring a method.",
    )


def _lift(evidence: TableEvidence) -> Finding:
    rows = [pair("Naive Bayes", other) for other in ("C4.5 without pruning", "Laplace (C4.4)", "Kearns-Mansour")]
    return conclude(
        "naive-bayes-ranks-well",
        "Naive Bayes ranks well although its probabilities are inaccurate: its first tenth has a higher lift than that "
        "of trees without regularization.",
        "Figure 5, section 4",
        evidence.check(rows, "lift of the first tenth", is_above),
        "Scores that rank well need only a calibration map.",
    )
