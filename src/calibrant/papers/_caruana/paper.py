"""Caruana & Niculescu-Mizil (2004) as studies, tables, findings and figures."""

from __future__ import annotations

from typing import Any, ClassVar

from calibrant.papers._caruana.algorithms import PAPER_MAPS, calibrated, coded_models, tree_models
from calibrant.papers._caruana.findings import check_findings
from calibrant.papers._caruana.pictures import draw_pictures
from calibrant.papers._caruana.scales import PAPER_MODELS
from calibrant.papers._caruana.studies import make_studies
from calibrant.papers._caruana.tables_of_paper import make_tables
from calibrant.papers._reproduction.paper import Paper


class CaruanaNiculescuMizil2004(Paper):
    """Seven learning algorithms before and after Platt scaling and isotonic regression.

    Examples
    --------
    >>> list(CaruanaNiculescuMizil2004().methods())[:2]
    ['DT, RAW', 'DT, PLATT']
    """

    name = "caruana-niculescu-mizil-2004"
    citation = (
        'R. Caruana and A. Niculescu-Mizil, "Predicting good probabilities with supervised learning", '
        "American Meteorological Society, 2004"
    )
    # The full size is extrapolated from the others
    processor_seconds: ClassVar = {"quick": 160.0, "default": 3900.0, "full": 90000.0}

    studies = staticmethod(make_studies)
    tables = staticmethod(make_tables)
    findings = staticmethod(check_findings)
    pictures = staticmethod(draw_pictures)

    def methods(self) -> dict[str, Any]:
        """Return one model of each algorithm, raw and behind the paper's maps."""
        models = (*tree_models(PAPER_MODELS), *coded_models(PAPER_MODELS))
        return {f"{row}, {name}": calibrated(model, name) for row, _, model in models for name in PAPER_MAPS}
