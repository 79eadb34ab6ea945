"""Natural cubic splines of few knots, smoothed by a penalty."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import CubicSpline

from calibrant import _core
from calibrant._threads import n_threads
from calibrant.calibration._fitting.logistic import LossDerivatives

_POWERS = np.add.outer(np.arange(3, -1, -1), np.arange(3, -1, -1))  # of the products of t^3, t^2, t and 1


class SplineLoss:
    """The log-loss of splines over given knots, for rows sorted by position.

    A curve is a sum of shapes with orthogonal roughness, the two straight ones first, so that a penalty of any size
    leaves the sums well conditioned. Between two knots it is a cubic polynomial of the distance from the left one: four
    sums give the gradient there and seven the Hessian; nothing is binned.

    Parameters
    ----------
    knots : array of shape (n_knots,)
        Ascending, from the first position to the last; two or more.
    positions, weight, target : arrays of shape (n_rows,)
        The ascending positions of the rows, their weights and their target probabilities.
    """

    def __init__(
        self,
        knots: NDArray[np.float64],
        positions: NDArray[np.float64],
        weight: NDArray[np.float64],
        target: NDArray[np.float64],
    ) -> None:
        spline = CubicSpline(knots, np.eye(len(knots)), bc_type="natural")
        roughness, self.shapes = np.linalg.eigh(_roughness(knots, spline(knots, 2)))
        self.roughness = np.where(np.arange(len(knots)) < 2, 0.0, roughness)
        self._bounds = np.concatenate(([0], np.searchsorted(positions, knots[1:-1]), [len(positions)])).astype(np.int64)
        self._distance = positions - np.repeat(knots[:-1], np.diff(self._bounds))
        self._weight, self._weighted_target = np.ascontiguousarray(weight), weight * target
        self._maps = np.stack([spline.c[:, k] @ self.shapes for k in range(len(knots) - 1)])
        self._threads = n_threads(None)

    def derivatives(self, amounts: NDArray[np.float64]) -> LossDerivatives:
        """Return the loss of the curve with the values ``shapes @ amounts`` at the knots, and its derivatives."""
        loss, slopes, curvature = _core.piece_sums(
            self._distance, self._weight, self._weighted_target, self._bounds, self._maps @ amounts, self._threads
        )
        gradient = (slopes[:, ::-1, np.newaxis] * self._maps).sum(axis=(0, 1))
        hessian = (self._maps.transpose(0, 2, 1) @ curvature[:, _POWERS] @ self._maps).sum(axis=0)
        return LossDerivatives(loss, gradient, hessian)


def _roughness(knots: NDArray[np.float64], bend: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the matrix of the integral of the squared second derivative, which is linear between knots."""
    width = np.diff(knots)[:, np.newaxis]
    left, right = bend[:-1], bend[1:]
    half = left.T @ (width * right)
    return np.asarray((left.T @ (width * left) + right.T @ (width * right)) / 3.0 + (half + half.T) / 6.0)


def choose_knots(
    positions: NDArray[np.float64], weight: NDArray[np.float64], n_knots: int, apart: float
) -> NDArray[np.float64]:
    """Return knots at quantiles of sorted positions, the ends included, and at least `apart` from each other.

    Parameters
    ----------
    positions, weight : arrays of shape (n_rows,)
        Ascending positions and their weights.
    n_knots : int
        Number of knots, where there are enough distinct positions.
    apart : float
        The least distance, as a fraction of the distance between the ends.

    Returns
    -------
    array
        The knots.

    Examples
    --------
    >>> choose_knots(np.arange(9.0), np.ones(9), 3, 0.01), choose_knots(np.ones(4), np.ones(4), 3, 0.01)
    (array([0., 4., 8.]), array([1.]))
    """
    up_to = np.cumsum(weight)
    wanted = np.linspace(0.0, up_to[-1], n_knots)[1:-1]
    inner = positions[np.searchsorted(up_to, wanted)]
    low, high = positions[0], positions[-1]
    kept = [low]
    for knot in inner:
        if min(knot - kept[-1], high - knot) > apart * (high - low):
            kept.append(knot)
    return np.array([*kept, high] if high > low else kept)


def evaluate_spline(
    knots: NDArray[np.float64], values: NDArray[np.float64], positions: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the spline through these values at the knots; beyond the ends it continues as a straight line.

    Examples
    --------
    >>> evaluate_spline(np.array([0.0, 1.0, 2.0]), np.array([0.0, 2.0, 4.0]), np.array([-1.0, 0.5, 5.0]))
    array([-2.,  1., 10.])
    """
    if len(knots) == 1:
        return np.full(len(positions), values[0])
    spline = CubicSpline(knots, values, bc_type="natural")
    near = np.clip(positions, knots[0], knots[-1])
    return np.asarray(spline(near) + spline(near, 1) * (positions - near))


def is_nondecreasing(knots: NDArray[np.float64], values: NDArray[np.float64]) -> bool:
    """Return whether the spline through these values at the knots is nondecreasing.

    Between knots its slope is a parabola, which is least at an end or, if it opens upwards, at its vertex.

    Examples
    --------
    >>> is_nondecreasing(np.array([0.0, 1.0, 2.0]), np.array([0.0, 2.0, 4.0]))
    True
    >>> is_nondecreasing(np.array([0.0, 1.0, 2.0, 3.0]), np.array([0.0, 5.0, 5.1, 10.0]))
    False
    """
    if len(knots) == 1:
        return True
    spline = CubicSpline(knots, values, bc_type="natural")
    cubed, squared, straight, _ = spline.c
    is_up = cubed > 0.0
    vertex = np.clip(-squared / np.where(is_up, 3.0 * cubed, 1.0), 0.0, np.diff(knots))
    lowest = np.where(is_up, (3.0 * cubed * vertex + 2.0 * squared) * vertex + straight, np.inf)
    return bool(min(lowest.min(), spline(knots, 1).min()) >= 0.0)


_LARGE = 1e307  # differences of larger numbers may overflow


def midpoints(lower: NDArray[np.float64], upper: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the midpoint of each pair of scores, above the lower one even where no double lies between.

    Examples
    --------
    >>> midpoints(np.array([1.0, 1.0]), np.array([2.0, np.nextafter(1.0, 2.0)])) > 1.0
    array([ True,  True])
    """
    middle = lower / 2 + upper / 2
    return np.where(middle > lower, middle, upper)


def interpolate(
    scores: NDArray[np.float64], knots: NDArray[np.float64], values: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Interpolate linearly between knots, constant beyond the ends; rounding never makes the result decrease.

    Examples
    --------
    >>> interpolate(np.array([0.0, 1.5, 9.0]), np.array([1.0, 2.0]), np.array([0.2, 0.6]))
    array([0.2, 0.4, 0.6])
    """
    if len(knots) == 1:
        return np.full(len(scores), values[0])
    inside = np.clip(scores, knots[0], knots[-1])
    left = np.clip(np.searchsorted(knots, inside, side="right") - 1, 0, len(knots) - 2)
    unit = 0.25 if max(abs(knots[0]), abs(knots[-1])) > _LARGE else 1.0
    start = unit * knots[left]
    share = (unit * inside - start) / (unit * knots[left + 1] - start)
    low, high = values[left], values[left + 1]
    return np.clip(low + share * (high - low), low, high)
