"""The figures of Zadrozny & Elkan (2001), drawn from our results."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final

from calibrant.estimates import Curtailment
from calibrant.papers._reproduction.paper import Picture, new_panels
from calibrant.papers._reproduction.table import PaperTable
from calibrant.papers._zadrozny.kdd98 import read_mailing
from calibrant.papers._zadrozny.methods import SWEPT, SWEPT_VALUES
from calibrant.papers._zadrozny.published import MSE
from calibrant.papers._zadrozny.studies import FRACTIONS, KDD98_SIZE
from calibrant.papers._zadrozny.tables import fit_training_rows
from calibrant.plots import SortedScoresDisplay, TreeDisplay
from calibrant.plots._internal import format_axes, line_style
from calibrant.studies import StudyResults
from calibrant.trees import ProbabilityTreeClassifier

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_RAW: Final = "C4.5 without pruning"
_DEPTH: Final = 3  # of the tree drawn, as in the paper's figure
_CONSTANT: Final = ("All base rate", "All zero (C4.5 with pruning)", "All one")


def draw_pictures(results: Mapping[str, StudyResults], tables: Mapping[str, PaperTable]) -> list[Picture]:
    """Return Figures 1 to 5 and the sweep of m and v."""
    scores = results["kdd98 scores"]
    dataset = scores.datasets[0]
    of_rows = f"the test rows of {'the official split' if 'kdd98 splits' in results else 'one split'} of {dataset}"
    return [
        Picture(
            "figure_1",
            f"Figure 1: smoothed scores (m = 200) and raw scores of C4.5 without pruning for {of_rows}, sorted by raw "
            "score. Raw scores range from 0 to 1.",
            _draw_scores(scores, "Smoothing"),
        ),
        Picture("figure_2", *_draw_tree()),
        Picture(
            "figure_3",
            f"Figure 3: curtailment scores (v = 200) and raw scores of C4.5 without pruning for {of_rows}.",
            _draw_scores(scores, "Curtailment"),
        ),
        *(
            Picture(
                name,
                f"Figure {name[-1]}: lift charts for the {part} rows, means over the splits.",
                _draw_blocks(tables[name], 1, _draw_lift, (5.6, 5.4)),
            )
            for name, part in (("figure_4", "training"), ("figure_5", "test"))
        ),
        Picture(
            "sweep",
            "The test error of smoothing, curtailment and both, by m and v; means over the splits. The dashed line is "
            "the base rate for every row, the vertical line b m = 10. Infinite log-losses have no point.",
            _draw_blocks(tables["sweep"], (len(tables["sweep"].blocks) + 1) // 2, _draw_swept, (5.0, 3.8)),
        ),
    ]


def _draw_scores(scores: StudyResults, method: str) -> Figure:
    probabilities = {name: scores.predictions(name).y_pred[:, 1] for name in (_RAW, method)}
    figure, ((axes,),) = new_panels(1, 1, (6.4, 4.4))
    SortedScoresDisplay.from_predictions(probabilities, reference=_RAW, ax=axes)
    axes.set_ylim(-0.005, 0.3)  # few raw scores are above, and up to 1 the others would be flat
    return figure


def _draw_tree() -> tuple[str, Figure]:
    mailing = read_mailing()
    model = ProbabilityTreeClassifier(estimate=Curtailment(v=KDD98_SIZE), **mailing.tree_params)
    display = TreeDisplay.from_estimator(fit_training_rows(mailing, model), max_depth=_DEPTH)
    caption = (
        f"Figure 2: part of the curtailed tree, v = 200, of {mailing.name}. Dotted nodes are in the tree of C4.5 but "
        "have fewer than v people; a grey node is a test for some people and a leaf for others."
    )
    return caption, display.figure_  # type: ignore[return-value]


def _draw_blocks(
    table: PaperTable, n_rows: int, draw: Callable[[Axes, PaperTable, str], None], size: tuple[float, float]
) -> Figure:
    """Draw a panel of this size for each block of a table, with one legend below all of them."""
    n_columns = -(-len(table.blocks) // n_rows)
    figure, grid = new_panels(n_rows, n_columns, (size[0] * n_columns, size[1] * n_rows))
    for axes, block in zip(grid.ravel(), table.blocks, strict=False):
        draw(axes, table, block)
    for axes in grid.ravel()[len(table.blocks) :]:
        axes.set_axis_off()
    handles, labels = grid[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=4, frameon=False)
    return figure


def _draw_lift(axes: Axes, table: PaperTable, block: str) -> None:
    methods = [method for method in MSE if method not in _CONSTANT]
    for number, method in enumerate(methods):
        lifts = [table.cell(method, f"{fraction:g}", block).ours for fraction in FRACTIONS]
        axes.plot([*FRACTIONS, 1.0], [*lifts, 1.0], label=method, **line_style(number))
    axes.axhline(1.0, **line_style(None))
    format_axes(axes, "fraction of the rows", "lift")
    axes.set_title(block, fontsize="medium")


def _draw_swept(axes: Axes, table: PaperTable, block: str) -> None:
    for number, (method, name) in enumerate(SWEPT.items()):
        errors = [table.cell(str(value), method, block).ours for value in SWEPT_VALUES]
        axes.plot(SWEPT_VALUES, errors, marker="o", markersize=4, label=f"{method}, {name}", **line_style(number))
    base_rate = table.cell("All base rate", "whatever m and v", block).ours
    axes.axhline(base_rate, label="All base rate", **line_style(None))
    axes.axvline(10 / 0.0597 if block.startswith("CoIL") else 10 / 0.0508, color="0.88", linewidth=6, zorder=0)
    axes.set_xscale("log")
    axes.set_xticks([25, 50, 100, 200, 400, 800], ["25", "50", "100", "200", "400", "800"])
    axes.set_xticks([], minor=True)
    dataset, _, metric = block.rpartition(": ")
    format_axes(axes, "m or v", metric, xlim=None)
    axes.set_title(dataset, fontsize="medium")
