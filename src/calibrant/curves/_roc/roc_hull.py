"""The convex hull of ROC curves, and the mix of two classifiers that reaches a point on it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from calibrant._params import Real, check_param
from calibrant.curves._roc.roc_curve import RocCurve, roc
from calibrant.curves._roc.roc_points import RocPoints
from calibrant.exceptions import ParameterError

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Mix", "RocHull", "hull_of", "roc_hull"]


@dataclass(frozen=True, repr=False)
class Mix:
    """Two classifiers used at random, one with each probability.

    Parameters
    ----------
    models : tuple of two str
        Whose thresholds they are.
    thresholds : tuple of two float
        The thresholds.
    probabilities : tuple of two float
        How often each is used; they sum to 1.
    fpr, tpr : float
        The rates that the mix has.

    Examples
    --------
    >>> roc_hull([0, 1, 1, 0], [0.3, 0.9, 0.4, 0.6]).mix(fpr=0.25)
    fpr 0.25, tpr 0.75: the model at threshold 0.9 for 0.5 of the rows, the model at threshold 0.4 for 0.5
    """

    models: tuple[str, str]
    thresholds: tuple[float, float]
    probabilities: tuple[float, float]
    fpr: float
    tpr: float

    def __repr__(self) -> str:
        sides = zip(self.models, self.thresholds, self.probabilities, strict=True)
        parts = [f"{name} at threshold {threshold:.4g} for {share:.4g}" for name, threshold, share in sides if share]
        return (
            f"fpr {self.fpr:.4g}, tpr {self.tpr:.4g}: "
            + parts[0]
            + " of the rows"
            + "".join(f", {part}" for part in parts[1:])
        )


@dataclass(frozen=True, eq=False, repr=False)
class RocHull(RocCurve):
    """The corners of the hull, from (0, 0) to (1, 1): the only thresholds worth using alone.

    Parameters
    ----------
    fpr, tpr, threshold : array of shape (n_corners,)
        As in `RocCurve`; -infinite at (1, 1) where no threshold of a model reaches it.
    model : array of shape (n_corners,)
        Whose threshold each corner is.

    Examples
    --------
    >>> roc_hull([0, 1, 1, 0], [0.3, 0.9, 0.4, 0.6])
    RocHull: AUC 0.875, 4 points
    """

    _columns: ClassVar[tuple[str, ...]] = ("fpr", "tpr", "threshold", "model")

    model: NDArray[Any]

    def mix(self, fpr: float) -> Mix:
        """Return the mix of two corners that has a wanted rate of false positives and the best rate of true ones.

        Examples
        --------
        >>> mix = roc_hull([0, 1, 1, 0], [0.3, 0.9, 0.4, 0.6]).mix(fpr=0.1)
        >>> mix.thresholds, round(mix.tpr, 3)
        ((0.9, 0.4), 0.6)
        """
        check_param("fpr", fpr, Real(0, 1))
        end = int(np.clip(np.searchsorted(self.fpr, fpr, side="right"), 1, len(self.fpr) - 1))
        start = end - 1
        width = float(self.fpr[end] - self.fpr[start])
        share = (float(self.fpr[end]) - fpr) / width if width > 0 else 0.0
        return Mix(
            (str(self.model[start]), str(self.model[end])),
            (float(self.threshold[start]), float(self.threshold[end])),
            (share, 1.0 - share),
            float(fpr),
            float(share * self.tpr[start] + (1.0 - share) * self.tpr[end]),
        )

    def best(self, probability_cost: float) -> tuple[str, float]:
        """Return the model and the threshold of least expected cost for a value of the probability cost function.

        Examples
        --------
        >>> roc_hull([0, 1, 1, 0], [0.3, 0.9, 0.4, 0.6]).best(0.5)
        ('the model', 0.9)
        """
        check_param("probability_cost", probability_cost, Real(0, 1))
        cost = probability_cost * (1.0 - self.tpr) + (1.0 - probability_cost) * self.fpr
        corner = int(cost.argmin())
        return str(self.model[corner]), float(self.threshold[corner])


def roc_hull(
    y_true: Any, y_proba: Any, *, sample_weight: Any = None, pos_label: Any = None, labels: Any = None
) -> RocHull:
    """Return the convex hull of the ROC curve of a model, or of several together.

    Every point on the hull between two corners is reached by using the classifiers of both at random, in some mix; it
    is never worth while to use a classifier below it (Witten, Frank & Hall 2011, section 5.7; Provost & Fawcett 1997).

    Parameters
    ----------
    y_true : sequence of length n_rows
        The actual class of each row.
    y_proba : array of shape (n_rows, n_classes) or (n_rows,), or dict of name to such an array
        Probabilities of the classes in sorted order or that of `labels`, or of `pos_label` alone; for each model.
    sample_weight : sequence of length n_rows, optional
        Weight of each row; rows of weight 0 are ignored.
    pos_label : optional
        The positive class; by default the last in sorted order.
    labels : sequence, optional
        The classes in the order of the columns.

    Returns
    -------
    RocHull
        The hull.

    Examples
    --------
    >>> y = [1, 1, 0, 1, 0, 0]
    >>> hull = roc_hull(y, {"tree": [0.9, 0.8, 0.3, 0.2, 0.2, 0.1], "forest": [0.7, 0.5, 0.6, 0.5, 0.1, 0.4]})
    >>> hull.to_frame()
            fpr       tpr  threshold   model
    0  0.000000  0.000000        inf    tree
    1  0.000000  0.666667        0.8    tree
    2  0.333333  1.000000        0.5  forest
    3  1.000000  1.000000        0.1    tree
    """
    models = y_proba if isinstance(y_proba, Mapping) else {"the model": y_proba}
    options = {"sample_weight": sample_weight, "pos_label": pos_label, "labels": labels}
    return hull_of({name: roc(y_true, proba, **options) for name, proba in models.items()})


def hull_of(curves: Mapping[str, RocCurve | RocPoints]) -> RocHull:
    """Return the convex hull of curves, and of points, that are there already.

    Parameters
    ----------
    curves : dict of name to RocCurve or RocPoints
        The curves. The threshold of a point is its ratio of costs.

    Returns
    -------
    RocHull
        The hull.

    Examples
    --------
    >>> from calibrant.curves import roc_by_cost_ratio
    >>> points = roc_by_cost_ratio([0, 1, 1, 0], {1: [0, 1, 0, 0], 10: [1, 1, 1, 0]})
    >>> hull_of({"rules": points}).tpr
    array([0. , 0.5, 1. , 1. ])
    """
    if not curves:
        raise ParameterError("curves must be a dict of name to curve, with one at least; got none.")
    fpr, tpr = (np.concatenate([getattr(curve, rate) for curve in curves.values()]) for rate in ("fpr", "tpr"))
    threshold = np.concatenate(
        [curve.threshold if isinstance(curve, RocCurve) else curve.cost_ratio for curve in curves.values()]
    )
    model = np.repeat(list(curves), [len(curve.fpr) for curve in curves.values()])
    fpr, tpr = np.append(fpr, [0.0, 1.0]), np.append(tpr, [0.0, 1.0])
    threshold, model = np.append(threshold, [np.inf, -np.inf]), np.append(model, model[:1].repeat(2))
    corners = _corners(fpr, tpr)
    return RocHull(fpr[corners], tpr[corners], threshold[corners], model[corners])


def _corners(fpr: NDArray[np.float64], tpr: NDArray[np.float64]) -> list[int]:
    """Return the points of the upper hull from (0, 0) to (1, 1), by a monotone chain; of equal points the first."""
    order = np.lexsort((np.arange(len(fpr)), -tpr, fpr))
    order = order[np.unique(fpr[order], return_index=True)[1]]
    hull = [int(np.flatnonzero((fpr == 0.0) & (tpr == 0.0))[0])]
    for place in order[tpr[order] > 0].tolist():
        while len(hull) > 1 and _turns_left(fpr, tpr, hull[-2], hull[-1], place):
            hull.pop()
        hull.append(place)
    return hull


def _turns_left(fpr: NDArray[np.float64], tpr: NDArray[np.float64], a: int, b: int, c: int) -> bool:
    """Return whether b lies below the line from a to c, or on it but for rounding."""
    of_line, of_point = (fpr[b] - fpr[a]) * (tpr[c] - tpr[a]), (tpr[b] - tpr[a]) * (fpr[c] - fpr[a])
    return bool(of_line >= of_point * (1.0 - 1e-12))
