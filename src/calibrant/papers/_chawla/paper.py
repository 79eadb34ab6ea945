"""The paper as a reproduction: its methods, studies, tables, findings and figures."""

from __future__ import annotations

from typing import ClassVar

from calibrant.papers._chawla.findings import check_findings
from calibrant.papers._chawla.holdout import COIL, holdout_study
from calibrant.papers._chawla.methods import paper_methods
from calibrant.papers._chawla.pictures import draw_pictures
from calibrant.papers._chawla.published import SETS
from calibrant.papers._chawla.tables import DRAWN, make_tables
from calibrant.papers._reproduction.paper import Paper, Size
from calibrant.studies import Study

# The paper has one split; 30 show how far single splits vary. All of them are cheap, so that default and full agree.
_N_SPLITS: dict[Size, int] = {"quick": 5, "default": 30, "full": 30}


class ChawlaCieslak2006(Paper):
    """Chawla & Cieslak (2006): smoothed, bagged and pruned C4.5 trees on five unbalanced data sets.

    Examples
    --------
    >>> [*ChawlaCieslak2006().studies("quick", "trials.db")]
    ['holdout', 'distributions']
    """

    name = "chawla-cieslak-2006"
    citation = (
        'N. V. Chawla and D. A. Cieslak, "Evaluating probability estimates from decision trees", AAAI Workshop, 2006'
    )
    processor_seconds: ClassVar = {"quick": 30.0, "default": 160.0, "full": 160.0}
    methods = staticmethod(paper_methods)
    tables = staticmethod(make_tables)
    findings = staticmethod(check_findings)
    pictures = staticmethod(draw_pictures)

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
