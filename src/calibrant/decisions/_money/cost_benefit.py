"""The cost-benefit analyser: what selecting the likeliest rows brings, for every number of rows (Figure 5.2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from calibrant._params import Real, check_param
from calibrant.curves import ThresholdTable
from calibrant.curves._internal import rank
from calibrant.decisions._costs.cost_matrix import CostMatrix
from calibrant.decisions._money.decision_rows import Case, read_case
from calibrant.exceptions import DataError, ParameterError
from calibrant.metrics._internal import check_two_classes

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["CostBenefit", "CostBenefitPoint", "cost_benefit"]

_SHARE = Real(0, 1)


@dataclass(frozen=True, repr=False)
class CostBenefitPoint:
    """One number of rows selected.

    Parameters
    ----------
    threshold : float
        Rows with at least this probability are selected, or with this expected gain where costs differ by row.
    fraction : float
        The share of the rows that is selected.
    tp, fp, fn, tn : float
        True and false positives, false and true negatives; as expected where rows of equal promise are parted.
    benefit : float
        What is earned in all, less what the model costs.
    random : float
        What as many rows drawn by chance are expected to earn, without a model.

    Examples
    --------
    >>> cost_benefit([0, 1, 1, 0], [0.2, 0.9, 0.4, 0.3], [[0, 2], [0, -5]]).at(fraction=0.5)
    CostBenefitPoint: 2 of 4 rows (50 %, threshold 0.4) earn 10.00, as many by chance 3.00; recall 1, precision 1
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
        """What is earned beyond rows drawn by chance."""
        return self.benefit - self.random

    @property
    def cost(self) -> float:
        """What is lost in all: the benefit with the other sign."""
        return 0.0 - self.benefit

    @property
    def selected(self) -> float:
        """The number of rows selected."""
        return self.tp + self.fp

    @property
    def confusion(self) -> NDArray[np.float64]:
        """Actual classes down, decisions across, negative before positive."""
        return np.array([[self.tn, self.fp], [self.fn, self.tp]])

    def __repr__(self) -> str:
        total = self.tp + self.fp + self.fn + self.tn
        where = (
            f"{self.selected:,.6g} of {total:,.6g} rows ({100 * self.fraction:.4g} %, threshold {self.threshold:.4g})"
        )
        money = f"earn {self.benefit:,.2f}, as many by chance {self.random:,.2f}"
        recall = self.tp / (self.tp + self.fn) if self.tp + self.fn else np.nan
        precision = self.tp / self.selected if self.selected else np.nan
        return f"CostBenefitPoint: {where} {money}; recall {recall:.3g}, precision {precision:.3g}"


@dataclass(frozen=True, eq=False, repr=False)
class CostBenefit(ThresholdTable):
    """A row for each threshold, from no row selected to all, with what is earned.

    Parameters
    ----------
    threshold, tp, fp, fn, tn : array of shape (n_thresholds,)
        As in `ThresholdTable`.
    benefit : array of shape (n_thresholds,)
        What is earned in all, less what the model costs.
    random : array of shape (n_thresholds,)
        What as many rows drawn by chance are expected to earn, without a model.

    Examples
    --------
    >>> found = cost_benefit([0, 1, 1, 0], [0.2, 0.9, 0.4, 0.3], [[0, 2], [0, -5]])
    >>> found
    CostBenefit: 5 thresholds; nobody 0.00, everybody 6.00
      best: 2 of 4 rows (50 %, threshold 0.4) earn 10.00, as many by chance 3.00; recall 1, precision 1
    """

    _columns: ClassVar[tuple[str, ...]] = (*ThresholdTable._columns, "benefit", "random", "gain")

    benefit: NDArray[np.float64]
    random: NDArray[np.float64]

    @property
    def gain(self) -> NDArray[np.float64]:
        """What is earned beyond rows drawn by chance."""
        return self.benefit - self.random

    @property
    def best(self) -> CostBenefitPoint:
        """The threshold that earns most; of several, that which selects fewest rows. Best of many, it flatters."""
        return self._point(float(self.benefit.argmax()))

    def at(
        self, *, fraction: float | None = None, recall: float | None = None, threshold: float | None = None
    ) -> CostBenefitPoint:
        """Give what selecting some share of the rows does, or of the positives, or the rows above a threshold.

        Parameters
        ----------
        fraction : float, optional
            The share of the rows that is selected; rows of equal promise stand in no order.
        recall : float, optional
            The share of the positives that is to be reached, by as few rows as possible.
        threshold : float, optional
            Rows with at least this probability are selected.

        Returns
        -------
        CostBenefitPoint
            Counts and sums.

        Examples
        --------
        >>> found = cost_benefit([0, 1, 1, 0], [0.2, 0.9, 0.4, 0.4], [[0, 2], [0, -5]])
        >>> found.at(recall=1.0).fraction, found.at(threshold=0.5).benefit, found.at(fraction=0.5).tp
        (0.75, 5.0, 1.5)
        """
        told = {"fraction": fraction, "recall": recall, "threshold": threshold}
        chosen = {name: value for name, value in told.items() if value is not None}
        if len(chosen) != 1:
            raise ParameterError(f"at takes one of fraction, recall and threshold; got {sorted(chosen) or 'none'}.")
        if threshold is not None:
            return self._point(float(np.count_nonzero(self.threshold >= threshold) - 1))
        ((name, value),) = chosen.items()
        check_param(name, value, _SHARE)
        return self._point(_place(self.fraction if name == "fraction" else self.tpr, float(value)))

    def _point(self, place: float) -> CostBenefitPoint:
        """Give a point at a step, or between two where rows of equal promise are parted."""
        steps = np.arange(len(self.threshold))
        at = {name: float(np.interp(place, steps, getattr(self, name))) for name in _COUNTED}
        return CostBenefitPoint(float(self.threshold[int(np.ceil(place))]), **at)

    def __repr__(self) -> str:
        ends = f"nobody {self.random[0]:,.2f}, everybody {self.random[-1]:,.2f}"
        best = repr(self.best).removeprefix("CostBenefitPoint: ")
        return f"CostBenefit: {len(self.threshold)} thresholds; {ends}\n  best: {best}"


_COUNTED = ("fraction", "tp", "fp", "fn", "tn", "benefit", "random")


def _place(shares: NDArray[np.float64], wanted: float) -> float:
    """Give the step, or the place between two, where a share is reached first."""
    after = int(np.searchsorted(shares, wanted - 1e-12))
    if after == 0:
        return 0.0
    before, here = float(shares[after - 1]), float(shares[min(after, len(shares) - 1)])
    return min(float(after), after - 1 + (wanted - before) / (here - before)) if here > before else float(after)


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
    """Give what selecting the most promising rows brings, for every number of rows.

    Parameters
    ----------
    y_true : sequence of length n_rows
        The class of each row.
    y_proba : array of shape (n_rows, n_classes) or (n_rows,)
        The probability of each class, in sorted order or that of `labels`; or of `pos_label` alone.
    costs : CostMatrix, ExampleCosts, dict of dicts or array of shape (2, 2)
        What decisions cost; of two actions the one named as the positive class selects a row, else the one that suits
        positive rows better, of equal ones the second. With `ExampleCosts` the most promising rows are those of the
        greatest expected gain, and `threshold` is that gain.
    amount : float or sequence of length n_rows, optional
        With `ExampleCosts`: what a positive row really brings; by default the benefit that was expected of it.
    fixed_cost, row_cost : float
        What it costs to make the model, and to score a row; rows drawn by chance cost neither.
    sample_weight : sequence of length n_rows, optional
        How often each row counts; a row of weight 0 is as if absent.
    pos_label : optional
        The positive class; by default the last sorted one.
    labels : sequence, optional
        The classes in the order of the columns.

    Returns
    -------
    CostBenefit
        A row for each threshold.

    Examples
    --------
    A letter costs 0.80, an answer leaves 15 (Witten, Frank & Hall, Figure 5.2(b)):

    >>> costs = CostMatrix.from_benefits([[0, -0.8], [0, 15]])
    >>> found = cost_benefit([0, 1, 0, 0], [0.04, 0.07, 0.05, 0.01], costs)
    >>> found.best.benefit, found.at(fraction=1.0).benefit.__round__(2)
    (15.0, 12.6)
    """
    for name, value in (("fixed_cost", fixed_cost), ("row_cost", row_cost)):
        check_param(name, value, Real(0))
    given = {"amount": amount, "sample_weight": sample_weight, "pos_label": pos_label, "labels": labels}
    case = read_case(y_true, y_proba, costs, **given)
    check_two_classes(case.read, "cost_benefit")
    leave, select = _two_actions(case)
    read, score = case.read, _promise(case, leave, select)
    ranked = rank(score, read)
    tp, fp = ranked.cumulative()
    group = len(ranked.score) - 1 - np.searchsorted(ranked.score[::-1], score)
    left, taken = ((read.weight * case.earned(column)) for column in (leave, select))
    sums = left.sum() + np.append(0.0, np.cumsum(np.bincount(group, taken - left, len(ranked.score))))
    fraction = (tp + fp) / read.total
    by_chance = left.sum() + fraction * (taken.sum() - left.sum())
    charge = fixed_cost + row_cost * read.total
    return CostBenefit(ranked.thresholds(), tp, fp, tp[-1] - tp, fp[-1] - fp, sums - charge, by_chance)


def _two_actions(case: Case) -> tuple[int, int]:
    """Give the columns that leave a row alone and that select it."""
    if len(case.actions) != 2:
        raise ParameterError(f"cost_benefit selects rows or leaves them: two actions; costs have {list(case.actions)}.")
    positive = case.read.classes.tolist()[case.read.positive]
    if positive in case.actions:
        select = case.actions.index(positive)
        return 1 - select, select
    if not isinstance(case.costs, CostMatrix):
        return 0, 1
    others = np.delete(case.costs.matrix, case.read.positive, axis=0).mean(axis=0)
    suits = others - case.costs.matrix[case.read.positive]
    return (1, 0) if suits[0] > suits[1] else (0, 1)


def _promise(case: Case, leave: int, select: int) -> NDArray[np.float64]:
    if isinstance(case.costs, CostMatrix):
        if case.read.n_classes != 2:
            raise DataError("cost_benefit with a CostMatrix takes two classes; join the others first.")
        return np.ascontiguousarray(case.read.column(case.read.positive))
    foreseen = case.foreseen()
    return np.ascontiguousarray(foreseen[:, leave] - foreseen[:, select])
