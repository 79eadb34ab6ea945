"""Zadrozny & Elkan (2001), reproduced."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from calibrant.papers._reproduction.finding import Finding
from calibrant.papers._reproduction.paper import Paper, Picture, Size
from calibrant.papers._reproduction.table import PaperTable
from calibrant.papers._zadrozny.findings import check_findings
from calibrant.papers._zadrozny.methods import paper_methods
from calibrant.papers._zadrozny.studies import KDD98_SIZE, make_studies
from calibrant.papers._zadrozny.tables import make_tables
from calibrant.studies import Study, StudyResults


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
    processor_seconds: ClassVar[Mapping[Size, float]] = {"quick": 30.0, "default": 240.0, "full": 720.0}

    def methods(self) -> dict[str, Any]:
        """Return the thirteen methods with m = v = 200, and variants where the paper leaves a choice."""
        return paper_methods(KDD98_SIZE)

    def studies(self, size: Size, store: str) -> dict[str, Study]:
        """Return the studies; the official files of KDD'98 are used if the folder ``CALIBRANT_DATA`` has them."""
        return make_studies(size, store, self.name)

    def tables(self, results: Mapping[str, StudyResults], size: Size) -> list[PaperTable]:  # noqa: ARG002
        """Return Tables 1 to 4 and the numbers of Figures 1 to 5, comparisons, rankings, tree sizes and the sweep."""
        return make_tables(results)

    def findings(self, tables: Mapping[str, PaperTable]) -> list[Finding]:
        """Return the claims of the paper, checked."""
        return check_findings(tables)

    def pictures(self, results: Mapping[str, StudyResults], tables: Mapping[str, PaperTable]) -> list[Picture]:
        """Return Figures 1 to 5, and the sweep of m and v."""
        from calibrant.papers._zadrozny.pictures import draw_pictures

        return draw_pictures(results, tables)
