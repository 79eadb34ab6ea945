"""Brier curves: the expected loss of probabilities used as thresholds (Hernandez-Orallo, Flach & Ferri 2011)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calibrant._docstrings import fill_docstring
from calibrant._numbers import as_floats
from calibrant.curves._cost_curve import CostCurve, cost_curve
from calibrant.curves._curve import Curve, Ranked, read_ranked


@dataclass(frozen=True, eq=False, repr=False)
class BrierCurve(Curve):
    """The expected loss of predicting the positive class if its probability is at least c, the cost proportion.

    A false positive costs 2c and a false negative 2(1 - c), so c is the best threshold for calibrated
    probabilities. The area under the curve is the Brier score; the area between it and `best` is the loss by
    miscalibration.

    Parameters
    ----------
    cost_proportion : array of shape (n_points,)
        The cost proportions from 0 to 1; where the loss jumps there are two equal ones.
    loss : array of shape (n_points,)
        The loss of deciding by the probabilities.
    best : array of shape (n_points,)
        The loss of the best threshold for each c, which depends on the ranking only.
    base_rate : float
        The share of positives.

    Examples
    --------
    >>> curve = brier_curve([0, 1, 1, 0], [0.2, 0.9, 0.4, 0.6])
    >>> curve
    BrierCurve: area 0.1925, of which 0.0675 is lost by miscalibration; 10 points
    >>> from calibrant.metrics import brier
    >>> round(brier([0, 1, 1, 0], [0.2, 0.9, 0.4, 0.6]), 9)
    0.1925
    """

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
        """The area under `best`: the Brier score after isotonic regression on the same rows."""
        x, share = self.envelope.probability_cost, self.base_rate
        kinks = share * (1.0 - x) / (share * (1.0 - x) + (1.0 - share) * x)  # where the best threshold changes
        x = np.unique(np.append(self.cost_proportion, kinks))
        height = self.best_at(x)
        return float((np.diff(x) * (height[1:] + height[:-1])).sum() / 2.0)

    def at(self, cost_proportion: Any) -> NDArray[np.float64]:
        """Return the loss of deciding by the probabilities.

        Examples
        --------
        >>> brier_curve([0, 1, 1, 0], [0.2, 0.9, 0.4, 0.6]).at([0.5, 0.7])
        array([0.5 , 0.15])
        """
        c = as_floats(cost_proportion)
        tp, fp = self.ranked.cumulative()
        step = np.searchsorted(-self.ranked.score, -c, side="right")
        return _loss(c, tp[-1] - tp[step], fp[step], tp[-1] + fp[-1])

    def best_at(self, cost_proportion: Any) -> NDArray[np.float64]:
        """Return the loss of the best threshold for each cost proportion.

        Examples
        --------
        >>> brier_curve([0, 1, 1, 0], [0.2, 0.9, 0.4, 0.6]).best_at([0.5, 0.7])
        array([0.25, 0.15])
        """
        c = as_floats(cost_proportion)
        positives, negatives = (1.0 - c) * self.base_rate, c * (1.0 - self.base_rate)
        return np.asarray(2.0 * (positives + negatives) * self.envelope.at(positives / (positives + negatives)))

    def __repr__(self) -> str:
        lost = f"{self.area - self.best_area:.4g} is lost by miscalibration"
        return f"BrierCurve: area {self.area:.4g}, of which {lost}; {len(self.loss)} points"


@fill_docstring()
def brier_curve(
    y_true: Any, y_proba: Any, *, sample_weight: Any = None, pos_label: Any = None, labels: Any = None
) -> BrierCurve:
    """Compute the expected loss of deciding by probabilities, for every cost proportion.

    %(curve_sections)s

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
    options = {"sample_weight": sample_weight, "pos_label": pos_label, "labels": labels}
    ranked = read_ranked(y_true, y_proba, **options, needs="a Brier curve")
    envelope = cost_curve(y_true, y_proba, **options)
    tp, fp = ranked.cumulative()
    total = tp[-1] + fp[-1]
    # By increasing threshold; between two thresholds the loss is linear in c, so each segment has two end points.
    fn, fp = tp[-1] - tp[::-1], fp[::-1]
    ends = np.concatenate([[0.0], ranked.score[::-1], [1.0]])
    x = np.column_stack([ends[:-1], ends[1:]]).ravel()
    loss = _loss(x, np.repeat(fn, 2), np.repeat(fp, 2), total)
    curve = BrierCurve(x, loss, loss, float(tp[-1] / total), ranked, envelope)
    return replace(curve, best=curve.best_at(x))


def _loss(
    c: NDArray[np.float64], fn: NDArray[np.float64], fp: NDArray[np.float64], total: float
) -> NDArray[np.float64]:
    return np.asarray(2.0 * (c * fp + (1.0 - c) * fn) / total)
