"""Nielsen (2004): the studies, tables, findings and pictures."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from calibrant.papers._nielsen.experiment import define_studies
from calibrant.papers._nielsen.findings import check_findings
from calibrant.papers._nielsen.pictures import draw_pictures
from calibrant.papers._nielsen.readings import paper_methods
from calibrant.papers._nielsen.tables import make_tables
from calibrant.papers._reproduction.finding import Finding
from calibrant.papers._reproduction.paper import Paper, Picture, Size
from calibrant.papers._reproduction.table import PaperTable
from calibrant.studies import Study, StudyResults


class Nielsen2004(Paper):
    """B-PETs, EB-PETs and MOB-ESP on 20 data sets: Tables 2 to 6 with both ways of growing.

    Examples
    --------
    >>> from calibrant.papers import get_paper
    >>> list(get_paper("nielsen-2004").methods())[-2:]
    ['EB-PETs', 'MOB-ESP']
    """

    name: ClassVar[str] = "nielsen-2004"
    citation: ClassVar[str] = 'R. D. Nielsen, "MOB-ESP and other improvements in probability estimation", UAI, 2004'
    processor_seconds: ClassVar[Mapping[Size, float]] = {"quick": 42.0, "default": 1100.0, "full": 2000.0}

    def methods(self) -> dict[str, Any]:
        """Return the three systems, and those of the ablations."""
        return dict(paper_methods())

    def studies(self, size: Size, store: str) -> dict[str, Study]:
        """Return a study for each way of growing, and one of possible causes of the differences."""
        return define_studies(size, store)

    def tables(self, results: Mapping[str, StudyResults], size: Size) -> list[PaperTable]:  # noqa: ARG002
        """Return Tables 2 to 6, and those of comparisons, differences, ways of counting and causes."""
        return make_tables(results)

    def findings(self, tables: Mapping[str, PaperTable]) -> list[Finding]:
        """Return the findings on the enhancements and MOB-ESP, checked."""
        return check_findings(tables)

    def pictures(
        self,
        results: Mapping[str, StudyResults],  # noqa: ARG002
        tables: Mapping[str, PaperTable],
    ) -> list[Picture]:
        """Return two summaries; the paper has no figures of its own."""
        return draw_pictures(tables)
