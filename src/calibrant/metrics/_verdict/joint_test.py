"""Several tests of perfect calibration as one, with one error rate (Westfall & Young 1993)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, hstack

from calibrant.metrics._calibration.gap_bound import independent_cells
from calibrant.metrics._calibration.probability_cells import (
    ProbabilityCells,
    SignDraws,
    cells_of,
    draw_class_counts,
    draw_residuals,
    group_rows,
)
from calibrant.metrics._intervals.bootstrap_plan import BootstrapPlan
from calibrant.metrics._validation.predictions import BinaryRows

STATISTICS = (
    "intercept",
    "slope",
    "intercept and slope",
    "Spiegelhalter",
    "ECE",
    "scan of ranges",
    "cumulative residuals",
)
N_DRAWS = 999  # with the rows themselves 1,000, so that a p-value of 0.05 is attained exactly (Davison & Hinkley 1997)
_FAR = 10.0  # keeps the statistic of ranges, which is negative where no residual is large, above 0


@dataclass(frozen=True, eq=False)
class JointTest:
    """The p-values of several tests of perfect calibration, and of all of them together.

    Parameters
    ----------
    pvalue : float
        The probability, under perfect calibration, that any of the tests has so small a p-value; the least possible
        one if a row of probability 0 is positive, or one of probability 1 negative.
    pvalue_of_draws : float
        The same, whatever the rows of probability 0 and 1.
    pvalues : dict of str to float
        The p-value of each test on its own.
    longest_run : float
        The standardized sum of residuals in a row that a fraction `1 - confidence` of calibrated samples exceed.
    values, critical : array of shape (n_statistics,)
        The statistics, named in `STATISTICS`, and the values at which the test rejects.
    """

    pvalue: float
    pvalue_of_draws: float
    pvalues: dict[str, float]
    longest_run: float
    values: NDArray[np.float64]
    critical: NDArray[np.float64]


def joint_tests(
    parts: Sequence[ProbabilityCells], drawn: Sequence[NDArray[np.float64]], confidence: float = 0.95
) -> list[JointTest]:
    """Test several parts, such as the classes, given residuals of the same calibrated samples for each.

    The least p-value of the tests is compared with that of the samples. The test is exact for independent rows, up to
    the grouping into cells.

    The p-value of a part is adjusted for all of them: the fraction of samples in which any test of any part has so
    small a p-value.
    """
    values = [_values(cells, residuals) for cells, residuals in zip(parts, drawn, strict=True)]
    together = np.hstack(values)
    pvalues = _pvalues(together)
    # All tests together reject above the values that this least p-value of calibrated samples stands for.
    level = float(np.quantile(_pvalues(together[1:]).min(axis=1), 1.0 - confidence, method="lower"))
    critical = np.quantile(together[1:], 1.0 - level, axis=0, method="higher")
    least = pvalues.min(axis=1)
    found = []
    for number, (cells, own) in enumerate(zip(parts, values, strict=True)):
        columns = slice(number * len(STATISTICS), (number + 1) * len(STATISTICS))
        alone = pvalues[0, columns]
        chance = float(np.mean(least <= alone.min()))
        found.append(
            JointTest(
                1.0 / len(least) if cells.is_impossible else chance,
                chance,
                dict(zip(STATISTICS, alone.tolist(), strict=True)) if cells.variance.any() else {},
                float(np.quantile(own[1:, -1], confidence, method="higher")),
                own[0],
                critical[columns],
            )
        )
    return found


def _values(cells: ProbabilityCells, drawn: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the statistics of the rows, then those of the samples; all 0 where every probability is 0 or 1."""
    if not cells.variance.any():
        return np.zeros((len(drawn) + 1, len(STATISTICS)))
    possible = np.where(cells.variance > 0.0, cells.residual, 0.0)  # no draw has others: `is_impossible` tests them
    return statistics(cells, np.vstack([possible, drawn]))


def statistics(cells: ProbabilityCells, residual: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the statistics of some samples of residuals, one a column, on scales that do not depend on the rows."""
    scale = np.sqrt(cells.variance.sum())
    intercept = residual.sum(axis=-1) / scale
    away = cells.log_odds - np.average(cells.log_odds, weights=cells.variance)
    slope = _standardized(residual, away, cells.variance)
    spiegelhalter = _standardized(residual, 1.0 - 2.0 * cells.proba, cells.variance)
    bins = np.add.reduceat(residual, cells.bin_starts, axis=-1)
    sums = np.zeros((*residual.shape[:-1], residual.shape[-1] + 1))
    np.cumsum(residual, axis=-1, out=sums[..., 1:])
    longest = sums.max(axis=-1) - sums.min(axis=-1)
    return np.stack(
        [
            np.abs(intercept),
            np.abs(slope),
            intercept**2 + slope**2,
            np.abs(spiegelhalter),
            np.abs(bins).sum(axis=-1) / scale,
            _scan(cells, sums),
            longest / scale,
        ],
        axis=-1,
    )


def _scan(cells: ProbabilityCells, sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the largest standardized residual of the ranges that halve the rows again and again, less a penalty.

    It finds an error of few rows, which sums over all others hide. Narrower ranges are more numerous, which the penalty
    of multiscale tests accounts for (Dümbgen & Spokoiny 2001).
    """
    begin, end = cells.scanned_ranges
    variances = np.append(0.0, np.cumsum(cells.variance))
    variance = variances[end] - variances[begin]
    penalty = np.sqrt(2.0 * np.log(np.e * variances[-1] / variance))
    found = np.abs(sums[..., end] - sums[..., begin]) / np.sqrt(variance) - penalty
    return np.asarray(np.maximum(found.max(axis=-1, initial=-_FAR), -_FAR) + _FAR)


def _standardized(
    residual: NDArray[np.float64], direction: NDArray[np.float64], variance: NDArray[np.float64]
) -> NDArray[np.float64]:
    scale = np.sqrt(variance @ direction**2)
    return np.asarray(residual @ direction / scale if scale > 0.0 else np.zeros(residual.shape[:-1]))


def _pvalues(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return, for each value, the fraction of the values of its column that are at least as large."""
    n = len(values)
    ordered = np.sort(values, axis=0)
    below = [ordered[:, k].searchsorted(values[:, k] * (1.0 - 1e-12), side="left") for k in range(values.shape[1])]
    return np.asarray((n - np.stack(below, axis=1)) / n)


_FEWEST_ROWS = 20  # of a class or of a predicted class: fewer are not judged
_MOST_CELLS, _LEAST_CELLS = 2_000, 50  # of all parts together, and of a part
_MOST_DRAWN, _FEWEST_DRAWS = 10**8, 199  # rows times samples: some 3 seconds for 10 classes


@dataclass(frozen=True, eq=False)
class JudgedPart:
    """Rows with the probability of one class.

    Parameters
    ----------
    name : str
        The class, or the predicted class, in words; "" where there are two classes.
    cells : ProbabilityCells
        The rows.
    share : float
        The fraction of all rows.
    design_effect : float
        The weight that counts as one independent row.
    of_class : int
        The column of the class.
    is_predicted : bool
        Whether the rows are those predicted to be of the class.
    cell : array of shape (n_rows,) or None
        The cell of each row of the predictions; -1 where it is in none.
    """

    name: str
    cells: ProbabilityCells
    share: float = 1.0
    design_effect: float = 1.0
    of_class: int = 0
    is_predicted: bool = False
    cell: NDArray[np.intp] | None = None

    @property
    def independent(self) -> ProbabilityCells:
        """The cells with the number of independent rows that they are worth."""
        return independent_cells(self.cells, self.design_effect)


def judged_parts(plan: BootstrapPlan) -> tuple[list[JudgedPart], list[str]]:
    """Return the parts that are judged, and the names of classes that have too few rows for it."""
    if plan.predictions.n_classes <= 2:
        return [JudgedPart("", cells_of(plan), 1.0, plan.design_effect())], []
    return plan.once("parts", lambda: _class_parts(plan))


def _class_parts(plan: BootstrapPlan) -> tuple[list[JudgedPart], list[str]]:
    predictions, names = plan.predictions, plan.predictions.classes.tolist()
    counted = predictions.weight if plan.weight_kind == "frequency" else np.ones(predictions.n_rows)
    of_class, of_predicted = (
        np.bincount(label, counted, predictions.n_classes)
        for label in (predictions.label, predictions.predicted_class())
    )
    most_cells = max(_MOST_CELLS // (2 * len(names)), _LEAST_CELLS)
    judged = np.flatnonzero(of_class >= _FEWEST_ROWS)
    parts = [_part(plan, f"class {names[which]}", int(which), None, most_cells) for which in judged]
    for which in np.flatnonzero((of_class >= _FEWEST_ROWS) & (of_predicted >= _FEWEST_ROWS)):
        kept = np.flatnonzero(predictions.predicted_class() == which)
        parts.append(_part(plan, f"rows predicted as {names[which]}", int(which), kept, most_cells))
    few = np.flatnonzero(of_class < _FEWEST_ROWS)
    return parts, [f"{names[which]} ({of_class[which]:,.6g})" for which in few]


def _part(plan: BootstrapPlan, name: str, which: int, kept: NDArray[np.intp] | None, most_cells: int) -> JudgedPart:
    predictions, clusters = plan.predictions, plan.clusters()
    rows = predictions.binary_rows(which)
    if kept is not None:
        weight = None if rows.weight is None else rows.weight[kept]
        rows = BinaryRows(rows.proba[kept], rows.positive[kept], weight)
    own = clusters if clusters is None or kept is None else clusters[kept]
    cells, of_row = group_rows(rows, own, most_cells)
    if cells.by_cluster is not None and clusters is not None:  # a line for every cluster, so that parts can be joined
        cells.by_cluster.resize((int(clusters.max()) + 1, len(cells.proba)))
    cell = np.full(predictions.n_rows, -1)
    cell[slice(None) if kept is None else kept] = of_row
    share = cells.total / predictions.total
    return JudgedPart(name, cells, share, plan.design_effect(rows, kept), which, kept is not None, cell)


def draw_parts(plan: BootstrapPlan, parts: list[JudgedPart], rng: np.random.Generator) -> list[NDArray[np.float64]]:
    """Draw residuals of calibrated samples, the same samples for each part."""
    if plan.predictions.n_classes <= 2:
        return [draw_residuals(part.cells, rng, N_DRAWS) for part in parts]
    n_draws = int(min(max(_MOST_DRAWN // plan.predictions.n_rows, _FEWEST_DRAWS), N_DRAWS))
    ends = np.cumsum([len(part.cells.proba) for part in parts])
    if plan.clusters() is not None:
        together = SignDraws(csr_array(hstack([part.cells.by_cluster for part in parts]))).draw(rng, n_draws)
        return np.split(together, ends[:-1], axis=1)
    cells = np.full((plan.predictions.n_classes + 1, plan.predictions.n_rows), ends[-1])
    for part, end in zip(parts, ends, strict=True):
        assert part.cell is not None  # noqa: S101  # parts of more than two classes have one
        line = cells[-1] if part.is_predicted else cells[part.of_class]
        inside = part.cell >= 0
        line[inside] = part.cell[inside] + end - len(part.cells.proba)
    counts = np.split(draw_class_counts(plan.predictions, cells, int(ends[-1]), rng, n_draws), ends[:-1], axis=1)
    return [drawn - part.cells.weight * part.cells.proba for drawn, part in zip(counts, parts, strict=True)]
