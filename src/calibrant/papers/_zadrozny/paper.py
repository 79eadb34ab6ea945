"""Zadrozny & Elkan (2001), reproduced."""

from __future__ import annotations

from typing import Any, ClassVar

from calibrant.papers._reproduction.paper import Paper
from calibrant.papers._zadrozny.findings import check_findings
from calibrant.papers._zadrozny.methods import paper_methods
from calibrant.papers._zadrozny.pictures import draw_pictures
from calibrant.papers._zadrozny.studies import KDD98_SIZE, make_studies
from calibrant.papers._zadrozny.tables import make_tables


class ZadroznyElkan2001(Paper):
    """Smoothing, curtailment and binning on CoIL and KDD'98: Tables 1 to 4 and Figures 1 to 5.

    Examples
    --------
    >>> list(ZadroznyElkan2001().methods())[:3]
    ['C4.5 without pruning', 'Laplace (C4.4)', 'Smoothing']
    """

    name = "zadrozny-elkan-2001"
    citation = (
        'B. Zadrozny and C. Elkan, "Obtaining calibrated probability estimates from decision trees and naive Bayesian '
        'classifiers", ICML, 2001'
    )
    processor_seconds: ClassVar = {"quick": 30.0, "default": 240.0, "full": 720.0}

    studies = staticmethod(make_studies)
    tables = staticmethod(make_tables)
    findings = staticmethod(check_findings)
    pictures = staticmethod(draw_pictures)

    def methods(self) -> dict[str, Any]:
        """Return the thirteen methods with m = v = 200, and variants where the paper leaves a choice."""
        return paper_methods(KDD98_SIZE)
