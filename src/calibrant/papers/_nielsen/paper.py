"""Nielsen (2004): the studies, tables, findings and pictures."""

from __future__ import annotations

from typing import ClassVar

from calibrant.papers._nielsen.experiment import define_studies
from calibrant.papers._nielsen.findings import check_findings
from calibrant.papers._nielsen.pictures import draw_pictures
from calibrant.papers._nielsen.readings import paper_methods
from calibrant.papers._nielsen.tables import make_tables
from calibrant.papers._reproduction.paper import Paper


class Nielsen2004(Paper):
    """B-PETs, EB-PETs and MOB-ESP on 20 data sets: Tables 2 to 6 with both ways of growing.

    Examples
    --------
    >>> from calibrant.papers import get_paper
    >>> list(get_paper("nielsen-2004").methods())[-2:]
    ['EB-PETs', 'MOB-ESP']
    """

    name = "nielsen-2004"
    citation = 'R. D. Nielsen, "MOB-ESP and other improvements in probability estimation", UAI, 2004'
    processor_seconds: ClassVar = {"quick": 42.0, "default": 1100.0, "full": 2000.0}
    methods = staticmethod(paper_methods)
    studies = staticmethod(define_studies)
    tables = staticmethod(make_tables)
    findings = staticmethod(check_findings)
    pictures = staticmethod(draw_pictures)
