"""The section with the cost-benefit analyser."""

from __future__ import annotations

from typing import TYPE_CHECKING

from calibrant._sections import Paragraph, Section
from calibrant.report._analyser.cost_benefit_analyser import CostBenefitAnalyser
from calibrant.report._analyser.payload import analysed_models

if TYPE_CHECKING:
    from calibrant.report._predictions.report_data import ReportData

__all__ = ["section"]


def section(data: ReportData) -> Section:
    """Return the analyser of two classes, or of one class against the others."""
    analysed = analysed_models(data, data.n_pages)
    lead = Paragraph(
        "Enter what each outcome earns (or costs, with a minus sign) and choose how many rows to select: the profit, "
        "what as many rows at random would earn, and the best choice follow."
    )
    return Section(
        data.figure_name("analyser"), "How many to select, and what it earns", (lead, CostBenefitAnalyser(analysed)),
        "Cost-benefit analysis", data.page,
    )  # fmt: skip
