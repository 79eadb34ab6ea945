"""The ranges in which probabilities are too high or too low, by the pattern that they form."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from calibrant.metrics._calibration.probability_cells import ProbabilityCells
from calibrant.metrics._calibration.slope_and_intercept import fit_line, standard_errors
from calibrant.metrics._intervals.honest_bands import Band
from calibrant.metrics._intervals.intervals import two_sided_z
from calibrant.metrics._validation.predictions import BinaryRows
from calibrant.metrics._verdict.joint_test import STATISTICS, JointTest

_MOST_ROWS = 0.75  # from this fraction on a range is reported as all rows
_LEAST_SCANNED = 1 / 256  # of the variance: half the narrowest range of the scan
_LEAST_PART = 0.1  # of the variance of a run: smaller parts hold too few rows to name them
_LARGE_ERROR = 0.1  # of a range, or half its mean probability: it is never called too little to matter


class OffRange(NamedTuple):
    """A range of miscalibrated probabilities.

    Parameters
    ----------
    low, high : float
        The least and the largest probability of the range.
    how : {"too high", "too low"}
        What the probabilities are.
    share, below : float
        The fraction of the rows in it, and of those with lower probabilities.
    predicted, observed : float
        The mean probability of its rows, and the observed frequency.
    of : str
        With more than two classes, whose probabilities these are.
    """

    low: float
    high: float
    how: Literal["too high", "too low"]
    share: float
    below: float
    predicted: float
    observed: float
    of: str = ""

    @property
    def is_large(self) -> bool:
        """Whether the error matters however few the rows: it exceeds 0.1, or half the mean probability."""
        return abs(self.observed - self.predicted) > min(_LARGE_ERROR, 0.5 * self.predicted)


class Pattern(NamedTuple):
    """The kind of miscalibration, with the ranges where it is shown.

    `kind` "falls" means that higher probabilities come true less often; `falls` is the range where that is shown.
    "unplaced" is an error that neither a range nor the mean explains; `by` is the test that finds it.
    """

    kind: Literal["too low", "too high", "too extreme", "too timid", "falls", "unplaced"]
    off: tuple[OffRange, ...] = ()
    falls: tuple[float, float] | None = None
    by: str = ""


def find_pattern(cells: ProbabilityCells, test: JointTest, band: Band | None, confidence: float) -> Pattern:
    """Return the pattern of probabilities that are shown to be miscalibrated.

    Ranges are those where the residuals sum to more than those of calibrated rows do in any range. Where there is none,
    or only one although the slope explains more than the mean, they are all rows, or those below and above the point
    where the line of best fit has no error. A narrow range of a large error is named instead of ranges without
    one. Bands show where the curve falls; without them a negative slope does.
    """
    least = test.longest_run * np.sqrt(cells.variance.sum())
    runs = (_longest_run(cells, sign) for sign in (1.0, -1.0))
    shown = [_densest(cells, run, _LEAST_PART) for run in runs if abs(cells.residual[run].sum()) >= least > 0.0]
    scan, scanned = STATISTICS.index("scan of ranges"), []
    if test.values[scan] > test.critical[scan]:
        scanned = [_densest(cells, np.arange(len(cells.proba)), _LEAST_SCANNED)]
    broad = _broad_pattern(cells, test, band, confidence, shown or scanned)
    large = _large_ranges(cells, [*scanned, *shown])
    if not large or any(part.is_large for part in broad.off):
        return broad
    return broad._replace(off=large) if broad.kind == "falls" else Pattern(_kind(large), large)


def _large_ranges(cells: ProbabilityCells, parts: list[NDArray[np.intp]]) -> tuple[OffRange, ...]:
    """Return the ranges of a large error, of those that overlap the first."""
    kept: list[OffRange] = []
    for found in (_off_range(cells, part) for part in parts):
        if found.is_large and all(found.high < each.low or found.low > each.high for each in kept):
            kept.append(found)
    return tuple(sorted(kept))


def _broad_pattern(
    cells: ProbabilityCells, test: JointTest, band: Band | None, confidence: float, shown: list[NDArray[np.intp]]
) -> Pattern:
    falling = None if band is None else band.falling()
    if falling is not None or _slope_is_negative(cells, confidence):
        return Pattern("falls", falls=falling)
    if test.pvalue_of_draws > 1.0 - confidence:
        # Probabilities of 0 and 1 are wrong while the others have no error that is shown
        is_wrong = ((cells.high == 0.0) | (cells.low == 1.0)) & (cells.residual != 0.0)
        return Pattern("too extreme", tuple(_off_range(cells, np.array([cell])) for cell in np.flatnonzero(is_wrong)))
    tilted = _tilted(cells, test)
    if len(shown) < 2 and tilted is not None:
        return tilted
    if not shown and test.pvalues["intercept"] > 1.0 - confidence:
        return Pattern("unplaced", by=min(test.pvalues, key=lambda name: test.pvalues[name]))
    every = np.arange(len(cells.proba))
    is_most = [cells.weight[part].sum() >= _MOST_ROWS * cells.total for part in shown]
    parts = [every if most else part for part, most in zip(shown, is_most, strict=True)] or [every]
    off = tuple(sorted(_off_range(cells, part) for part in parts))
    return Pattern(_kind(off), off)


def cell_rows(cells: ProbabilityCells) -> BinaryRows:
    """Return the cells as weighted rows: the positives of each, and the negatives."""
    positive = np.clip(cells.residual + cells.weight * cells.proba, 0.0, cells.weight)
    weight = np.concatenate([positive, cells.weight - positive])
    rows, is_positive = np.tile(cells.proba, 2), np.repeat([True, False], len(cells.proba))
    kept = weight > 1e-9 * cells.weight.max()  # less is rounding of an empty cell
    return BinaryRows(np.ascontiguousarray(rows[kept]), is_positive[kept], np.ascontiguousarray(weight[kept]))


def _slope_is_negative(cells: ProbabilityCells, confidence: float) -> bool:
    rows = cell_rows(cells)
    if rows.positive.all() or not rows.positive.any() or len(cells.proba) < 2:
        return False
    slope, error = float(fit_line(rows)[0]), standard_errors(rows)[1]
    return bool(slope + two_sided_z(confidence) * error < 0.0)


def _longest_run(cells: ProbabilityCells, sign: float) -> NDArray[np.intp]:
    """Return the neighboring cells whose residuals have the largest sum of a sign."""
    sums = np.append(0.0, np.cumsum(sign * cells.residual))
    end = int(np.argmax(sums - np.minimum.accumulate(sums)))
    begin = int(np.argmin(sums[: end + 1]))
    return np.arange(begin, end)


def _densest(cells: ProbabilityCells, run: NDArray[np.intp], least_part: float) -> NDArray[np.intp]:
    """Return the part of a run of cells whose residuals are the least likely by chance.

    Shorter parts are more numerous, which the penalty of multiscale tests accounts for (Dümbgen & Spokoiny 2001).
    """
    sums, variances = (np.append(0.0, np.cumsum(of[run])) for of in (cells.residual, cells.variance))
    begin, end = np.triu_indices(len(run) + 1, k=1)
    total, variance = np.abs(sums[end] - sums[begin]), variances[end] - variances[begin]
    is_large = variance >= least_part * variances[-1]
    total, variance, begin, end = total[is_large], variance[is_large], begin[is_large], end[is_large]
    if not len(variance) or not variances[-1]:
        return run
    penalty = np.sqrt(2.0 * np.log(np.e * variances[-1] / np.minimum(variance, variances[-1])))
    best = int(np.argmax(total / np.sqrt(variance) - penalty))
    return np.asarray(run[begin[best] : end[best]])


def _tilted(cells: ProbabilityCells, test: JointTest) -> Pattern | None:
    """Return the pattern of the slope where it explains more than the mean does: errors of opposite signs.

    The rows are split where the line of best fit has no error, and the errors of both sides must be visible.
    """
    intercept, slope = test.values[:2]
    every = np.arange(len(cells.proba))
    pivot = np.average(cells.log_odds, weights=cells.variance)
    sides = [every[cells.log_odds <= pivot], every[cells.log_odds > pivot]]
    if slope < max(test.critical[1], intercept) or not all(cells.variance[side].any() for side in sides):
        return None
    z = [cells.residual[side].sum() / np.sqrt(cells.variance[side].sum()) for side in sides]
    if min(z) > -1.0 or max(z) < 1.0:
        return None
    return Pattern("too extreme" if z[0] > 0.0 else "too timid", tuple(_off_range(cells, side) for side in sides))


def _off_range(cells: ProbabilityCells, run: NDArray[np.intp]) -> OffRange:
    weight = float(cells.weight[run].sum())
    predicted = float(cells.weight[run] @ cells.proba[run]) / weight
    away = float(cells.residual[run].sum()) / weight
    low, high = float(cells.low[run[0]]), float(cells.high[run[-1]])
    how: Literal["too high", "too low"] = "too low" if away > 0.0 else "too high"
    below = float(cells.weight[: run[0]].sum()) / cells.total
    return OffRange(low, high, how, weight / cells.total, below, predicted, predicted + away)


def _kind(off: tuple[OffRange, ...]) -> Literal["too low", "too high", "too extreme", "too timid"]:
    if len({part.how for part in off}) == 1:
        return off[0].how
    return "too extreme" if off[0].how == "too low" else "too timid"
