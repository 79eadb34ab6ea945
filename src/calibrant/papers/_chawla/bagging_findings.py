"""What this paper and Zadrozny & Elkan (2001) claim of bagging, each in its own setting."""

from __future__ import annotations

from typing import Final

from calibrant.papers._chawla.evidence import Claim, Evidence
from calibrant.papers._chawla.holdout import COIL
from calibrant.papers._chawla.methods import BASELINE
from calibrant.papers._chawla.published import SKEWED
from calibrant.papers._reproduction.finding import Finding

__all__ = ["bagging_findings"]

_BAGGED: Final = ("Bagged", "Bagged-Laplace")
# Bagging an estimate against the estimate itself, and against the best single tree of Zadrozny & Elkan.
_SMOOTHED_PAIRS: Final = (
    ("Bagged-Laplace", "Laplace"),
    ("Bagged m-estimate", "m-estimate"),
    ("Bagged curtailment", "Curtailment"),
    ("Bagged-Laplace", "Smoothed curtailment"),
)


def bagging_findings(evidence: Evidence) -> list[Finding]:
    """Return the findings on bagging."""
    coil = [name for name in evidence.tables["comparisons"].columns if name in COIL]
    return [_error(evidence), _unbalanced(evidence, coil), _contrary(evidence, coil)]


def _error(evidence: Evidence) -> Finding:
    claims = [Claim("01L", method, BASELINE) for method in _BAGGED]
    return Finding(
        "bagging-reduces-the-error",
        "Bagging always reduces the error.",
        evidence.verdict(claims),
        ". ".join(evidence.count(claim) for claim in claims) + ".",
        "Figure 3 and its discussion",
    )


def _unbalanced(evidence: Evidence, coil: list[str]) -> Finding:
    skewed = [name for name in evidence.datasets if name in SKEWED]
    claims = [Claim(loss, method, BASELINE) for loss in ("NCE", "QL") for method in _BAGGED]
    return Finding(
        "bagging-improves-unbalanced-sets",
        "Even on large unbalanced sets bagging improves on the probabilities of an unsmoothed tree.",
        evidence.verdict(claims, skewed) if skewed else "undecided",
        ". ".join(evidence.count(claim, [*skewed, *coil]) for claim in claims) + ".",
        "Bagged Decision Trees",
    )


def _contrary(evidence: Evidence, coil: list[str]) -> Finding:
    claims = [Claim("QL", *pair) for pair in _SMOOTHED_PAIRS]
    outcomes = {evidence.outcome(claim, name, len(claims)) for claim in claims for name in coil}
    return Finding(
        "bagging-does-not-always-improve",
        "Zadrozny & Elkan: on unbalanced sets bagging does not always improve on smoothed or curtailed single trees.",
        "holds" if -1 in outcomes else "does not hold" if outcomes == {1} else "undecided",
        ". ".join(evidence.count(claim, [*evidence.datasets, *coil], len(claims)) for claim in claims) + ".",
        "Bagged Decision Trees; Zadrozny & Elkan (2001), section 5",
    )
