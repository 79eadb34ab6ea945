"""Differences between methods in the same splits, which the findings rest on."""

from __future__ import annotations

from typing import Final

import numpy as np

from calibrant.comparison import corrected_resampled_t_test
from calibrant.papers._chawla.holdout import CLIPS, METRICS, SplitValues
from calibrant.papers._chawla.methods import BASELINE, SMOOTHED
from calibrant.papers._reproduction.table import Cell, PaperTable

__all__ = ["OTHER_CLIPS", "PVALUE", "SHARE", "comparison_table", "versus"]

PVALUE: Final = "p"
SHARE: Final = "share of the splits below 0"
OTHER_CLIPS: Final = {f"NCE at 10^-{n}": f"nce_clip_{n}" for n in CLIPS if f"nce_clip_{n}" != METRICS["NCE"]}

_PAIRS: Final = (
    *((method, BASELINE) for method in SMOOTHED),
    ("m-estimate", "Laplace"),
    ("Bagged-Laplace", "Bagged"),
    ("Bagged-Laplace", "Laplace"),
    ("Bagged-Laplace", "m-estimate"),
    ("Bagged-Laplace", "Smoothed curtailment"),
    ("Bagged m-estimate", "m-estimate"),
    ("Bagged curtailment", "Curtailment"),
    ("Pruned frequency", BASELINE),
    ("Pruned Laplace", "Laplace"),
)
_AGAINST_BASELINE: Final = tuple(pair for pair in _PAIRS if pair[1] == BASELINE)


def versus(method: str, other: str) -> str:
    """Return the name of the row of a pair.

    Examples
    --------
    >>> versus("Laplace", "Frequency")
    'Laplace less Frequency'
    """
    return f"{method} less {other}"


def comparison_table(splits: SplitValues) -> PaperTable:
    """Return differences with 95 % intervals, p-values and shares of single splits, by metric and data set."""
    blocks = dict.fromkeys(METRICS, _PAIRS) | dict.fromkeys(OTHER_CLIPS, _AGAINST_BASELINE)
    cells = [
        cell
        for metric, pairs in blocks.items()
        for pair in pairs
        for name in splits.datasets
        for cell in _cells(splits, metric, pair, name)
    ]
    note = (
        "Mean differences in the same splits with 95 % intervals, p-values of the corrected resampled t-test "
        "(Nadeau & Bengio 2003), and in how many single splits, such as the paper's, the first method has the lower "
        "figure. NCE in base 10, clipped at 10^-6 where no other clip is named."
    )
    return PaperTable("comparisons", "Differences between methods", tuple(cells), note, decimals=5)


def _cells(splits: SplitValues, metric: str, pair: tuple[str, str], dataset: str) -> list[Cell]:
    a, b = (splits.values(dataset, method, OTHER_CLIPS.get(metric, metric)) for method in pair)
    n_train, n_test = splits.sizes(dataset)
    found = corrected_resampled_t_test(a, b, n_train=n_train, n_test=n_test)
    row = versus(*pair)
    return [
        Cell(row, dataset, found.difference, block=metric, low=found.low, high=found.high),
        Cell(row, dataset, found.pvalue, block=f"{metric}: {PVALUE}"),
        Cell(row, dataset, float(np.mean(a < b)), block=f"{metric}: {SHARE}"),
    ]
