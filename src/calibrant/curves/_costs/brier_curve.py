"""Brier curves: what probabilities cost that are taken at their word (Hernandez-Orallo, Flach & Ferri 2011)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from calibrant.curves._costs.cost_curve import CostCurve, cost_curve
from calibrant.curves._curve import Curve
from calibrant.curves._ranked import Ranked, read_ranked

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["BrierCurve", "brier_curve"]


@dataclass(frozen=True, eq=False, repr=False)
class BrierCurve(Curve):
    """The expected loss where a row is taken for positive if its probability is at least c, the part of a false alarm.

    A false positive costs 2c and a false negative 2(1 - c), so that c is the right threshold for right probabilities.
    The area under the curve is the Brier score; what lies between it and `best` is lost by miscalibration alone.

    Parameters
    ----------
    cost_proportion : array of shape (n_corners,)
        The corners, from 0 to 1; where the loss jumps there are two of the same.
    loss : array of shape (n_corners,)
        The loss of deciding by the probabilities.
    best : array of shape (n_corners,)
        The loss of the best threshold for each c: what the ranking is good for.
    base_rate : float
        The share of positives.

    Examples
    --------
    >>> curve = brier_curve([0, 1, 1, 0], [0.2, 0.9, 0.4, 0.6])
    >>> curve
    BrierCurve: area 0.1925, of which 0.0675 is lost by miscalibration; 10 corners
    >>> from calibrant.metrics import mse01
    >>> round(mse01([0, 1, 1, 0], [0.2, 0.9, 0.4, 0.6]), 9)
    0.1925
    """

    _columns: ClassVar[tuple[str, ...]] = ("cost_proportion", "loss", "best")

    cost_proportion: NDArray[np.float64]
    loss: NDArray[np.float64]
    best: NDArray[np.float64]
    base_rate: float
    ranked: Ranked
    envelope: CostCurve

    @property
    def area(self) -> float:
        """The area under the curve: the Brier score of the positive class."""
        return float((np.diff(self.cost_proportion) * (self.loss[1:] + self.loss[:-1])).sum() / 2.0)

    @property
    def best_area(self) -> float:
        """The area under the best thresholds: the Brier score after isotonic regression on the same rows."""
        x = np.unique(np.append(self.cost_proportion, self._bends()))
        height = self.best_at(x)
        return float((np.diff(x) * (height[1:] + height[:-1])).sum() / 2.0)

    def _bends(self) -> NDArray[np.float64]:
        """Return the cost proportions where the best threshold changes."""
        x, share = self.envelope.probability_cost, self.base_rate
        return np.asarray(share * (1.0 - x) / (share * (1.0 - x) + (1.0 - share) * x))

    def at(self, cost_proportion: Any) -> NDArray[np.float64]:
        """Return the loss of deciding by the probabilities.

        Examples
        --------
        >>> brier_curve([0, 1, 1, 0], [0.2, 0.9, 0.4, 0.6]).at([0.5, 0.7])
        array([0.5 , 0.15])
        """
        c = np.asarray(cost_proportion, dtype=np.float64)
        found, wrong = self.ranked.cumulative()
        step = np.searchsorted(-self.ranked.score, -c, side="right")
        return _loss(c, found[-1] - found[step], wrong[step], found[-1] + wrong[-1])

    def best_at(self, cost_proportion: Any) -> NDArray[np.float64]:
        """Return the loss of the best threshold for each cost proportion.

        Examples
        --------
        >>> brier_curve([0, 1, 1, 0], [0.2, 0.9, 0.4, 0.6]).best_at([0.5, 0.7])
        array([0.25, 0.15])
        """
        c = np.asarray(cost_proportion, dtype=np.float64)
        of_positives, of_negatives = (1.0 - c) * self.base_rate, c * (1.0 - self.base_rate)
        return np.asarray(
            2.0 * (of_positives + of_negatives) * self.envelope.at(of_positives / (of_positives + of_negatives))
        )

    def __repr__(self) -> str:
        lost = f"{self.area - self.best_area:.4g} is lost by miscalibration"
        return f"BrierCurve: area {self.area:.4g}, of which {lost}; {len(self.loss)} corners"


def brier_curve(
    y_true: Any, y_proba: Any, *, sample_weight: Any = None, pos_label: Any = None, labels: Any = None
) -> BrierCurve:
    """Return the loss of probabilities that are used as they are, for every ratio of costs.

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
    BrierCurve
        The curve.

    Examples
    --------
    >>> brier_curve([0, 1], [0.25, 0.75]).to_frame()
       cost_proportion  loss  best
    0             0.00  0.00   0.0
    1             0.25  0.25   0.0
    2             0.25  0.00   0.0
    3             0.75  0.00   0.0
    4             0.75  0.25   0.0
    5             1.00  0.00   0.0
    """
    given = {"sample_weight": sample_weight, "pos_label": pos_label, "labels": labels}
    ranked = read_ranked(y_true, y_proba, **given, needs="a Brier curve")
    envelope = cost_curve(y_true, y_proba, **given)
    found, wrong = ranked.cumulative()
    total = found[-1] + wrong[-1]
    score, missed = ranked.score[::-1], found[-1] - found[::-1]  # from the least threshold on
    alarms = wrong[::-1]
    ends = np.concatenate([[0.0], score, [1.0]])
    x = np.column_stack([ends[:-1], ends[1:]]).ravel()
    loss = _loss(x, np.repeat(missed, 2), np.repeat(alarms, 2), total)
    curve = BrierCurve(x, loss, loss, float(found[-1] / total), ranked, envelope)
    return BrierCurve(x, loss, curve.best_at(x), curve.base_rate, ranked, envelope)


def _loss(
    c: NDArray[np.float64], missed: NDArray[np.float64], alarms: NDArray[np.float64], total: float
) -> NDArray[np.float64]:
    return np.asarray(2.0 * (c * alarms + (1.0 - c) * missed) / total)
