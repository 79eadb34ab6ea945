"""The paper as a reproduction: its methods, studies, tables, findings and figures."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from calibrant.papers._chawla.findings import check_findings
from calibrant.papers._chawla.holdout import COIL, holdout_study
from calibrant.papers._chawla.methods import paper_methods
from calibrant.papers._chawla.pictures import draw_pictures
from calibrant.papers._chawla.published import SETS
from calibrant.papers._chawla.tables import DRAWN, make_tables
from calibrant.papers._reproduction.finding import Finding
from calibrant.papers._reproduction.paper import Paper, Picture, Size
from calibrant.papers._reproduction.table import PaperTable
from calibrant.studies import Study, StudyResults

# The paper has one split; 30 show how far single splits vary. All of them are cheap, so that default and full agree.
_N_SPLITS: Mapping[Size, int] = {"quick": 5, "default": 30, "full": 30}


class ChawlaCieslak2006(Paper):
    """Chawla & Cieslak (2006): smoothed, bagged and pruned C4.5 trees on five unbalanced data sets.

    Examples
    --------
    >>> [*ChawlaCieslak2006().studies("quick", "trials.db")]
    ['holdout', 'distributions']
    """

    name: ClassVar[str] = "chawla-cieslak-2006"
    citation: ClassVar[str] = (
        'N. V. Chawla and D. A. Cieslak, "Evaluating probability estimates from decision trees", AAAI Workshop, 2006'
    )
    processor_seconds: ClassVar[Mapping[Size, float]] = {"quick": 30.0, "default": 160.0, "full": 160.0}

    def methods(self) -> dict[str, Any]:
        """Return the systems of the paper, and below them the further ones that its findings are compared with."""
        return paper_methods()

    def studies(self, size: Size, store: str) -> dict[str, Study]:
        """Return the holdout study of all sets, and that of Figure 2, which keeps its predictions."""
        methods, n_splits = paper_methods(), _N_SPLITS[size]
        prefix, rare = self.name, "Mammography"
        drawn = {each: methods[each] for each in DRAWN}
        return {
            "holdout": holdout_study(f"{prefix} holdout {size}", {**SETS, **COIL}, methods, n_splits, store),
            "distributions": holdout_study(
                f"{prefix} distributions {size}", {rare: SETS[rare]}, drawn, n_splits, store, keep_predictions=True
            ),
        }

    def tables(self, results: Mapping[str, StudyResults], size: Size) -> list[PaperTable]:  # noqa: ARG002
        """Return Tables 1 to 3 and Figures 2 and 3 as numbers, what they leave open, and the comparisons."""
        return make_tables(results)

    def findings(self, tables: Mapping[str, PaperTable]) -> list[Finding]:
        """Return the findings on smoothing, bagging, pruning and the relation of losses and AUC."""
        return check_findings(tables)

    def pictures(self, results: Mapping[str, StudyResults], tables: Mapping[str, PaperTable]) -> list[Picture]:
        """Return Figures 2 and 3, and the plane of NCE and AUC."""
        return draw_pictures(results["distributions"], tables)
