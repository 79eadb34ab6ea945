"""Displays of the probabilities themselves: by class, and of several methods row by row."""

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
from calibrant.plots._legend import legend
from calibrant.plots._style import COLOURS, MARKS, axes_or_new, look, tidy

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

__all__ = ["ScoreHistogramDisplay", "SortedScoresDisplay"]

_A_ROW = 4  # panels side by side
_LONGEST = 36  # letters of a panel's name in a line
_MOST_UPS_AND_DOWNS = 10.0  # what scores may rise and fall in all and still be drawn in full colour


class ScoreHistogramDisplay(Display):
    """How probabilities are spread among the rows of the positive class and among the others, a panel a model.

    Chawla & Cieslak (2006, Figure 2) show so what smoothing and bagging do to the probabilities of a tree.

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
    _corner = "upper right"

    curves: dict[str, ScoreHistogram]

    def plot(self, ax: Any = None) -> Self:
        """Draw into axes, one for each model, or into a new figure.

        Parameters
        ----------
        ax : matplotlib Axes or sequence of them, optional
            Axes to draw into; by default those of a new figure.

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
        top = max(float(np.max(_shares(each))) for each in self.curves.values())
        names = ("positive" if self.pos_label is None else f"positive: {self.pos_label}", "others")
        for number, (panel, (name, histogram)) in enumerate(zip(self.axes_, self.curves.items(), strict=True)):
            _draw_histogram(panel, histogram, names)
            panel.set_title(fill(name, _LONGEST), fontsize="medium")
            panel.set_ylim(0, 1.05 * top)
            if number % _A_ROW if ax is None else number:
                panel.set_ylabel("")
        if ax is None:
            handles, labels = self.ax_.get_legend_handles_labels()
            look = {"fontsize": "small", "edgecolor": "none", "ncols": 2}
            self.legend_ = self.figure_.legend(handles, labels, loc="outside lower center", **look)
        else:
            self.legend_ = legend(self.ax_, self._corner)
        return self

    def _panels(self, ax: Any) -> list[Axes]:
        if ax is None:
            pyplot = optional_import("matplotlib.pyplot", extra="plots", purpose="draw")
            n_columns = min(len(self.curves), _A_ROW)
            n_rows = -(-len(self.curves) // n_columns)
            size = (1.0 + 3.0 * n_columns, 0.5 + 2.9 * n_rows)
            options = {"figsize": size, "layout": "constrained", "sharey": True, "squeeze": False}
            _, grid = pyplot.subplots(n_rows, n_columns, **options)
            ax, spare = np.split(grid.ravel(), [len(self.curves)])
            for each in spare:
                each.remove()
        panels = list(np.ravel(np.asarray(ax, dtype=object)))
        if len(panels) != len(self.curves):
            raise ParameterError(f"ax must be {len(self.curves)} Axes, one for each model; got {len(panels)}.")
        return panels


def _draw_histogram(ax: Axes, histogram: ScoreHistogram, names: tuple[str, str]) -> None:
    edges = np.append(histogram.low, histogram.high[-1])
    positive, negative = _shares(histogram)
    ax.stairs(positive, edges, fill=True, color=COLOURS[0], alpha=0.55, label=names[0])
    ax.stairs(negative, edges, color=COLOURS[1], linewidth=1.6, hatch="////", label=names[1])
    tidy(ax, "probability", "share of the class")


def _shares(histogram: ScoreHistogram) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the share of each class that every bin holds."""
    n_positive, n_others = (max(part.sum(), 1e-300) for part in (histogram.positive, histogram.negative))
    return histogram.positive / n_positive, histogram.negative / n_others


class SortedScoresDisplay:
    """The probabilities of several methods, row by row, sorted by those of one.

    Zadrozny & Elkan (2001, Figures 1 and 3) show so what smoothing and curtailment do to the probabilities of a tree.

    Parameters
    ----------
    scores : SortedScores
        What `calibrant.curves.sorted_scores` computed.

    Attributes
    ----------
    ax_, figure_
        What was drawn, once `plot` has run.

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

        Returns
        -------
        SortedScoresDisplay
            The display, drawn.

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
        """Let fitted estimators predict, sort what they say and draw it.

        Parameters
        ----------
        estimator : dict of name to classifier
            Fitted, with `predict_proba`.
        X : table of n_rows rows
            What to predict.
        reference : str, optional
            The estimator to sort by; by default the first.
        %(pos_label)s
        %(ax)s

        Returns
        -------
        SortedScoresDisplay
            The display, drawn.

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
        """Draw into axes, or into a new figure.

        Parameters
        ----------
        %(ax)s

        Returns
        -------
        SortedScoresDisplay
            The display itself, with `ax_` and `figure_`.

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
            self.ax_.plot(self.scores.scores[name], label=name, **_line_of_rows(number, self.scores.scores[name]))
        first = self.scores.scores[self.scores.reference]
        self.ax_.plot(first, color="black", linewidth=2.2, label=self.scores.reference, zorder=4)
        top = max(float(score.max()) for score in self.scores.scores.values())
        end = float(max(len(first) - 1, 1))
        names = f"rows, sorted by {self.scores.reference}", "probability"
        tidy(self.ax_, *names, xlim=(0.0, end), ylim=(0.0, top or 1.0))
        self.legend_ = legend(self.ax_, "upper left", may_grow=ax is None)
        return self


def _line_of_rows(number: int, score: NDArray[np.float64]) -> dict[str, Any]:
    """Return how the scores of a method look: pale and behind the others where they go up and down from row to row."""
    ups_and_downs = float(np.abs(np.diff(score)).sum())
    is_calm = ups_and_downs <= _MOST_UPS_AND_DOWNS
    mark = {"marker": MARKS[number % len(MARKS)], "markevery": max(len(score) // 12, 1), "markersize": 4}
    line = {"color": look(number)["color"], "linewidth": 1.2 if is_calm else 0.5, "alpha": 1.0 if is_calm else 0.4}
    return {**line, **mark, "zorder": 2.0 + 1.0 / (1.0 + ups_and_downs)}
