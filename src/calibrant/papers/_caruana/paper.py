"""Caruana & Niculescu-Mizil (2004) as studies, tables, findings and figures."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from calibrant.papers._caruana.algorithms import PAPER_MAPS, calibrated, coded_models, tree_models
from calibrant.papers._caruana.findings import (
    ADVICE,
    algorithm_findings,
    away_from_ends,
    each_problem,
    our_findings,
    s_shape,
)
from calibrant.papers._caruana.pictures import draw_pictures
from calibrant.papers._caruana.scales import PAPER_MODELS, SCALES
from calibrant.papers._caruana.studies import make_studies
from calibrant.papers._caruana.tables_of_paper import make_tables, read_boosted
from calibrant.papers._reproduction.finding import Finding, with_advice
from calibrant.papers._reproduction.paper import Paper, Picture, Size
from calibrant.papers._reproduction.table import PaperTable
from calibrant.studies import Study, StudyResults


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
    processor_seconds: ClassVar[Mapping[Size, float]] = {"quick": 160.0, "default": 3900.0, "full": 90000.0}

    def methods(self) -> dict[str, Any]:
        """Return one model of each algorithm, raw and behind the paper's maps."""
        models = (*tree_models(PAPER_MODELS), *coded_models(PAPER_MODELS))
        return {f"{row}, {name}": calibrated(model, name) for row, _, model in models for name in PAPER_MAPS}

    def studies(self, size: Size, store: str) -> dict[str, Study]:
        """Return a study for each problem and table, one of the choice of the grid, and those of the figures."""
        return make_studies(f"{self.name} {size}", SCALES[size], store)

    def tables(self, results: Mapping[str, StudyResults], size: Size) -> list[PaperTable]:
        """Return Tables 1, 2 and 4, the changes, orders and comparisons, and tables by problem."""
        return make_tables(results, SCALES[size].rows)

    def findings(self, tables: Mapping[str, PaperTable]) -> list[Finding]:
        """Return the findings of the paper, and those on what calibrant adds."""
        of_boosting = [away_from_ends(tables), s_shape(tables), each_problem(tables)]
        return with_advice([*algorithm_findings(tables), *of_boosting, *our_findings(tables)], ADVICE)

    def pictures(self, results: Mapping[str, StudyResults], tables: Mapping[str, PaperTable]) -> list[Picture]:
        """Return Figures 1 to 4."""
        return draw_pictures(read_boosted(results), tables["table_4"])
