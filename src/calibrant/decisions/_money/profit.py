"""What decisions by a model earn, against doing the same with everybody: the model's own costs are not forgotten."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant._optional import optional_import
from calibrant._params import Real, check_param
from calibrant._random import SeedLike
from calibrant.decisions._money.decision_rows import Case, read_case
from calibrant.decisions._money.sums import Drawing, Money, totals

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Profit", "profit"]


@dataclass(frozen=True, eq=False, repr=False)
class Profit:
    """What a model's decisions earn.

    Parameters
    ----------
    total : Money
        The sum over rows, less what the model costs.
    everybody : dict of action to Money
        What one and the same action for every row earns; that needs no model and pays for none.
    gain : Money
        What the model earns beyond the best of these.
    share : dict of action to float
        The share of the rows for which the model takes each action.
    n_rows : float
        The weight of all rows.
    model_cost : float
        What the model costs: fixed, and for all scored rows.
    confidence : float or None
        That of the intervals.

    Examples
    --------
    >>> earned = profit([1, 0, 1, 0], [0.9, 0.1, 0.6, 0.1], [[0, 1], [0, -5]], fixed_cost=3, confidence=None)
    >>> earned
    Profit: 7.00 by the model, which costs 3.00 for 4 rows
      1 for everybody: 8.00
      0 for everybody: 0.00
      the model earns 1.00 less than 1 for everybody
    """

    total: Money
    everybody: Mapping[Any, Money]
    gain: Money
    share: Mapping[Any, float]
    n_rows: float
    model_cost: float
    confidence: float | None

    @property
    def mean(self) -> float:
        """What a row earns on average."""
        return self.total.value / self.n_rows

    @property
    def best_alone(self) -> Any:
        """The action that earns most where it is taken for every row; of equal ones the first."""
        return max(self.everybody, key=lambda action: self.everybody[action].value)

    @property
    def pays(self) -> bool | None:
        """Whether the model is shown to earn more than the best single action; None where neither is shown."""
        if self.gain.low is None or self.gain.high is None or self.gain.low <= 0.0 <= self.gain.high:
            return None
        return self.gain.value > 0

    def to_frame(self) -> pd.DataFrame:
        """Give the sums as a pandas frame.

        Examples
        --------
        >>> profit([1, 0], [0.9, 0.1], [[0, 1], [0, -5]], confidence=None).to_frame()["total"].tolist()
        [5.0, 0.0, 4.0, 1.0]
        """
        pandas = optional_import("pandas", extra="data", purpose="give profits as a frame")
        sums = {
            "model": self.total,
            **{f"all {name}": sum_ for name, sum_ in self.everybody.items()},
            "gain": self.gain,
        }
        rows = [[each.value, each.low, each.high] for each in sums.values()]
        frame: pd.DataFrame = pandas.DataFrame(rows, index=list(sums), columns=["total", "low", "high"])
        return frame

    def __repr__(self) -> str:
        price = f", which costs {self.model_cost:,.2f} for {self.n_rows:,.0f} rows" if self.model_cost else ""
        order = sorted(self.everybody, key=lambda action: -self.everybody[action].value)
        lines = [f"Profit: {self.total} by the model{price}"]
        lines += [f"  {action} for everybody: {self.everybody[action]}" for action in order]
        if self.gain.value == 0.0 and not self.gain.low and not self.gain.high:
            return "\n".join([*lines, f"  the model earns as much as {self.best_alone} for everybody"])
        more, gain = ("more", self.gain) if self.gain.value >= 0 else ("less", -self.gain)
        doubt = "" if self.pays is not None or self.confidence is None else ", which may be chance"
        return "\n".join([*lines, f"  the model earns {gain} {more} than {self.best_alone} for everybody{doubt}"])


def profit(
    y_true: Any,
    y_proba: Any,
    costs: Any,
    *,
    amount: Any = None,
    fixed_cost: float = 0.0,
    row_cost: float = 0.0,
    sample_weight: Any = None,
    weight_kind: str = "frequency",
    groups: Any = None,
    pos_label: Any = None,
    labels: Any = None,
    confidence: float | None = 0.95,
    n_boot: int = 1000,
    random_state: SeedLike = 0,
) -> Profit:
    """Give what is earned where every row gets the action of least expected cost.

    Parameters
    ----------
    y_true : sequence of length n_rows
        The class of each row.
    y_proba : array of shape (n_rows, n_classes) or (n_rows,)
        The probability of each class, in sorted order or that of `labels`; or of `pos_label` alone.
    costs : CostMatrix, ExampleCosts, dict of dicts or array of shape (n_classes, n_actions)
        What decisions cost.
    amount : float or sequence of length n_rows, optional
        With `ExampleCosts`: what a positive row really brings; that of others is not looked at. By default the benefit
        that was expected of it.
    fixed_cost, row_cost : float
        What it costs to make the model, and to score a row. Doing the same with everybody costs neither, and so may
        win.
    sample_weight : sequence of length n_rows, optional
        How often each row counts; a row of weight 0 is as if absent.
    weight_kind : {"frequency", "probability"}
        Whether a weight of 2 is the row twice, or a row that stands for two in the population: then rows are drawn
        within their classes.
    groups : sequence of length n_rows, optional
        The cluster of each row; whole clusters are drawn.
    pos_label : optional
        The class that a single column gives the probability of; by default the last sorted one.
    labels : sequence, optional
        The classes in the order of the columns.
    confidence : float, optional
        That of the intervals, which are BCa intervals from paired draws; None for none.
    n_boot : int
        Number of draws.
    random_state : int, numpy Generator, RandomState or SeedSequence, optional
        Seeds them.

    Returns
    -------
    Profit
        Sums with intervals.

    Examples
    --------
    >>> from calibrant.decisions import ExampleCosts
    >>> letters = ExampleCosts(cost=0.68, benefit=[10.0, 10.0, 10.0, 10.0])
    >>> profit([1, 0, 1, 0], [0.1, 0.3, 0.6, 0.01], letters, amount=[20, 0, 5, 0], confidence=None).total
    22.96
    """
    for name, value in (("fixed_cost", fixed_cost), ("row_cost", row_cost)):
        check_param(name, value, Real(0))
    drawing = Drawing(weight_kind, groups, confidence, n_boot, random_state)
    drawing.check()
    given = {"amount": amount, "sample_weight": sample_weight, "pos_label": pos_label, "labels": labels}
    return profit_of(read_case(y_true, y_proba, costs, **given), drawing, fixed_cost, row_cost)


def profit_of(case: Case, drawing: Drawing, fixed_cost: float = 0.0, row_cost: float = 0.0) -> Profit:
    """Give what is earned by rows and costs that are read already."""
    read, decided = case.read, case.decided()
    charge = row_cost + fixed_cost / read.total
    by_model = case.earned(decided) - charge
    by_action = {action: case.earned(column) for column, action in enumerate(case.actions)}
    best = max(by_action, key=lambda action: float((read.weight * by_action[action]).sum()))
    alone = {("all", action): values for action, values in by_action.items()}
    sums = totals(read, {"model": by_model, "gain": by_model - by_action[best], **alone}, drawing)
    everybody = {action: sums["all", action] for action in by_action}
    weight = np.bincount(decided, read.weight, len(case.actions)) / read.total
    share = dict(zip(case.actions, weight.tolist(), strict=True))
    return Profit(sums["model"], everybody, sums["gain"], share, read.total, charge * read.total, drawing.confidence)
