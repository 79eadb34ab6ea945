"""Displays of predicted probabilities: histograms by class, or row by row."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from textwrap import fill
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from calibrant._docstrings import fill_docstring
from calibrant.curves import ScoreHistogram, SortedScores, score_histogram, sorted_scores
from calibrant.plots._display import Display, probabilities_of
from calibrant.plots._style import (
    COLORS,
    MARKERS,
    MAX_COLUMNS,
    axes_or_new,
    draw_legend,
    format_axes,
    format_ticks,
    line_style,
    panels,
    score_bins,
    thin,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

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
    def _of_models(cls, y_true: Any, models: Mapping[str, Any], rows: dict[str, Any], **options: Any) -> Self:
        fine = [score_histogram(y_true, proba, n_bins=1000, **rows) for proba in models.values()]
        if options.get("n_bins") == "auto":
            del options["n_bins"]
        given = {key: each for key, each in options.items() if each is not None}
        return super()._of_models(y_true, models, rows, **score_bins(fine) | given)

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
        # The highest share to show in each panel: the same, unless they differ widely
        tops = [float(np.max(_class_shares(histogram))) for histogram in self.curves.values()]
        is_shared = max(tops) <= _MAX_RATIO * min(tops)
        tops = [max(tops)] * len(tops) if is_shared else tops
        self.axes_ = panels(ax, len(tops), "model", (3.0, 2.9), (1.0, 0.5), sharey=len(set(tops)) == 1)
        self.ax_, self.figure_ = self.axes_[0], self.axes_[0].figure
        names = ("positive class" if self.pos_label is None else f"positive class: {self.pos_label}", "other rows")
        for number, (panel, (name, histogram)) in enumerate(zip(self.axes_, self.curves.items(), strict=True)):
            edges = np.append(histogram.low, histogram.high[-1])
            positive, others = _class_shares(histogram)
            panel.stairs(positive, edges, fill=True, color=COLORS[0], alpha=0.55, label=names[0])
            panel.stairs(others, edges, color=COLORS[1], linewidth=1.6, hatch="////", label=names[1])
            limits = float(edges[0]), float(edges[-1])
            format_axes(panel, "predicted probability", "share of the class", xlim=limits)
            panel.set_title(fill(name, _MAX_LETTERS), fontsize="medium")
            panel.set_ylim(0, 1.05 * tops[number])
            if number % MAX_COLUMNS if ax is None else number:
                panel.set_ylabel("")
        if ax is None:
            handles, labels = self.ax_.get_legend_handles_labels()
            style = {"fontsize": "small", "edgecolor": "none", "ncols": 2}
            self.legend_ = self.figure_.legend(handles, labels, loc="outside lower center", **style)
        else:
            self.legend_ = draw_legend(self.ax_)
        return self


def _class_shares(histogram: ScoreHistogram) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the share of each class in every bin."""
    n_positive, n_others = (max(part.sum(), 1e-300) for part in (histogram.positive, histogram.negative))
    return histogram.positive / n_positive, histogram.negative / n_others


_MAX_VARIATION = 10.0  # total variation: 10 climbs from 0 to 1; a line that varies more hides those behind it
_MANY_ROWS, _N_STRETCHES = 400, 100  # from so many rows on, lines that vary widely become shaded stretches
_SHADE = 0.2


@fill_docstring()
class SortedScoresDisplay:
    """The probabilities of several methods, row by row, sorted by one of the methods.

    Of 400 rows or more, those of a method that vary widely from row to row are drawn as the median and a shaded 80 % of
    neighbouring rows.

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
        is_shaded = [
            _draw_method(self.ax_, number, name, self.scores.scores[name]) for number, name in enumerate(others)
        ]
        if any(is_shaded):
            label = "shaded: 80 % of neighbouring rows, line: their median"
            self.ax_.fill_between([], [], color="0.4", alpha=_SHADE, linewidth=0, label=label)
        first = self.scores.scores[self.scores.reference]
        x, y = thin(np.arange(len(first), dtype=np.float64), first)
        self.ax_.plot(x, y, color="black", linewidth=2.2, label=self.scores.reference, zorder=4)
        top = max(float(score.max()) for score in self.scores.scores.values())
        end = float(max(len(first) - 1, 1))
        names = f"rows, sorted by {self.scores.reference}", "predicted probability"
        format_axes(self.ax_, *names, xlim=(0.0, end), ylim=(0.0, top or 1.0))
        format_ticks(self.ax_.xaxis)
        self.legend_ = draw_legend(self.ax_, is_new_figure=ax is None)
        return self


def _draw_method(ax: Axes, number: int, name: str, score: NDArray[np.float64]) -> bool:
    """Draw the probabilities of a method, and return whether they are shaded, because they vary widely among many rows.

    Few rows that vary widely are drawn pale and behind the others.
    """
    variation = float(np.abs(np.diff(score)).sum())
    is_calm, color = variation <= _MAX_VARIATION, line_style(number)["color"]
    x = np.arange(len(score), dtype=np.float64)
    is_shaded = not is_calm and len(score) >= _MANY_ROWS
    if is_shaded:
        # The middle, the 10 %, 50 % and 90 % quantile of each of up to 100 stretches of neighbouring rows
        bounds = np.linspace(0, len(score), min(_N_STRETCHES, len(score) // 50) + 1).astype(np.intp)
        x = (bounds[:-1] + bounds[1:] - 1) / 2.0
        lower, score, upper = np.array([np.quantile(score[a:b], [0.1, 0.5, 0.9]) for a, b in pairwise(bounds)]).T
        ax.fill_between(x, lower, upper, color=color, alpha=_SHADE, linewidth=0, zorder=1.5)
    x, score = thin(x, score)
    marker: dict[str, Any] = {
        "marker": MARKERS[number % len(MARKERS)],
        "markevery": max(len(score) // 12, 1),
        "markersize": 4,
    }
    is_plain = is_calm or is_shaded
    line: dict[str, Any] = {"color": color, "linewidth": 1.2 if is_plain else 0.5, "alpha": 1.0 if is_plain else 0.4}
    ax.plot(x, score, label=name, zorder=2.0 + 1.0 / (1.0 + variation), **line, **marker)
    return is_shaded
