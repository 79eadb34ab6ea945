"""Reliability curves: how often what is given a probability comes true, in bins or by isotonic regression."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
from sklearn.isotonic import isotonic_regression

from calibrant._params import Choice, Int, Nothing, Real, Seed, check_param
from calibrant.curves._curve import Curve, count
from calibrant.curves._ranked import Ranked, read_ranked
from calibrant.curves._reliability.consistency_band import consistency_band
from calibrant.metrics._internal import Band, honest_bands

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant._random import SeedLike

__all__ = ["ReliabilityCurve", "reliability"]

_MOST_PLACES = 1_000  # where the band of isotonic regression is kept

_RULES = {
    "method": Choice("fixed", "equal_mass", "corp"),
    "n_bins": Int(1),
    "bands": Choice("consistency", "honest") | Nothing(),
    "confidence": Real(0, 1, closed="neither"),
    "n_resamples": Int(2),
    "digits": Choice("auto") | Int(1) | Nothing(),
    "random_state": Seed(),
}


@dataclass(frozen=True, eq=False, repr=False)
class ReliabilityCurve(Curve):
    """A point for each bin that has rows, by rising probability.

    Parameters
    ----------
    predicted, observed : array of shape (n_points,)
        The mean probability of the rows of each bin and the share of them that is positive.
    weight : array of shape (n_points,)
        The number of its rows.
    low, high : array of shape (n_points,)
        The least and the greatest probability of the rows of a bin; the edges of the bin where they are fixed.
    method : {"fixed", "equal_mass", "corp"}
        How bins were made.
    band : Band or None
        Lower and upper ends at rising probabilities.
    bands : {"consistency", "honest"} or None
        What the band means.
    confidence : float
        Its confidence.

    Examples
    --------
    >>> reliability([0, 0, 1, 1], [0.05, 0.32, 0.38, 0.91])
    ReliabilityCurve: 4 rows in 3 bins (fixed), mean distance from the diagonal 0.11
    """

    _columns: ClassVar[tuple[str, ...]] = ("predicted", "observed", "weight", "low", "high")

    predicted: NDArray[np.float64]
    observed: NDArray[np.float64]
    weight: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    method: str
    band: Band | None
    bands: str | None
    confidence: float

    @property
    def distance(self) -> float:
        """The mean distance of the points from the diagonal, by their weight."""
        return float(np.average(np.abs(self.observed - self.predicted), weights=self.weight))

    def outside(self) -> list[tuple[float, float]]:
        """Return the ranges of probabilities where the band says that they are wrong, from left to right.

        A consistency band is left by the curve, at each place for itself; an honest band leaves the diagonal, which is
        shown for all places together.

        Examples
        --------
        >>> y = [0] * 60 + [1] * 140
        >>> curve = reliability(y, [0.2] * 100 + [0.7] * 100, bands="honest")
        >>> [f"{low:.3f} to {high:.3f}" for low, high in curve.outside()]
        ['0.200 to 0.284', '0.700 to 0.953']
        """
        if self.band is None:
            return []
        if self.bands == "honest":
            return self.band.outside()
        x, lower, upper = self.band
        value = self.observed[np.searchsorted(self.low, x, side="right") - 1]
        is_out = np.concatenate([[False], (value < lower) | (value > upper), [False]])
        edges = np.flatnonzero(np.diff(is_out.astype(int)))
        return [(float(x[a]), float(x[b - 1])) for a, b in zip(edges[::2], edges[1::2], strict=True)]

    def __repr__(self) -> str:
        rows = f"{count(float(self.weight.sum()))} rows in {len(self.weight)} bins ({self.method})"
        band = ""
        if self.band is not None:
            ranges = ", ".join(f"{low:.3g} to {high:.3g}" for low, high in self.outside()) or "nowhere"
            band = f"; outside the {self.bands} band of {100 * self.confidence:g} %: {ranges}"
        return f"ReliabilityCurve: {rows}, mean distance from the diagonal {self.distance:.4g}{band}"


def reliability(
    y_true: Any,
    y_proba: Any,
    *,
    method: Literal["fixed", "equal_mass", "corp"] = "fixed",
    n_bins: int = 10,
    bands: Literal["consistency", "honest"] | None = None,
    confidence: float = 0.95,
    n_resamples: int = 500,
    digits: int | Literal["auto"] | None = "auto",
    random_state: SeedLike = 0,
    sample_weight: Any = None,
    pos_label: Any = None,
    labels: Any = None,
) -> ReliabilityCurve:
    """Return how often the positive class comes true among rows that are given about the same probability.

    Parameters
    ----------
    y_true : sequence of length n_rows
        The actual class of each row.
    y_proba : array of shape (n_rows, n_classes) or (n_rows,)
        Probabilities of the classes in sorted order, or in the order of `labels`; or of `pos_label` alone.
    method : {"fixed", "equal_mass", "corp"}
        Bins of equal width, [0, 0.1), ..., [0.9, 1], as in the papers; bins of about the same number of rows, equal
        probabilities together; or those that isotonic regression makes, which needs no choice of bins (CORP:
        Dimitriadis, Gneiting & Jordan 2021).
    n_bins : int
        Number of bins; not for "corp".
    bands : {"consistency", "honest"} or None
        "consistency": where the curve would lie, place by place, if the probabilities were right, by drawing classes
        anew. "honest": a band that holds the true curve everywhere at once, if it never falls, which can show that
        probabilities are right within its width (Dimitriadis, Dümbgen, Henzi, Puke & Ziegel 2023).
    confidence : float
        The confidence of the band.
    n_resamples : int
        How often classes are drawn anew for the consistency band.
    digits : int, "auto" or None
        To how many digits probabilities are rounded, outwards, for the honest band; "auto": only where there are more
        than about 1,000 distinct ones.
    random_state : int, numpy Generator or None
        What the draws come from.
    sample_weight : sequence of length n_rows, optional
        Weight of each row; rows of weight 0 are ignored. Bands take weights for numbers of rows.
    pos_label : optional
        The positive class; by default the last in sorted order.
    labels : sequence, optional
        The classes in the order of the columns.

    Returns
    -------
    ReliabilityCurve
        The curve.

    Examples
    --------
    >>> reliability([0, 0, 1, 1], [0.05, 0.32, 0.38, 0.91]).to_frame()
       predicted  observed  weight  low  high
    0       0.05       0.0     1.0  0.0   0.1
    1       0.35       0.5     2.0  0.3   0.4
    2       0.91       1.0     1.0  0.9   1.0
    >>> reliability([0, 1, 0, 1], [0.1, 0.2, 0.3, 0.9], method="corp").observed
    array([0. , 0.5, 1. ])
    """
    given = {"method": method, "n_bins": n_bins, "bands": bands, "confidence": confidence, "n_resamples": n_resamples}
    for name, value in {**given, "digits": digits, "random_state": random_state}.items():
        check_param(name, value, _RULES[name])
    ranked = read_ranked(y_true, y_proba, sample_weight=sample_weight, pos_label=pos_label, labels=labels)
    groups = _Groups(ranked)
    cell, low, high = groups.bins(method, n_bins)
    predicted, observed, weight = groups.points(cell)
    band = None
    if bands == "honest":
        band = honest_bands(groups.score, groups.positive, groups.weight, confidence=confidence, digits=digits)
    elif bands == "consistency":
        band = groups.consistency(method, cell, confidence, n_resamples, random_state)
    return ReliabilityCurve(predicted, observed, weight, low, high, method, band, bands, confidence)


class _Groups:
    """Rows of equal probability, by rising probability."""

    def __init__(self, ranked: Ranked) -> None:
        self.score, self.positive = ranked.score[::-1], ranked.positive[::-1]
        self.weight = self.positive + ranked.negative[::-1]

    def bins(self, method: str, n_bins: int) -> tuple[NDArray[np.intp], NDArray[np.float64], NDArray[np.float64]]:
        """Return the number of the bin of each group, bins without one left out, and the ends of the bins."""
        if method == "fixed":
            cell = np.searchsorted(np.arange(1, n_bins) / n_bins, self.score, side="right")
        elif method == "equal_mass":
            middle = np.cumsum(self.weight) - self.weight / 2.0
            cell = np.minimum((middle / self.weight.sum() * n_bins).astype(np.intp), n_bins - 1)
        else:
            cell = np.cumsum(np.diff(self.recalibrated(self.positive), prepend=-1.0) > 0) - 1
        _, first, number = np.unique(cell, return_index=True, return_inverse=True)
        if method == "fixed":
            return number, cell[first] / n_bins, (cell[first] + 1) / n_bins
        return number, self.score[first], self.score[np.append(first[1:], len(cell)) - 1]

    def points(self, cell: NDArray[np.intp]) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """Return mean probability, share of positives and weight of each bin."""
        weight = np.bincount(cell, self.weight).astype(np.float64)
        predicted = np.bincount(cell, self.weight * self.score) / weight
        return predicted, np.bincount(cell, self.positive) / weight, weight

    def recalibrated(self, positive: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the isotonic regression of the share of positives on the probability."""
        share = np.minimum(positive / self.weight, 1.0)
        return np.asarray(isotonic_regression(share, sample_weight=self.weight))

    def consistency(
        self, method: str, cell: NDArray[np.intp], confidence: float, n_resamples: int, random_state: SeedLike
    ) -> Band:
        """Return the band at the mean probability of each bin; for "corp" at up to 1,000 distinct probabilities."""
        weight = np.bincount(cell, self.weight)
        is_corp = method == "corp"
        places = np.unique(np.linspace(0, len(self.score) - 1, _MOST_PLACES).round().astype(np.intp))
        low, high = consistency_band(
            self.score,
            self.weight,
            (lambda positive: self.recalibrated(positive)[places])
            if is_corp
            else (lambda positive: np.bincount(cell, positive) / weight),
            confidence=confidence,
            n_resamples=n_resamples,
            random_state=random_state,
        )
        return Band(self.score[places] if is_corp else self.points(cell)[0], low, high)
