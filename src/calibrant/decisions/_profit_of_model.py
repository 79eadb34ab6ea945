"""The profit of a model's decisions, less the model's own cost, compared with one action for every row."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant._docstrings import fill_docstring
from calibrant._optional import pandas_frame
from calibrant._params import Real, check_param
from calibrant._random import SeedLike
from calibrant.decisions._expected_cost import CostedPredictions
from calibrant.decisions._money import IntervalOptions, Money, chance_gain, totals

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False, repr=False)
class Profit:
    """The profit of a model's decisions.

    Parameters
    ----------
    total : Money
        The sum over the rows, less the cost of the model.
    everybody : dict of action to Money
        What each single action earns if it is taken for every row; that needs no model and pays for none.
    gain : Money
        What the model earns in excess of the best single action.
    share : dict of action to float
        The share of the rows for which the model takes each action.
    n_rows : float
        The total weight of the rows.
    model_cost : float
        The cost of the model: the fixed cost, and the cost of scoring all rows.
    confidence : float or None
        Confidence of the intervals.

    Examples
    --------
    >>> earned = profit([1, 0, 1, 0], [0.9, 0.1, 0.6, 0.1], [[0, 1], [0, -5]], fixed_cost=3, confidence=None)
    >>> earned
    Profit: 7.00 with the model, which costs 3.00 for 4 rows
      action 1 for every row: 8.00
      action 0 for every row: 0.00
      the model earns 1.00 less than action 1 for every row
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
        """The mean profit of a row."""
        return self.total.value / self.n_rows

    @property
    def best_alone(self) -> Any:
        """The action that earns most if it is taken for every row; ties are broken in favour of the first action."""
        return max(self.everybody, key=lambda action: self.everybody[action].value)

    @property
    def pays(self) -> bool | None:
        """Whether the model earns more than the best single action; None where the interval includes both."""
        if self.gain.low is None or self.gain.high is None or self.gain.low <= 0.0 <= self.gain.high:
            return None
        return self.gain.value > 0

    def to_frame(self) -> pd.DataFrame:
        """Return the sums as a pandas frame.

        Examples
        --------
        >>> profit([1, 0], [0.9, 0.1], [[0, 1], [0, -5]], confidence=None).to_frame()["total"].tolist()
        [5.0, 0.0, 4.0, 1.0]
        """
        sums = {
            "model": self.total,
            **{f"all {action}": money for action, money in self.everybody.items()},
            "gain": self.gain,
        }
        rows = [[money.value, money.low, money.high] for money in sums.values()]
        return pandas_frame(rows, "convert profits to a frame", index=list(sums), columns=["total", "low", "high"])

    def __repr__(self) -> str:
        cost = f", which costs {self.model_cost:,.2f} for {self.n_rows:,.0f} rows" if self.model_cost else ""
        order = sorted(self.everybody, key=lambda action: -self.everybody[action].value)
        lines = [f"Profit: {self.total} with the model{cost}"]
        lines += [f"  action {action} for every row: {self.everybody[action]}" for action in order]
        best = f"action {self.best_alone} for every row"
        if self.gain.value == 0.0 and not self.gain.low and not self.gain.high:
            return "\n".join([*lines, f"  the model earns as much as {best}"])
        more, gain = ("more", self.gain) if self.gain.value >= 0 else ("less", -self.gain)
        doubt = "" if self.pays is not None or self.confidence is None else ", which may be due to chance"
        return "\n".join([*lines, f"  the model earns {gain} {more} than {best}{doubt}"])


@fill_docstring()
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
    """Return the profit of taking the action of least expected cost for every row.

    Parameters
    ----------
    %(y_true)s
    %(y_proba)s
    costs : CostMatrix, ExampleCosts, dict of dicts or array of shape (n_classes, n_actions)
        The costs of decisions.
    amount : float or sequence of length n_rows, optional
        With `ExampleCosts`: the actual amount of each positive row; those of other rows are ignored. By default the
        expected benefit of `costs`.
    fixed_cost, row_cost : float
        The cost of building the model, and of scoring a row. A single action for every row pays neither.
    %(row_weight)s
    %(weight_kind)s
    groups : sequence of length n_rows, optional
        The cluster of each row; whole clusters are resampled.
    pos_label : optional
        The class of the probabilities in a single column; by default the last in sorted order.
    %(labels)s
    confidence : float, optional
        Confidence of the BCa intervals, which share their bootstrap replicates; None for no intervals. Of 50,000 rows
        or more that are of few kinds, as with a cost matrix, the number of each kind is drawn, not the rows.
    %(bootstrap)s

    Returns
    -------
    Profit
        The profit, with intervals.

    Examples
    --------
    >>> from calibrant.decisions import ExampleCosts
    >>> letters = ExampleCosts(cost=0.68, benefit=[10.0, 10.0, 10.0, 10.0])
    >>> profit([1, 0, 1, 0], [0.1, 0.3, 0.6, 0.01], letters, amount=[20, 0, 5, 0], confidence=None).total
    22.96
    """
    for name, value in (("fixed_cost", fixed_cost), ("row_cost", row_cost)):
        check_param(name, value, Real(0))
    options = IntervalOptions(weight_kind, groups, confidence, n_boot, random_state)
    options.check()
    rest = {"amount": amount, "sample_weight": sample_weight, "pos_label": pos_label, "labels": labels}
    return profit_of(CostedPredictions.read(y_true, y_proba, costs, **rest), options, fixed_cost, row_cost)


def profit_of(
    costed: CostedPredictions, options: IntervalOptions, fixed_cost: float = 0.0, row_cost: float = 0.0
) -> Profit:
    """Return the profit of validated predictions with costs."""
    read, decisions = costed.predictions, costed.decisions()
    cost_per_row = row_cost + fixed_cost / read.total
    by_model = costed.earnings(decisions) - cost_per_row
    by_action = {action: costed.earnings(column) for column, action in enumerate(costed.actions)}
    best = max(by_action, key=lambda action: float((read.weight * by_action[action]).sum()))
    single = {("all", action): values for action, values in by_action.items()}
    sums = totals(read, {"model": by_model, "gain": by_model - by_action[best], **single}, options)
    everybody = {action: sums["all", action] for action in by_action}
    weight = np.bincount(decisions, read.weight, len(costed.actions)) / read.total
    share = dict(zip(costed.actions, weight.tolist(), strict=True))
    model_cost = cost_per_row * read.total
    gain = sums["gain"]
    if not model_cost:  # else even calibrated probabilities may be expected to lose
        gain = _gain_beyond_chance(costed, gain, costed.actions.index(best), options)
    return Profit(sums["model"], everybody, gain, share, read.total, model_cost, options.confidence)


def _gain_beyond_chance(costed: CostedPredictions, gain: Money, best: int, options: IntervalOptions) -> Money:
    """Return the gain over a single action; a loss that calibrated probabilities may have is not shown to be one.

    Of a rare class, few rows are decided otherwise and mostly none of them is of that class. A bootstrap knows no
    outcome that did not occur: by it alone, four calibrated models in five were shown to lose money.
    """
    if gain.low is None or gain.high is None or gain.high >= 0.0:
        return gain
    alone = np.full(costed.predictions.n_rows, best, dtype=np.intp)
    is_chance = -gain.value <= chance_gain(costed, alone, options)
    return Money(gain.value, gain.low, 0.0) if is_chance else gain
