"""Tables 1, 2 and 4 of Caruana & Niculescu-Mizil (2004) with ours, tables by problem, and Figures 1 to 3 as numbers."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from calibrant.papers._caruana.algorithms import ALGORITHMS, BLEND, PAPER_MAPS, SEPARATOR
from calibrant.papers._caruana.metrics import METRIC_NAMES
from calibrant.papers._caruana.problems import PROBLEMS, RowNumbers, problem_table
from calibrant.papers._caruana.published import TABLE_2, TABLE_4
from calibrant.papers._caruana.scales import SCALES
from calibrant.papers._caruana.selection import Chosen, choose_models, make_default_grid, read_trials
from calibrant.papers._caruana.studies import CHOICE, FIGURES
from calibrant.papers._caruana.tables_of_changes import make_changes, make_comparisons, make_orderings
from calibrant.papers._reproduction.paper import Size
from calibrant.papers._reproduction.table import Cell, PaperTable, Published
from calibrant.studies import StudyResults

LOSSES: Mapping[str, str] = {"RMS": "Squared error", "MXE": "Cross-entropy"}
_ORDER_OF_TABLE_4 = ("BST-DT", "SVM", "BAG-DT", "ANN", "KNN", "BST-STMP", "DT")
_PAPER_DRAWS = {
    "LETTER.P1": "O is 3.77 % of all 20,000 rows: the paper must have drawn others, or rounded down.",
    "LETTER.P2": "A-M is 49.7 % of all 20,000 rows and N-Z 50.3 %: neither is 53 %. Open.",
}


def make_table_1(problems: tuple[str, ...], rows: RowNumbers) -> PaperTable:
    """Return the description of the problems."""
    cells = []
    for problem in map(PROBLEMS.__getitem__, problems):
        table, coded = (problem_table(problem, rows, 1, coded=each) for each in (False, True))
        assert table.y is not None  # noqa: S101 - every problem has a class column
        n_training, _, n_test = rows.of(problem)
        share = float(table.y[-n_test:].mean())
        chance = 100 * math.sqrt(2 * share * (1 - share) / n_test)  # the paper's test rows are a sample too
        numbers = (
            ("#ATTR", table.n_features, problem.n_attributes),
            ("#ATTR coded", coded.n_features, problem.n_coded_attributes),
            ("TRAIN SIZE", n_training, 4000),
            ("TEST SIZE", n_test, problem.n_test),
        )
        fewer = "Fewer rows are taken at this size."
        cells += [
            Cell(problem.name, column, ours, Published(str(theirs)), error=0.0, why=fewer)
            for column, ours, theirs in numbers
        ]
        published, why = Published(problem.percent_positive), _PAPER_DRAWS.get(problem.name, "")
        cells.append(Cell(problem.name, "%POZ", 100 * share, published, error=chance, why=why))
    note = (
        "ADULT has 14 columns for trees and 104, all numeric, for neighbours, nets and SVMs. MEDIS and SLAC, the other "
        "two problems of the paper, are private. The rows of a sample are drawn at random, without replacement."
    )
    return PaperTable("table_1", "Table 1. The test problems (percentages are of the test rows)", tuple(cells), note, 0)


def make_table_2(chosen: Chosen) -> PaperTable:
    """Return the performance before calibration: means over the problems."""
    cells = tuple(
        Cell(algorithm, metric, chosen.mean(algorithm, "RAW", metric), TABLE_2.get((algorithm, "RAW", metric)))
        for algorithm in chosen.algorithms
        for metric in METRIC_NAMES
    )
    raw = chosen.lines[chosen.lines["map"] == "RAW"]
    counts = raw.groupby("algorithm")["models"].first()
    counted = ", ".join(f"{name} {counts[name]}" for name in ALGORITHMS if name in counts)
    note = (
        f"{_means(chosen)} MXE is in bits. Each model is chosen on the validation rows by the metric of its column, "
        f"among the models of its algorithm ({counted}). The row of {BLEND} is not the paper's."
    )
    return PaperTable("table_2", "Table 2. Performance of learning algorithms prior to calibration", cells, note)


def make_table_4(chosen: Chosen) -> PaperTable:
    """Return squared error and cross-entropy before and after calibration, then those of our own maps."""
    algorithms = [*(each for each in _ORDER_OF_TABLE_4 if each in chosen.algorithms)]
    places = [(row, name) for row in algorithms for name in PAPER_MAPS]
    places += [(BLEND, "RAW")] if BLEND in chosen.algorithms else []
    cells = [
        Cell(row, name, chosen.mean(row, name, metric), TABLE_4.get((row, name, metric)), block=title)
        for metric, title in LOSSES.items()
        for row, name in places
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


def _means(chosen: Chosen) -> str:
    samples = f"{len(chosen.samples)} samples of rows of each of " if len(chosen.samples) > 1 else ""
    return (
        f"Ours are means over {samples}{len(chosen.problems)} problems, the paper's over seven: only orderings and "
        "changes can be compared, not the figures themselves."
    )


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


_N_BINS = 10
BIN_NAMES = tuple(f"{low / _N_BINS:.1f} to {(low + 1) / _N_BINS:.1f}" for low in range(_N_BINS))


@dataclass(frozen=True, eq=False)
class BoostedPredictions:
    """Predictions of boosted trees for the test rows of a problem.

    Parameters
    ----------
    problem, setting : str
        The problem, and the style and number of steps.
    positive : array of bool
        Whether each row is positive.
    proba : dict of map to array
        The probability of each row, raw and behind each map.
    """

    problem: str
    setting: str
    positive: NDArray[np.bool_]
    proba: Mapping[str, NDArray[np.float64]]

    def bins(self, name: str) -> Iterator[tuple[float, float, float]]:
        """Yield share of rows, mean prediction and observed frequency of ten bins; NaN of an empty one."""
        proba = self.proba[name]
        number = np.minimum((proba * _N_BINS).astype(np.intp), _N_BINS - 1)
        for each in range(_N_BINS):
            inside = number == each
            n_inside = int(inside.sum())
            if n_inside:
                yield n_inside / len(proba), float(proba[inside].mean()), float(self.positive[inside].mean())
            else:
                yield 0.0, np.nan, np.nan


def read_boosted(results: Mapping[str, StudyResults]) -> list[BoostedPredictions]:
    """Return the kept predictions, by problem."""
    found = []
    for problem in PROBLEMS:
        if kept := results.get(f"{FIGURES} {problem}"):
            pooled = {tuple(name.split(SEPARATOR)[1:]): kept.predictions(name) for name in kept.methods}
            (setting, _), first = next(iter(pooled.items()))
            positive = np.asarray(first.y_true).astype(bool)
            proba = {name: each.y_pred[:, 1] for (_, name), each in pooled.items()}
            found.append(BoostedPredictions(problem, setting, positive, proba))
    return found


def make_histograms(boosted: list[BoostedPredictions]) -> PaperTable:
    """Return the bins of Figures 1 to 3: share of rows, mean prediction and observed frequency."""
    cells = [
        Cell(row, f"{name} {what}", figure, block=each.problem)
        for each in boosted
        for name in PAPER_MAPS
        for row, figures in zip(BIN_NAMES, each.bins(name), strict=True)
        for what, figure in zip(("share", "mean", "frequency"), figures, strict=True)
    ]
    setting = boosted[0].setting if boosted else ""
    title = f"Figures 1 to 3 as numbers: boosted trees ({setting}) on the test rows"
    return PaperTable("figure_1", title, tuple(cells))


def make_tables(results: Mapping[str, StudyResults], size: Size) -> list[PaperTable]:
    """Return all tables, those of the paper first."""
    chosen = choose_models(read_trials(results))
    made = [
        make_table_1(chosen.problems, SCALES[size].rows),
        make_table_2(chosen),
        make_table_4(chosen),
        make_changes(chosen),
        make_orderings(chosen),
        make_comparisons(chosen),
        make_raw_by_problem(chosen),
        make_by_problem(chosen),
        make_infinite(chosen),
        make_chosen(chosen),
        make_histograms(read_boosted(results)),
    ]
    return [*made, make_default_grid(results[CHOICE])] if CHOICE in results else made
