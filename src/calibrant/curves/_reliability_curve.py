"""Reliability curves: the observed frequency against the predicted probability, in bins or by isotonic regression.

Consistency bands show where the curve of calibrated probabilities would lie (Bröcker & Smith 2007). Those of bins are
exact, without draws: the number of positives in a bin is Poisson-binomial. Its distribution is the Fourier transform of
its characteristic function (Hong 2013, "On computing the distribution function for the Poisson binomial distribution")
or, where the variance is large, normal with a correction for skewness (Volkova 1996).
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import optimize

from calibrant._docstrings import fill_docstring
from calibrant._params import CONFIDENCE, Choice, Int, Nothing, Seed, check_param
from calibrant._random import SeedLike, seed_sequence, stream
from calibrant.curves._curve import Curve, count, read_ranked
from calibrant.data._internal import WEIGHT_KIND, WeightKind, as_frequencies
from calibrant.metrics._internal import Band, honest_bands

_LARGE_VARIANCE = 400.0  # beyond it the corrected normal quantile is at most one count from the exact one
_MAX_GROUPS = 1_000  # more distinct probabilities in a bin are averaged: neighbours hardly differ


Ends: TypeAlias = "tuple[NDArray[np.float64], NDArray[np.float64]]"


def bin_bands(
    bin_: NDArray[np.intp], score: NDArray[np.float64], weight: NDArray[np.float64], *, confidence: float
) -> tuple[Ends, Ends]:
    """Return the pointwise and the simultaneous band of the observed frequency in each bin.

    Parameters
    ----------
    bin_ : array of shape (n_groups,)
        The bin of each group of tied rows, numbered from 0 without gaps.
    score, weight : array of shape (n_groups,)
        The probability and the number of rows of each group, by increasing probability; a fractional number counts as
        the next integer of rows that weigh less.
    confidence : float
        The probability that the frequency of one bin lies inside the pointwise band, and those of all bins inside the
        simultaneous one; at least, because numbers of positives are whole. Bins are independent, so each has the
        confidence to the power of 1 / n_bins (Šidák).

    Returns
    -------
    tuple of two pairs of arrays of shape (n_bins,)
        The lower and upper ends of the pointwise and of the simultaneous band.

    Examples
    --------
    >>> bin_bands(np.array([0]), np.array([0.5]), np.array([100.0]), confidence=0.95)[0]
    (array([0.4]), array([0.6]))
    """
    n_bins = int(bin_[-1]) + 1
    levels = np.array([confidence, confidence ** (1.0 / n_bins)])
    tails = np.stack([(1.0 - levels) / 2.0, (1.0 + levels) / 2.0], axis=1).ravel()
    starts = np.searchsorted(bin_, np.arange(n_bins + 1))
    ends = np.array([_quantiles(score[a:b], weight[a:b], tails) for a, b in pairwise(starts)])
    return (ends[:, 0], ends[:, 1]), (ends[:, 2], ends[:, 3])


def merge_neighbours(
    score: NDArray[np.float64], weight: NDArray[np.float64], max_groups: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the mean score and the weight of at most `max_groups` groups of neighbours.

    Examples
    --------
    >>> merge_neighbours(np.array([0.1, 0.2, 0.8]), np.array([1.0, 3.0, 1.0]), 2)
    (array([0.175, 0.8  ]), array([4., 1.]))
    """
    if len(score) <= max_groups:
        return score, weight
    starts = np.arange(0, len(score), -(-len(score) // max_groups))
    total = np.add.reduceat(weight, starts)
    return np.add.reduceat(weight * score, starts) / total, total


def _quantiles(
    score: NDArray[np.float64], weight: NDArray[np.float64], tails: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return quantiles of the observed frequency of one bin."""
    total, spread = float(weight.sum()), weight * score * (1.0 - score)
    if spread.sum() <= 0:
        return np.full(len(tails), float((weight * score).sum()) / total)
    scale = float((spread * weight / np.ceil(weight)).sum() / spread.sum())  # 1 for whole numbers of rows
    p, n = merge_neighbours(score, weight / scale, _MAX_GROUPS)
    is_large = float((n * p * (1.0 - p)).sum()) >= _LARGE_VARIANCE
    counts = _normal_counts(p, n, tails) if is_large else _exact_counts(p, n, tails)
    return np.clip(counts * scale / total, 0.0, 1.0)


def _normal_counts(p: NDArray[np.float64], n: NDArray[np.float64], tails: NDArray[np.float64]) -> NDArray[np.float64]:
    from scipy.special import ndtri  # slow to import

    variance = n * p * (1.0 - p)
    deviation, z = np.sqrt(variance.sum()), ndtri(tails)
    skewness = (variance * (1.0 - 2.0 * p)).sum() / deviation**3
    return np.asarray(np.ceil((n * p).sum() + deviation * (z + skewness * (z**2 - 1.0) / 6.0) - 0.5))


def _exact_counts(p: NDArray[np.float64], n: NDArray[np.float64], tails: NDArray[np.float64]) -> NDArray[np.float64]:
    mean, deviation = float((n * p).sum()), float(np.sqrt((n * p * (1.0 - p)).sum()))
    first = max(int(mean - 12.0 * deviation - 20.0), 0)  # all but 1e-16 of the probability lies in this window
    size = int(24.0 * deviation + 42.0) + 1
    angle = 2j * np.pi * np.fft.fftfreq(size)  # around 0, where the logarithm is continuous, for fractional n
    with np.errstate(divide="ignore"):
        logs = np.log1p(p[:, np.newaxis] * np.expm1(angle)) * n[:, np.newaxis]
    mass = np.fft.fft(np.exp(logs.sum(axis=0) - first * angle)).real / size
    return first + np.searchsorted(np.cumsum(np.maximum(mass, 0.0)), tails * (1.0 - 1e-12)).astype(np.float64)


def corp_bands(
    score: NDArray[np.float64],
    weight: NDArray[np.float64],
    *,
    confidence: float,
    n_resamples: int,
    random_state: SeedLike,
) -> tuple[Band, Band]:
    """Return both bands of isotonic regression over classes drawn from the predicted probabilities.

    Parameters
    ----------
    score : array of shape (n_groups,)
        Distinct probabilities.
    weight : array of shape (n_groups,)
        The number of rows of each; for a fractional number the next integer is drawn and scaled.
    confidence : float
        The probability that one value of a drawn curve lies inside the pointwise band, and that all of them lie inside
        the simultaneous one.
    n_resamples : int
        Number of draws.
    random_state : int, numpy Generator or None
        Seed of the draws.

    Returns
    -------
    tuple of two Band
        The pointwise and the simultaneous band, at up to 1,000 of the probabilities.

    Examples
    --------
    >>> pointwise, _ = corp_bands(
    ...     np.array([0.5]), np.array([100.0]), confidence=0.95, n_resamples=2000, random_state=0
    ... )
    >>> pointwise.lower.round(2), pointwise.upper.round(2)
    (array([0.4]), array([0.6]))
    """
    score, weight = merge_neighbours(score, weight, _MAX_DRAWN_GROUPS)
    kept = np.unique(np.linspace(0, len(score) - 1, _MAX_BAND_POINTS).round().astype(np.intp))
    random, whole = stream(seed_sequence(random_state)), np.ceil(weight)
    several = np.flatnonzero(whole > 1)
    curves = np.empty((n_resamples, len(kept)))
    for curve in curves:
        # The weight of the positives of each group; groups of one row need no binomial draw, which is slower
        positive = (random.random(len(score)) < score).astype(np.float64)
        positive[several] = random.binomial(whole[several].astype(np.int64), score[several])
        curve[:] = _recalibrated(positive * (weight / whole), weight)[kept]
    low, high = np.quantile(curves, [(1.0 - confidence) / 2.0, (1.0 + confidence) / 2.0], axis=0)
    return Band(score[kept], low, high), Band(score[kept], *_simultaneous(curves, confidence))


def _simultaneous(curves: NDArray[np.float64], confidence: float) -> Ends:
    """Return the band around the mean, as wide as the draws spread above and below it, that contains whole curves.

    Its factor is the quantile, over the draws, of a curve's largest distance from the mean in units of the spread. The
    quantile is that of one more draw, the observed curve, so that its error rate is at most that stated.
    """
    mean = curves.mean(axis=0)
    above, below = np.maximum(curves - mean, 0.0), np.maximum(mean - curves, 0.0)
    up, down = (np.sqrt(np.mean(each**2, axis=0)) for each in (above, below))
    distance = np.maximum(_ratio(above, up).max(axis=1), _ratio(below, down).max(axis=1))
    rank = min(int(np.ceil(confidence * (len(curves) + 1))), len(curves))
    factor = np.sort(distance)[rank - 1]
    return np.maximum(mean - factor * down, 0.0), np.minimum(mean + factor * up, 1.0)


def _ratio(values: NDArray[np.float64], scale: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.divide(values, scale, out=np.zeros_like(values), where=scale > 0)


_MAX_BAND_POINTS = 1_000  # more are not visible in a picture, and 500 draws of millions of points would not fit memory
_MAX_DRAWN_GROUPS = 5_000  # neighbours beyond it are drawn together: a million rows take a second
_MAX_AUTO_BINS = 10  # as many as most reliability diagrams have

_RULES = {
    "method": Choice("fixed", "equal_mass", "corp"),
    "n_bins": Choice("auto") | Int(1),
    "bands": Choice("consistency", "honest") | Nothing(),
    "confidence": CONFIDENCE,
    "n_resamples": Int(2),
    "digits": Choice("auto") | Int(1) | Nothing(),
    "random_state": Seed(),
    "weight_kind": WEIGHT_KIND,
}


@dataclass(frozen=True, eq=False, repr=False)
class ReliabilityCurve(Curve):
    """A point for each bin that contains rows, by increasing probability.

    Parameters
    ----------
    predicted, observed : array of shape (n_points,)
        The mean predicted probability and the observed frequency of the positive class in each bin.
    weight : array of shape (n_points,)
        The number of rows in each bin.
    low, high : array of shape (n_points,)
        The lowest and highest probability in each bin; with ``method="fixed"`` the edges of the bin.
    method : {"fixed", "equal_mass", "corp"}
        How the bins were made.
    band : Band or None
        The lower and upper ends of the band at increasing probabilities: pointwise for "consistency", simultaneous for
        "honest".
    bands : {"consistency", "honest"} or None
        The kind of the band.
    confidence : float
        The confidence of the band.
    simultaneous : Band or None
        With a consistency band, the band that contains the whole curve of calibrated probabilities.

    Examples
    --------
    >>> reliability([0, 0, 1, 1], [0.05, 0.32, 0.38, 0.91])
    ReliabilityCurve: 4 rows in 3 bins (fixed), mean distance from the diagonal 0.11
    """

    predicted: NDArray[np.float64]
    observed: NDArray[np.float64]
    weight: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    method: str
    band: Band | None
    bands: str | None
    confidence: float
    simultaneous: Band | None = None

    @property
    def distance(self) -> float:
        """The mean distance of the points from the diagonal, by their weight."""
        return float(np.average(np.abs(self.observed - self.predicted), weights=self.weight))

    def outside(self) -> list[tuple[float, float]]:
        """Return the ranges of probabilities that the band shows to be miscalibrated, from left to right.

        With a consistency band these are the points where the curve leaves the simultaneous band; with an honest band
        those where the diagonal leaves the band. Either way calibrated probabilities have such a range in at most one
        sample of twenty (at a confidence of 95 %).

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
        x, lower, upper = self.band if self.simultaneous is None else self.simultaneous
        value = self.observed[np.searchsorted(self.low, x, side="right") - 1]
        is_out = np.concatenate([[False], (value < lower) | (value > upper), [False]])
        edges = np.flatnonzero(np.diff(is_out.astype(int)))
        return [(float(x[a]), float(x[b - 1])) for a, b in zip(edges[::2], edges[1::2], strict=True)]

    def __repr__(self) -> str:
        rows = f"{count(float(self.weight.sum()))} rows in {len(self.weight)} bins ({self.method})"
        band = ""
        if self.band is not None:
            ranges = ", ".join(f"{low:.3g} to {high:.3g}" for low, high in self.outside()) or "nowhere"
            kind = "simultaneous consistency" if self.simultaneous is not None else self.bands
            band = f"; outside the {kind} band of {100 * self.confidence:g} %: {ranges}"
        return f"ReliabilityCurve: {rows}, mean distance from the diagonal {self.distance:.4g}{band}"


@fill_docstring()
def reliability(
    y_true: Any,
    y_proba: Any,
    *,
    method: Literal["fixed", "equal_mass", "corp"] = "fixed",
    n_bins: int | Literal["auto"] = 10,
    bands: Literal["consistency", "honest"] | None = None,
    confidence: float = 0.95,
    n_resamples: int = 500,
    digits: int | Literal["auto"] | None = "auto",
    random_state: SeedLike = 0,
    sample_weight: Any = None,
    pos_label: Any = None,
    labels: Any = None,
    weight_kind: WeightKind = "frequency",
) -> ReliabilityCurve:
    """Compute the observed frequency of the positive class among rows of similar predicted probability.

    Parameters
    ----------
    %(y_true)s
    %(y_proba)s
    method : {"fixed", "equal_mass", "corp"}
        Bins of equal width, [0, 0.1), ..., [0.9, 1]; bins of about equal numbers of rows, tied rows in the same bin;
        or the bins of isotonic regression, which need no choice (CORP: Dimitriadis, Gneiting & Jordan 2021).
    n_bins : int or "auto"
        Number of bins; unused by "corp". "auto": the square root of the number of rows of the rarer class, at most 10.
    bands : {"consistency", "honest"} or None
        "consistency": where the curve of calibrated probabilities would lie, pointwise and simultaneously; exact for
        bins, by resampling classes for "corp".
        "honest": a simultaneous band that contains the whole true curve if that is increasing, and so can also show
        that probabilities are calibrated within its width (Dimitriadis, Dümbgen, Henzi, Puke & Ziegel 2023).
    confidence : float
        The confidence of the band.
    n_resamples : int
        Number of draws for the consistency band of "corp".
    digits : int, "auto" or None
        The number of digits to which probabilities are rounded, outwards, for the honest band; "auto" rounds only where
        there are more than about 1,000 distinct probabilities.
    random_state : int, numpy Generator or None
        Seed of the draws.
    sample_weight : sequence of length n_rows, optional
        The weight of each row: 2 counts the row twice, 0 ignores it.
    %(pos_label)s
    %(labels)s
    weight_kind : {"frequency", "probability"}
        Whether a weight of 2 means the row twice, or a row that represents two of the population. Bands are then those
        of the effective number of rows, (sum w)^2 / sum w^2 (Kish 1965), which need not be right in every bin.

    %(returns_curve)s

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
    options = {"method": method, "n_bins": n_bins, "bands": bands, "confidence": confidence, "n_resamples": n_resamples}
    for name, value in {**options, "digits": digits, "random_state": random_state, "weight_kind": weight_kind}.items():
        check_param(name, value, _RULES[name])
    ranked = read_ranked(y_true, y_proba, sample_weight=sample_weight, pos_label=pos_label, labels=labels)
    scale = _scale(sample_weight, weight_kind, has_band=bands is not None)
    score, positive = ranked.score[::-1], ranked.positive[::-1]
    rows = positive + ranked.negative[::-1]
    if scale != 1.0:  # rounded, because a whole number of rows is not the next one by the last bit of a sum
        positive, rows = (np.round(scale * each, 9) for each in (positive, rows))
        kept = rows > 0.0  # what rounds to no row would leave a frequency of 0 / 0
        score, positive, rows = (each[kept] for each in (score, positive, rows))
    bin_, low, high = _bins(score, positive, rows, method, n_bins)
    weight = np.bincount(bin_, rows).astype(np.float64)
    predicted, observed = np.bincount(bin_, rows * score) / weight, np.bincount(bin_, positive) / weight
    band = simultaneous = None
    if bands == "honest":
        band = honest_bands(score, positive, rows, confidence=confidence, digits=digits)
    elif bands == "consistency" and method == "corp":
        draws: dict[str, Any] = {"n_resamples": n_resamples, "random_state": random_state}
        band, simultaneous = corp_bands(score, rows, confidence=confidence, **draws)
    elif bands == "consistency":
        ends = bin_bands(bin_, score, rows, confidence=confidence)
        band, simultaneous = (Band(predicted, *each) for each in ends)
    weight /= scale
    return ReliabilityCurve(predicted, observed, weight, low, high, method, band, bands, confidence, simultaneous)


def _scale(sample_weight: Any, weight_kind: WeightKind, *, has_band: bool) -> float:
    """Return the factor that makes weights numbers of rows; warn where weights passed as such cannot be."""
    if sample_weight is None or not (has_band or weight_kind == "probability"):
        return 1.0
    weights = np.asarray(sample_weight, dtype=np.float64).ravel()
    weights = weights[weights > 0.0]
    frequencies = as_frequencies(weights, weight_kind)
    return 1.0 if frequencies is None or weight_kind == "frequency" else float(frequencies.sum() / weights.sum())


def _bins(
    score: NDArray[np.float64],
    positive: NDArray[np.float64],
    weight: NDArray[np.float64],
    method: str,
    n_bins: int | Literal["auto"],
) -> tuple[NDArray[np.intp], NDArray[np.float64], NDArray[np.float64]]:
    """Return the bin of each group of tied rows, numbered without empty bins, and the ends of the bins."""
    if n_bins == "auto":
        n_positive = float(positive.sum())
        n_of_rarer = min(n_positive, float(weight.sum()) - n_positive)
        n_bins = int(np.clip(np.sqrt(n_of_rarer), 1, _MAX_AUTO_BINS))
    if method == "fixed":
        cell = np.searchsorted(np.arange(1, n_bins) / n_bins, score, side="right")
    elif method == "equal_mass":
        # The middle of a group decides its bin, so that tied rows stay together.
        middle = np.cumsum(weight) - weight / 2.0
        cell = np.minimum((middle / weight.sum() * n_bins).astype(np.intp), n_bins - 1)
    else:
        cell = np.cumsum(np.diff(_recalibrated(positive, weight), prepend=-1.0) > 0) - 1
    _, first, number = np.unique(cell, return_index=True, return_inverse=True)
    if method == "fixed":
        return number, cell[first] / n_bins, (cell[first] + 1) / n_bins
    return number, score[first], score[np.append(first[1:], len(cell)) - 1]


def _recalibrated(positive: NDArray[np.float64], weight: NDArray[np.float64]) -> NDArray[np.float64]:
    share = np.minimum(positive / weight, 1.0)
    if hasattr(optimize, "isotonic_regression"):  # from scipy 1.12 on
        return np.asarray(optimize.isotonic_regression(share, weights=weight).x)
    from sklearn.isotonic import isotonic_regression  # the same, but its validation takes longer than the regression

    return np.asarray(isotonic_regression(share, sample_weight=weight))
