"""The findings of the paper, checked on the tables."""

from __future__ import annotations

from collections.abc import Mapping

from calibrant.papers._chawla.advice import ADVICE
from calibrant.papers._chawla.bagging_findings import bagging_findings
from calibrant.papers._chawla.evidence import Evidence
from calibrant.papers._chawla.pruning_findings import correlation_findings, pruning_findings
from calibrant.papers._chawla.smoothing_findings import smoothing_findings
from calibrant.papers._reproduction.finding import Finding, with_advice
from calibrant.papers._reproduction.table import PaperTable

__all__ = ["check_findings"]


def check_findings(tables: Mapping[str, PaperTable]) -> list[Finding]:
    """Return what the paper claims of smoothing, bagging, pruning and the relation of losses and AUC."""
    evidence = Evidence(tables)
    found = [smoothing_findings, bagging_findings, pruning_findings, correlation_findings]
    return with_advice((finding for check in found for finding in check(evidence)), ADVICE)
