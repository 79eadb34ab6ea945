"""The cost-benefit analyser as a block of a report."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from calibrant._sections import Axis, DataTable, Figure, Layer, TableColumn
from calibrant.decisions import Money
from calibrant.decisions._internal import IntervalOptions
from calibrant.metrics._internal import read_predictions
from calibrant.report._analyser.cluster_variances import cluster_variances
from calibrant.report._analyser.entered_costs import EnteredCosts, cell_labels, entered_costs
from calibrant.report._analyser.selection_table import SelectionTable, private_cuts, selection_table, stored_cuts
from calibrant.report._analyser.stored_rows import Packed, byte_budget, pack_floats, pack_rounded, stored_rows
from calibrant.report._charts.payload import figure_payload
from calibrant.report._predictions.comparison import choose_model
from calibrant.report._predictions.report_data import FEWEST_ROWS, ReportData

_CROSSES = {"this cut": 240, "best cut": 90}  # and their sizes, in square pixels
_PLACEHOLDER = {"x": [0.0, 1.0], "y": [0.0, 1.0]}
_HOVER = {"Threshold": [0.5, 0.25], "Number of rows": [0.0, 1.0]}  # whose format follows from the values
_SELECTED = Axis("Rows selected", ".0%", (0.0, 1.0))
MOST_ROWS = 50_000  # exact at every cut
MOST_VALUES = 200_000  # rows times models times pages
MOST_CUTS, MOST_CUTS_OF_PAGES = 10_000, 2_000
_ROW_BYTES = 5  # of a stored row at least
_CUT_BYTES = {False: 28, True: 48}  # of a stored cut, without and with parts by row


@dataclass(frozen=True, eq=False)
class CostBenefitAnalyser:
    """Costs to enter and a cut to move; the plain form is a table of the best cut of each model.

    Parameters
    ----------
    data : ReportData
        The predictions; each of its pages has an analyser.

    Examples
    --------
    >>> from calibrant.report._predictions.read_report_data import read_report_data
    >>> data = read_report_data([0, 1, 1, 0], [0.2, 0.9, 0.4, 0.3], costs=[[0, 2], [0, -5]])
    >>> CostBenefitAnalyser(data).best_points()
    (('model', '2 (50.0%)', '0.4', '10.00', '3.00', '7.00'),)
    """

    data: ReportData

    @cached_property
    def costs(self) -> EnteredCosts:
        """The costs that the analyser starts with."""
        return entered_costs(self.data)

    @cached_property
    def tables(self) -> dict[str, SelectionTable]:
        """The sums at every cut of each model."""
        data, part = self.data, self.costs.part_of(self.data.is_positive)
        weights = data.sample_weight
        return {name: selection_table(self._score(name), data.is_positive, weights, part) for name in data.names}

    @property
    def has_rows(self) -> bool:
        """Whether rows are stored, so that every cut is exact at any costs."""
        data, n_pages = self.data, self.data.n_pages
        n_values = data.n_rows * len(data.names) * n_pages
        has_room = n_values <= MOST_VALUES and (n_pages == 1 or _ROW_BYTES * n_values <= byte_budget(n_pages))
        return data.rows and data.n_rows <= MOST_ROWS and has_room

    def payload(self) -> dict[str, Any]:
        """Return the numbers and charts that the script of the analyser works with."""
        data, costs = self.data, self.costs
        again = {name: None if data.page else data.recalibrated(name) for name in data.names}
        if self.has_rows:
            shared, stored = stored_rows(data, costs, again, self.data.n_pages)
        else:
            shared = None
            stored = [{"table": _packed(self.shown(name)), "again": self._again(name, again[name])} for name in again]
        storage = ""  # a sentence on the exactness of the analyser
        if not self.has_rows:
            n_cuts = max(len(self.shown(name).threshold) - 1 for name in data.names)
            kept = " The ranking stays that of the costs the report was made with." if costs.is_by_gain else ""
            private = "" if data.rows else f", with at least {FEWEST_ROWS} rows between any two"
            storage = f"Exact at {n_cuts:,} stored cuts{private}; interpolated between them.{kept}"
        choice = None if data.page else choose_model(data)
        negative = next(label for label in data.classes if label != data.positive)
        return {
            "names": list(data.names),
            "start": 0 if choice is None else data.names.index(choice.best),  # as the answer names the best
            "cells": costs.cells,
            "labels": cell_labels(costs, data.positive, negative),
            "parts": costs.parts,
            "select": costs.select,
            "leave": costs.leave,
            "positive": str(data.positive),
            "negative": str(negative),
            "byGain": costs.is_by_gain,
            "selectsTies": costs.selects_ties,
            "note": costs.note,
            "hasCosts": data.costs is not None,
            "recalibrates": not data.page,  # pages of classes have no costs of their own, and models many classes
            "storage": storage,
            "z": float(ndtri(0.5 + data.confidence / 2.0)),
            "confidence": data.confidence,
            "rows": shared,
            "models": [{**one, **self._known(name)} for one, name in zip(stored, data.names, strict=True)],
            "charts": self._charts(),
        }

    def shown(self, name: str) -> SelectionTable:
        """Return the cuts of a model that may be shown: all, or those stored."""
        return self.tables[name] if self.has_rows else self._thinned(self.tables[name])

    def _again(self, name: str, proba: NDArray[np.float64] | None) -> dict[str, Packed] | str | None:
        """Return the cuts by recalibrated probabilities; None where the ranking is not that of probabilities."""
        if proba is None or self.costs.is_by_gain:
            return None
        if np.array_equal(proba, self.data.probas[name]):
            return "same"
        return _packed(self._thinned(selection_table(proba, self.data.is_positive, self.data.sample_weight)))

    def _thinned(self, table: SelectionTable) -> SelectionTable:
        most = MOST_CUTS if self.data.n_pages == 1 else MOST_CUTS_OF_PAGES
        n_tables = len(self.data.names) * self.data.n_pages
        most = min(most, byte_budget(self.data.n_pages) // (_CUT_BYTES[table.parts is not None] * n_tables))
        if not self.data.rows:
            return private_cuts(table, most, FEWEST_ROWS)
        return stored_cuts(table, most, int(table.profits(self.costs.cells).argmax()))

    def _known(self, name: str) -> dict[str, Any]:
        """Return the variances of clusters and the loss by miscalibration, which only Python computes."""
        data, costs = self.data, self.costs
        money = data.money(name) if costs.can_compare else None
        own = None if money is None else asdict(money.miscalibration)
        read = read_predictions(data.y_true, data.probas[name], **data.curve_options)
        cluster = IntervalOptions(data.weight_kind, data.groups, None).for_rows(read).clusters()
        if cluster is None:  # formulas for independent rows hold
            return {"designEffect": 1.0, "clusters": None, "own": own}
        part, least = costs.part_of(data.is_positive), 1.0 if data.weight_kind == "frequency" else 0.0
        is_private = not data.rows and (part is not None or data.has_own_weights)
        fewest, score = FEWEST_ROWS if is_private else 0, self._score(name)
        found = cluster_variances(score, data.is_positive, data.weight, cluster, part, least, fewest)
        return {"designEffect": found.design_effect(costs.cells), "clusters": found.written(), "own": own}

    def _score(self, name: str) -> NDArray[np.float64]:
        """Return the numbers by which the rows of a model are ranked."""
        proba = self.data.probas[name]
        return self.costs.gain(proba) if self.costs.is_by_gain else proba

    def _charts(self) -> list[dict[str, Any]]:
        """Return the two charts, without numbers: the script computes them from the costs that are entered."""
        data, columns = self.data, {**_PLACEHOLDER, **_HOVER}
        random = Layer("reference", _PLACEHOLDER, "at random")
        curves = [Layer("line", columns, "", model) for model in data.names]
        here, best = (Layer("points", {key: each[:1] for key, each in columns.items()}, label) for label in _CROSSES)
        gains = Figure(
            "analyser-gains",
            "Positives reached",
            "Share of all positives among the rows selected; the diagonal is a random selection.",
            "Share of positives reached against share of rows selected, with a marker at the current cut.",
            _SELECTED,
            Axis("Positives reached (recall)", ".0%", (0.0, 1.0)),
            (random, *curves, here),
        )
        profit = Figure(
            "analyser-profit",
            "Total profit",
            f"What the decision “{self.costs.select}” for the rows selected earns in all; the straight line is a "
            "random selection.",
            "Total profit against share of rows selected, with markers at the current cut and at the best one.",
            _SELECTED,
            Axis("Total profit", ",.4~r"),
            (random, *curves, best, here),
        )
        payloads = []
        for chart in (gains, profit):  # the current cut as a large cross and the best one as a diamond
            payload = figure_payload(chart, data.names)
            sizes = {source["name"]: _CROSSES.get(source["label"]) for source in payload["data"]}
            for unit in payload["spec"]["layer"]:
                size = sizes.get(unit["data"]["name"])
                if size is not None:
                    unit["mark"] |= {"shape": "cross" if size > 100 else "diamond", "size": size, "fill": "var(--ink)"}
            payloads.append({**payload, "caption": chart.caption})
        return payloads

    def html(self) -> str:
        """Return a table of the best cut of each model."""
        columns = (
            TableColumn("Model", "left"),
            TableColumn("Rows selected"),
            TableColumn("From", term="expected gain" if self.costs.is_by_gain else "probability"),
            TableColumn("Profit"),
            TableColumn("As many at random"),
            TableColumn("Gain"),
        )
        note = "As the best of many cuts these profits are optimistic."
        caption = "The most profitable number of rows to select"
        return DataTable(caption, columns, self.best_points(), self.data.names, note).html()

    def best_points(self) -> tuple[tuple[str, ...], ...]:
        """Return the best cut of each model as text."""
        found = []
        for name in self.data.names:
            table = self.shown(name)
            profit = table.profits(self.costs.cells)
            best = int(profit.argmax())
            selected, total = table.tp[best] + table.fp[best], table.tp[-1] + table.fp[-1]
            random = profit[0] + selected / total * (profit[-1] - profit[0])
            sums = (repr(Money(float(each))) for each in (profit[best], random, profit[best] - random))
            where = f"{table.threshold[best]:.4g}" if best else "no row"
            found.append((name, f"{selected:,.6g} ({selected / total:.1%})", where, *sums))
        return tuple(found)


def _packed(table: SelectionTable) -> dict[str, Any]:
    columns = {"threshold": table.threshold[1:], "tp": table.tp, "fp": table.fp}
    parts = [] if table.parts is None else [(pack_rounded if k % 3 else pack_floats)(table.parts[k]) for k in range(6)]
    return {**{name: pack_floats(values) for name, values in columns.items()}, "parts": parts}
