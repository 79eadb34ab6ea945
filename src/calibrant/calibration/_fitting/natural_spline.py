"""Natural cubic splines over sorted rows: the log-loss with its derivatives, exactly, from few sums an interval."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.interpolate import CubicSpline

from calibrant import _core
from calibrant._threads import n_threads

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["SplineLoss", "Sums", "curve_through", "never_falls", "place_knots"]


_POWERS = np.add.outer(np.arange(3, -1, -1), np.arange(3, -1, -1))  # of the products of t^3, t^2, t and 1


@dataclass(frozen=True, slots=True, eq=False)
class Sums:
    """The loss of a curve with its first two derivatives by the amounts of its shapes."""

    loss: float
    gradient: NDArray[np.float64]
    hessian: NDArray[np.float64]


class SplineLoss:
    """The log-loss of curves through knots, for rows sorted by place.

    A curve is a sum of shapes that share no roughness, the two straight ones first, so that a penalty of any size
    leaves the sums well conditioned. Between two knots it is a cubic polynomial of the distance from the left one: four
    sums give the gradient there and seven the Hessian; nothing is binned.

    Parameters
    ----------
    knots : array of shape (n_knots,)
        Rising, from the first place to the last; two or more.
    places, weight, goal : arrays of shape (n_rows,)
        Where the rows are, rising; how often each counts; what its probability is drawn to.
    """

    def __init__(
        self,
        knots: NDArray[np.float64],
        places: NDArray[np.float64],
        weight: NDArray[np.float64],
        goal: NDArray[np.float64],
    ) -> None:
        spline = CubicSpline(knots, np.eye(len(knots)), bc_type="natural")
        roughness, self.shapes = np.linalg.eigh(_roughness(knots, spline(knots, 2)))
        self.roughness = np.where(np.arange(len(knots)) < 2, 0.0, roughness)
        self._bounds = np.concatenate(([0], np.searchsorted(places, knots[1:-1]), [len(places)])).astype(np.int64)
        self._away = places - np.repeat(knots[:-1], np.diff(self._bounds))
        self._weight, self._goal = np.ascontiguousarray(weight), weight * goal
        self._maps = np.stack([spline.c[:, k] @ self.shapes for k in range(len(knots) - 1)])
        self._threads = n_threads(None)

    def sums(self, amounts: NDArray[np.float64]) -> Sums:
        """Give the loss of the curve that has these values at the knots: ``shapes @ amounts``."""
        loss, slopes, curvature = _core.piece_sums(
            self._away, self._weight, self._goal, self._bounds, self._maps @ amounts, self._threads
        )
        gradient = (slopes[:, ::-1, np.newaxis] * self._maps).sum(axis=(0, 1))
        hessian = (self._maps.transpose(0, 2, 1) @ curvature[:, _POWERS] @ self._maps).sum(axis=0)
        return Sums(loss, gradient, hessian)


def _roughness(knots: NDArray[np.float64], bend: NDArray[np.float64]) -> NDArray[np.float64]:
    """Give the table of the integral of the squared second derivative, which is linear between knots."""
    width = np.diff(knots)[:, np.newaxis]
    left, right = bend[:-1], bend[1:]
    half = left.T @ (width * right)
    return np.asarray((left.T @ (width * left) + right.T @ (width * right)) / 3.0 + (half + half.T) / 6.0)


def place_knots(
    places: NDArray[np.float64], weight: NDArray[np.float64], n_knots: int, apart: float
) -> NDArray[np.float64]:
    """Give knots at quantiles of sorted places, the ends included, and at least so far apart.

    Parameters
    ----------
    places, weight : arrays of shape (n_rows,)
        Rising places and how often each counts.
    n_knots : int
        How many knots, where there are enough places.
    apart : float
        The least distance, as a share of the distance of the ends.

    Returns
    -------
    array
        The knots.

    Examples
    --------
    >>> place_knots(np.arange(9.0), np.ones(9), 3, 0.01), place_knots(np.ones(4), np.ones(4), 3, 0.01)
    (array([0., 4., 8.]), array([1.]))
    """
    up_to = np.cumsum(weight)
    wanted = np.linspace(0.0, up_to[-1], n_knots)[1:-1]
    inner = places[np.searchsorted(up_to, wanted)]
    low, high = places[0], places[-1]
    kept = [low]
    for knot in inner:
        if min(knot - kept[-1], high - knot) > apart * (high - low):
            kept.append(knot)
    return np.array([*kept, high] if high > low else kept)


def curve_through(
    knots: NDArray[np.float64], values: NDArray[np.float64], places: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Give the curve that has these values at the knots; beyond the ends it goes on as a straight line.

    Examples
    --------
    >>> curve_through(np.array([0.0, 1.0, 2.0]), np.array([0.0, 2.0, 4.0]), np.array([-1.0, 0.5, 5.0]))
    array([-2.,  1., 10.])
    """
    if len(knots) == 1:
        return np.full(len(places), values[0])
    spline = CubicSpline(knots, values, bc_type="natural")
    near = np.clip(places, knots[0], knots[-1])
    return np.asarray(spline(near) + spline(near, 1) * (places - near))


def never_falls(knots: NDArray[np.float64], values: NDArray[np.float64]) -> bool:
    """Tell whether the curve that has these values at the knots falls nowhere.

    Between knots its slope is a parabola, which is least at an end or, if it opens upwards, at its bottom.

    Examples
    --------
    >>> never_falls(np.array([0.0, 1.0, 2.0]), np.array([0.0, 2.0, 4.0]))
    True
    >>> never_falls(np.array([0.0, 1.0, 2.0, 3.0]), np.array([0.0, 5.0, 5.1, 10.0]))
    False
    """
    if len(knots) == 1:
        return True
    spline = CubicSpline(knots, values, bc_type="natural")
    cubed, squared, straight, _ = spline.c
    is_up = cubed > 0.0
    bottom = np.clip(-squared / np.where(is_up, 3.0 * cubed, 1.0), 0.0, np.diff(knots))
    lowest = np.where(is_up, (3.0 * cubed * bottom + 2.0 * squared) * bottom + straight, np.inf)
    return bool(min(lowest.min(), spline(knots, 1).min()) >= 0.0)
