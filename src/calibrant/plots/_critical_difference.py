"""The critical-difference diagram of Demšar (2006): mean ranks, with bars over methods that are not shown to differ."""

from __future__ import annotations

from textwrap import fill
from typing import TYPE_CHECKING, Any, Literal, Self

from calibrant._docstrings import fill_docstring
from calibrant._params import Choice, check_param
from calibrant.comparison import CriticalDifference, bonferroni_dunn, nemenyi
from calibrant.exceptions import ParameterError
from calibrant.plots._display import results_of
from calibrant.plots._style import COLORS, axes_or_new, text_width

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.text import Text

_LINE, _GAP, _BAR = 0.17, 0.17, 0.16  # heights of a line of a name, between two names, and of a bar, in inches
_SCALE = 4.6  # width of the scale, in inches
_MAX_LETTERS = 34  # in a line of a name: 2.5 inches
_MAX_TICKS = 10  # more numbers of ranks touch each other
_AX = """\
ax : matplotlib Axes, optional
    The axes to draw into; by default those of a new figure, as tall as the methods need."""


@fill_docstring()
class CriticalDifferenceDisplay:
    """Methods by their mean ranks over data sets, the best on the left; methods under one bar are not shown to differ.

    With a control, the bar covers the methods within the critical difference of it.

    Parameters
    ----------
    result : CriticalDifference
        The result of `calibrant.comparison.nemenyi` or `bonferroni_dunn`.

    Attributes
    ----------
    %(drawn)s

    Examples
    --------
    >>> table = [[0.8, 0.7, 0.6], [0.9, 0.8, 0.7], [0.7, 0.72, 0.6], [0.6, 0.55, 0.5]]
    >>> display = CriticalDifferenceDisplay.from_table(table, methods=["forest", "tree", "bayes"])
    >>> [text.get_text() for text in display.ax_.texts]
    ['critical difference 1.66 (95 %)', 'forest  1.25', 'tree  1.75', '3.00  bayes']
    """

    def __init__(self, result: CriticalDifference) -> None:
        if not isinstance(result, CriticalDifference):
            raise ParameterError(
                f"result must be the result of nemenyi or bonferroni_dunn; got {type(result).__name__}."
            )
        self.result = result

    @classmethod
    @fill_docstring()
    def from_table(
        cls, table: Any, *, test: Literal["nemenyi", "bonferroni_dunn"] = "nemenyi", ax: Any = None, **options: Any
    ) -> Self:
        """Test for differences and draw the diagram.

        Parameters
        ----------
        table : frame or array of data sets x methods
            As in `calibrant.comparison.nemenyi`.
        test : {"nemenyi", "bonferroni_dunn"}
            Compare all pairs, or all methods with a ``control``.
        %(ax)s
        **options
            Further arguments of the test: ``better``, ``confidence``, ``control``, ``by``, ``methods``.

        %(returns_drawn)s

        Examples
        --------
        >>> table = [[0.8, 0.7, 0.6], [0.9, 0.8, 0.7], [0.7, 0.72, 0.6], [0.6, 0.55, 0.5]]
        >>> options = {"test": "bonferroni_dunn", "methods": ["forest", "tree", "bayes"], "control": "forest"}
        >>> CriticalDifferenceDisplay.from_table(table, **options).result.groups
        (('forest', 'tree'),)
        """
        check_param("test", test, Choice("nemenyi", "bonferroni_dunn"))
        result = nemenyi(table, **options) if test == "nemenyi" else bonferroni_dunn(table, **options)
        return cls(result).plot(ax)

    @classmethod
    @fill_docstring()
    def from_study(
        cls, study: Any, metric: str, *, reference: str | None = None, ax: Any = None, **options: Any
    ) -> Self:
        """Compare the mean ranks of the methods of a study over its data sets, and draw the diagram.

        Parameters
        ----------
        study : Study or StudyResults
            The study, of three or more methods on two or more data sets.
        metric : str
            A metric of the study.
        reference : str, optional
            Compare all methods with this one, by Bonferroni-Dunn's test; by default all pairs, by Nemenyi's.
        %(ax)s
        **options
            Further arguments of `StudyResults.compare`: ``confidence``, ``better``, ``partial``.

        %(returns_drawn)s

        Examples
        --------
        >>> from calibrant.studies import StudyResults
        >>> values = {f"set {i}": [[0.1 + i / 50], [0.2], [0.4 - i / 50]] for i in range(6)}
        >>> study = StudyResults.from_values(values, methods=["forest", "tree", "bayes"], metric="mse")
        >>> CriticalDifferenceDisplay.from_study(study, "mse").result.groups
        (('forest', 'tree'), ('tree', 'bayes'))
        """
        test = "nemenyi" if reference is None else "bonferroni_dunn"
        return cls(results_of(study, metric).compare(metric, test, reference=reference, **options).ranks).plot(ax)

    @fill_docstring(ax=_AX)
    def plot(self, ax: Any = None) -> Self:
        """Draw the diagram.

        %(plot_sections)s

        Examples
        --------
        >>> from calibrant.comparison import nemenyi
        >>> CriticalDifferenceDisplay(nemenyi([[3, 2, 1], [3, 2, 1], [3, 1, 2]])).plot().ax_.get_xlabel()
        'mean rank (1 is best)'
        """
        bars = [group for group in self.result.groups if len(group) > 1]
        ranks = sorted(self.result.mean_ranks.items(), key=lambda item: item[1])
        n_rows, top = (len(ranks) + 1) // 2, 0.3 + _BAR * len(bars)
        names = [fill(name, _MAX_LETTERS) for name, _ in ranks]
        height = _GAP + _LINE * max(name.count("\n") + 1 for name in names)
        self.ax_: Axes = axes_or_new(ax, (7.0, 1.2 + top + height * n_rows))
        self.figure_ = self.ax_.figure
        _draw_scale(self.ax_, len(ranks), top + height * n_rows)
        self._draw_difference(self.ax_)
        drawn = _draw_names(self.ax_, names, ranks, top, height, self.result.control)
        if ax is None:
            widths = [text_width(side) for side in drawn]
            self.figure_.set_figwidth(_SCALE + sum(widths) + 0.4)  # type: ignore[union-attr]
        for number, group in enumerate(bars):
            ends = [self.result.mean_ranks[name] for name in (group[0], group[-1])]
            self.ax_.plot(
                [ends[0] - 0.02, ends[1] + 0.02],
                [0.2 + _BAR * number] * 2,
                color="0.1",
                linewidth=3.5,
                solid_capstyle="butt",
            )
        return self

    def _draw_difference(self, ax: Axes) -> None:
        """Draw the length of the critical difference above the scale."""
        start, length, height = 1.0, self.result.critical_difference, -0.42
        style: dict[str, Any] = {"color": COLORS[1], "linewidth": 1.8, "clip_on": False}
        ax.plot([start, start + length], [height, height], **style)
        for end in (start, start + length):
            ax.plot([end, end], [height - 0.05, height + 0.05], **style)
        label = f"critical difference {length:.2f} ({100 * self.result.confidence:g} %)"
        ax.text(start + length / 2, height - 0.09, label, ha="center", va="bottom", fontsize="small")


def _draw_scale(ax: Axes, n_methods: int, depth: float) -> None:
    """Draw the scale of ranks at height 0; the vertical axis points down, in inches."""
    margin = 0.05 * (n_methods - 1)
    ax.set_xlim(1 - margin, n_methods + margin)
    ax.set_ylim(depth + 0.05, -0.8)
    ax.spines[["left", "right", "bottom"]].set_visible(False)
    ax.spines["top"].set_position(("data", 0.0))
    ax.spines["top"].set_bounds(1, n_methods)
    ax.xaxis.set_ticks_position("top")
    ax.set_xticks(range(1, n_methods + 1, -(-n_methods // _MAX_TICKS)))
    ax.set_yticks([])
    ax.set_xlabel("mean rank (1 is best)")


def _draw_names(
    ax: Axes, names: list[str], ranks: list[tuple[str, float]], top: float, height: float, control: str
) -> tuple[list[Text], list[Text]]:
    """Draw the names of the better half of the methods on the left, the others on the right, and return both."""
    low, high = ax.get_xlim()
    gap, n_rows = 0.012 * (high - low), (len(ranks) + 1) // 2
    drawn: tuple[list[Text], list[Text]] = ([], [])
    for number, (wrapped, (name, rank)) in enumerate(zip(names, ranks, strict=True)):
        is_left = number < n_rows
        row = number if is_left else len(ranks) - 1 - number
        middle, edge = top + height * (row + 0.5), low if is_left else high
        color = COLORS[0] if name == control else "0.25"
        ax.plot([rank, rank, edge], [0.0, middle, middle], color=color, linewidth=1.0)
        # Further lines begin about where the first one does, after the rank
        indented = wrapped.replace("\n", "\n" + 9 * " ")
        label = f"{wrapped}  {rank:.2f}" if is_left else f"{rank:.2f}  {indented}"
        style: dict[str, Any] = {"ha": "right" if is_left else "left", "va": "center", "color": color}
        text = ax.text(edge - gap if is_left else edge + gap, middle, label, **style, multialignment=style["ha"])
        drawn[0 if is_left else 1].append(text)
    return drawn
