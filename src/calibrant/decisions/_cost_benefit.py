"""Cost-benefit analysis: the profit of selecting the best rows, for every number of rows (Witten, Figure 5.2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from calibrant._docstrings import fill_docstring
from calibrant._params import Real, check_param
from calibrant.curves import ThresholdTable
from calibrant.curves._internal import rank
from calibrant.decisions._cost_matrix import CostMatrix
from calibrant.decisions._expected_cost import CostedPredictions
from calibrant.exceptions import DataError, ParameterError

_SHARE = Real(0, 1)


@dataclass(frozen=True, repr=False)
class CostBenefitPoint:
    """Counts and profit at one number of selected rows.

    Parameters
    ----------
    threshold : float
        Rows with at least this probability are selected, or with this expected gain where costs differ by row.
    fraction : float
        The share of the rows that are selected.
    tp, fp, fn, tn : float
        True and false positives, false and true negatives; expected values where tied rows are only partly selected.
    benefit : float
        The total profit, less the cost of the model.
    random : float
        The expected profit of selecting as many rows at random, without a model.

    Examples
    --------
    >>> cost_benefit([0, 1, 1, 0], [0.2, 0.9, 0.4, 0.3], [[0, 2], [0, -5]]).at(fraction=0.5)
    CostBenefitPoint: 2 of 4 rows (50 %, threshold 0.4) earn 10.00, as many at random 3.00; recall 1, precision 1
    """

    threshold: float
    fraction: float
    tp: float
    fp: float
    fn: float
    tn: float
    benefit: float
    random: float

    @property
    def gain(self) -> float:
        """The profit in excess of selecting as many rows at random."""
        return self.benefit - self.random

    @property
    def cost(self) -> float:
        """The total loss: the benefit with the opposite sign."""
        return 0.0 - self.benefit

    @property
    def selected(self) -> float:
        """The number of selected rows."""
        return self.tp + self.fp

    @property
    def confusion(self) -> NDArray[np.float64]:
        """The confusion matrix: actual classes in rows, decisions in columns, negative before positive."""
        return np.array([[self.tn, self.fp], [self.fn, self.tp]])

    def __repr__(self) -> str:
        total = self.tp + self.fp + self.fn + self.tn
        where = (
            f"{self.selected:,.6g} of {total:,.6g} rows ({100 * self.fraction:.4g} %, threshold {self.threshold:.4g})"
        )
        money = f"earn {self.benefit:,.2f}, as many at random {self.random:,.2f}"
        recall = self.tp / (self.tp + self.fn) if self.tp + self.fn else np.nan
        precision = self.tp / self.selected if self.selected else np.nan
        return f"CostBenefitPoint: {where} {money}; recall {recall:.3g}, precision {precision:.3g}"


@dataclass(frozen=True, eq=False, repr=False)
class CostBenefit(ThresholdTable):
    """Counts and profit at every threshold, from no row selected to all rows.

    Parameters
    ----------
    threshold, tp, fp, fn, tn : array of shape (n_thresholds,)
        As in `ThresholdTable`.
    benefit : array of shape (n_thresholds,)
        The total profit, less the cost of the model.
    random : array of shape (n_thresholds,)
        The expected profit of selecting as many rows at random, without a model.

    Examples
    --------
    >>> analysis = cost_benefit([0, 1, 1, 0], [0.2, 0.9, 0.4, 0.3], [[0, 2], [0, -5]])
    >>> analysis
    CostBenefit: 5 thresholds; no rows 0.00, all rows 6.00
      best: 2 of 4 rows (50 %, threshold 0.4) earn 10.00, as many at random 3.00; recall 1, precision 1
    """

    _columns: ClassVar[tuple[str, ...]] = (*ThresholdTable._columns, "benefit", "random", "gain")

    benefit: NDArray[np.float64]
    random: NDArray[np.float64]

    @property
    def gain(self) -> NDArray[np.float64]:
        """The profit in excess of selecting as many rows at random."""
        return self.benefit - self.random

    @property
    def best(self) -> CostBenefitPoint:
        """The most profitable threshold, of several that with the fewest rows; as the best of many it is optimistic."""
        return self._point(float(self.benefit.argmax()))

    def at(
        self, *, fraction: float | None = None, recall: float | None = None, threshold: float | None = None
    ) -> CostBenefitPoint:
        """Return counts and profit at a share of the rows, at a share of the positives, or at a threshold.

        Parameters
        ----------
        fraction : float, optional
            The share of the rows to select; tied rows are in random order.
        recall : float, optional
            The share of the positives to reach, with as few rows as possible.
        threshold : float, optional
            Rows with at least this probability are selected.

        Returns
        -------
        CostBenefitPoint
            Counts and profit.

        Examples
        --------
        >>> analysis = cost_benefit([0, 1, 1, 0], [0.2, 0.9, 0.4, 0.4], [[0, 2], [0, -5]])
        >>> analysis.at(recall=1.0).fraction, analysis.at(threshold=0.5).benefit, analysis.at(fraction=0.5).tp
        (0.75, 5.0, 1.5)
        """
        values = {"fraction": fraction, "recall": recall, "threshold": threshold}
        chosen = {name: value for name, value in values.items() if value is not None}
        if len(chosen) != 1:
            raise ParameterError(f"at takes one of fraction, recall and threshold; got {sorted(chosen) or 'none'}.")
        if threshold is not None:
            return self._point(float(np.count_nonzero(self.threshold >= threshold) - 1))
        ((name, value),) = chosen.items()
        check_param(name, value, _SHARE)
        return self._point(_position(self.fraction if name == "fraction" else self.tpr, float(value)))

    def _point(self, position: float) -> CostBenefitPoint:
        """Return the point at a threshold, or interpolated between two where tied rows are partly selected."""
        steps = np.arange(len(self.threshold))
        values = {name: float(np.interp(position, steps, getattr(self, name))) for name in _INTERPOLATED}
        return CostBenefitPoint(float(self.threshold[int(np.ceil(position))]), **values)

    def __repr__(self) -> str:
        ends = f"no rows {self.random[0]:,.2f}, all rows {self.random[-1]:,.2f}"
        best = repr(self.best).removeprefix("CostBenefitPoint: ")
        return f"CostBenefit: {len(self.threshold)} thresholds; {ends}\n  best: {best}"


_INTERPOLATED = ("fraction", "tp", "fp", "fn", "tn", "benefit", "random")


def _position(shares: NDArray[np.float64], wanted: float) -> float:
    """Return the position among the thresholds, possibly between two, where a share is first reached."""
    after = int(np.searchsorted(shares, wanted - 1e-12))
    if after == 0:
        return 0.0
    before, here = float(shares[after - 1]), float(shares[min(after, len(shares) - 1)])
    return min(float(after), after - 1 + (wanted - before) / (here - before)) if here > before else float(after)


@fill_docstring()
def cost_benefit(
    y_true: Any,
    y_proba: Any,
    costs: Any,
    *,
    amount: Any = None,
    fixed_cost: float = 0.0,
    row_cost: float = 0.0,
    sample_weight: Any = None,
    pos_label: Any = None,
    labels: Any = None,
) -> CostBenefit:
    """Compute the profit of selecting the most promising rows, for every number of rows.

    Parameters
    ----------
    %(y_true)s
    %(y_proba)s
    costs : CostMatrix, ExampleCosts, dict of dicts or array of shape (2, 2)
        The costs of decisions. Of the two actions, the one named like the positive class selects a row; without such a
        name, the one that suits positive rows better, or the second if both do equally. With `ExampleCosts` the most
        promising rows are those of the greatest expected gain, and `threshold` is that gain.
    amount : float or sequence of length n_rows, optional
        With `ExampleCosts`: the actual amount of each positive row; by default the expected benefit of `costs`.
    fixed_cost, row_cost : float
        The cost of building the model, and of scoring a row; rows selected at random pay neither.
    %(prediction_options)s

    Returns
    -------
    CostBenefit
        Counts and profit at every threshold.

    Examples
    --------
    A letter costs 0.80, a response earns 15 (Witten, Frank & Hall, Figure 5.2(b)):

    >>> costs = CostMatrix.from_benefits([[0, -0.8], [0, 15]])
    >>> analysis = cost_benefit([0, 1, 0, 0], [0.04, 0.07, 0.05, 0.01], costs)
    >>> analysis.best.benefit, round(analysis.at(fraction=1.0).benefit, 2)
    (15.0, 12.6)
    """
    for name, value in (("fixed_cost", fixed_cost), ("row_cost", row_cost)):
        check_param(name, value, Real(0))
    rest = {"amount": amount, "sample_weight": sample_weight, "pos_label": pos_label, "labels": labels}
    costed = CostedPredictions.read(y_true, y_proba, costs, **rest)
    costed.predictions.check_two_classes("cost_benefit")
    leave, select = costed.leave_and_select()
    read, score = costed.predictions, _ranking_score(costed, leave, select)
    ranked = rank(score, read)
    tp, fp = ranked.cumulative()
    group = len(ranked.score) - 1 - np.searchsorted(ranked.score[::-1], score)
    left, selected = ((read.weight * costed.earnings(action)) for action in (leave, select))
    benefit = left.sum() + np.append(0.0, np.cumsum(np.bincount(group, selected - left, len(ranked.score))))
    fraction = (tp + fp) / read.total
    at_random = left.sum() + fraction * (selected.sum() - left.sum())
    model_cost = fixed_cost + row_cost * read.total
    return CostBenefit(ranked.thresholds(), tp, fp, tp[-1] - tp, fp[-1] - fp, benefit - model_cost, at_random)


def _ranking_score(costed: CostedPredictions, leave: int, select: int) -> NDArray[np.float64]:
    """Return the probability of the positive class or, with costs by row, the expected gain of selecting the row."""
    if isinstance(costed.costs, CostMatrix):
        if costed.predictions.n_classes != 2:
            raise DataError("cost_benefit with a CostMatrix takes two classes; merge the others first.")
        return np.ascontiguousarray(costed.predictions.column(costed.predictions.positive))
    expected = costed.expected_costs()
    return np.ascontiguousarray(expected[:, leave] - expected[:, select])
