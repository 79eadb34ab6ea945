"""Nielsen (2004): the studies, tables, findings and pictures."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from calibrant.papers._nielsen.experiment import WAYS, define_studies
from calibrant.papers._nielsen.findings import check_findings
from calibrant.papers._nielsen.pictures import draw_pictures
from calibrant.papers._nielsen.readings import B_PETS, EB_PETS, MOB_ESP, paper_methods
from calibrant.papers._nielsen.tables import (
    RECORD_TABLES,
    causes_table,
    comparisons_table,
    counting_table,
    differences_table,
    figures_table,
    records_table,
    unpaired_table,
)
from calibrant.papers._nielsen.trial_values import TrialValues
from calibrant.papers._reproduction.paper import Paper, Size

if TYPE_CHECKING:
    from calibrant.papers._reproduction.finding import Finding
    from calibrant.papers._reproduction.paper import Picture
    from calibrant.papers._reproduction.table import PaperTable
    from calibrant.studies import Study, StudyResults

__all__ = ["Nielsen2004"]

# The first way of growing is close to the paper's; its tables have the paper's names
_SUFFIXES = {"integers": "", "c45": "_c45"}
_WAY_TITLES = {
    "integers": "integers for nominal values, cuts at midpoints, no penalty",
    "c45": "nominal columns, grown as C4.5 Release 8 does",
}


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
        values = {name: TrialValues(each) for name, each in results.items()}
        tables = [table for way in WAYS for table in _tables(values[way], way)]
        return [*tables, causes_table(values["integers"], values["causes"])]

    def findings(self, tables: Mapping[str, PaperTable]) -> list[Finding]:
        """Return what the paper finds about the enhancements and MOB-ESP, checked."""
        return check_findings(tables)

    def pictures(
        self,
        results: Mapping[str, StudyResults],  # noqa: ARG002
        tables: Mapping[str, PaperTable],
    ) -> list[Picture]:
        """Return two summaries; the paper has no figures of its own."""
        return draw_pictures(tables)


def _tables(values: TrialValues, way: str) -> list[PaperTable]:
    suffix, words = _SUFFIXES[way], _WAY_TITLES[way]
    records = [
        records_table(f"{name}{suffix}", f"{each.title} ({words})", values, each)
        for name, each in RECORD_TABLES.items()
    ]
    table_2 = "Table 2: effect of B-PETs enhancements (EB-PETs) by data set"
    table_6 = "Table 6: comparison of MOB-ESP to EB-PETs by data set"
    return [
        figures_table(f"table_2{suffix}", f"{table_2} ({words})", values, way, B_PETS, EB_PETS),
        *records,
        unpaired_table(f"unpaired{suffix}", f"Tables 3 to 5 by an unpaired t-test ({words})", values),
        figures_table(f"table_6{suffix}", f"{table_6} ({words})", values, way, EB_PETS, MOB_ESP),
        comparisons_table(f"comparisons{suffix}", f"Gains over all data sets ({words})", values),
        differences_table(f"differences{suffix}", f"Gains by data set ({words})", values),
        counting_table(
            f"counting{suffix}", f"Which way of counting in-bag rows is closer to the paper ({words})", values
        ),
    ]
