"""Profit curves: profit against the share of the rows that are targeted (Zadrozny & Elkan 2001)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from calibrant._docstrings import fill_docstring
from calibrant._numbers import as_floats
from calibrant.curves._curve import Curve
from calibrant.curves._ranked import read_one_class
from calibrant.metrics._internal import row_amounts

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["ProfitCurve", "profit_curve"]


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

    _columns: ClassVar[tuple[str, ...]] = ("fraction", "selected", "profit", "threshold")

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
    revenue = np.where(is_positive, row_amounts("amount", amount, read, is_positive), 0.0)
    costs = row_amounts("cost", cost, read)
    score = read.proba[:, read.positive]
    if estimated_amount is not None:
        score = score * row_amounts("estimated_amount", estimated_amount, read) - costs
    negated, group = np.unique(-score, return_inverse=True)
    sums = [np.bincount(group, values * read.weight) for values in (np.ones(read.n_rows), revenue - costs)]
    selected, profit = (np.append(0.0, np.cumsum(by_group)) for by_group in sums)
    return ProfitCurve(selected / selected[-1], selected, profit, np.append(np.inf, 0.0 - negated))
