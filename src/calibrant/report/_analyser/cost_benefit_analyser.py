"""The cost-benefit analyser as a block of a report."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from calibrant._sections import DataTable, TableColumn
from calibrant.decisions import Money
from calibrant.report._analyser.analyser_charts import gains_chart, profit_chart, with_crosses
from calibrant.report._analyser.payload import AnalysedModels

__all__ = ["CostBenefitAnalyser"]


@dataclass(frozen=True, eq=False)
class CostBenefitAnalyser:
    """Costs to enter and a cut to move; the plain form is a table of the best cut of each model.

    Parameters
    ----------
    analysed : AnalysedModels
        The models, ranked.

    Examples
    --------
    >>> from calibrant.report._analyser.payload import analysed_models
    >>> from calibrant.report._predictions.read_report_data import read_report_data
    >>> data = read_report_data([0, 1, 1, 0], [0.2, 0.9, 0.4, 0.3], costs=[[0, 2], [0, -5]])
    >>> CostBenefitAnalyser(analysed_models(data)).best_points()
    (('model', '2 (50.0%)', '0.4', '10.00', '3.00', '7.00'),)
    """

    analysed: AnalysedModels

    def payload(self) -> dict[str, Any]:
        """Return what the script of the analyser needs."""
        from calibrant.report._charts import figure_payload

        names, costs = self.analysed.data.names, self.analysed.costs
        charts = [gains_chart(names), profit_chart(names, costs.select)]
        drawn = [{**with_crosses(figure_payload(chart, names)), "caption": chart.caption} for chart in charts]
        return {**self.analysed.payload(), "charts": drawn}

    def html(self) -> str:
        """Return a table of the best cut of each model."""
        costs = self.analysed.costs
        columns = (
            TableColumn("Model", "left"),
            TableColumn("Rows selected"),
            TableColumn("From", term="expected gain" if costs.is_by_gain else "probability"),
            TableColumn("Profit"),
            TableColumn("As many at random"),
            TableColumn("Gain"),
        )
        note = "As the best of many cuts these profits are optimistic."
        caption = "The most profitable number of rows to select"
        return DataTable(caption, columns, self.best_points(), self.analysed.data.names, note).html()

    def best_points(self) -> tuple[tuple[str, ...], ...]:
        """Return the best cut of each model as text."""
        return tuple(self._best_point(name) for name in self.analysed.data.names)

    def _best_point(self, name: str) -> tuple[str, ...]:
        table = self.analysed.shown(name)
        profit = table.profits(self.analysed.costs.cells)
        best = int(profit.argmax())
        selected, total = table.tp[best] + table.fp[best], table.tp[-1] + table.fp[-1]
        random = profit[0] + selected / total * (profit[-1] - profit[0])
        sums = (profit[best], random, profit[best] - random)
        where = f"{table.threshold[best]:.4g}" if best else "no row"
        return (
            name,
            f"{selected:,.6g} ({selected / total:.1%})",
            where,
            *(repr(Money(float(value))) for value in sums),
        )
