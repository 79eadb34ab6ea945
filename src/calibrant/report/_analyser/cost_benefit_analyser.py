"""The cost-benefit analyser as a block of a report."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant._sections import Axis, DataTable, Figure, Layer, TableColumn
from calibrant.decisions import Money
from calibrant.decisions._internal import IntervalOptions
from calibrant.metrics._internal import read_predictions, two_sided_z
from calibrant.report._analyser.cluster_variances import ClusterVariances, cluster_variances
from calibrant.report._analyser.entered_costs import EnteredCosts, cell_labels, entered_costs
from calibrant.report._analyser.selection_table import SelectionTable, private_cuts, selection_table, stored_cuts
from calibrant.report._analyser.stored_rows import Packed, byte_budget, pack_floats, pack_rounded, stored_rows
from calibrant.report._predictions.comparison import choose_model
from calibrant.report._predictions.report_data import FEWEST_ROWS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.report._predictions.report_data import ReportData

__all__ = ["AnalysedModels", "CostBenefitAnalyser", "analysed_models", "gains_chart", "profit_chart", "with_crosses"]


_CROSSES = {"this cut": 240, "best cut": 90}  # and their sizes, in square pixels

_PLACEHOLDER = {"x": [0.0, 1.0], "y": [0.0, 1.0]}
_HOVER = {"Threshold": [0.5, 0.25], "Number of rows": [0.0, 1.0]}  # whose format follows from the values


def gains_chart(models: tuple[str, ...]) -> Figure:
    """Return the chart of the share of positives among the share of rows selected.

    Examples
    --------
    >>> [layer.label for layer in gains_chart(("a",)).layers]
    ['at random', '', 'this cut']
    """
    return Figure(
        "analyser-gains",
        "Positives reached",
        "Share of all positives among the rows selected; the diagonal is a random selection.",
        "Share of positives reached against share of rows selected, with a marker at the current cut.",
        Axis("Rows selected", ".0%", (0.0, 1.0)),
        Axis("Positives reached (recall)", ".0%", (0.0, 1.0)),
        (Layer("reference", _PLACEHOLDER, "at random"), *_curves(models), _marker("this cut")),
    )


def profit_chart(models: tuple[str, ...], select: str) -> Figure:
    """Return the chart of the total profit against the share of rows selected."""
    return Figure(
        "analyser-profit",
        "Total profit",
        f"What the decision “{select}” for the rows selected earns in all; the straight line is a random selection.",
        "Total profit against share of rows selected, with markers at the current cut and at the best one.",
        Axis("Rows selected", ".0%", (0.0, 1.0)),
        Axis("Total profit", ",.4~r"),
        (
            Layer("reference", _PLACEHOLDER, "at random"),
            *_curves(models),
            _marker("best cut"),
            _marker("this cut"),
        ),
    )


def with_crosses(payload: dict[str, Any]) -> dict[str, Any]:
    """Return what a chart is drawn of with the current cut as a large cross and the best one as a diamond."""
    sizes = {source["name"]: _CROSSES.get(source["label"]) for source in payload["data"]}
    for unit in payload["spec"]["layer"]:
        size = sizes.get(unit["data"]["name"])
        if size is not None:
            unit["mark"] |= {"shape": "cross" if size > 100 else "diamond", "size": size, "fill": "var(--ink)"}
    return payload


def _curves(models: tuple[str, ...]) -> tuple[Layer, ...]:
    return tuple(Layer("line", {**_PLACEHOLDER, **_HOVER}, "", model) for model in models)


def _marker(label: str) -> Layer:
    columns = {**_PLACEHOLDER, **_HOVER}
    return Layer("points", {name: values[:1] for name, values in columns.items()}, label)


MOST_ROWS = 50_000  # exact at every cut
MOST_VALUES = 200_000  # rows times models times pages
MOST_CUTS, MOST_CUTS_OF_PAGES = 10_000, 2_000
_ROW_BYTES = 5  # of a stored row at least
_CUT_BYTES = {False: 28, True: 48}  # of a stored cut, without and with parts by row


@dataclass(frozen=True, eq=False)
class AnalysedModels:
    """The models of a report at the costs it was made with."""

    data: ReportData
    costs: EnteredCosts
    tables: dict[str, SelectionTable]
    n_pages: int

    @property
    def has_rows(self) -> bool:
        """Whether rows are stored, so that every cut is exact at any costs."""
        n_values = self.data.n_rows * len(self.data.names) * self.n_pages
        has_room = n_values <= MOST_VALUES and (self.n_pages == 1 or _ROW_BYTES * n_values <= byte_budget(self.n_pages))
        return self.data.rows and self.data.n_rows <= MOST_ROWS and has_room

    def payload(self) -> dict[str, Any]:
        """Return what the script needs."""
        data, costs = self.data, self.costs
        shared, stored = self._rows() if self.has_rows else (None, self._cuts())
        known = [self._known(name) for name in data.names]
        return {
            "names": list(data.names),
            "start": self._start,
            "cells": costs.cells,
            "labels": cell_labels(costs, data.positive, self.negative),
            "parts": costs.parts,
            "select": costs.select,
            "leave": costs.leave,
            "positive": str(data.positive),
            "negative": str(self.negative),
            "byGain": costs.is_by_gain,
            "selectsTies": costs.selects_ties,
            "note": costs.note,
            "hasCosts": data.costs is not None,
            "recalibrates": not data.page,  # pages of classes have no costs of their own, and models many classes
            "storage": self.storage,
            "z": two_sided_z(data.confidence),
            "confidence": data.confidence,
            "rows": shared,
            "models": [{**one, **more} for one, more in zip(stored, known, strict=True)],
        }

    @property
    def negative(self) -> Any:
        """The class that is not the positive one."""
        return next(label for label in self.data.classes if label != self.data.positive)

    @property
    def _start(self) -> int:
        """The model whose numbers are shown first: the one that the answer names the best."""
        choice = None if self.data.page else choose_model(self.data)
        return 0 if choice is None else self.data.names.index(choice.best)

    @property
    def storage(self) -> str:
        """How exact the analyser is, in one sentence."""
        if self.has_rows:
            return ""
        n_cuts = max(len(self.shown(name).threshold) - 1 for name in self.data.names)
        kept = " The ranking stays that of the costs the report was made with." if self.costs.is_by_gain else ""
        private = "" if self.data.rows else f", with at least {FEWEST_ROWS} rows between any two"
        return f"Exact at {n_cuts:,} stored cuts{private}; interpolated between them.{kept}"

    def _recalibrated(self, name: str) -> NDArray[np.float64] | None:
        return None if self.data.page else self.data.recalibrated(name)

    def _rows(self) -> tuple[dict[str, Any], list[dict[str, Any]]]:
        again = {name: self._recalibrated(name) for name in self.data.names}
        return stored_rows(self.data, self.costs, again, self.n_pages)

    def _cuts(self) -> list[dict[str, Any]]:
        return [{"table": _packed_table(self.shown(name)), "again": self._again(name)} for name in self.data.names]

    def shown(self, name: str) -> SelectionTable:
        """Return the cuts of a model that may be shown: all, or those stored."""
        return self.tables[name] if self.has_rows else self._thinned(self.tables[name])

    def _again(self, name: str) -> dict[str, Packed] | str | None:
        """Return the cuts by recalibrated probabilities; None where the ranking is not that of probabilities."""
        proba = None if self.costs.is_by_gain else self._recalibrated(name)
        if proba is None:
            return None
        if np.array_equal(proba, self.data.probas[name]):
            return "same"
        return _packed_table(self._thinned(selection_table(proba, self.data.is_positive, self.data.sample_weight)))

    def _thinned(self, table: SelectionTable) -> SelectionTable:
        most = MOST_CUTS if self.n_pages == 1 else MOST_CUTS_OF_PAGES
        n_tables = len(self.data.names) * self.n_pages
        most = min(most, byte_budget(self.n_pages) // (_CUT_BYTES[table.parts is not None] * n_tables))
        if not self.data.rows:
            return private_cuts(table, most, FEWEST_ROWS)
        return stored_cuts(table, most, int(table.profits(self.costs.cells).argmax()))

    def _known(self, name: str) -> dict[str, Any]:
        """Return what only Python computes: variances of clusters, and the loss by miscalibration with its interval."""
        money = self.data.money(name) if self.costs.can_compare else None
        lost = None if money is None else money.miscalibration
        own = None if lost is None else {"value": lost.value, "low": lost.low, "high": lost.high}
        variances = self._cluster_variances(name)
        effect = 1.0 if variances is None else variances.design_effect(self.costs.cells)
        clusters = None if variances is None else variances.written()
        return {"designEffect": effect, "clusters": clusters, "own": own}

    def _cluster_variances(self, name: str) -> ClusterVariances | None:
        """Return the variances of clustered or weighted rows; None where formulas for independent rows hold."""
        data = self.data
        read = read_predictions(data.y_true, data.probas[name], **data.curve_options)
        cluster = IntervalOptions(data.weight_kind, data.groups, None).for_rows(read).clusters()
        if cluster is None:
            return None
        part, least = self.costs.part_of(data.is_positive), 1.0 if data.weight_kind == "frequency" else 0.0
        is_private = not data.rows and (part is not None or data.has_own_weights)
        fewest = FEWEST_ROWS if is_private else 0
        return cluster_variances(self.score(name), data.is_positive, data.weight, cluster, part, least, fewest)

    def score(self, name: str) -> NDArray[np.float64]:
        """Return what a model's rows are ranked by."""
        proba = self.data.probas[name]
        return self.costs.gain(proba) if self.costs.is_by_gain else proba


def analysed_models(data: ReportData, n_pages: int = 1) -> AnalysedModels:
    """Return the models of a report, ranked."""
    costs = entered_costs(data)
    part = costs.part_of(data.is_positive)
    scores = {name: costs.gain(proba) if costs.is_by_gain else proba for name, proba in data.probas.items()}
    tables = {
        name: selection_table(score, data.is_positive, data.sample_weight, part) for name, score in scores.items()
    }
    return AnalysedModels(data, costs, tables, n_pages)


def _packed_table(table: SelectionTable) -> dict[str, Any]:
    columns = {"threshold": table.threshold[1:], "tp": table.tp, "fp": table.fp}
    parts = [] if table.parts is None else [(pack_rounded if k % 3 else pack_floats)(table.parts[k]) for k in range(6)]
    return {**{name: pack_floats(values) for name, values in columns.items()}, "parts": parts}


@dataclass(frozen=True, eq=False)
class CostBenefitAnalyser:
    """Costs to enter and a cut to move; the plain form is a table of the best cut of each model.

    Parameters
    ----------
    analysed : AnalysedModels
        The models, ranked.

    Examples
    --------
    >>> from calibrant.report._analyser.cost_benefit_analyser import analysed_models
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
