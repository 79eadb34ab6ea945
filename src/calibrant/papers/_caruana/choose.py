"""The choice of the default grid on the validation rows of one problem: styles, nets and SVMs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from calibrant.papers._caruana.candidates import PAPER_MAPS, CandidateName
from calibrant.papers._caruana.scales import CHOICE_PROBLEM
from calibrant.papers._reproduction.table import Cell, PaperTable

if TYPE_CHECKING:
    from calibrant.studies import StudyResults

__all__ = ["choose_default_grid", "make_default_grid"]

_N_STYLES = 2
_N_SVMS = 20
_COLUMN = "validation RMS"


def make_default_grid(results: StudyResults) -> PaperTable:
    """Return the least validation error of each style, net and SVM over steps, epochs and maps, and what is chosen."""
    best: dict[tuple[str, str], float] = {}
    for line in results.to_frame()[["method", _COLUMN]].itertuples(index=False):
        candidate = CandidateName.parse(line[0])
        if candidate.map not in PAPER_MAPS:
            continue
        place = candidate.algorithm, _without_steps(candidate)
        best[place] = min(best.get(place, 1.0), float(line[1]))
    cells = tuple(Cell(row, _COLUMN, value, block=block) for (block, row), value in best.items())
    chosen = choose_default_grid(PaperTable("default_grid", "", cells))
    marks = (Cell(row, "chosen", float(row in chosen[block]), block=block) for block, row in best)
    note = (
        f"Root of the mean squared error on the validation rows of {CHOICE_PROBLEM}, the least over raw, Platt and "
        "isotonic, and over steps of boosting (to 256) and epochs (16 and 64). Chosen (1): the two best "
        "styles, for each number of hidden units the best momentum, for each kernel the best C, and for the nine "
        "best kernels the second best."
    )
    title = f"The choice of the default grid on the validation rows of {CHOICE_PROBLEM}"
    return PaperTable("default_grid", title, (*cells, *marks), note)


def _without_steps(candidate: CandidateName) -> str:
    """Return the setting without the number of trees, steps or epochs."""
    return candidate.setting if candidate.algorithm == "SVM" else candidate.setting.rsplit(", ", 1)[0]


def choose_default_grid(table: PaperTable) -> dict[str, tuple[str, ...]]:
    """Return the chosen rows of each block of the table."""
    chosen = {}
    for block in table.blocks:
        cells = [each for each in table.cells if each.block == block and each.column == _COLUMN]
        # Rounded, as machines of several C are often the same one; the sort is stable, so that the least C comes first
        values = dict(sorted(((each.row, round(each.ours, 4)) for each in cells), key=lambda each: each[1]))
        if block == "SVM":
            chosen[block] = _best_svms(values)
        else:
            chosen[block] = tuple(_first_of_each(values)) if block == "ANN" else tuple(values)[:_N_STYLES]
    return chosen


def _kind(row: str) -> str:
    """Return what stands before the comma: the hidden units of a net, the kernel of an SVM."""
    return row.split(", ")[0]


def _first_of_each(rows: Iterable[str]) -> list[str]:
    """Return the best row of each kind.

    Examples
    --------
    >>> _first_of_each(["8 hidden, momentum 0.5", "8 hidden, momentum 0", "2 hidden, momentum 0"])
    ['8 hidden, momentum 0.5', '2 hidden, momentum 0']
    """
    found: dict[str, str] = {}
    for row in rows:
        found.setdefault(_kind(row), row)
    return [*found.values()]


def _best_svms(values: Mapping[str, float]) -> tuple[str, ...]:
    """Return the best C of each kernel, then the second best, with another figure, of the best kernels."""
    first = _first_of_each(values)
    best = {_kind(row): values[row] for row in first}
    second = _first_of_each(row for row in values if values[row] != best[_kind(row)])
    return (*first, *second[: _N_SVMS - len(first)])
