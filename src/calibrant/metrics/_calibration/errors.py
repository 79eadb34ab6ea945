"""Calibration errors: in bins, in sliding windows (Caruana & Niculescu-Mizil 2004), smoothed, or isotonic."""

from __future__ import annotations

import math
from functools import cache, partial
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray
from scipy.fft import dct
from scipy.optimize import brentq
from scipy.special import erf

from calibrant import _core
from calibrant.exceptions import ParameterError
from calibrant.metrics._calibration.probability_cells import width_bins
from calibrant.metrics._docstrings import Binned, Common
from calibrant.metrics._metric import CARUANA, judge_rows, metric, read_rows
from calibrant.metrics._validation.predictions import BinaryRows, Predictions, threads_for


def _binned(
    predictions: Predictions,
    n_bins: int = 15,
    strategy: str = "width",
    norm: str = "l1",
    debiased: bool = False,
    groups: Any = None,
    *,
    clusters: NDArray[np.intp] | None = None,
    each_class: bool = False,
) -> float:
    """Return the error of the rows that calibration compares, or the mean over those of each class."""
    classes = range(predictions.n_classes)
    if strategy == "mass":
        if groups is not None:
            raise ParameterError("groups: bins of equal weight do not take them; pass strategy='width'.")
        rankings = [predictions.ranking(k) for k in classes] if each_class else [predictions.calibration_ranking]
        return float(np.mean([binned_error(ranking.mass_bins(n_bins), norm, debiased) for ranking in rankings]))
    if groups is not None:
        clusters = predictions.read_codes("groups", groups)[0]
    parts = [predictions.binary_rows(k) for k in classes] if each_class else [predictions.calibration_rows()]
    return float(np.mean([_width_error(rows, n_bins, norm, debiased, clusters) for rows in parts]))


@metric("lower", 0.0, 1.0, {"Naeini, Cooper & Hauskrecht 2015": "ECE", "Guo et al. 2017": "ECE"}, judge=_binned)
def ece(y_true: Any, y_proba: Any, **options: Unpack[Binned]) -> float:
    """Return the expected calibration error, the mean difference of probability and frequency in bins: 0 is best.

    With more than two classes, the probability of the predicted class is compared with its accuracy (Guo, Pleiss, Sun
    & Weinberger 2017); with two, that of the positive class with its observed frequency. The error is above 0 by
    chance even for perfectly calibrated probabilities: the more so, the more bins and the fewer rows.

    %(parameters)s
    %(bins)s

    %(returns)s
        The expected calibration error, from 0 to 1.

    Examples
    --------
    >>> round(ece([0, 1, 0, 1], [0.1, 0.4, 0.4, 0.9], n_bins=2), 3)  # |1/3 - 0.3| 3/4 + |1 - 0.9| 1/4
    0.05
    """
    return judge_rows("ece", y_true, y_proba, options)


@metric("lower", 0.0, 1.0, {"Kull et al. 2019": "classwise-ECE"}, judge=partial(_binned, each_class=True))
def classwise_ece(y_true: Any, y_proba: Any, **options: Unpack[Binned]) -> float:
    """Return the mean, over classes, of the expected calibration error of each against all others: 0 is best.

    Unlike `ece` it uses every probability of a row, not only the largest (Kull et al. 2019).

    %(parameters)s
    %(bins)s

    %(returns)s
        The mean over classes, from 0 to 1.

    Examples
    --------
    >>> round(classwise_ece(["a", "b", "c"], [[0.8, 0.1, 0.1], [0.1, 0.8, 0.1], [0.1, 0.1, 0.8]]), 4)
    0.1333
    """
    return judge_rows("classwise_ece", y_true, y_proba, options)


def _width_error(rows: BinaryRows, n_bins: int, norm: str, debiased: bool, clusters: NDArray[np.intp] | None) -> float:
    bins = width_sums(rows, n_bins)
    if not debiased or clusters is None:
        return binned_error(bins, norm, debiased)
    # The variance covers all bins and the sums only those with rows, so it is cut to match.
    return binned_error(bins, norm, debiased, _clustered_variance(rows, n_bins, clusters)[bins[0] > 0])


def width_sums(rows: BinaryRows, n_bins: int) -> tuple[NDArray[np.float64], ...]:
    """Return the weight, the weight of the positives and the sum of the probabilities in bins of equal width."""
    return _core.width_sums(rows.proba, rows.positive, rows.weight, n_bins, threads_for(len(rows.proba)))


def binned_error(
    bins: tuple[NDArray[np.float64], ...], norm: str, debiased: bool, variance: NDArray[np.float64] | None = None
) -> float:
    """Return the calibration error of the sums in bins."""
    if debiased and norm == "max":
        raise ParameterError("debiased: what chance adds to the largest difference is not known; pass norm='l2'.")
    weight, positive, proba = (column[bins[0] > 0] for column in bins)
    gap, fraction = np.abs(positive - proba) / weight, weight / weight.sum()
    if norm == "max":
        return float(gap.max())
    if norm == "l2":
        square = gap**2
        if debiased:
            if variance is None:
                spread = positive / weight * (1.0 - positive / weight)
                # A bin of one row shows no variance: nothing is taken off, which errs towards a larger error.
                variance = np.divide(spread, weight - 1.0, out=np.zeros_like(weight), where=weight > 1.0)
            # Brown (1970), Kumar, Liang & Ma (2019): the square of a bin's gap
            # exceeds the true one by the variance of its mean.
            square -= variance
        return math.sqrt(max(0.0, float(fraction @ square)))
    if debiased:
        if variance is None:
            # Of frequencies that count one more row of the predicted frequency, so that none is 0 or 1.
            frequency = (positive + proba / weight) / (weight + 1.0)
            variance = frequency * (1.0 - frequency) / weight
        gap = _debiased_gaps(gap, np.sqrt(variance))
    # What is taken off for noise may exceed what is there; an error is not negative.
    return max(0.0, float(fraction @ gap))


def _clustered_variance(rows: BinaryRows, n_bins: int, clusters: NDArray[np.intp]) -> NDArray[np.float64]:
    """Return the variance of the difference of frequency and probability in each bin, between clusters."""
    weight = np.ones(len(clusters)) if rows.weight is None else rows.weight
    part = width_bins(rows.proba, n_bins)
    of_bin = np.bincount(part, weight, n_bins)
    # Residuals, not classes: rows of one cluster differ in probability, and only what is left can be shared among them.
    residual = rows.positive - rows.proba
    mean = np.divide(np.bincount(part, weight * residual, n_bins), of_bin, out=np.zeros(n_bins), where=of_bin > 0)
    key, n_keys = clusters * n_bins + part, (int(clusters.max()) + 1) * n_bins
    sums = np.bincount(key, weight * (residual - mean[part]), n_keys).reshape(-1, n_bins)
    n_found = (np.bincount(key, minlength=n_keys).reshape(-1, n_bins) > 0).sum(axis=0)
    # n / (n - 1) makes the sum of squares between clusters unbiased, as for any variance around an estimated mean.
    between = (sums**2).sum(axis=0) * n_found / np.maximum(n_found - 1.0, 1.0)
    return np.asarray(np.divide(between, of_bin**2, out=np.zeros(n_bins), where=of_bin > 0))


def _debiased_gaps(gap: NDArray[np.float64], noise: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return absolute differences less what noise adds to them.

    What it adds to a true difference of 0 is 0.8 of its standard deviation, to a large one nothing; the true
    difference is estimated by shrinking the observed one (the positive part of James & Stein).
    """
    ratio = np.divide(noise, gap, out=np.full_like(gap, np.inf), where=gap > 0.0)
    # The plug-in for the true gap is the observed one shrunk by its noise;
    # the observed one itself would take off too little.
    true_gap = gap * np.maximum(0.0, 1.0 - ratio**2)
    ratio = np.divide(true_gap, noise, out=np.full_like(gap, np.inf), where=noise > 0)
    # The mean of the folded normal distribution: the expected absolute value of normal variables.
    expected = noise * math.sqrt(2.0 / math.pi) * np.exp(-(ratio**2) / 2.0) + true_gap * erf(ratio / math.sqrt(2.0))
    return np.asarray(gap - (expected - true_gap))


@metric("lower", 0.0, 1.0, {CARUANA: "CAL"})
def cal(y_true: Any, y_proba: Any, *, window: int = 100, **common: Unpack[Common]) -> float:
    """Return the mean absolute difference of observed frequency and mean probability in sliding windows: 0 is best.

    Rows are sorted by probability; the windows are rows 1 to 100, 2 to 101, and so on. Rows of equal probability have
    no order: each counts with the frequency of positives among them. Where there are fewer rows than a window holds,
    one window holds them all. With more than two classes, the probability of the predicted class is compared with its
    accuracy. Like every error of this kind it is above 0 by chance even for perfectly calibrated probabilities.

    A whole weight counts the row that many times. With fractional weights a window holds a weight of 100, some rows in
    part, and one starts at every whole weight.

    %(parameters)s
    window : int
        The number of rows in a window.

    %(returns)s
        The mean over windows, from 0 to 1.

    Examples
    --------
    >>> round(cal([0, 1, 0, 1], [0.1, 0.4, 0.6, 0.9], window=2), 4)  # the mean of 0.25, 0 and 0.25
    0.1667
    """
    predictions = read_rows("cal", y_true, y_proba, common, window=window)
    return predictions.calibration_ranking.window_calibration(float(window))


_CELLS = 2**14  # trades resolution, a spacing of 6e-5, against time: a transform takes 0.4 ms
_CHUNK_ROWS = 2**20  # bounds the memory of the grid positions
_LEAST_WIDTH = 1e-9  # an error below it is 0
_LARGEST_EXPONENT = 38.7  # exp(-x^2 / 2) is 0 in double precision beyond it


@metric("lower", 0.0, 1.0, {"Blasiok & Nakkiran 2023": "smECE"})
def smooth_ece(y_true: Any, y_proba: Any, **common: Unpack[Common]) -> float:
    """Return the smooth calibration error: 0 is best.

    The differences between actual classes and probabilities are smoothed by a normal kernel, reflected at 0 and 1, and
    the absolute value of the result is integrated. The wider the kernel, the smaller the integral: the error is the
    one bandwidth that equals its own integral. It has no bins and is continuous in the probabilities. With more than
    two classes it is that of the predicted class.

    %(parameters)s

    %(returns)s
        The smooth calibration error, from 0 to 1.

    Examples
    --------
    >>> round(smooth_ece([0, 0, 0, 1], [0.5, 0.5, 0.5, 0.5]), 4)  # a quarter too high everywhere
    0.25
    """
    predictions = read_rows("smooth_ece", y_true, y_proba, common)
    residuals = _residuals_on_grid(predictions.calibration_rows()) / predictions.total
    # A cosine transform of type 1 sees the residuals mirrored at 0 and 1:
    # Blasiok & Nakkiran's reflected Gaussian kernel.
    residuals[[0, -1]] *= 2.0  # each end is its own reflection
    waves = dct(residuals, type=1) / 2.0

    @cache
    def excess(width: float) -> float:
        return _integral(waves, width) - width

    # The smoothed error falls and the width grows, so they cross once; the error is where they are equal.
    if excess(_LEAST_WIDTH) <= 0.0:
        return 0.0
    return min(1.0, float(brentq(excess, _LEAST_WIDTH, 2.0, xtol=1e-12)))


def _residuals_on_grid(rows: BinaryRows) -> NDArray[np.float64]:
    """Sum class less probability at the points of a grid from 0 to 1, each row split between the two around it."""
    sums = np.zeros(_CELLS + 1)
    for begin in range(0, len(rows.proba), _CHUNK_ROWS):
        chunk = slice(begin, begin + _CHUNK_ROWS)
        position = rows.proba[chunk] * _CELLS
        # A probability of exactly 1 has its lower point in the last cell, not one beyond the grid.
        below = np.minimum(position.astype(np.intp), _CELLS - 1)
        value = rows.positive[chunk] - rows.proba[chunk]
        value = value if rows.weight is None else value * rows.weight[chunk]
        above = (position - below) * value
        sums += np.bincount(below, value - above, _CELLS + 1) + np.bincount(below + 1, above, _CELLS + 1)
    return sums


def _integral(waves: NDArray[np.float64], width: float) -> float:
    """Return the integral of the absolute value of the residuals, smoothed by a kernel of some width."""
    # Waves that the kernel damps to 0 are not computed; at the least width that is none, at wide kernels almost all.
    n_waves = min(len(waves), int(_LARGEST_EXPONENT / (width * np.pi)) + 1)
    damped = np.zeros_like(waves)
    damped[:n_waves] = waves[:n_waves] * np.exp(-0.5 * (width * np.pi * np.arange(n_waves)) ** 2)
    sizes = np.abs(dct(damped, type=1))
    return float((sizes.sum() - (sizes[0] + sizes[-1]) / 2.0) / _CELLS)


@metric("lower", 0.0, 1.0, {"Austin & Steyerberg 2019": "ICI", "Harrell 2015": "Eavg"})
def ici(y_true: Any, y_proba: Any, **common: Unpack[Common]) -> float:
    """Return the mean absolute difference between the probabilities and the calibration curve at them: 0 is best.

    The curve is isotonic regression, as in CORP reliability diagrams: it has no bandwidth to choose and never falls.
    Austin & Steyerberg (2019) use loess, as does ``val.prob`` of R's rms (Eavg), which is smoother and may fall; the
    two differ by a little noise. With more than two classes it is that of the predicted class.

    %(parameters)s

    %(returns)s
        The mean difference, from 0 to 1.

    Examples
    --------
    >>> round(ici([0, 1, 0, 1], [0.1, 0.6, 0.7, 0.9]), 3)  # the curve: 0, 1/2, 1/2, 1
    0.125
    """
    predictions = read_rows("ici", y_true, y_proba, common)
    return predictions.calibration_ranking.isotonic_gap()
