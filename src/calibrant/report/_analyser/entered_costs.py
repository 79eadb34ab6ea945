"""The four cells that the analyser starts with, what of them differs by row, and how they are called."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from calibrant.decisions import CostMatrix, ExampleCosts
from calibrant.decisions._internal import CostedPredictions

if TYPE_CHECKING:
    from calibrant.report._predictions.report_data import ReportData

_TERMS = {"tp": "true positive", "fn": "false negative", "fp": "false positive", "tn": "true negative"}


@dataclass(frozen=True, eq=False)
class EnteredCosts:
    """Benefits of the cells of the confusion matrix: a number for all rows, and a part that differs by row.

    Parameters
    ----------
    cells : dict of str to float
        The numbers of "tp", "fp", "fn" and "tn".
    select, leave : str
        The names of the two actions.
    selects_ties : bool
        Whether rows that are worth as much either way are selected.
    is_by_gain : bool
        Whether rows are ranked by expected gain, not by probability.
    amount, cost : array of shape (n_rows,) or None
        What is added where a positive row is selected, and deducted where any row is.
    expected : float or array of shape (n_rows,)
        What is expected of a positive row instead of `amount`.
    note : str
        What the reader must know of the numbers.
    can_compare : bool
        Whether the costs of the report are these, so that its own decisions can be compared.
    """

    cells: dict[str, float]
    select: str
    leave: str
    selects_ties: bool = False
    is_by_gain: bool = False
    amount: NDArray[np.float64] | None = None
    cost: NDArray[np.float64] | None = None
    expected: NDArray[np.float64] | float = 0.0
    note: str = ""
    can_compare: bool = True

    @property
    def parts(self) -> dict[str, str]:
        """The parts by row that are added to cells, in words."""
        amount = "plus the amount of the row" if self.amount is not None else ""
        cost = "less the cost of the row" if self.cost is not None else ""
        return {"tp": ", ".join(filter(None, [amount, cost])), "fp": cost, "fn": "", "tn": ""}

    def part_of(self, is_positive: NDArray[np.bool_]) -> NDArray[np.float64] | None:
        """Return the part that each selected row adds to its cell; None where nothing differs by row."""
        if self.amount is None and self.cost is None:
            return None
        added = 0.0 if self.amount is None else np.where(is_positive, self.amount, 0.0)
        return np.asarray(added - (0.0 if self.cost is None else self.cost))

    def gain(self, proba: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the expected gain of selecting each row, in the order of operations of `cost_benefit`."""
        always = self.cells["fp"] - self.cells["tn"] - (0.0 if self.cost is None else self.cost)
        if_positive = self.cells["tp"] - self.cells["fp"] - (self.cells["fn"] - self.cells["tn"])
        return np.asarray(always + proba * (if_positive + self.expected))


def entered_costs(data: ReportData) -> EnteredCosts:
    """Return the costs of a report as the analyser shows them; 1 for a hit and -1 for a miss where there are none.

    Examples
    --------
    >>> from calibrant.report._predictions.read_report_data import read_report_data
    >>> data = read_report_data([0, 1, 1], [0.2, 0.6, 0.9], costs=[[0, 2], [0, -5]])
    >>> entered_costs(data).cells
    {'tp': 5.0, 'fp': -2.0, 'fn': 0.0, 'tn': 0.0}
    """
    if data.costs is None or data.costs.n_actions < 2:
        note = "These numbers are placeholders: replace them by what a decision earns or costs you."
        return EnteredCosts({"tp": 1.0, "fp": -1.0, "fn": 0.0, "tn": 0.0}, "select", "leave", note=note)
    costed = data.costed(data.names[0])
    if isinstance(costed.costs, ExampleCosts):
        return _of_rows(costed, costed.costs, data.amount)
    return _of_matrix(costed, costed.costs)


def _of_matrix(costed: CostedPredictions, costs: CostMatrix) -> EnteredCosts:
    positive = costed.predictions.positive
    note = ""
    if len(costed.actions) == 2:
        leave, select = costed.leave_and_select()
    else:
        select = int(costs.matrix[positive].argmin())
        others = [action for action in range(len(costed.actions)) if action != select]
        leave = min(others, key=lambda action: float(costs.matrix[1 - positive, action]))
        note = f"Of the {len(costed.actions)} actions of the costs, two are compared: those best for either class."
    other = 1 - positive
    places = {"tp": (positive, select), "fp": (other, select), "fn": (positive, leave), "tn": (other, leave)}
    return EnteredCosts(
        {cell: float(0.0 - costs.matrix[place]) for cell, place in places.items()},
        str(costed.actions[select]),
        str(costed.actions[leave]),
        selects_ties=select < leave,
        note=note,
        can_compare=len(costed.actions) == 2,
    )


def _of_rows(costed: CostedPredictions, costs: ExampleCosts, amount: NDArray[np.float64] | None) -> EnteredCosts:
    is_positive = costed.predictions.label == costed.predictions.positive
    cost, benefit = np.asarray(costs.cost), np.asarray(costs.benefit)
    revenue = np.where(is_positive, benefit if amount is None else amount, 0.0)
    fixed = 0.0 if _varies(cost) else -float(cost[0])
    is_plain = not _varies(benefit) and bool((revenue[is_positive] == benefit[0]).all())
    added = float(benefit[0]) if is_plain else 0.0
    expected: Any = 0.0 if is_plain else benefit if _varies(benefit) else float(benefit[0])
    leave, select = costed.leave_and_select()
    return EnteredCosts(
        {"tp": fixed + added, "fp": fixed, "fn": 0.0, "tn": 0.0},
        str(costed.actions[select]),
        str(costed.actions[leave]),
        selects_ties=select < leave,
        is_by_gain=_varies(cost) or not is_plain or added <= 0.0,
        amount=None if is_plain else revenue,
        cost=cost if _varies(cost) else None,
        expected=expected,
    )


def _varies(values: NDArray[np.float64]) -> bool:
    return bool(np.ptp(values) > 0.0)


def cell_labels(costs: EnteredCosts, positive: Any, negative: Any) -> dict[str, str]:
    """Return the label of each cell, with the names of the actions and classes."""
    actions = {"tp": costs.select, "fp": costs.select, "fn": costs.leave, "tn": costs.leave}
    actual = {"tp": positive, "fn": positive, "fp": negative, "tn": negative}
    return {
        cell: f"Benefit of “{actions[cell]}” for a row that is “{actual[cell]}” ({term})"
        for cell, term in _TERMS.items()
    }
