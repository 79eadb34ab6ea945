"""Sizes of the trees of Zadrozny & Elkan (2001): pruned, unpruned and curtailed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, Final

from calibrant.estimates import Curtailment
from calibrant.papers._reproduction.table import Cell, PaperTable
from calibrant.papers._zadrozny.coil import COIL, Coil
from calibrant.papers._zadrozny.kdd98 import THINNED, learning_set, read_mailing, thinned
from calibrant.papers._zadrozny.mailing import Mailing
from calibrant.papers._zadrozny.methods import paper_methods
from calibrant.papers._zadrozny.studies import COIL_SIZE, KDD98_SIZE

if TYPE_CHECKING:
    from calibrant.papers._zadrozny.measured import Measured
    from calibrant.trees import ProbabilityTreeClassifier

__all__ = ["MOST_LEAVES", "MOST_SCORES", "fit_training_rows", "tree_sizes"]

MOST_LEAVES: Final = "C4.5 with pruning, most leaves of ten draws"
MOST_SCORES: Final = "most scores of a pruned tree in any split"

_N_DRAWS: Final = 10
_PRUNED: Final = "C4.5 with pruning"
_TREES: Final = (
    "C4.5 without pruning",
    _PRUNED,
    "C4.5 without pruning or penalty",
    "Kearns-Mansour",
    "Kearns-Mansour, gain ratio",
)


def tree_sizes(studies: Iterable[Measured]) -> PaperTable:
    """Return the number of leaves of trees grown on all training rows, and what pruning leaves in any split."""
    measured = {study.dataset: study for study in studies}
    cells: list[Cell] = []
    for rows, size in _row_sets():
        if rows.name in measured:
            cells += [Cell(name, rows.name, n_leaves) for name, n_leaves in _leaves(rows, size)]
            scores = measured[rows.name].values(_PRUNED, "n_scores", "training")
            cells.append(Cell(MOST_SCORES, rows.name, float(scores.max())))
        if rows.weight is not None:
            cells += _thinned_cells(rows)
    note = "Leaves that no training row reaches, of nominal tests, are counted too. Grown on all training rows."
    return PaperTable("trees", "Number of leaves", tuple(cells), note, decimals=0)


def _row_sets() -> Iterator[tuple[Mailing, float]]:
    coil = Coil.load()
    yield Mailing(COIL, coil.table.X, coil.table.y, split=coil.split), COIL_SIZE  # type: ignore[arg-type]
    mailing = read_mailing()
    yield mailing, KDD98_SIZE
    if mailing.split is None:
        yield learning_set(), KDD98_SIZE


def _thinned_cells(rows: Mailing) -> Iterator[Cell]:
    """Yield the leaves of trees of a sample without weights, and the most that pruning leaves in ten such samples."""
    draws = [thinned(rows, seed) for seed in range(_N_DRAWS)]
    for name, n_leaves in _leaves(draws[0], KDD98_SIZE):
        yield Cell(name, THINNED, n_leaves)
    pruned = paper_methods(KDD98_SIZE)[_PRUNED]
    yield Cell(MOST_LEAVES, THINNED, float(max(fit_training_rows(each, pruned).n_leaves_ for each in draws)))


def _leaves(rows: Mailing, size: float) -> Iterator[tuple[str, float]]:
    methods = paper_methods(size, **rows.tree_params)
    for name in _TREES:
        model = fit_training_rows(rows, methods[name])
        yield name, float(model.n_leaves_)
        if name == _TREES[0]:
            yield "Curtailment", float(model.with_estimate(Curtailment(v=size)).curtailed().n_leaves)


def fit_training_rows(rows: Mailing, model: Any) -> ProbabilityTreeClassifier:
    """Fit a tree to the official training rows, or to all rows."""
    train = rows.training_rows
    weight = None if rows.weight is None else rows.weight[train]
    fitted: ProbabilityTreeClassifier = model.fit(rows.X.iloc[train], rows.y.iloc[train], sample_weight=weight)
    return fitted
