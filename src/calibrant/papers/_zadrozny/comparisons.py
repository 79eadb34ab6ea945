"""Figures of the splits of a study, with paired comparisons of methods over them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from itertools import product
from typing import TYPE_CHECKING, Final, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from calibrant.comparison import Comparison, corrected_resampled_t_test
from calibrant.papers._reproduction.table import Cell, PaperTable, Published
from calibrant.papers._zadrozny.methods import SWEPT, sweep_name
from calibrant.papers._zadrozny.published import LOG_LOSS, MSE, PROFIT, PrintedTable

if TYPE_CHECKING:
    from calibrant.studies import StudyResults

Part = Literal["training", "test"]
PARTS: tuple[Part, Part] = ("training", "test")
_PEOPLE: Mapping[Part, float] = {"training": 95_412, "test": 96_367}  # of the paper's sets


@dataclass(frozen=True)
class Measured:
    """The results of one study of one data set."""

    results: StudyResults

    @property
    def dataset(self) -> str:
        """The name of the data set."""
        return self.results.datasets[0]

    def values(self, method: str, metric: str, part: Part = "test") -> NDArray[np.float64]:
        """Return the value of each split; profits are for as many people as the paper's sets have."""
        values = _split_values(self.results, metric, part)[self.results.methods.index(method)]
        return np.asarray(values * (_PEOPLE[part] if metric.startswith("profit") else 1.0))

    def compare(self, a: NDArray[np.float64], b: NDArray[np.float64] | float = 0.0) -> Comparison | None:
        """Compare values of the splits, corrected for the rows that they share; None where one is infinite."""
        other = np.broadcast_to(np.asarray(b, dtype=np.float64), a.shape)
        if len(a) < 2 or not (np.isfinite(a).all() and np.isfinite(other).all()):
            return None
        plan = self.results.plans[self.dataset]
        return corrected_resampled_t_test(a, other, n_train=plan.n_train, n_test=plan.n_test)

    def difference_cell(self, row: str, a: NDArray[np.float64], b: NDArray[np.float64] | float, block: str) -> Cell:
        """Return the difference of values of the splits, with its interval."""
        found = self.compare(a, b)
        if found is None:
            return Cell(row, "difference", math.nan, block=block)
        return Cell(row, "difference", found.difference, block=block, low=found.low, high=found.high)

    def mean_cell(self, row: str, column: str, metric: str, part: Part, block: str = "") -> Cell:
        """Return the mean of a method with its interval."""
        values = self.values(row, metric, part)
        found = self.compare(values)
        low, high = (math.nan, math.nan) if found is None else (found.low, found.high)
        return Cell(row, column, float(values.mean()), block=block, low=low, high=high)


@dataclass(frozen=True)
class JudgedData:
    """A data set on which published figures are judged: where our figures come from, and how far splits spread."""

    ours: Measured
    splits: Measured

    @property
    def is_one_split(self) -> bool:
        """Whether our figures are those of the official split."""
        return self.ours.results is not self.splits.results

    def judged_cell(self, row: str, metric: str, part: Part, printed: Published, why: str) -> Cell:
        """Return our figure beside the published one, with the error by which it is judged.

        The published figure is of one split. Ours is of the same split, or the mean over random ones.
        """
        cell = (self.ours if self.is_one_split else self.splits).mean_cell(row, part, metric, part)
        n_splits = self.splits.results.plans[self.splits.dataset].n_splits
        values, error = self.splits.values(row, metric, part), math.nan
        if len(values) > 1 and np.isfinite(values).all():
            error = (1.0 if self.is_one_split else math.sqrt(1 + 1 / n_splits)) * float(values.std(ddof=1))
        if math.isinf(cell.ours):
            error = 0.0  # an infinite figure is no matter of chance
        return replace(cell, published=printed, block=self.ours.dataset, error=error, why=why)


@cache
def _split_values(results: StudyResults, metric: str, part: Part) -> NDArray[np.float64]:
    return results.split_values(metric, results.datasets[0], part=part)


METRIC_NAMES: Final = {"mse": "MSE", "log_loss_bits": "log-loss (bits)", "profit": "profit ($)"}
PAPERS_OWN: Final = "the paper's own figures"
OVERFITTING: Final = "Bagged Laplace less Laplace (C4.4), test less training"
SLIGHT: Final = "Bagged curtailment less Curtailment with a tenth of the gain of smoothed curtailment"

_RAW, _BEST = "C4.5 without pruning", "Smoothed curtailment"
_PAIRS: Final = (
    ("Smoothing", _RAW),
    ("Curtailment", _RAW),
    (_BEST, _RAW),
    ("Laplace (C4.4)", _RAW),
    ("Laplace (C4.4)", _BEST),
    ("Kearns-Mansour", _RAW),
    ("Kearns-Mansour, gain ratio", _RAW),
    ("Kearns-Mansour", "C4.5 without pruning or penalty"),
    ("C4.5 without pruning or penalty", _RAW),
    ("Naive Bayes", "All base rate"),
    ("Binned naive Bayes", "Naive Bayes"),
    ("Binned naive Bayes", "All base rate"),
    ("Binned naive Bayes", _BEST),
    ("Bagged Laplace", "Laplace (C4.4)"),
    ("Bagged Laplace", _BEST),
    ("Bagged curtailment", "Curtailment"),
    ("Bagged curtailment", _BEST),
    (_BEST, "Curtailment"),
    (_BEST, "Smoothing"),
    (_BEST, "All base rate"),
    ("Curtailment", "All base rate"),
    ("Smoothing", "All base rate"),
    ("Smoothing, 10/b", "Smoothing"),
    ("Curtailment, 10/b", "Curtailment"),
    ("Smoothed curtailment, 10/b", _BEST),
)
_HALFWAY: Final = ("Laplace (C4.4)", "Kearns-Mansour", "Kearns-Mansour, gain ratio")
_SWEPT: Final = ((100, 200), (400, 200), (25, 200), (800, 200))
_RANKED: Final = ("log_loss_bits", "profit", "lift at 0.1", "lift at 0.5")
_LIFTS: Final = tuple(("Naive Bayes", other) for other in (_RAW, "Laplace (C4.4)", "Kearns-Mansour", _BEST))


def pair(a: str, b: str) -> str:
    """Return the row of the difference of two methods."""
    return f"{a} less {b}"


def halfway(method: str) -> str:
    """Return the row that compares a method with half of what smoothed curtailment gains over raw frequencies."""
    return f"{method} less half the gain of smoothed curtailment"


def worse_halfway(method: str) -> str:
    """Return the row that compares a method with raw frequencies that are worse by half that gain."""
    return f"{method} less half the gain lost"


def compare_methods(studies: Iterable[Measured], sweeps: Iterable[Measured]) -> PaperTable:
    """Return the paired differences of all data sets and metrics."""
    cells = [cell for study in studies for cell in _study_cells(study)]
    for sweep, method in product(sweeps, SWEPT):
        block = f"{sweep.dataset}: MSE of the sweep"
        for swept in _SWEPT:
            a, b = (sweep_name(method, value) for value in swept)
            cells.append(sweep.difference_cell(pair(a, b), sweep.values(a, "mse"), sweep.values(b, "mse"), block))
        raw, best = (sweep.values(name, "mse") for name in (_RAW, sweep_name(method, 200)))
        cells.append(sweep.difference_cell(f"{method}, gain at 200", raw, best, block))
    note = (
        "Means over the random splits of the same rows, with 95 % intervals by the corrected resampled t-test (Nadeau "
        "& Bengio 2003). Half the gain of smoothed curtailment: the MSE halfway between C4.5 without pruning and "
        "smoothed curtailment; a method that gains less lies above it."
    )
    return PaperTable("comparisons", "Paired differences on the test rows", tuple(cells), note, decimals=5)


def _study_cells(study: Measured) -> Iterator[Cell]:
    for metric, label in METRIC_NAMES.items():
        if metric in study.results.metrics:
            block = f"{study.dataset}: {label}"
            for a, b in (*_PAIRS, (_BEST, "All one")) if metric == "profit" else _PAIRS:
                cell = study.difference_cell(pair(a, b), study.values(a, metric), study.values(b, metric), block)
                if not math.isnan(cell.ours):  # no differences of infinite log-losses
                    yield cell
    block = f"{study.dataset}: {METRIC_NAMES['mse']}"
    raw, best, bagged, curtailed = (
        study.values(method, "mse") for method in (_RAW, _BEST, "Bagged curtailment", "Curtailment")
    )
    for method in _HALFWAY:
        values = study.values(method, "mse")
        yield study.difference_cell(halfway(method), values, (raw + best) / 2, block)
        yield study.difference_cell(worse_halfway(method), values, raw + (raw - best) / 2, block)
    yield study.difference_cell(SLIGHT, bagged, curtailed - (raw - best) / 10, block)
    names = "Bagged Laplace", "Laplace (C4.4)"
    of_bags, of_tree = (study.values(name, "mse") - study.values(name, "mse", "training") for name in names)
    yield study.difference_cell(OVERFITTING, of_bags, of_tree, block)
    for a, b in _LIFTS:
        one, two = (study.values(each, "lift at 0.1") for each in (a, b))
        yield study.difference_cell(pair(a, b), one, two, f"{study.dataset}: lift of the first tenth")


def compare_rankings(studies: Iterable[Measured]) -> PaperTable:
    """Return the rank correlation of each metric with MSE over the thirteen methods."""
    cells = []
    printed: Mapping[str, PrintedTable] = {"log_loss_bits": LOG_LOSS, "profit": PROFIT}
    for (metric, table), (number, part) in product(printed.items(), enumerate(PARTS)):
        mse, other = (np.array([each[method][number].value for method in MSE]) for each in (MSE, table))
        correlation = _rank_correlation(mse, other if metric != "profit" else -other)
        cells.append(Cell(_ranking_name(metric), part, correlation, block=PAPERS_OWN))
    for study, metric, part in product(studies, _RANKED, PARTS):
        if metric in study.results.metrics:
            mse, other = (np.array([study.values(method, each, part) for method in MSE]) for each in ("mse", metric))
            sign = 1.0 if metric == "log_loss_bits" else -1.0
            splits = np.array([_rank_correlation(a, sign * b) for a, b in zip(mse.T, other.T, strict=True)])
            found = study.compare(splits)
            low, high = (math.nan, math.nan) if found is None else (max(found.low, -1.0), min(found.high, 1.0))
            mean, name = float(splits.mean()), _ranking_name(metric)
            cells.append(Cell(name, part, mean, block=study.dataset, low=low, high=high))
    note = "Spearman's correlation with the ranking by MSE, of each split; means and intervals as above."
    return PaperTable("rankings", "How metrics rank the thirteen methods, compared with MSE", tuple(cells), note, 3)


def _ranking_name(metric: str) -> str:
    return METRIC_NAMES.get(metric, metric).partition(" (")[0]


def _rank_correlation(a: NDArray[np.float64], b: NDArray[np.float64]) -> float:
    """Return Spearman's correlation; infinite values tie."""
    return float(np.corrcoef(rankdata(a.round(9)), rankdata(b.round(9)))[0, 1])
