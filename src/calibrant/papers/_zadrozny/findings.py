"""The claims of Zadrozny & Elkan (2001), checked on the tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from calibrant.papers._zadrozny.bagging_findings import bagging_findings
from calibrant.papers._zadrozny.comparisons import halfway, pair, worse_halfway
from calibrant.papers._zadrozny.evidence import Checked, TableEvidence, conclude, is_above, is_below
from calibrant.papers._zadrozny.metric_findings import metric_findings
from calibrant.papers._zadrozny.tree_findings import tree_findings

if TYPE_CHECKING:
    from calibrant.papers._reproduction.finding import Finding
    from calibrant.papers._reproduction.table import PaperTable

__all__ = ["check_findings"]

_RAW, _BEST = "C4.5 without pruning", "Smoothed curtailment"
_CRITERIA = ("Kearns-Mansour", "Kearns-Mansour, gain ratio")


def check_findings(tables: Mapping[str, PaperTable]) -> list[Finding]:
    """Return every claim with its verdict and evidence."""
    evidence = TableEvidence(tables)
    return [
        _regularized_trees(evidence),
        _laplace(evidence),
        _criterion_benefit(evidence),
        _criterion_difference(evidence),
        _naive_bayes(evidence),
        _binning(evidence),
        _combination(evidence),
        *bagging_findings(evidence),
        *tree_findings(evidence),
        *metric_findings(evidence),
    ]


def _regularized_trees(evidence: TableEvidence) -> Finding:
    rows = [pair(method, _RAW) for method in ("Smoothing", "Curtailment", _BEST)]
    return conclude(
        "regularized-trees",
        "Smoothing and curtailment beat raw frequencies on unbalanced data.",
        "Tables 1 and 4",
        evidence.check(rows, "MSE", is_below),
        "On unbalanced data read an unpruned tree by `Curtailment` or `MEstimate`, not by its frequencies.",
    )


def _laplace(evidence: TableEvidence) -> Finding:
    return conclude(
        "laplace-alone",
        "Laplace's correction alone helps little on unbalanced data: less than half of what smoothed curtailment does.",
        "Tables 1 and 4, sections 2.2 and 5",
        evidence.check([halfway("Laplace (C4.4)")], "MSE", is_above, shown=[pair("Laplace (C4.4)", _RAW)]),
        "Smooth towards the base rate (`MEstimate`); Laplace pulls a rare class towards one half.",
    )


def _criterion_benefit(evidence: TableEvidence) -> Finding:
    shown = [pair(each, _RAW) for each in _CRITERIA]
    return conclude(
        "criterion-benefit",
        "Changing the splitting criterion to Kearns and Mansour's has little benefit: less than half of what smoothed "
        "curtailment gains.",
        "Tables 1 and 4, section 5",
        evidence.check([halfway(each) for each in _CRITERIA], "MSE", is_above, shown=shown),
        "Leave the criterion as it is and change how leaves are read.",
    )


def _criterion_difference(evidence: TableEvidence) -> Finding:
    """Little difference: within half the gain of smoothed curtailment either way."""
    checked = []
    for dataset in evidence.datasets:
        worse = [is_below(evidence.difference(dataset, "MSE", worse_halfway(each))) for each in _CRITERIA]
        better = [is_above(evidence.difference(dataset, "MSE", halfway(each))) for each in _CRITERIA]
        shown = [pair("Kearns-Mansour", _RAW), pair("Kearns-Mansour", "C4.5 without pruning or penalty")]
        texts = [evidence.text(dataset, "MSE", row, named=True) for row in shown]
        outcomes = [*worse, *better]
        outcome = False if False in outcomes else None if None in outcomes else True
        checked.append(Checked(outcome, f"{evidence.short(dataset)}: {'; '.join(texts)}"))
    return conclude(
        "criterion-difference",
        "Kearns and Mansour's criterion makes little difference to the error of unpruned trees.",
        "Tables 1 and 4",
        checked,
        "Compare criteria with the same stopping rule: C4.5's penalty for numeric cuts is in bits, so it goes when the "
        "criterion changes, and it matters more than the criterion.",
    )


def _naive_bayes(evidence: TableEvidence) -> Finding:
    return conclude(
        "naive-bayes",
        "The probabilities of naive Bayes are inaccurate: worse than the base rate for every row.",
        "Tables 1 and 4, section 2.5",
        evidence.check([pair("Naive Bayes", "All base rate")], "MSE", is_above),
        "Do not use raw probabilities of naive Bayes, above all with many columns.",
    )


def _binning(evidence: TableEvidence) -> Finding:
    rows = [pair("Binned naive Bayes", other) for other in ("Naive Bayes", "All base rate")]
    return conclude(
        "binning",
        "Binning repairs naive Bayes: better than its raw scores and better than the base rate.",
        "Tables 1 and 4, section 2.5",
        evidence.check(rows, "MSE", is_below),
        "Calibrate naive Bayes, by `Binning` or, with less loss of resolution, by the other calibrators.",
    )


def _combination(evidence: TableEvidence) -> Finding:
    rows = [pair(_BEST, other) for other in ("Curtailment", "Smoothing")]
    return conclude(
        "smoothed-curtailment",
        "Curtailment with smoothing is better than either alone.",
        "Table 1, section 5",
        evidence.check(rows, "MSE", is_below),
        "Take the combination: it is never worse by more than noise, and its log-loss is finite.",
    )
