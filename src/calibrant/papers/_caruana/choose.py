"""The choice of the default grid on the validation rows of one problem: styles, nets and SVMs."""

from __future__ import annotations

from collections.abc import Iterator
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
        "styles, for each number of hidden units the best momentum, for each kernel the best C, and the best others "
        "up to 20 SVMs."
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
        rows = [each.row for each in sorted(cells, key=lambda each: each.ours)]
        if block == "SVM":
            chosen[block] = _best_svms(rows)
        else:
            chosen[block] = tuple(_first_of_each(rows)) if block == "ANN" else tuple(rows[:_N_STYLES])
    return chosen


def _first_of_each(rows: list[str]) -> Iterator[str]:
    """Yield the best row of each kind: what stands before the comma, the hidden units or the kernel."""
    kinds = set()
    for row in rows:
        kind = row.split(", ")[0]
        if kind not in kinds:
            kinds.add(kind)
            yield row


def _best_svms(rows: list[str]) -> tuple[str, ...]:
    first = [*_first_of_each(rows)]
    others = [row for row in rows if row not in first]
    return (*first, *others[: _N_SVMS - len(first)])
