"""The tables of Zadrozny & Elkan (2001), with ours beside the published figures."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from calibrant.papers._reproduction.table import Cell, PaperTable
from calibrant.papers._zadrozny.causes import cause
from calibrant.papers._zadrozny.coil import ALL_COLUMNS
from calibrant.papers._zadrozny.comparisons import compare_methods, compare_rankings
from calibrant.papers._zadrozny.gifts import gift_tables
from calibrant.papers._zadrozny.measured import PARTS, JudgedData, Measured, Part
from calibrant.papers._zadrozny.methods import SWEPT, SWEPT_VALUES, sweep_name
from calibrant.papers._zadrozny.published import LOG_LOSS, MSE, MSE_COIL, PROFIT, SCORE_RANGES
from calibrant.papers._zadrozny.studies import FRACTIONS
from calibrant.papers._zadrozny.tree_sizes import tree_sizes

if TYPE_CHECKING:
    from calibrant.papers._zadrozny.published import PrintedTable
    from calibrant.studies import StudyResults

__all__ = ["make_tables"]

_NOT_SWEPT: Final = ("C4.5 without pruning", "Laplace (C4.4)", "All base rate")
_VARIANT_OF: Final = {"Kearns-Mansour, gain ratio": "Kearns-Mansour"}
_EXTRA: Final = (
    "Kearns-Mansour, gain ratio",
    "C4.5 without pruning or penalty",
    "C4.5 with pruning",
    "Smoothing, 10/b",
    "Curtailment, 10/b",
    "Smoothed curtailment, 10/b",
    "Bagged curtailment, 10/b",
)


def make_tables(results: Mapping[str, StudyResults]) -> list[PaperTable]:
    """Return all tables, those of the paper first."""
    mailing = JudgedData(Measured(results["kdd98"]), Measured(results.get("kdd98 splits", results["kdd98"])))
    coil = JudgedData(Measured(results["coil"]), Measured(results["coil splits"]))
    learning = Measured(results["kdd98 learning"]) if "kdd98 learning" in results else None
    studies = [coil.splits, mailing.splits, *([learning] if learning is not None else [])]
    sweeps = [Measured(results[name]) for name in ("coil sweep", "kdd98 sweep")]
    return [
        _mailing_table("table_1", "Table 1: MSE on KDD'98", "mse", MSE, mailing, learning),
        _mailing_table("table_2", "Table 2: log-loss in bits on KDD'98", "log_loss_bits", LOG_LOSS, mailing, learning),
        _profit_table(mailing),
        *gift_tables(mailing.splits, results.get("kdd98 shift")),
        _coil_table(coil),
        _coil_splits_table(coil.splits),
        _coil_variants_table(results["coil variants"]),
        _score_table(mailing),
        *(_lift_table(name, part, studies[1:]) for name, part in (("figure_4", PARTS[0]), ("figure_5", PARTS[1]))),
        _sweep_table(sweeps),
        tree_sizes(studies),
        compare_methods(studies, sweeps),
        compare_rankings(studies),
    ]


def _mailing_table(
    name: str, title: str, metric: str, printed: PrintedTable, mailing: JudgedData, learning: Measured | None
) -> PaperTable:
    cells = _judged(mailing, metric, printed)
    if learning is not None:
        cells += [_unjudged(learning, row, metric, part, printed) for row in (*printed, *_EXTRA) for part in PARTS]
    return PaperTable(name, title, tuple(cells), _mailing_note(mailing), decimals=5)


def _mailing_note(mailing: JudgedData) -> str:
    if mailing.is_one_split:
        return "The official split; figures are judged by the spread of single random splits of the same sizes."
    return (
        "Means over random splits, a third of the rows held out, with 95 % intervals; the case-control sample is "
        "weighted to the base rate. Its figures are judged by the spread of single splits. The learning set has other "
        "attributes than the paper's, so its figures are not judged."
    )


def _profit_table(mailing: JudgedData) -> PaperTable:
    cells = _judged(mailing, "profit", PROFIT)
    note = (
        "Dollars for the people of the paper's sets, 95,412 and 96,367: profit a person times their number. The "
        "expected gift y(x) is a linear regression on donors by last and average gift; the learning set has neither."
    )
    return PaperTable("table_3", "Table 3: profit on KDD'98", tuple(cells), note, decimals=0)


def _coil_table(coil: JudgedData) -> PaperTable:
    note = "The official split, m = v = 170; judged by the spread of single random splits of the same sizes."
    return PaperTable("table_4", "Table 4: MSE on CoIL", tuple(_judged(coil, "mse", MSE_COIL)), note, decimals=5)


def _coil_splits_table(splits: Measured) -> PaperTable:
    rows = (*MSE_COIL, *_EXTRA)
    metrics = {"MSE": "mse", "log-loss (bits)": "log_loss_bits", "lift of the first tenth": "lift at 0.1"}
    cells = [
        splits.mean_cell(row, part, metric, part, label)
        for label, metric in metrics.items()
        for row in rows
        for part in PARTS
    ]
    title = "CoIL over random splits of the official sizes"
    return PaperTable("table_4_splits", title, tuple(cells), "Means with 95 % intervals.", decimals=5)


def _coil_variants_table(results: StudyResults) -> PaperTable:
    cells = []
    for dataset in results.datasets:
        values = {part: results.split_values("mse", dataset, part=part)[:, 0] for part in PARTS}
        for number, row in enumerate(results.methods):
            printed = MSE_COIL[row.partition(",")[0]]
            is_shown = row not in (*MSE_COIL, *_EXTRA) if dataset == ALL_COLUMNS else "min_leaf" not in row
            if is_shown:  # with all columns what Table 4 does not have, with few what it has
                cells += [
                    Cell(row, part, float(values[part][number]), printed[position], dataset)
                    for position, part in enumerate(PARTS)
                ]
    note = (
        "What would explain the differences of Table 4: columns by their information gain in the training rows. A fit "
        "to the paper's figures, not a finding."
    )
    title = "MSE on CoIL, official split: fewer columns, larger leaves and other kinds of naive Bayes"
    return PaperTable("table_4_variants", title, tuple(cells), note, decimals=5)


def _judged(testbed: JudgedData, metric: str, printed: PrintedTable) -> list[Cell]:
    """Return the cells of the paper's rows, judged, and of the variants."""
    cells = []
    for row in (*printed, *_EXTRA):
        figures = printed.get(_VARIANT_OF.get(row, row))
        for position, part in enumerate(PARTS):
            if figures is None:
                block = testbed.ours.dataset
                cells.append(testbed.ours.mean_cell(row, part, metric, part, block))
            else:
                why = cause(testbed.ours.dataset, metric, row, part)
                cells.append(testbed.judged_cell(row, metric, part, figures[position], why))
    return cells


def _unjudged(study: Measured, row: str, metric: str, part: Part, printed: PrintedTable) -> Cell:
    """Return a figure beside the published one, which is of other attributes."""
    cell = study.mean_cell(row, part, metric, part, study.dataset)
    figures = printed.get(_VARIANT_OF.get(row, row))
    published = None if figures is None else figures[PARTS.index(part)]
    return Cell(row, part, cell.ours, published, cell.block, low=cell.low, high=cell.high)


def _score_table(mailing: JudgedData) -> PaperTable:
    cells: list[Cell] = []
    for row, figures in SCORE_RANGES.items():
        for metric, printed in zip(("lowest", "highest"), figures, strict=True):
            cell = mailing.judged_cell(row, metric, "test", printed, cause(mailing.ours.dataset, metric, row, "test"))
            cells.append(Cell(row, metric, cell.ours, printed, cell.block, cell.error, cell.low, cell.high, cell.why))
    for row in ("Smoothed curtailment", "Laplace (C4.4)", "Bagged curtailment", "Naive Bayes", "Binned naive Bayes"):
        cells += [
            mailing.ours.mean_cell(row, metric, metric, "test", mailing.ours.dataset)
            for metric in ("lowest", "highest")
        ]
    return PaperTable("scores", "Figures 1 and 3: lowest and highest score of a test row", tuple(cells))


def _lift_table(name: str, part: Part, studies: list[Measured]) -> PaperTable:
    cells = [
        study.mean_cell(row, f"{fraction:g}", f"lift at {fraction}", part, study.dataset)
        for study in studies
        for row in MSE
        for fraction in FRACTIONS
    ]
    title = f"Figure {name[-1]}: lift on the {part} rows, at fractions of the rows"
    return PaperTable(name, title, tuple(cells), "Means over the splits with 95 % intervals.", decimals=2)


def _sweep_table(sweeps: list[Measured]) -> PaperTable:
    cells: list[Cell] = []
    metrics: dict[str, Any] = {"MSE": "mse", "log-loss (bits)": "log_loss_bits", "profit ($)": "profit"}
    for sweep in sweeps:
        for label, metric in metrics.items():
            if sweep.has(metric):
                block = f"{sweep.dataset}: {label}"
                for value in SWEPT_VALUES:
                    cells += [
                        Cell(str(value), method, sweep.mean(sweep_name(method, value), metric), block=block)
                        for method in SWEPT
                    ]
                cells += [Cell(row, "whatever m and v", sweep.mean(row, metric), block=block) for row in _NOT_SWEPT]
    title = "m and v from 25 to 800 on the test rows, means over the splits"
    return PaperTable("sweep", title, tuple(cells), decimals=5)
