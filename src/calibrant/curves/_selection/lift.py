"""Lift: how many positives the likeliest rows hold, in number and beside a sample by chance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from calibrant.curves._curve import Curve, count
from calibrant.curves._ranked import read_ranked

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["LiftCurve", "lift"]


@dataclass(frozen=True, eq=False, repr=False)
class LiftCurve(Curve):
    """A point for each threshold, by falling threshold, from no row to all.

    Parameters
    ----------
    fraction : array of shape (n_points,)
        The share of the rows that is selected.
    responses : array of shape (n_points,)
        How many positives are among them: the lift chart of Witten, Frank & Hall.
    lift : array of shape (n_points,)
        The share of positives among them over that among all rows; where no row is selected, the limit.
    threshold : array of shape (n_points,)
        Rows with at least this probability are selected.
    n_rows : float
        Number of rows.

    Examples
    --------
    >>> lift([0, 1, 1, 0], [0.2, 0.9, 0.4, 0.4])
    LiftCurve: the first 10 % of 4 rows hold 0.4 of 2 positives, lift 2; 4 points
    """

    _columns: ClassVar[tuple[str, ...]] = ("fraction", "responses", "lift", "threshold")

    fraction: NDArray[np.float64]
    responses: NDArray[np.float64]
    lift: NDArray[np.float64]
    threshold: NDArray[np.float64]
    n_rows: float

    @property
    def gains(self) -> NDArray[np.float64]:
        """The share of all positives that is selected at each point."""
        return np.asarray(self.responses / self.responses[-1])

    def responses_at(self, fraction: Any) -> NDArray[np.float64]:
        """Return the number of positives among some share of the rows; rows of equal probability stand in no order.

        Examples
        --------
        >>> lift([0, 1, 1, 0], [0.2, 0.9, 0.4, 0.4]).responses_at([0.25, 0.5])
        array([1. , 1.5])
        """
        return np.interp(np.asarray(fraction, dtype=np.float64), self.fraction, self.responses)

    def lift_at(self, fraction: Any) -> NDArray[np.float64]:
        """Return the lift of some share of the rows.

        Examples
        --------
        >>> lift([0, 1, 1, 0], [0.2, 0.9, 0.4, 0.4]).lift_at([0.0, 0.5])
        array([2. , 1.5])
        """
        share = np.maximum(np.asarray(fraction, dtype=np.float64), self.fraction[1] * 1e-9)
        return np.asarray(self.responses_at(share) / (share * self.responses[-1]))

    def __repr__(self) -> str:
        found, of, factor = self.responses_at(0.1), self.responses[-1], self.lift_at(0.1)
        first = f"the first 10 % of {count(self.n_rows)} rows hold {count(float(found))} of {count(of)} positives"
        return f"LiftCurve: {first}, lift {factor:.4g}; {len(self.fraction)} points"


def lift(
    y_true: Any, y_proba: Any, *, sample_weight: Any = None, pos_label: Any = None, labels: Any = None
) -> LiftCurve:
    """Return the number of positives, and the lift, of the likeliest rows, for every number of rows.

    Parameters
    ----------
    y_true : sequence of length n_rows
        The actual class of each row.
    y_proba : array of shape (n_rows, n_classes) or (n_rows,)
        Probabilities of the classes in sorted order, or in the order of `labels`; or of `pos_label` alone.
    sample_weight : sequence of length n_rows, optional
        Weight of each row; rows of weight 0 are ignored.
    pos_label : optional
        The positive class; by default the last in sorted order.
    labels : sequence, optional
        The classes in the order of the columns.

    Returns
    -------
    LiftCurve
        The curve.

    Examples
    --------
    >>> lift(["no", "yes", "yes", "no"], [0.2, 0.9, 0.4, 0.4]).to_frame()
       fraction  responses      lift  threshold
    0      0.00        0.0  2.000000        inf
    1      0.25        1.0  2.000000        0.9
    2      0.75        2.0  1.333333        0.4
    3      1.00        2.0  1.000000        0.2
    """
    options = {"sample_weight": sample_weight, "pos_label": pos_label, "labels": labels}
    ranked = read_ranked(y_true, y_proba, needs="a lift curve", **options)
    found, wrong = ranked.cumulative()
    n_rows = found[-1] + wrong[-1]
    fraction = (found + wrong) / n_rows
    factor = found[1:] / (fraction[1:] * found[-1])
    return LiftCurve(fraction, found, np.append(factor[0], factor), ranked.thresholds(), float(n_rows))
