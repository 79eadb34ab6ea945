"""What the paper claims of pruning, and of the relation between the losses and the AUC."""

from __future__ import annotations

from typing import Final

import numpy as np

from calibrant.papers._chawla.correlations import POINTS
from calibrant.papers._chawla.evidence import Claim, Evidence, Verdict
from calibrant.papers._chawla.methods import BASELINE
from calibrant.papers._chawla.published import PRUNING, SETS
from calibrant.papers._reproduction.finding import Finding

__all__ = ["correlation_findings", "pruning_findings"]

_TIGHT: Final = float(np.sqrt(0.5))  # from here on one explains more than half of the variance of the other
_TABLE_3: Final = "Table 3 and its discussion"


def pruning_findings(evidence: Evidence) -> list[Finding]:
    """Return the findings of Table 3, by both of its measures."""
    lower, better = Claim("NCE", "Pruned frequency", BASELINE), Claim("AUC", "Pruned frequency", BASELINE, "higher")
    worse_area = Claim("AUC", "Pruned Laplace", "Laplace")
    worse_nce = Claim("NCE", "Pruned Laplace", "Laplace", "higher")
    statements = {
        "pruning-lowers-unsmoothed-nce": (lower, "Without smoothing pruned trees have the lower NCE."),
        "pruning-raises-unsmoothed-auc": (better, "Without smoothing pruned trees have the higher AUC."),
        "unpruned-laplace-ranks-better": (worse_area, "With Laplace estimates unpruned trees have the higher AUC."),
        "unpruned-laplace-has-lower-nce": (worse_nce, "With Laplace estimates unpruned trees have the lower NCE."),
    }
    return [_pruning(evidence, name, *each) for name, each in statements.items()]


def _pruning(evidence: Evidence, name: str, claim: Claim, statement: str) -> Finding:
    names = [each for each in SETS if _printed(claim, each)]
    theirs = f"The paper's own table has it so on {len(names)} of 5 ({', '.join(names)})"
    if claim.metric == "NCE" and claim.other == BASELINE:
        theirs += f". With other clips: {evidence.by_clip([claim])}"
    return Finding(name, statement, evidence.verdict([claim]), f"{evidence.count(claim)}. {theirs}.", _TABLE_3)


def _printed(claim: Claim, dataset: str) -> bool:
    """Return whether the printed figures are as claimed."""
    one, other = (PRUNING[claim.metric, dataset, method].value for method in (claim.method, claim.other))
    return one < other if claim.sense == "lower" else one > other


def correlation_findings(evidence: Evidence) -> list[Finding]:
    """Return the findings of Table 2."""
    nce, area = ([PRUNING[key].value for key in PRUNING if key[0] == metric] for metric in ("NCE", "AUC"))
    theirs = float(np.asarray(np.corrcoef(nce, area))[0, 1])
    return [
        Finding(
            "nce-and-auc-are-tightly-anticorrelated",
            "NCE and AUC are tightly inversely correlated.",
            _tight(evidence, "NCE", "AUC", -1),
            f"{_shown(evidence, 'NCE', 'AUC')}. {_range(evidence, 'NCE, AUC')}. The 20 pairs of the paper's own "
            f"Table 3 have {theirs:.2f}. Tight is taken as more than half of the variance, |r| > {_TIGHT:.2f}.",
            "Table 2, Figure 3",
        ),
        Finding(
            "ql-and-error-are-tightly-correlated",
            "The error is tightly correlated with the quadratic loss.",
            _tight(evidence, "QL", "01L", 1),
            f"{_shown(evidence, 'QL', '01L')}.",
            "Table 2",
        ),
        Finding(
            "ql-and-error-do-not-follow-auc",
            "Neither the quadratic loss nor the error is tightly correlated with the AUC.",
            _not_tight(evidence),
            f"QL: {_shown(evidence, 'QL', 'AUC')}. 01L: {_shown(evidence, '01L', 'AUC')}.",
            "Table 2",
        ),
    ]


def _beyond(evidence: Evidence, row: str, column: str, sign: int) -> list[int]:
    """Return for each kind of points whether the correlation is beyond a tight one (1), short of it (-1) or neither."""
    cells = [evidence.tables["table_2"].cell(row, column, points) for points in POINTS]
    return [int(np.sign(gap)) if abs(gap := sign * cell.ours - _TIGHT) > 2 * cell.error else 0 for cell in cells]


def _tight(evidence: Evidence, row: str, column: str, sign: int) -> Verdict:
    found = set(_beyond(evidence, row, column, sign))
    return "holds" if found == {1} else "does not hold" if found == {-1} else "undecided"


def _not_tight(evidence: Evidence) -> Verdict:
    found = {each for row in ("QL", "01L") for each in _beyond(evidence, row, "AUC", -1)}
    return "holds" if found == {-1} else "does not hold" if 1 in found else "undecided"


def _shown(evidence: Evidence, row: str, column: str) -> str:
    cells = {points: evidence.tables["table_2"].cell(row, column, points) for points in POINTS}
    return ", ".join(f"{cell.ours:.2f} ± {2 * cell.error:.2f} over {points}" for points, cell in cells.items())


def _range(evidence: Evidence, column: str) -> str:
    table = evidence.tables["table_2_conventions"]
    found = [cell.ours for cell in table.cells if cell.column == column]
    return f"By what is done with rows at probability 0, and within the sets: {min(found):.2f} to {max(found):.2f}"
