"""Tables by problem: all metrics, the chosen models, and how often a log-loss is infinite."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from calibrant.papers._caruana.candidates import BLEND, PAPER_MAPS
from calibrant.papers._caruana.metrics import METRIC_NAMES
from calibrant.papers._caruana.tables_of_paper import LOSSES
from calibrant.papers._reproduction.table import Cell, PaperTable

if TYPE_CHECKING:
    from calibrant.papers._caruana.selection import Chosen

__all__ = ["make_by_problem", "make_chosen", "make_infinite", "make_raw_by_problem"]


def make_by_problem(chosen: Chosen) -> PaperTable:
    """Return squared error and cross-entropy of each algorithm behind each map, problem by problem."""
    cells = [
        Cell(algorithm, name, chosen.by_problem(algorithm, name, metric)[number], block=f"{problem}, {title.lower()}")
        for number, problem in enumerate(chosen.problems)
        for metric, title in LOSSES.items()
        for algorithm in chosen.algorithms
        for name in (chosen.maps if algorithm != BLEND else ("RAW",))
    ]
    return PaperTable("by_problem", "Squared error and cross-entropy by problem", tuple(cells))


def make_raw_by_problem(chosen: Chosen) -> PaperTable:
    """Return the five metrics before calibration, problem by problem."""
    cells = [
        Cell(algorithm, metric, chosen.by_problem(algorithm, "RAW", metric)[number], block=problem)
        for number, problem in enumerate(chosen.problems)
        for algorithm in chosen.algorithms
        for metric in METRIC_NAMES
    ]
    return PaperTable("raw_by_problem", "Performance prior to calibration by problem", tuple(cells))


def make_chosen(chosen: Chosen) -> PaperTable:
    """Return the models that have the least squared error on the validation rows of the first sample."""
    lines = chosen.lines
    kept = lines[(lines["metric"] == "RMS") & (lines["sample"] == 1) & lines["map"].isin(PAPER_MAPS)]
    cells = [
        Cell(f"{line.algorithm}, {line.map}: {line.setting}", f"{part} RMS", getattr(line, part), block=problem)
        for problem in chosen.problems
        for line in kept[kept["problem"] == problem].itertuples()
        for part in ("validation", "test")
    ]
    return PaperTable("chosen", "The models chosen by squared error on the validation rows, first sample", tuple(cells))


def make_infinite(chosen: Chosen) -> PaperTable:
    """Return the number of test rows whose class has probability 0, of the models chosen by cross-entropy."""
    lines = chosen.lines[chosen.lines["metric"] == "MXE"]
    shares = 1e4 * lines["infinite"] / lines["predicted"]
    means = shares.groupby([lines["algorithm"], lines["map"]]).mean()
    cells = [
        Cell(algorithm, name, float(means.get((algorithm, name), np.nan)))
        for algorithm in chosen.algorithms
        for name in (chosen.maps if algorithm != BLEND else ("RAW",))
    ]
    note = (
        "Each of these rows makes the cross-entropy infinite. Elsewhere probabilities are clipped to "
        "[1/8000, 1 - 1/8000] for it, half a training row: the paper prints finite figures and does not say how."
    )
    title = "Test rows in 10,000 whose actual class has probability 0, of the models chosen by cross-entropy"
    return PaperTable("infinite", title, tuple(cells), note, 2)
