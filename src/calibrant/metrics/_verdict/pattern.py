"""Where probabilities are too high or too low, and the pattern that these ranges form."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from calibrant.metrics._calibration.logistic_line import standard_errors
from calibrant.metrics._calibration.slope_and_intercept import fit_line
from calibrant.metrics._intervals.proportions import two_sided_z
from calibrant.metrics._validation.predictions import BinaryRows

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.metrics._intervals.honest_bands import Band
    from calibrant.metrics._verdict.cells import Cells
    from calibrant.metrics._verdict.joint_test import JointTest

__all__ = ["OffRange", "Pattern", "cell_rows", "find_pattern"]

_LEAST_PART = 0.1  # of the variance of a run: smaller parts hold too few rows to name them


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
    """

    low: float
    high: float
    how: Literal["too high", "too low"]
    share: float
    below: float
    predicted: float
    observed: float


class Pattern(NamedTuple):
    """What is wrong with miscalibrated probabilities, and where.

    `kind` "falls" means that higher probabilities come true less often; `falls` is the range where that is shown.
    """

    kind: Literal["too low", "too high", "too extreme", "too timid", "falls"]
    off: tuple[OffRange, ...] = ()
    falls: tuple[float, float] | None = None


def find_pattern(cells: Cells, test: JointTest, band: Band | None, confidence: float) -> Pattern:
    """Return the pattern of probabilities that are shown to be miscalibrated.

    Ranges are those where the residuals sum to more than those of calibrated rows do in any range; where only the sum
    of all rows or the slope is significant, they are all rows, or those below and above the point where the line
    of best fit has no error.
    """
    falling = falling_range(cells, band)
    if falling is not None or _slope_is_negative(cells, confidence):
        return Pattern("falls", falls=falling)
    if test.pvalue_of_draws > 1.0 - confidence:
        return _certain_and_wrong(cells)
    too_low, too_high = _longest_run(cells, 1.0), _longest_run(cells, -1.0)
    least = test.longest_run * np.sqrt(cells.variance.sum())
    shown = [run for run in (too_low, too_high) if abs(cells.residual[run].sum()) >= least]
    if not shown:
        return _pattern_of_line(cells, test)
    off = tuple(sorted(_off_range(cells, _densest(cells, run)) for run in shown))
    return Pattern(_kind(off), off)


def falling_range(cells: Cells, band: Band | None) -> tuple[float, float] | None:
    """Return the range where the ends of the band cross, so the curve cannot rise; None where they do not."""
    if band is None:
        return None
    lower, upper = band.at(cells.proba)
    crossed = cells.proba[lower > upper]
    return (float(crossed[0]), float(crossed[-1])) if len(crossed) else None


def cell_rows(cells: Cells) -> BinaryRows:
    """Return the cells as weighted rows: the positives of each, and the negatives."""
    positive = np.clip(cells.residual + cells.weight * cells.proba, 0.0, cells.weight)
    weight = np.concatenate([positive, cells.weight - positive])
    rows, is_positive = np.tile(cells.proba, 2), np.repeat([True, False], len(cells.proba))
    kept = weight > 1e-9 * cells.weight.max()  # less is rounding of an empty cell
    return BinaryRows(np.ascontiguousarray(rows[kept]), is_positive[kept], np.ascontiguousarray(weight[kept]))


def _slope_is_negative(cells: Cells, confidence: float) -> bool:
    rows = cell_rows(cells)
    if rows.positive.all() or not rows.positive.any() or len(cells.proba) < 2:
        return False
    slope, error = float(fit_line(rows)[0]), standard_errors(rows)[1]
    return bool(slope + two_sided_z(confidence) * error < 0.0)


def _longest_run(cells: Cells, sign: float) -> NDArray[np.intp]:
    """Return the neighboring cells whose residuals have the largest sum of a sign."""
    sums = np.append(0.0, np.cumsum(sign * cells.residual))
    end = int(np.argmax(sums - np.minimum.accumulate(sums)))
    begin = int(np.argmin(sums[: end + 1]))
    return np.arange(begin, end)


def _densest(cells: Cells, run: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return the part of a run of cells whose residuals are the least likely by chance.

    Shorter parts are more numerous, which the penalty of multiscale tests accounts for (Dümbgen & Spokoiny 2001).
    """
    sums, variances = (np.append(0.0, np.cumsum(of[run])) for of in (cells.residual, cells.variance))
    begin, end = np.triu_indices(len(run) + 1, k=1)
    total, variance = np.abs(sums[end] - sums[begin]), variances[end] - variances[begin]
    is_large = variance >= _LEAST_PART * variances[-1]
    total, variance, begin, end = total[is_large], variance[is_large], begin[is_large], end[is_large]
    if not len(variance) or not variances[-1]:
        return run
    penalty = np.sqrt(2.0 * np.log(np.e * variances[-1] / np.minimum(variance, variances[-1])))
    best = int(np.argmax(total / np.sqrt(variance) - penalty))
    return run[begin[best] : end[best]]


def _certain_and_wrong(cells: Cells) -> Pattern:
    """Return the pattern of probabilities of 0 and 1 that are wrong while the others have no error that is shown."""
    is_wrong = ((cells.high == 0.0) | (cells.low == 1.0)) & (cells.residual != 0.0)
    return Pattern("too extreme", tuple(_off_range(cells, np.array([cell])) for cell in np.flatnonzero(is_wrong)))


def _pattern_of_line(cells: Cells, test: JointTest) -> Pattern:
    """Return the pattern of the more significant of the mean error and the slope."""
    every = np.arange(len(cells.proba))
    if test.pvalues.get("intercept", 0.0) <= test.pvalues.get("slope", 1.0):
        off = _off_range(cells, every)
        return Pattern(off.how, (off,))
    pivot = np.average(cells.log_odds, weights=cells.variance)
    is_below = cells.log_odds <= pivot
    below, above = _off_range(cells, every[is_below]), _off_range(cells, every[~is_below])
    is_extreme = (cells.residual * (cells.log_odds - pivot)).sum() < 0.0
    return Pattern("too extreme" if is_extreme else "too timid", (below, above))


def _off_range(cells: Cells, run: NDArray[np.intp]) -> OffRange:
    weight = float(cells.weight[run].sum())
    predicted = float(cells.weight[run] @ cells.proba[run]) / weight
    away = float(cells.residual[run].sum()) / weight
    low, high = float(cells.low[run[0]]), float(cells.high[run[-1]])
    how: Literal["too high", "too low"] = "too low" if away > 0.0 else "too high"
    below = float(cells.weight[: run[0]].sum()) / cells.total
    return OffRange(low, high, how, weight / cells.total, below, predicted, predicted + away)


def _kind(off: tuple[OffRange, ...]) -> Literal["too low", "too high", "too extreme", "too timid"]:
    if len(off) == 1:
        return off[0].how
    return "too extreme" if off[0].how == "too low" else "too timid"
