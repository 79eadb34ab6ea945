"""Figures 1 to 4 of Caruana & Niculescu-Mizil (2004), drawn from our results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant.papers._caruana.algorithms import PAPER_MAPS
from calibrant.papers._caruana.tables_of_paper import BoostedPredictions, read_boosted
from calibrant.papers._reproduction.paper import Picture, new_panels
from calibrant.papers._reproduction.table import PaperTable
from calibrant.plots._internal import line_style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from calibrant.studies import StudyResults

_COLUMN = 2.1  # inches
_N_BARS = 20
_WORDS = {"RAW": "raw", "PLATT": "Platt", "ISOTONIC": "isotonic"}
_COLOR = {name: line_style(number)["color"] for number, name in enumerate(PAPER_MAPS)}


def draw_pictures(results: Mapping[str, StudyResults], tables: Mapping[str, PaperTable]) -> list[Picture]:
    """Return Figures 1 to 4: boosted trees by problem, raw and calibrated, and the squared errors."""
    made, boosted = [], read_boosted(results)
    if boosted:
        of = f"boosted trees ({boosted[0].setting})"
        made = [
            Picture(
                "figure_1",
                f"Figure 1. Histograms of predicted values and reliability diagrams for {of} on the test rows; in the "
                "middle with the sigmoid fitted by Platt's method, below with the steps of isotonic regression.",
                _figure_1(boosted),
            ),
            Picture(
                "figure_2",
                f"Figure 2. Histograms of predicted values and reliability diagrams for {of} calibrated with Platt's "
                "method.",
                _panels(boosted, "PLATT", ["PLATT"], "Predicted probability")[0],
            ),
            Picture(
                "figure_3",
                f"Figure 3. Histograms of predicted values for {of} calibrated with isotonic regression, and, which "
                "the paper leaves out, their reliability diagrams.",
                _panels(boosted, "ISOTONIC", ["ISOTONIC"], "Predicted probability")[0],
            ),
        ]
    caption = (
        "Figure 4. Root of the squared error of the learning algorithms: ours over five problems as bars, the paper's "
        "over seven as diamonds."
    )
    return [*made, Picture("figure_4", caption, _figure_4(tables["table_4"]))]


def _figure_1(boosted: Sequence[BoostedPredictions]) -> Figure:
    maps = {"PLATT": "sigmoid", "ISOTONIC": "isotonic"}
    figure, axes = _panels(boosted, "RAW", ["RAW"] * len(maps), "Predicted value")
    for (name, word), line in zip(maps.items(), axes[1:], strict=True):
        for ax, each in zip(line, boosted, strict=True):
            # The fitted map: what it makes of the raw predictions
            order = np.argsort(each.proba["RAW"], kind="stable")
            raw, mapped = each.proba["RAW"][order], each.proba[name][order]
            ax.plot(raw, mapped, color=_COLOR[name], linewidth=1.4, label=name)
        line[0].legend(loc="upper left", fontsize=7, frameon=False)
        line[0].get_legend().get_texts()[-1].set_text(word)
    return figure


def _panels(
    boosted: Sequence[BoostedPredictions], histogram: str, diagrams: Sequence[str], label: str
) -> tuple[Figure, Any]:
    """Return a figure of a histogram for each problem, with reliability diagrams below it, and its panels."""
    n_rows = 1 + len(diagrams)
    figure, axes = new_panels(n_rows, len(boosted), (_COLUMN * len(boosted) + 0.5, n_rows * _COLUMN + 0.3))
    for column, each in enumerate(boosted):
        _draw_histogram(axes[0, column], each, histogram)
        axes[0, column].set_title(each.problem, fontsize=10)
        axes[-1, column].set_xlabel(label, fontsize=8)
        for row, name in enumerate(diagrams, 1):
            _draw_reliability(axes[row, column], each, name)
            if column:
                axes[row, column].set_yticklabels(())
    for row in range(n_rows):
        axes[row, 0].set_ylabel("Fraction of positives" if row else "Share of rows", fontsize=8)
    return figure, axes


def _draw_histogram(ax: Axes, boosted: BoostedPredictions, name: str) -> None:
    proba = boosted.proba[name]
    weights = np.full(len(proba), 1.0 / len(proba))
    ax.hist(
        proba, bins=_N_BARS, range=(0.0, 1.0), weights=weights, color=_COLOR[name], edgecolor="white", linewidth=0.3
    )
    _format(ax)


def _draw_reliability(ax: Axes, boosted: BoostedPredictions, name: str) -> None:
    figures = np.array([*boosted.bins(name)])
    kept = figures[:, 0] > 0
    ax.plot((0, 1), (0, 1), **line_style(None))
    ax.plot(figures[kept, 1], figures[kept, 2], "o-", color=_COLOR[name], markersize=3.5, linewidth=1.2, label="bins")
    ax.set_ylim(-0.03, 1.03)
    _format(ax)


def _format(ax: Axes) -> None:
    ax.set_xlim(-0.03, 1.03)
    ax.set_xticks((0.0, 0.5, 1.0))
    ax.tick_params(labelsize=7)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)


def _figure_4(table: PaperTable) -> Figure:
    figure, ((ax,),) = new_panels(1, 1, (8.0, 3.6))
    cells = [each for each in table.cells if each.block == "Squared error" and each.published is not None]
    algorithms = [*dict.fromkeys(each.row for each in cells)]
    for number, name in enumerate(PAPER_MAPS):
        shown = [each for each in cells if each.column == name]
        positions = np.array([algorithms.index(each.row) for each in shown]) + 0.27 * (number - 1)
        ax.bar(positions, [each.ours for each in shown], 0.25, color=_COLOR[name], label=f"{_WORDS[name]}, ours")
        printed = [each.published.value for each in shown if each.published is not None]
        ax.plot(positions, printed, "D", color="black", markerfacecolor="white", markersize=4)
    ax.plot([], [], "D", color="black", markerfacecolor="white", markersize=4, label="the paper's")
    ax.set_xticks(range(len(algorithms)), algorithms, fontsize=9)
    ax.set_ylabel("Root of the squared error")
    ax.set_ylim(bottom=0.0)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    ax.legend(ncols=4, fontsize=8, frameon=False, loc="upper center", bbox_to_anchor=(0.5, 1.12))
    return figure
