"""A picture in the manner of a paper's figure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["Picture"]


@dataclass(frozen=True)
class Picture:
    """A picture in the manner of a paper's figure.

    Parameters
    ----------
    name : str
        The name of its file, such as ``"figure_3"``.
    caption : str
        What it shows.
    figure : matplotlib Figure
        The figure.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from calibrant.papers import Picture
    >>> Picture("figure_3", "Curtailment scores by raw score.", Figure()).name
    'figure_3'
    """

    name: str
    caption: str
    figure: Figure
