"""Displays of predicted probabilities: histograms by class, and several methods row by row."""

from __future__ import annotations

from collections.abc import Mapping
from textwrap import fill
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from calibrant._docstrings import fill_docstring
from calibrant._optional import optional_import
from calibrant.curves import ScoreHistogram, SortedScores, score_histogram, sorted_scores
from calibrant.exceptions import ParameterError
from calibrant.plots._display import Display, probabilities_of
from calibrant.plots._legend import draw_legend
from calibrant.plots._style import COLORS, MARKERS, axes_or_new, format_axes, line_style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

__all__ = ["ScoreHistogramDisplay", "SortedScoresDisplay"]

_MAX_COLUMNS = 4  # panels side by side: 13 inches
_MAX_LETTERS = 36  # in a line of a panel's title: the width of a panel
_MAX_VARIATION = 10.0  # total variation: 10 climbs from 0 to 1; a line that varies more hides those behind it


class ScoreHistogramDisplay(Display):
    """Histograms of the probabilities of positive rows and of other rows, with a panel for each model.

    Chawla & Cieslak (2006, Figure 2) show the effect of smoothing and bagging on the probabilities of a tree this way.

    Attributes
    ----------
    axes_ : list of matplotlib Axes
        The panels; `ax_` is the first.

    Examples
    --------
    >>> display = ScoreHistogramDisplay.from_predictions([0, 1, 1, 0], [0.2, 0.9, 0.4, 0.6], n_bins=2)
    >>> [patch.get_data().values for patch in display.ax_.patches]
    [array([0.5, 0.5]), array([0.5, 0.5])]
    """

    _curve = staticmethod(score_histogram)

    curves: dict[str, ScoreHistogram]

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
        top = max(float(np.max(_class_shares(histogram))) for histogram in self.curves.values())
        names = ("positive" if self.pos_label is None else f"positive: {self.pos_label}", "others")
        for number, (panel, (name, histogram)) in enumerate(zip(self.axes_, self.curves.items(), strict=True)):
            _draw_histogram(panel, histogram, names)
            panel.set_title(fill(name, _MAX_LETTERS), fontsize="medium")
            panel.set_ylim(0, 1.05 * top)
            if number % _MAX_COLUMNS if ax is None else number:
                panel.set_ylabel("")
        if ax is None:
            handles, labels = self.ax_.get_legend_handles_labels()
            style = {"fontsize": "small", "edgecolor": "none", "ncols": 2}
            self.legend_ = self.figure_.legend(handles, labels, loc="outside lower center", **style)
        else:
            self.legend_ = draw_legend(self.ax_)
        return self

    def _panels(self, ax: Any) -> list[Axes]:
        if ax is None:
            pyplot = optional_import("matplotlib.pyplot", extra="plots", purpose="draw")
            n_columns = min(len(self.curves), _MAX_COLUMNS)
            n_rows = -(-len(self.curves) // n_columns)
            size = (1.0 + 3.0 * n_columns, 0.5 + 2.9 * n_rows)
            options = {"figsize": size, "layout": "constrained", "sharey": True, "squeeze": False}
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
    format_axes(ax, "predicted probability", "share of the class")


def _class_shares(histogram: ScoreHistogram) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the share of each class in every bin."""
    n_positive, n_others = (max(part.sum(), 1e-300) for part in (histogram.positive, histogram.negative))
    return histogram.positive / n_positive, histogram.negative / n_others


@fill_docstring()
class SortedScoresDisplay:
    """The probabilities of several methods, row by row, sorted by one of the methods.

    Zadrozny & Elkan (2001, Figures 1 and 3) show the effect of smoothing and curtailment on a tree this way.

    Parameters
    ----------
    scores : SortedScores
        The probabilities, sorted by `calibrant.curves.sorted_scores`.

    Attributes
    ----------
    %(drawn)s

    Examples
    --------
    >>> display = SortedScoresDisplay.from_predictions({"raw": [0.0, 1.0, 0.2], "smoothed": [0.04, 0.2, 0.06]})
    >>> display.ax_.lines[-1].get_ydata()
    array([0. , 0.2, 1. ])
    """

    def __init__(self, scores: SortedScores) -> None:
        self.scores = scores

    @classmethod
    @fill_docstring()
    def from_predictions(
        cls, y_proba: Mapping[str, Any], *, reference: str | None = None, ax: Any = None, **options: Any
    ) -> Self:
        """Sort the probabilities and draw them.

        Parameters
        ----------
        y_proba : dict of name to array of shape (n_rows,) or (n_rows, n_classes)
            The probabilities of each method.
        reference : str, optional
            The method to sort by; by default the first.
        %(ax)s
        **options
            ``pos_label`` and ``labels``, as `calibrant.curves.sorted_scores` takes them.

        %(returns_drawn)s

        Examples
        --------
        >>> SortedScoresDisplay.from_predictions({"raw": [0.0, 1.0], "smoothed": [0.04, 0.2]}).scores
        SortedScores: 2 rows by raw; raw 0 to 1, smoothed 0.04 to 0.2
        """
        return cls(sorted_scores(y_proba, reference=reference, **options)).plot(ax)

    @classmethod
    @fill_docstring()
    def from_estimator(
        cls,
        estimator: Mapping[str, Any],
        X: Any,
        *,
        reference: str | None = None,
        pos_label: Any = None,
        ax: Any = None,
    ) -> Self:
        """Predict with fitted estimators, sort the probabilities and draw them.

        Parameters
        ----------
        estimator : dict of name to classifier
            Fitted classifiers with `predict_proba`.
        X : table of n_rows rows
            The rows to predict.
        reference : str, optional
            The estimator to sort by; by default the first.
        %(pos_label)s
        %(ax)s

        %(returns_drawn)s

        Examples
        --------
        >>> from calibrant.trees import ProbabilityTreeClassifier
        >>> tree = ProbabilityTreeClassifier().fit([[1], [2], [3], [4]], ["a", "a", "b", "b"])
        >>> models = {"raw": tree.with_estimate("frequency"), "Laplace": tree}
        >>> SortedScoresDisplay.from_estimator(models, [[1], [4]]).scores
        SortedScores: 2 rows by raw; raw 0 to 1, Laplace 0.25 to 0.75
        """
        proba, labels = probabilities_of(estimator, X)
        return cls.from_predictions(proba, reference=reference, pos_label=pos_label, labels=labels, ax=ax)

    @fill_docstring()
    def plot(self, ax: Any = None) -> Self:
        """Draw the probabilities.

        %(plot_sections)s

        Examples
        --------
        >>> from calibrant.curves import sorted_scores
        >>> SortedScoresDisplay(sorted_scores({"raw": [0.0, 1.0]})).plot().ax_.get_xlabel()
        'rows, sorted by raw'
        """
        self.ax_ = axes_or_new(ax, (6.4, 4.2))
        self.figure_ = self.ax_.figure
        others = [name for name in self.scores.scores if name != self.scores.reference]
        for number, name in enumerate(others):
            self.ax_.plot(self.scores.scores[name], label=name, **_row_line_style(number, self.scores.scores[name]))
        first = self.scores.scores[self.scores.reference]
        self.ax_.plot(first, color="black", linewidth=2.2, label=self.scores.reference, zorder=4)
        top = max(float(score.max()) for score in self.scores.scores.values())
        end = float(max(len(first) - 1, 1))
        names = f"rows, sorted by {self.scores.reference}", "predicted probability"
        format_axes(self.ax_, *names, xlim=(0.0, end), ylim=(0.0, top or 1.0))
        self.legend_ = draw_legend(self.ax_, is_new_figure=ax is None)
        return self


def _row_line_style(number: int, score: NDArray[np.float64]) -> dict[str, Any]:
    """Return the line style of a method: pale and behind the others if its scores vary widely from row to row."""
    variation = float(np.abs(np.diff(score)).sum())
    is_calm = variation <= _MAX_VARIATION
    marker = {"marker": MARKERS[number % len(MARKERS)], "markevery": max(len(score) // 12, 1), "markersize": 4}
    line = {
        "color": line_style(number)["color"],
        "linewidth": 1.2 if is_calm else 0.5,
        "alpha": 1.0 if is_calm else 0.4,
    }
    return {**line, **marker, "zorder": 2.0 + 1.0 / (1.0 + variation)}
