"""Counts, rates or the profit (Zadrozny & Elkan 2001) of selecting rows, at every threshold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from calibrant._docstrings import fill_docstring
from calibrant._numbers import as_floats
from calibrant._saved import Array, saved
from calibrant.curves._curve import Curve, read_numbers, read_one_class, read_ranked
from calibrant.exceptions import ParameterError


@dataclass(frozen=True, eq=False, repr=False)
class ProfitCurve(Curve):
    """A point for each threshold, the most promising rows first, from no row to all rows.

    Parameters
    ----------
    fraction : array of shape (n_points,)
        The share of the rows that are targeted.
    selected : array of shape (n_points,)
        Their number.
    profit : array of shape (n_points,)
        Their total amount less their total cost.
    threshold : array of shape (n_points,)
        Rows with at least this probability are targeted; where amounts were estimated, with this expected profit.

    Examples
    --------
    >>> profit_curve([0, 1, 1, 0], [0.2, 0.9, 0.4, 0.4], amount=10, cost=4)
    ProfitCurve: best 8 from 75 % of the rows (threshold 0.4); 4 from all, 4 points
    """

    fraction: NDArray[np.float64]
    selected: NDArray[np.float64]
    profit: NDArray[np.float64]
    threshold: NDArray[np.float64]

    @property
    def best(self) -> int:
        """The index of the point of greatest profit; of several, that with the fewest rows."""
        return int(self.profit.argmax())

    def profit_at(self, fraction: Any) -> NDArray[np.float64]:
        """Return the profit of targeting a share of the rows; tied rows are in random order.

        Examples
        --------
        >>> profit_curve([0, 1, 1, 0], [0.2, 0.9, 0.4, 0.4], amount=10, cost=4).profit_at([0.5, 1.0])
        array([7., 4.])
        """
        return np.interp(as_floats(fraction), self.fraction, self.profit)

    def random_at(self, fraction: Any) -> NDArray[np.float64]:
        """Return the expected profit of targeting a share of the rows at random.

        Examples
        --------
        >>> profit_curve([0, 1, 1, 0], [0.2, 0.9, 0.4, 0.4], amount=10, cost=4).random_at([0.5, 1.0])
        array([2., 4.])
        """
        return np.asarray(as_floats(fraction) * self.profit[-1])

    def __repr__(self) -> str:
        best = self.best
        where = f"{100 * self.fraction[best]:.4g} % of the rows (threshold {self.threshold[best]:.4g})"
        all_ = f"{self.profit[-1]:.6g} from all"
        return f"ProfitCurve: best {self.profit[best]:.6g} from {where}; {all_}, {len(self.profit)} points"


@fill_docstring()
def profit_curve(
    y_true: Any,
    y_proba: Any,
    *,
    amount: Any,
    cost: Any,
    estimated_amount: Any = None,
    sample_weight: Any = None,
    pos_label: Any = None,
    labels: Any = None,
) -> ProfitCurve:
    """Compute the profit of targeting the most promising rows, for every number of rows.

    A targeted row earns its amount if it is positive, and always costs its cost. The most promising rows are those of
    highest probability or, where amounts are estimated, of highest expected profit: probability times estimated amount
    less cost (Zadrozny & Elkan 2001).

    Parameters
    ----------
    %(y_true)s
    %(y_proba)s
    amount : float or sequence of length n_rows
        The amount that each positive row earns if it is targeted; those of other rows are ignored.
    cost : float or sequence of length n_rows
        The cost of targeting each row.
    estimated_amount : sequence of length n_rows, optional
        The estimated amount of each row.
    %(prediction_options)s

    %(returns_curve)s

    Examples
    --------
    >>> profit_curve([0, 1, 1, 0], [0.2, 0.9, 0.4, 0.4], amount=10, cost=4).to_frame()
       fraction  selected  profit  threshold
    0      0.00       0.0     0.0        inf
    1      0.25       1.0     6.0        0.9
    2      0.75       3.0     8.0        0.4
    3      1.00       4.0     4.0        0.2
    """
    read = read_one_class(y_true, y_proba, sample_weight, pos_label, labels, "a profit curve")
    is_positive = read.label == read.positive
    revenue = np.where(is_positive, read.read_amounts("amount", amount, is_positive), 0.0)
    costs = read.read_amounts("cost", cost)
    score = read.proba[:, read.positive]
    if estimated_amount is not None:
        score = score * read.read_amounts("estimated_amount", estimated_amount) - costs
    negated, group = np.unique(-score, return_inverse=True)
    sums = [np.bincount(group, values * read.weight) for values in (np.ones(read.n_rows), revenue - costs)]
    selected, profit = (np.append(0.0, np.cumsum(by_group)) for by_group in sums)
    return ProfitCurve(selected / selected[-1], selected, profit, np.append(np.inf, 0.0 - negated))


@saved(inline=True, threshold=Array("f8"), **dict.fromkeys(("tp", "fp", "fn", "tn"), Array("f8", finite=True)))
@dataclass(frozen=True, eq=False, repr=False)
class ThresholdTable(Curve):
    """A row for each threshold, the highest first; a ratio of 0 to 0 is NaN.

    Parameters
    ----------
    threshold : array of shape (n_thresholds,)
        Rows with at least this probability are selected.
    tp, fp, fn, tn : array of shape (n_thresholds,)
        True and false positives, false and true negatives.

    Examples
    --------
    >>> table = threshold_table([0, 1, 1, 0], [0.2, 0.9, 0.4, 0.4])
    >>> table
    ThresholdTable: 4 thresholds; best accuracy 0.75 at 0.9, best F1 0.8 at 0.4
    >>> table.precision
    array([       nan, 1.        , 0.66666667, 0.5       ])
    """

    _columns: ClassVar[tuple[str, ...]] = (
        *("threshold", "tp", "fp", "fn", "tn", "fraction", "tpr", "fpr"),
        *("precision", "recall", "f1", "lift", "accuracy"),
    )

    threshold: NDArray[np.float64]
    tp: NDArray[np.float64]
    fp: NDArray[np.float64]
    fn: NDArray[np.float64]
    tn: NDArray[np.float64]

    @property
    def fraction(self) -> NDArray[np.float64]:
        """The share of the rows that are selected."""
        return (self.tp + self.fp) / (self.tp + self.fp + self.fn + self.tn)

    @property
    def tpr(self) -> NDArray[np.float64]:
        """The true positive rate: the share of the positives that are selected."""
        return _ratio(self.tp, self.tp + self.fn)

    @property
    def recall(self) -> NDArray[np.float64]:
        """Another name for `tpr`."""
        return self.tpr

    @property
    def fpr(self) -> NDArray[np.float64]:
        """The false positive rate: the share of the negatives that are selected."""
        return _ratio(self.fp, self.fp + self.tn)

    @property
    def precision(self) -> NDArray[np.float64]:
        """The share of the selected rows that are positive."""
        return _ratio(self.tp, self.tp + self.fp)

    @property
    def f1(self) -> NDArray[np.float64]:
        """The harmonic mean of precision and recall."""
        return _ratio(2.0 * self.tp, 2.0 * self.tp + self.fp + self.fn)

    @property
    def lift(self) -> NDArray[np.float64]:
        """The share of positives among the selected rows divided by the base rate."""
        return _ratio(self.tpr, self.fraction)

    @property
    def accuracy(self) -> NDArray[np.float64]:
        """The share of the rows that are classified correctly."""
        return (self.tp + self.tn) / (self.tp + self.fp + self.fn + self.tn)

    def __repr__(self) -> str:
        bests = []
        for name, values in (("accuracy", self.accuracy), ("F1", self.f1)):
            best = int(np.nan_to_num(values, nan=-1.0).argmax())
            bests.append(f"best {name} {values[best]:.4g} at {self.threshold[best]:.4g}")
        return f"ThresholdTable: {len(self.threshold)} thresholds; {', '.join(bests)}"


@fill_docstring()
def threshold_table(
    y_true: Any,
    y_proba: Any,
    *,
    thresholds: Any = None,
    sample_weight: Any = None,
    pos_label: Any = None,
    labels: Any = None,
) -> ThresholdTable:
    """Compute confusion counts and rates of selecting rows, at every distinct probability or at chosen thresholds.

    Parameters
    ----------
    %(y_true)s
    %(y_proba)s
    thresholds : sequence, optional
        The thresholds; by default all distinct probabilities, and infinity, which selects no row.
    %(prediction_options)s

    %(returns)s
        The table.

    Examples
    --------
    >>> table = threshold_table(["no", "yes", "yes", "no"], [0.2, 0.9, 0.4, 0.4], thresholds=[0.5, 0.3])
    >>> table.to_frame()[["threshold", "tp", "fp", "fn", "tn", "lift"]]
       threshold   tp   fp   fn   tn      lift
    0        0.5  1.0  0.0  1.0  2.0  2.000000
    1        0.3  2.0  1.0  0.0  1.0  1.333333
    """
    ranked = read_ranked(y_true, y_proba, sample_weight=sample_weight, pos_label=pos_label, labels=labels)
    all_tp, all_fp = ranked.cumulative()
    step, chosen = np.arange(len(all_tp)), ranked.thresholds()
    if thresholds is not None:
        chosen = np.sort(read_numbers(thresholds))[::-1]
        if chosen.ndim != 1 or not len(chosen) or np.isnan(chosen).any():
            raise ParameterError(f"thresholds must be a list of numbers; got {thresholds!r}.")
        step = np.searchsorted(-ranked.score, -chosen, side="right")  # the groups at or above each threshold
    tp, fp = all_tp[step], all_fp[step]
    return ThresholdTable(chosen, tp, fp, all_tp[-1] - tp, all_fp[-1] - fp)


def _ratio(part: NDArray[np.float64], whole: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(np.divide(part, whole, out=np.full(len(part), np.nan), where=whole > 0))
