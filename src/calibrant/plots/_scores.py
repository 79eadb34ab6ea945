"""Histograms of predicted probabilities, by class."""

from __future__ import annotations

from collections.abc import Mapping
from textwrap import fill
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np

from calibrant._optional import optional_import
from calibrant.curves import ScoreHistogram, score_histogram
from calibrant.exceptions import ParameterError
from calibrant.plots._display import Display, positive_class
from calibrant.plots._legend import draw_legend
from calibrant.plots._limits import n_histogram_bins, score_limits
from calibrant.plots._style import COLORS, format_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

__all__ = ["ScoreHistogramDisplay"]

_MAX_COLUMNS = 4  # panels side by side: 13 inches
_MAX_LETTERS = 36  # in a line of a panel's title: the width of a panel
_MAX_RATIO = 3.0  # panels whose highest bars differ by more have vertical axes of their own


class ScoreHistogramDisplay(Display):
    """Histograms of the probabilities of positive rows and of other rows, with a panel for each model.

    Chawla & Cieslak (2006, Figure 2) show the effect of smoothing and bagging on the probabilities of a tree this way.
    Where nearly all probabilities are below 0.5 or above it, as with a rare class, the bins cover their range only;
    ``limits`` sets another. By default there are as many bins as the square root of the number of rows, from 5 to 20.

    Attributes
    ----------
    axes_ : list of matplotlib Axes
        The panels; `ax_` is the first.

    Examples
    --------
    >>> display = ScoreHistogramDisplay.from_predictions([0, 1, 1, 0], [0.2, 0.9, 0.4, 0.6], n_bins=2)
    >>> [patch.get_data().values for patch in display.ax_.patches]
    [array([0.5, 0.5]), array([0.5, 0.5])]
    >>> rare = ScoreHistogramDisplay.from_predictions([0, 1, 1, 0], [0.02, 0.09, 0.04, 0.06])
    >>> rare.curves["model"].high[-1]
    np.float64(0.1)
    """

    _curve = staticmethod(score_histogram)

    curves: dict[str, ScoreHistogram]

    @classmethod
    def _of_models(
        cls,
        y_true: Any,
        models: Mapping[str, Any],
        rows: dict[str, Any],
        *,
        n_bins: int | Literal["auto"] = "auto",
        limits: tuple[float, float] | None = None,
        **options: Any,
    ) -> Self:
        fine = [score_histogram(y_true, proba, n_bins=1000, **rows) for proba in models.values()]
        if n_bins == "auto":
            n_bins = n_histogram_bins(float((fine[0].positive + fine[0].negative).sum()))
        options |= {"n_bins": n_bins, "limits": score_limits(fine) if limits is None else limits, **rows}
        curves = {key: score_histogram(y_true, proba, **options) for key, proba in models.items()}
        return cls(curves, pos_label=positive_class(y_true, models, **rows))

    def plot(self, ax: Any = None) -> Self:
        """Draw the histograms.

        Parameters
        ----------
        ax : matplotlib Axes or sequence of them, optional
            The axes to draw into, one for each model; by default those of a new figure.

        Returns
        -------
        ScoreHistogramDisplay
            The display itself, with `axes_`, `ax_` and `figure_`.

        Examples
        --------
        >>> from calibrant.curves import score_histogram
        >>> ScoreHistogramDisplay({"tree": score_histogram([0, 1], [0.2, 0.9])}).plot().ax_.get_title()
        'tree'
        """
        self.axes_ = self._panels(ax)
        self.ax_, self.figure_ = self.axes_[0], self.axes_[0].figure
        tops = self._tops()
        names = ("positive class" if self.pos_label is None else f"positive class: {self.pos_label}", "other rows")
        for number, (panel, (name, histogram)) in enumerate(zip(self.axes_, self.curves.items(), strict=True)):
            _draw_histogram(panel, histogram, names)
            panel.set_title(fill(name, _MAX_LETTERS), fontsize="medium")
            panel.set_ylim(0, 1.05 * tops[number])
            if number % _MAX_COLUMNS if ax is None else number:
                panel.set_ylabel("")
        if ax is None:
            handles, labels = self.ax_.get_legend_handles_labels()
            style = {"fontsize": "small", "edgecolor": "none", "ncols": 2}
            self.legend_ = self.figure_.legend(handles, labels, loc="outside lower center", **style)
        else:
            self.legend_ = draw_legend(self.ax_)
        return self

    def _tops(self) -> list[float]:
        """Return the highest share to show in each panel: the same, unless they differ widely."""
        tops = [float(np.max(_class_shares(histogram))) for histogram in self.curves.values()]
        return tops if max(tops) > _MAX_RATIO * min(tops) else [max(tops)] * len(tops)

    def _panels(self, ax: Any) -> list[Axes]:
        if ax is None:
            pyplot = optional_import("matplotlib.pyplot", extra="plots", purpose="draw")
            n_columns = min(len(self.curves), _MAX_COLUMNS)
            n_rows = -(-len(self.curves) // n_columns)
            size = (1.0 + 3.0 * n_columns, 0.5 + 2.9 * n_rows)
            is_shared = len(set(self._tops())) == 1
            options = {"figsize": size, "layout": "constrained", "sharey": is_shared, "squeeze": False}
            _, grid = pyplot.subplots(n_rows, n_columns, **options)
            ax, spare = np.split(grid.ravel(), [len(self.curves)])
            for unused in spare:
                unused.remove()
        panels = list(np.ravel(np.asarray(ax, dtype=object)))
        if len(panels) != len(self.curves):
            raise ParameterError(f"ax must be {len(self.curves)} Axes, one for each model; got {len(panels)}.")
        return panels


def _draw_histogram(ax: Axes, histogram: ScoreHistogram, names: tuple[str, str]) -> None:
    edges = np.append(histogram.low, histogram.high[-1])
    positive, negative = _class_shares(histogram)
    ax.stairs(positive, edges, fill=True, color=COLORS[0], alpha=0.55, label=names[0])
    ax.stairs(negative, edges, color=COLORS[1], linewidth=1.6, hatch="////", label=names[1])
    limits = float(edges[0]), float(edges[-1])
    format_axes(ax, "predicted probability", "share of the class", xlim=limits)


def _class_shares(histogram: ScoreHistogram) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the share of each class in every bin."""
    n_positive, n_others = (max(part.sum(), 1e-300) for part in (histogram.positive, histogram.negative))
    return histogram.positive / n_positive, histogram.negative / n_others
