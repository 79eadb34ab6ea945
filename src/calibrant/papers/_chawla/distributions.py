"""Figure 2: where the probabilities of positive rows lie on mammography."""

from __future__ import annotations

import itertools
from typing import Final

import numpy as np
from numpy.typing import NDArray

from calibrant.papers._reproduction.table import Cell, PaperTable
from calibrant.studies import StudyResults

__all__ = ["DRAWN", "distribution_table", "positive_scores"]

DRAWN: Final = ("Frequency", "Laplace", "Bagged", "Bagged-Laplace")  # the first three are the paper's panels

_N_BINS = 10


def distribution_table(results: StudyResults) -> PaperTable:
    """Return the share of the positive test rows in each tenth, and how many are exactly at 0 or 1."""
    cells = [cell for method in results.methods for cell in _cells(method, *positive_scores(results, method))]
    note = "Positive test rows of mammography, all splits together. The last bin includes 1."
    return PaperTable("figure_2", "Figure 2: probabilities of positive rows", tuple(cells), note, decimals=3)


def positive_scores(results: StudyResults, method: str) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return the probability of the positive class, and whether it is the actual one, of every test row."""
    pooled = results.predictions(method)
    positive = list(pooled.classes).index(results.plans[results.datasets[0]].pos_label)
    return pooled.y_pred[:, positive], np.asarray(pooled.y_true == pooled.classes[positive])


def _cells(method: str, scores: NDArray[np.float64], is_positive: NDArray[np.bool_]) -> list[Cell]:
    found = scores[is_positive]
    counts, edges = np.histogram(found, _N_BINS, (0.0, 1.0))
    bins = [f"{low:.1f} to {high:.1f}" for low, high in itertools.pairwise(edges)]
    cells = [Cell(method, column, float(share)) for column, share in zip(bins, counts / len(found), strict=True)]
    ends = {"exactly 0": found == 0.0, "exactly 1": found == 1.0}
    distinct = Cell(method, "distinct values", float(len(np.unique(found))))
    return [*cells, *(Cell(method, column, float(each.mean())) for column, each in ends.items()), distinct]
