"""The parts of predictions that a verdict judges: one class of two, or each class and each predicted class of more."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import csr_array, hstack

from calibrant.metrics._calibration.gap_bound import independent_cells
from calibrant.metrics._calibration.perfect_samples import draw_class_counts, draw_residuals, draw_signs
from calibrant.metrics._calibration.probability_cells import ProbabilityCells, cells_of, group_rows
from calibrant.metrics._intervals.design_effect import design_effect
from calibrant.metrics._validation.predictions import BinaryRows
from calibrant.metrics._verdict.joint_test import N_DRAWS, JointTest, joint_tests

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.metrics._intervals.bootstrap_plan import BootstrapPlan

__all__ = ["JudgedPart", "joint_tests_of", "judged_parts"]

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
        return [JudgedPart("", cells_of(plan), 1.0, design_effect(plan))], []
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
    return JudgedPart(name, cells, share, design_effect(plan, rows, kept), which, kept is not None, cell)


def joint_tests_of(
    plan: BootstrapPlan, parts: list[JudgedPart], rng: np.random.Generator, confidence: float
) -> list[JointTest]:
    """Return the joint tests of the parts, against samples of calibrated rows."""
    return joint_tests([part.cells for part in parts], _draw(plan, parts, rng), confidence)


def _draw(plan: BootstrapPlan, parts: list[JudgedPart], rng: np.random.Generator) -> list[NDArray[np.float64]]:
    """Draw residuals of calibrated samples, the same samples for each part."""
    if plan.predictions.n_classes <= 2:
        return [draw_residuals(part.cells, rng, N_DRAWS) for part in parts]
    n_draws = int(min(max(_MOST_DRAWN // plan.predictions.n_rows, _FEWEST_DRAWS), N_DRAWS))
    ends = np.cumsum([len(part.cells.proba) for part in parts])
    if plan.clusters() is not None:
        together = draw_signs(csr_array(hstack([part.cells.by_cluster for part in parts])), rng, n_draws)
        return np.split(together, ends[:-1], axis=1)
    cells = np.full((plan.predictions.n_classes + 1, plan.predictions.n_rows), ends[-1])
    for part, end in zip(parts, ends, strict=True):
        assert part.cell is not None  # noqa: S101  # parts of more than two classes have one
        line = cells[-1] if part.is_predicted else cells[part.of_class]
        inside = part.cell >= 0
        line[inside] = part.cell[inside] + end - len(part.cells.proba)
    counts = np.split(draw_class_counts(plan.predictions, cells, int(ends[-1]), rng, n_draws), ends[:-1], axis=1)
    return [drawn - part.cells.weight * part.cells.proba for drawn, part in zip(counts, parts, strict=True)]
