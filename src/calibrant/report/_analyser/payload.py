"""What the analyser's script needs: cells, rows or stored cuts of every model, and the two charts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import ndtri

from calibrant.decisions._internal import IntervalOptions
from calibrant.metrics._internal import read_predictions
from calibrant.report._analyser.cluster_variances import ClusterVariances, cluster_variances
from calibrant.report._analyser.entered_costs import EnteredCosts, cell_labels, entered_costs
from calibrant.report._analyser.packing import Packed, pack_floats, pack_rounded
from calibrant.report._analyser.selection_table import SelectionTable, selection_table
from calibrant.report._analyser.stored_cuts import private_cuts, stored_cuts
from calibrant.report._analyser.stored_rows import byte_budget, stored_rows
from calibrant.report._predictions.model_choice import choose_model
from calibrant.report._predictions.pooled_rows import FEWEST_ROWS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.report._predictions.report_data import ReportData

__all__ = ["AnalysedModels", "analysed_models"]

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
            "z": float(ndtri(0.5 + data.confidence / 2.0)),
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
