"""Box plots of the values of splits, a box for each method."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from textwrap import fill
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from calibrant._docstrings import fill_docstring
from calibrant.exceptions import DataError, ParameterError
from calibrant.plots._display import results_of
from calibrant.plots._style import COLORS, MAX_COLUMNS, panels, text_width

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MAX_LETTERS = 34  # in a line of a name or a title
_LINE, _GAP = 0.15, 0.14  # heights of a line of a name and between two boxes, in inches
_PANEL, _HEAD = 2.5, 0.75  # width of a panel, and height of its title and scale, in inches
_LEAST = 1.8  # height of a panel of few methods, in inches
_SHADES = ((1.0, 0.0), (0.55, 1.0), (0.6, 0.0))  # of a colour the share, and what it is mixed with: white, or black
_MOST_POINTS = 30  # splits that are drawn one by one; of more only the box and outliers are
_AX = """\
ax : matplotlib Axes or sequence of them, optional
    The axes to draw into, one for each data set; by default those of a new figure, as large as the names need."""


@fill_docstring()
class BoxDisplay:
    """The values of the splits of each method: median, quartiles, range and, as a white diamond, the mean.

    Whiskers reach to the furthest value within 1.5 interquartile ranges of the box. Up to 30 splits are drawn as
    points, too. Splits share rows, so that boxes which do not overlap do not show that two methods differ: that is what
    `StudyResults.compare` is for.

    Parameters
    ----------
    values : dict of data set to array of shape (n_methods, n_splits)
        The values, NaN where a split has none.
    methods : sequence of str
        The names of the methods.
    label : str
        The label of the scale, such as the metric.

    Attributes
    ----------
    axes_ : list of matplotlib Axes
        The panels, one for each data set; `ax_` is the first.
    figure_ : matplotlib Figure
        The figure.

    Examples
    --------
    >>> display = BoxDisplay({"iris": [[0.1, 0.2, 0.2], [0.3, 0.2, 0.4]]}, ["forest", "tree"], label="mse").plot()
    >>> [label.get_text() for label in display.ax_.get_yticklabels()], display.ax_.get_title()
    (['forest', 'tree'], 'iris')
    """

    def __init__(self, values: Mapping[str, Any], methods: Sequence[str], *, label: str = "") -> None:
        if not values or not methods:
            raise ParameterError("values must be a dict of data set to methods x splits, of at least one; got none.")
        self.values = {name: np.asarray(each, dtype=np.float64) for name, each in values.items()}
        self.methods, self.label = tuple(methods), label
        for name, each in self.values.items():
            if each.ndim != 2 or len(each) != len(self.methods):
                raise DataError(f"values: {name!r} must have shape ({len(methods)}, n_splits); got {each.shape}.")

    @classmethod
    @fill_docstring(ax=_AX)
    def from_study(
        cls, study: Any, metric: str, dataset: str | None = None, *, part: str = "test", ax: Any = None
    ) -> Self:
        """Draw the values of the splits of a study.

        Parameters
        ----------
        study : Study or StudyResults
            The study.
        metric : str
            A metric of the study.
        dataset : str, optional
            A single data set; by default there is a panel for each.
        part : {"test", "training"}
            The rows that the metric is computed on.
        %(ax)s

        Returns
        -------
        BoxDisplay
            The display, drawn.

        Examples
        --------
        >>> from calibrant.studies import StudyResults
        >>> values = {"iris": [[0.1, 0.2, 0.2], [0.3, 0.2, 0.4]], "wine": [[0.1, 0.1, 0.2], [0.2, 0.2, 0.1]]}
        >>> study = StudyResults.from_values(values, methods=["forest", "tree"], metric="mse")
        >>> len(BoxDisplay.from_study(study, "mse").axes_)
        2
        """
        results = results_of(study, metric)
        names = results.chosen_datasets(dataset)
        values = {name: results.split_values(metric, name, part=part) for name in names}
        facts = results.facts(metric)
        label = f"{metric} ({facts.words})" if facts.better else metric
        return cls(values, results.methods, label=label).plot(ax)

    @fill_docstring(ax=_AX)
    def plot(self, ax: Any = None) -> Self:
        """Draw the boxes.

        Parameters
        ----------
        %(ax)s

        Returns
        -------
        BoxDisplay
            The display itself, with `axes_`, `ax_` and `figure_`.

        Examples
        --------
        >>> BoxDisplay({"iris": [[0.1, 0.2, 0.2]]}, ["tree"], label="mse").plot().ax_.get_xlabel()
        'mse'
        """
        names = [fill(name, _MAX_LETTERS) for name in self.methods]
        n_lines, n_columns = max(name.count("\n") + 1 for name in names), min(len(self.values), MAX_COLUMNS)
        height = max(_LEAST, _HEAD + len(self.methods) * (_GAP + _LINE * n_lines))
        self.axes_ = panels(ax, len(self.values), "data set", (_PANEL, height), (0.0, 0.0))
        self.ax_, self.figure_ = self.axes_[0], self.axes_[0].figure
        for number, (panel, (dataset, values)) in enumerate(zip(self.axes_, self.values.items(), strict=True)):
            _draw_boxes(panel, values)
            is_first = ax is not None or number % n_columns == 0
            panel.set_yticks(range(len(names)), names if is_first else [""] * len(names))
            panel.set_title(fill(dataset, _MAX_LETTERS), fontsize="medium")
            is_last = ax is not None or number + n_columns >= len(self.values)
            panel.set_xlabel(self.label if is_last else "")
        if ax is None:
            width = n_columns * (_PANEL if n_columns > 1 else 2 * _PANEL)
            self.figure_.set_figwidth(text_width(self.ax_.get_yticklabels()) + 0.6 + width)  # type: ignore[union-attr]
        return self


def _draw_boxes(ax: Axes, values: NDArray[np.float64]) -> None:
    """Draw the box of each method, the first at the top; methods without a finite value have none."""
    from matplotlib.cbook import boxplot_stats

    for number, row in enumerate(values):
        finite = row[np.isfinite(row)]
        if not len(finite):
            continue
        color, position = _color(number), float(number)
        (figures,) = boxplot_stats(finite)
        if len(finite) <= _MOST_POINTS:
            figures["fliers"] = finite[:0]
        drawn = ax.bxp([figures], [position], **_box_style(ax, color))
        drawn["means"][0].set_zorder(4)
        if len(finite) <= _MOST_POINTS:
            ax.plot(finite, np.full(len(finite), position), "o", color=color, markersize=3, alpha=0.7, zorder=3)
    ax.set_ylim(len(values) - 0.5, -0.5)
    ax.spines[["top", "right"]].set_visible(False)
    ax.grid(axis="x", color="0.92", linewidth=0.8)
    ax.set_axisbelow(True)
    ax.tick_params(axis="y", length=0)
    ax.locator_params(axis="x", nbins=5)


def _color(number: int) -> tuple[float, float, float]:
    """Return the colour of the method of some number: beyond the colours of the style lighter and then darker ones."""
    code = COLORS[number % len(COLORS)]
    share, end = _SHADES[number // len(COLORS) % len(_SHADES)]
    red, green, blue = (share * int(code[i : i + 2], 16) / 255 + (1 - share) * end for i in (1, 3, 5))
    return red, green, blue


def _box_style(ax: Axes, color: tuple[float, float, float]) -> dict[str, Any]:
    line = {"color": color, "linewidth": 1.3}
    has_orientation = "orientation" in inspect.signature(ax.bxp).parameters  # since matplotlib 3.10
    return {
        **({"orientation": "horizontal"} if has_orientation else {"vert": False}),
        "widths": 0.6,
        "patch_artist": True,
        "showmeans": True,
        "manage_ticks": False,
        "boxprops": {"facecolor": (*color, 0.25), "edgecolor": color, "linewidth": 1.3},
        "medianprops": {"color": color, "linewidth": 2.2},
        "whiskerprops": line,
        "capprops": line,
        "meanprops": {"marker": "D", "markersize": 5, "markerfacecolor": "white", "markeredgecolor": color},
        "flierprops": {"marker": "o", "markersize": 3, "markerfacecolor": "none", "markeredgecolor": color},
    }
