"""Figures 2 and 3 in the manner of the paper, and the plane of NCE and AUC that Table 2 sums up."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from calibrant.papers._chawla.holdout import METRICS
from calibrant.papers._chawla.methods import BASELINE, SMOOTHED
from calibrant.papers._chawla.tables import FURTHER, positive_scores
from calibrant.papers._reproduction.paper import Picture, new_panels
from calibrant.papers._reproduction.table import PaperTable
from calibrant.plots import ScoreHistogramDisplay
from calibrant.plots._internal import format_axes, line_style
from calibrant.studies import StudyResults

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_BARS = (*SMOOTHED, *FURTHER)
_N_BINS = 20
_MARKERS = ("o", "s", "^", "D", "v", "P", "X")
_CLASSES = ("normal", "calcification")  # of mammography


def draw_pictures(results: Mapping[str, StudyResults], tables: Mapping[str, PaperTable]) -> list[Picture]:
    """Return Figures 2 and 3, and the plane of NCE and AUC."""
    return [
        Picture(
            "figure_2",
            "As Figure 2: probabilities of the positive class for positive test rows of mammography (filled) and for "
            "others (hatched), all splits. Leaf frequencies and Laplace estimates of one tree, then bags.",
            _draw_distributions(results["distributions"]),
        ),
        Picture(
            "figure_3",
            "As Figure 3: relative differences to the leaf frequencies of an unpruned tree, means over the splits. "
            "Below 0 is better but for AUC. The NCE is clipped at 10^-6: without a clip that of the baseline is "
            "infinite.",
            _draw_differences(tables["figure_3"]),
        ),
        Picture(
            "nce_and_auc",
            "What Table 2 correlates: NCE (base 10, clipped at 10^-6) and AUC of each method on each set, joined by "
            "lines from leaf frequencies to bagged Laplace estimates.",
            _draw_plane(tables["losses"], tables["figure_3"].blocks),
        ),
    ]


def _draw_distributions(results: StudyResults) -> Figure:
    scores = {method: positive_scores(results, method) for method in results.methods}
    truth = np.where(next(iter(scores.values()))[1], _CLASSES[1], _CLASSES[0])
    display = ScoreHistogramDisplay.from_predictions(
        truth,
        {method: proba for method, (proba, _) in scores.items()},
        pos_label=_CLASSES[1],
        n_bins=_N_BINS,
        limits=(0.0, 1.0),
    )
    return cast("Figure", display.figure_)


def _draw_differences(table: PaperTable) -> Figure:
    n_rows = -(-len(table.blocks) // 3)
    figure, grid = new_panels(n_rows, min(len(table.blocks), 3), (13.0, 3.4 * n_rows))
    panels, spare = np.split(grid.ravel(), [len(table.blocks)])
    for ax in spare:
        ax.remove()
    width = 0.8 / len(_BARS)
    for place, (ax, name) in enumerate(zip(panels, table.blocks, strict=True)):
        for number, method in enumerate(_BARS):
            heights = [table.cell(method, metric, name).ours for metric in METRICS]
            places = np.arange(len(METRICS)) + (number - (len(_BARS) - 1) / 2) * width
            ax.bar(places, heights, width, color=line_style(number)["color"], label=method)
        ax.axhline(0.0, color="0.2", linewidth=0.8)
        format_axes(ax, "", "" if place % 3 else "relative difference", xlim=None)
        ax.grid(visible=False, axis="x")
        ax.set_xticks(np.arange(len(METRICS)), [*METRICS])
        ax.set_title(f"({'abcde'[place]}) {name}", fontsize="medium")
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=len(labels), fontsize="small", edgecolor="none")
    return figure


def _draw_plane(table: PaperTable, datasets: tuple[str, ...]) -> Figure:
    figure, ((ax,),) = new_panels(1, 1, (6.4, 4.8))
    methods = (BASELINE, *SMOOTHED)
    for number, name in enumerate(datasets):
        x, y = ([table.cell(each, column, name).ours for each in methods] for column in ("NCE, clipped", "AUC"))
        ax.plot(x, y, color=line_style(number)["color"], linewidth=0.9, alpha=0.5)
        for place, point in enumerate(zip(x, y, strict=True)):
            label = name if place == 0 else None
            ax.plot(*point, _MARKERS[place], color=line_style(number)["color"], markersize=6.5, label=label)
    format_axes(ax, "NCE, clipped", "AUC", xlim=None)
    sets = ax.get_legend_handles_labels()
    shapes = [ax.plot([], [], _MARKERS[place], color="0.3", label=method)[0] for place, method in enumerate(methods)]
    style: dict[str, Any] = {"fontsize": "small", "edgecolor": "none", "ncols": 5, "handlelength": 1.0}
    figure.legend(*sets, loc="outside lower center", **style)
    figure.legend(shapes, methods, loc="outside upper center", **style)
    return figure
