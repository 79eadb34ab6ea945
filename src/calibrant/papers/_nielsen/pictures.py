"""Two summaries of the tables as pictures: wins, ties and losses, and gains by data set."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant._optional import optional_import
from calibrant.papers._nielsen.published_figures import METRIC_TITLES
from calibrant.papers._nielsen.tables import (
    MAIN_PAIRS,
    RECORD_TABLES,
    REMAINING,
    UNPAIRED_PREFIXES,
    pair_name,
    published_gain,
)
from calibrant.papers._reproduction.paper import Picture, new_panels
from calibrant.papers._reproduction.table import PaperTable
from calibrant.plots._internal import format_axes, line_style

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_WIN, _TIE, _LOSS = line_style(0)["color"], "0.88", line_style(1)["color"]
_BARS = ("paper", "ours", "unpaired test", "corrected test")


def draw_pictures(results: object, tables: Mapping[str, PaperTable]) -> list[Picture]:  # noqa: ARG001
    """Return two summaries of the tables; the paper has no figures of its own."""
    return [
        Picture(
            "wins",
            "Numbers of data sets won (blue), tied (grey) and lost (orange) in Tables 3 to 5, by metric: the paper's, "
            "ours by the paired t-test, by the unpaired one, and by the one corrected for trials that share rows.",
            _draw_wins(tables),
        ),
        Picture(
            "differences",
            "Gains by data set, positive where the first is better, with the 90 % interval of the corrected test; open "
            "diamonds are the paper's. B-PETs of the paper are far worse than ours on ionosphere and lymphography.",
            _draw_differences(tables["differences"]),
        ),
    ]


def _draw_wins(tables: Mapping[str, PaperTable]) -> Figure:
    """Draw a panel for each metric, with four bars for each comparison."""
    rows = [(name, row) for name, each in RECORD_TABLES.items() for row in each.pairs]
    heights, labels = [], []
    for place, (name, row) in enumerate(rows):
        heights += [place + 0.2 * number for number in range(len(_BARS))]
        labels += [f"{UNPAIRED_PREFIXES[name]}{row.removesuffix(' (EB-PETs)')}:  {_BARS[0]}", *_BARS[1:]]
    figure, axes = new_panels(1, len(METRIC_TITLES), (11.0, 8.5), sharey=True)
    for ax, metric in zip(axes[0], METRIC_TITLES.values(), strict=True):
        bars = [counts for name, row in rows for counts in _counts(tables, name, row, metric)]
        for height, counts in zip(heights, bars, strict=True):
            for number, color in enumerate((_WIN, _TIE, _LOSS)):
                ax.barh(height, counts[number], 0.17, left=sum(counts[:number]), color=color)
        ax.set_title(metric, fontsize=10)
        format_axes(ax, "data sets", "", xlim=None)
    axes[0, 0].invert_yaxis()  # shared by all panels
    axes[0, 0].set_yticks(heights, labels, fontsize=7)
    patches = optional_import("matplotlib.patches", extra="plots", purpose="draw")
    keys = {"won": _WIN, "tied": _TIE, "lost": _LOSS}
    _add_legend(figure, [patches.Patch(color=color, label=label) for label, color in keys.items()])
    return figure


def _add_legend(figure: Figure, handles: list[Any]) -> None:
    figure.legend(handles=handles, loc="outside upper center", ncols=len(handles), frameon=False, fontsize=9)


def _counts(tables: Mapping[str, PaperTable], name: str, row: str, metric: str) -> list[list[float]]:
    """Return wins, ties and losses of the four bars of a comparison."""
    columns, place = ("wins", "ties", "losses"), f"{UNPAIRED_PREFIXES[name]}{row}"
    cells = [tables[name].cell(row, column, metric) for column in columns]
    paper = [0.0 if each.published is None else each.published.value for each in cells]
    ours = [each.ours for each in cells]
    unpaired = [tables["unpaired"].cell(place, column, metric).ours for column in columns]
    kept, lost = (tables[name].cell(row, column, metric).ours for column in REMAINING)
    return [paper, ours, unpaired, [kept, sum(ours) - kept - lost, lost]]


def _draw_differences(table: PaperTable) -> Figure:
    """Draw a panel for each metric and pair, with a data set in each row."""
    names = table.rows
    metrics = {key: title for key, title in METRIC_TITLES.items() if key != "delta_accuracy"}
    figure, axes = new_panels(len(metrics), len(MAIN_PAIRS), (11.0, 11.5), sharey=True)
    heights = np.arange(len(names))
    for line, (metric, title) in zip(axes, metrics.items(), strict=True):
        for ax, pair in zip(line, MAIN_PAIRS, strict=True):
            cells = [table.cell(name, pair_name(*pair), title) for name in names]
            gains, low, high = (np.array([getattr(each, part) for each in cells]) for part in ("ours", "low", "high"))
            published = [published_gain(metric, name, *pair) for name in names]
            ax.axvline(0.0, color="0.6", linewidth=0.8)
            ax.hlines(heights, low, high, color=_WIN, linewidth=1.6)
            ours = ax.plot(gains, heights, "o", color=_WIN, markersize=4, label="ours, 90 % interval")
            paper = {"markerfacecolor": "none", "color": _LOSS, "markersize": 4, "label": "the paper's"}
            marks = [*ours, *ax.plot(published, heights, "D", **paper)]
            format_axes(ax, f"gain, {title}", "", xlim=None)
            ax.set_title(pair_name(*pair), fontsize=9)
        line[0].set_yticks(heights, names, fontsize=7)
        line[0].invert_yaxis()
    _add_legend(figure, marks)
    return figure
