"""The convex hull of ROC curves and the random mix of two classifiers at a point on it (Provost & Fawcett 1997)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calibrant._docstrings import fill_docstring
from calibrant._params import Real, check_param
from calibrant._repr import short_repr
from calibrant.curves._roc_curve import RocCurve, RocPoints, roc
from calibrant.exceptions import ParameterError

_MANY_POINTS = 20_000  # up to here the loop over all points is as fast as discarding most of them first
_N_BLOCKS = (200, 2_000)  # of neighbouring points: first a coarse hull, then a finer one of what is left
_CLEARLY = 1e-9  # below: far beyond the rounding that the loop allows for, so its result is that of all points


@dataclass(frozen=True, repr=False)
class Mix:
    """A random mix of two classifiers, each used with some probability.

    Parameters
    ----------
    models : tuple of two str
        The models of the classifiers.
    thresholds : tuple of two float
        Their thresholds.
    probabilities : tuple of two float
        The probability of using each; they sum to 1.
    fpr, tpr : float
        The false and true positive rate of the mix.

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
        parts[0] += " of the rows"
        return f"fpr {self.fpr:.4g}, tpr {self.tpr:.4g}: {', '.join(parts)}"


@dataclass(frozen=True, eq=False, repr=False)
class RocHull(RocCurve):
    """The vertices of the hull, from (0, 0) to (1, 1): the only thresholds worth using on their own.

    Parameters
    ----------
    fpr, tpr, threshold : array of shape (n_vertices,)
        As in `RocCurve`; -infinite at (1, 1) where no threshold of a model reaches it.
    model : array of shape (n_vertices,)
        The model of each vertex.

    Examples
    --------
    >>> roc_hull([0, 1, 1, 0], [0.3, 0.9, 0.4, 0.6])
    RocHull: AUC 0.875, 4 points
    """

    model: NDArray[Any]

    def mix(self, fpr: float) -> Mix:
        """Return the mix of two vertices with a given false positive rate and the best true positive rate.

        Examples
        --------
        >>> mix = roc_hull([0, 1, 1, 0], [0.3, 0.9, 0.4, 0.6]).mix(fpr=0.1)
        >>> mix.thresholds, round(mix.tpr, 3)
        ((0.9, 0.4), 0.6)
        """
        check_param("fpr", fpr, Real(0, 1))
        end = int(np.clip(np.searchsorted(self.fpr, fpr, side="right"), 1, len(self.fpr) - 1))
        (left, right), (low, high) = (each[end - 1 : end + 1].tolist() for each in (self.fpr, self.tpr))
        share = (right - fpr) / (right - left) if right > left else 0.0
        (first, second), thresholds = (each[end - 1 : end + 1].tolist() for each in (self.model, self.threshold))
        tpr = share * low + (1.0 - share) * high
        return Mix((str(first), str(second)), tuple(thresholds), (share, 1.0 - share), float(fpr), tpr)

    def best(self, probability_cost: float) -> tuple[str, float]:
        """Return the model and threshold of least expected cost at a value of the probability cost function.

        Examples
        --------
        >>> roc_hull([0, 1, 1, 0], [0.3, 0.9, 0.4, 0.6]).best(0.5)
        ('the model', 0.9)
        """
        check_param("probability_cost", probability_cost, Real(0, 1))
        cost = probability_cost * (1.0 - self.tpr) + (1.0 - probability_cost) * self.fpr
        vertex = int(cost.argmin())
        return str(self.model[vertex]), float(self.threshold[vertex])


@fill_docstring()
def roc_hull(
    y_true: Any, y_proba: Any, *, sample_weight: Any = None, pos_label: Any = None, labels: Any = None
) -> RocHull:
    """Compute the convex hull of the ROC curve of a model, or of the curves of several models.

    Every point on the hull between two vertices is attained by a random mix of their classifiers; a classifier below
    the hull is never worth using (Witten, Frank & Hall 2011, section 5.7; Provost & Fawcett 1997).

    Parameters
    ----------
    %(y_true)s
    %(y_proba_models)s
    %(prediction_options)s

    %(returns)s
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
    """Return the convex hull of computed ROC curves and ROC points.

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
    if not isinstance(curves, Mapping) or any(not isinstance(curve, RocCurve | RocPoints) for curve in curves.values()):
        raise ParameterError(f"curves must be a dict of name to ROC curve; got {short_repr(curves)}.")
    if not curves:
        raise ParameterError("curves must be a dict of name to curve with at least one entry; got none.")
    fpr, tpr = (np.concatenate([getattr(curve, rate) for curve in curves.values()]) for rate in ("fpr", "tpr"))
    threshold = np.concatenate(
        [curve.threshold if isinstance(curve, RocCurve) else curve.cost_ratio for curve in curves.values()]
    )
    model = np.repeat(np.arange(len(curves)), [len(curve.fpr) for curve in curves.values()])
    fpr, tpr = np.append(fpr, [0.0, 1.0]), np.append(tpr, [0.0, 1.0])
    threshold, model = np.append(threshold, [np.inf, -np.inf]), np.append(model, [0, 0])
    vertices = _upper_hull(fpr, tpr)
    return RocHull(fpr[vertices], tpr[vertices], threshold[vertices], np.array(list(curves))[model[vertices]])


def _upper_hull(fpr: NDArray[np.float64], tpr: NDArray[np.float64]) -> list[int]:
    """Return the vertices of the upper hull from (0, 0) to (1, 1), by Andrew's monotone chain; the first if tied."""
    order = np.lexsort((np.arange(len(fpr)), -tpr, fpr))
    order = order[np.unique(fpr[order], return_index=True)[1]]
    start = int(np.flatnonzero((fpr == 0.0) & (tpr == 0.0))[0])
    points = np.append(start, order[tpr[order] > 0])
    vertices: list[int] = points[_chain(fpr[points], tpr[points])].tolist()
    return vertices


def _chain(fpr: NDArray[np.float64], tpr: NDArray[np.float64]) -> NDArray[np.intp]:
    """Return the vertices of the upper hull of points sorted by `fpr`, most of which are discarded at once if many."""
    kept = np.arange(len(fpr))
    for n_blocks in _N_BLOCKS if len(fpr) > _MANY_POINTS else ():
        kept = kept[_may_be_vertices(fpr[kept], tpr[kept], n_blocks)]
    x, y = fpr[kept].tolist(), tpr[kept].tolist()
    hull: list[int] = []
    for point in range(len(kept)):
        while len(hull) > 1 and _is_below(x, y, hull[-2], hull[-1], point):
            hull.pop()
        hull.append(point)
    return kept[hull]


def _may_be_vertices(fpr: NDArray[np.float64], tpr: NDArray[np.float64], n_blocks: int) -> NDArray[np.bool_]:
    """Return marks of the points not clearly below the hull of a few: of each block, the highest above its chord."""
    starts = np.unique(np.linspace(0, len(fpr) - 1, n_blocks + 1).astype(np.intp))
    ends = np.append(starts[1:], len(fpr) - 1)
    # The ratio is infinite nowhere: after the first point no two have the same `fpr`, and of (0, 0) and (0, tpr) the
    # slope does not matter, because both are kept.
    rise, run = tpr[ends] - tpr[starts], fpr[ends] - fpr[starts]
    slope = np.divide(rise, run, out=np.zeros(len(starts)), where=run > 0)
    block = np.repeat(np.arange(len(starts)), np.diff(np.append(starts, len(fpr))))
    above = tpr - slope[block] * fpr
    highest = np.maximum.reduceat(above, starts)
    few = np.unique(np.concatenate([[0, 1, len(fpr) - 1], starts, np.flatnonzero(above == highest[block])]))
    few = few[_chain(fpr[few], tpr[few])] if len(few) <= _MANY_POINTS else few
    return np.asarray(tpr >= np.interp(fpr, fpr[few], tpr[few]) - _CLEARLY) | (np.arange(len(fpr)) < 2)


def _is_below(fpr: list[float], tpr: list[float], a: int, b: int, c: int) -> bool:
    """Return whether b lies below the line from a to c, or on it up to rounding."""
    of_line, of_point = (fpr[b] - fpr[a]) * (tpr[c] - tpr[a]), (tpr[b] - tpr[a]) * (fpr[c] - fpr[a])
    return of_line >= of_point * (1.0 - 1e-12)
