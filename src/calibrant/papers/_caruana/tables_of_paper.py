"""Tables 1, 2 and 4 of Caruana & Niculescu-Mizil (2004), with ours, and what our own maps and blend add."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from calibrant.papers._caruana.candidates import ALGORITHMS, BLEND, PAPER_MAPS
from calibrant.papers._caruana.metrics import METRIC_NAMES
from calibrant.papers._caruana.problems import PROBLEMS, TEST, TRAINING, problem_table
from calibrant.papers._caruana.published import TABLE_2, TABLE_4
from calibrant.papers._reproduction.published import Published
from calibrant.papers._reproduction.table import Cell, PaperTable

if TYPE_CHECKING:
    from calibrant.papers._caruana.problems import Problem, RowNumbers
    from calibrant.papers._caruana.selection import Chosen

__all__ = ["LOSSES", "make_table_1", "make_table_2", "make_table_4"]

LOSSES: Mapping[str, str] = {"RMS": "Squared error", "MXE": "Cross-entropy"}
_ORDER_OF_TABLE_4 = ("BST-DT", "SVM", "BAG-DT", "ANN", "KNN", "BST-STMP", "DT")
_PAPER_DRAWS = {
    "LETTER.P1": "O is 3.77 % of all 20,000 rows: the paper must have drawn others, or rounded down.",
    "LETTER.P2": "A-M is 49.7 % of all 20,000 rows and N-Z 50.3 %: neither is 53 %. Open.",
}


def make_table_1(problems: tuple[str, ...], rows: RowNumbers) -> PaperTable:
    """Return the description of the problems."""
    cells = tuple(cell for name in problems for cell in _problem_cells(PROBLEMS[name], rows))
    note = (
        "ADULT has 14 columns for trees and 104, all numeric, for neighbours, nets and SVMs. MEDIS and SLAC, the other "
        "two problems of the paper, are private. The rows of a sample are drawn at random, without replacement."
    )
    return PaperTable("table_1", "Table 1. The test problems (percentages are of the test rows)", cells, note, 0)


def _problem_cells(problem: Problem, rows: RowNumbers) -> Iterator[Cell]:
    table = problem_table(problem, rows, 1, coded=False)
    coded = problem_table(problem, rows, 1, coded=True)
    assert table.y is not None  # noqa: S101 - every problem has a class column
    assert table.extra is not None  # noqa: S101 - problem_table adds the part of each row
    part = table.extra["part"].to_numpy()
    share = float(table.y[part == TEST].mean())
    n_test = int((part == TEST).sum())
    chance = 100 * math.sqrt(2 * share * (1 - share) / n_test)  # the paper's test rows are a sample too
    numbers = (
        ("#ATTR", table.n_features, str(problem.n_attributes)),
        ("#ATTR coded", coded.n_features, str(problem.n_coded_attributes)),
        ("TRAIN SIZE", int((part == TRAINING).sum()), "4000"),
        ("TEST SIZE", n_test, str(problem.n_test)),
    )
    fewer = "Fewer rows are taken at this size."
    for column, ours, text in numbers:
        yield Cell(problem.name, column, ours, Published(text), error=0.0, why=fewer)
    published, why = Published(problem.percent_positive), _PAPER_DRAWS.get(problem.name, "")
    yield Cell(problem.name, "%POZ", 100 * share, published, error=chance, why=why)


def make_table_2(chosen: Chosen) -> PaperTable:
    """Return the performance before calibration: means over the problems."""
    cells = tuple(
        Cell(algorithm, metric, chosen.mean(algorithm, "RAW", metric), _printed(TABLE_2, algorithm, "RAW", metric))
        for algorithm in chosen.algorithms
        for metric in METRIC_NAMES
    )
    note = (
        f"{_means(chosen)} MXE is in bits. Each model is chosen on the validation rows by the metric of its column, "
        f"among the models of its algorithm ({_counts(chosen)}). The row of {BLEND} is not the paper's."
    )
    return PaperTable("table_2", "Table 2. Performance of learning algorithms prior to calibration", cells, note)


def make_table_4(chosen: Chosen) -> PaperTable:
    """Return squared error and cross-entropy before and after calibration, then those of our own maps."""
    algorithms = [*(each for each in _ORDER_OF_TABLE_4 if each in chosen.algorithms)]
    cells = [
        Cell(row, name, chosen.mean(row, name, metric), _printed(TABLE_4, row, name, metric), block=title)
        for metric, title in LOSSES.items()
        for row, name in _places(chosen, algorithms)
    ]
    ours = [name for name in chosen.maps if name not in PAPER_MAPS]
    cells += [
        Cell(row, name, chosen.mean(row, name, metric), block=f"{title}, our own maps")
        for metric, title in LOSSES.items()
        for row in algorithms
        for name in ours
    ]
    note = (
        f"{_means(chosen)} Squared error is its root, cross-entropy in bits. The maps are fitted to the scores of "
        f"three folds of the training rows, the model to all of them. {BLEND}, calibrant's blend, and the maps of the "
        "last blocks are not the paper's; Auto stands behind fewer models than the others."
    )
    title = "Table 4. Squared error and cross-entropy performance of learning algorithms"
    return PaperTable("table_4", title, tuple(cells), note)


def _places(chosen: Chosen, algorithms: list[str]) -> Iterator[tuple[str, str]]:
    yield from ((row, name) for row in algorithms for name in PAPER_MAPS)
    if BLEND in chosen.algorithms:
        yield BLEND, "RAW"


def _printed(table: Mapping[tuple[str, str, str], str], *place: str) -> Published | None:
    text = table.get((place[0], place[1], place[2]))
    return None if text is None else Published(text)


def _means(chosen: Chosen) -> str:
    samples = f"{len(chosen.samples)} samples of rows of each of " if len(chosen.samples) > 1 else ""
    return (
        f"Ours are means over {samples}{len(chosen.problems)} problems, the paper's over seven: only orderings and "
        "changes can be compared, not the figures themselves."
    )


def _counts(chosen: Chosen) -> str:
    """Return the number of models of each algorithm."""
    raw = chosen.lines[chosen.lines["map"] == "RAW"]
    counts = raw.groupby("algorithm")["models"].first()
    return ", ".join(f"{name} {counts[name]}" for name in ALGORITHMS if name in counts)
