"""Profit against the share of the rows that is targeted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from calibrant.curves._curve import Curve
from calibrant.exceptions import DataError
from calibrant.metrics._internal import Predictions, read_predictions

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["ProfitCurve", "profit_curve"]


@dataclass(frozen=True, eq=False, repr=False)
class ProfitCurve(Curve):
    """A point for each threshold, the most promising rows first, from no row to all.

    Parameters
    ----------
    fraction : array of shape (n_points,)
        The share of the rows that is targeted.
    selected : array of shape (n_points,)
        Their number.
    profit : array of shape (n_points,)
        What they bring, less what they cost.
    threshold : array of shape (n_points,)
        Rows with at least this probability are targeted, or this expected profit where amounts were estimated.

    Examples
    --------
    >>> profit_curve([0, 1, 1, 0], [0.2, 0.9, 0.4, 0.4], amount=10, cost=4)
    ProfitCurve: best 8 from 75 % of the rows (threshold 0.4); 4 from all, 4 points
    """

    _columns: ClassVar[tuple[str, ...]] = ("fraction", "selected", "profit", "threshold")

    fraction: NDArray[np.float64]
    selected: NDArray[np.float64]
    profit: NDArray[np.float64]
    threshold: NDArray[np.float64]

    @property
    def best(self) -> int:
        """The point of the greatest profit; of several, that which targets fewest rows."""
        return int(self.profit.argmax())

    def profit_at(self, fraction: Any) -> NDArray[np.float64]:
        """Return the profit of targeting some share of the rows; rows of equal promise stand in no order.

        Examples
        --------
        >>> profit_curve([0, 1, 1, 0], [0.2, 0.9, 0.4, 0.4], amount=10, cost=4).profit_at([0.5, 1.0])
        array([7., 4.])
        """
        return np.interp(np.asarray(fraction, dtype=np.float64), self.fraction, self.profit)

    def random_at(self, fraction: Any) -> NDArray[np.float64]:
        """Return the expected profit of targeting some share of the rows by chance.

        Examples
        --------
        >>> profit_curve([0, 1, 1, 0], [0.2, 0.9, 0.4, 0.4], amount=10, cost=4).random_at([0.5, 1.0])
        array([2., 4.])
        """
        return np.asarray(np.asarray(fraction, dtype=np.float64) * self.profit[-1])

    def __repr__(self) -> str:
        best = self.best
        where = f"{100 * self.fraction[best]:.4g} % of the rows (threshold {self.threshold[best]:.4g})"
        all_ = f"{self.profit[-1]:.6g} from all"
        return f"ProfitCurve: best {self.profit[best]:.6g} from {where}; {all_}, {len(self.profit)} points"


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
    """Return the profit of targeting the most promising rows, for every number of rows.

    A positive row that is targeted brings its amount, every targeted row costs its cost. The most promising rows are
    those of the highest probability or, where amounts were estimated, of the highest expected profit: probability times
    estimated amount less cost (Zadrozny & Elkan 2001).

    Parameters
    ----------
    y_true : sequence of length n_rows
        The actual class of each row.
    y_proba : array of shape (n_rows, n_classes) or (n_rows,)
        Probabilities of the classes in sorted order, or in the order of `labels`; or of `pos_label` alone.
    amount : float or sequence of length n_rows
        What each row brings if it is positive and targeted; of other rows it is not looked at.
    cost : float or sequence of length n_rows
        What targeting each row costs.
    estimated_amount : sequence of length n_rows, optional
        What each row was estimated to bring.
    sample_weight : sequence of length n_rows, optional
        Weight of each row; rows of weight 0 are ignored.
    pos_label : optional
        The positive class; by default the last in sorted order.
    labels : sequence, optional
        The classes in the order of the columns.

    Returns
    -------
    ProfitCurve
        The curve.

    Examples
    --------
    >>> profit_curve([0, 1, 1, 0], [0.2, 0.9, 0.4, 0.4], amount=10, cost=4).to_frame()
       fraction  selected  profit  threshold
    0      0.00       0.0     0.0        inf
    1      0.25       1.0     6.0        0.9
    2      0.75       3.0     8.0        0.4
    3      1.00       4.0     4.0        0.2
    """
    read = read_predictions(y_true, y_proba, sample_weight=sample_weight, pos_label=pos_label, labels=labels)
    is_positive = read.label == read.positive
    brought = np.where(is_positive, _of_rows("amount", amount, read, is_positive), 0.0)
    paid = _of_rows("cost", cost, read)
    promise = read.proba[:, read.positive]
    if estimated_amount is not None:
        promise = promise * _of_rows("estimated_amount", estimated_amount, read) - paid
    level, group = np.unique(-promise, return_inverse=True)
    sums = [np.bincount(group, values * read.weight) for values in (np.ones(read.n_rows), brought - paid)]
    selected, profit = (np.append(0.0, np.cumsum(part)) for part in sums)
    return ProfitCurve(selected / selected[-1], selected, profit, np.append(np.inf, 0.0 - level))


def _of_rows(name: str, given: Any, read: Predictions, needed: NDArray[np.bool_] | None = None) -> NDArray[np.float64]:
    """Return a finite number for each row that counts; what is not needed may be missing."""
    try:
        values = np.broadcast_to(np.asarray(given, dtype=np.float64), read.n_given)[read.rows]
    except (TypeError, ValueError) as error:
        raise DataError(f"{name} must be a number, or one for each of the {read.n_given} rows.") from error
    wrong = ~np.isfinite(values) & (True if needed is None else needed)
    if wrong.any():
        raise DataError(
            f"{name} has {wrong.sum()} NaN or infinite value(s) (first at row {read.rows[wrong.argmax()]}); fill them "
            "in, or give those rows weight 0."
        )
    return np.where(np.isfinite(values), values, 0.0)
