"""Shares of a whole, such as those of classes, with bars."""

from __future__ import annotations

from dataclasses import dataclass

from calibrant._sections.markup import element, text

__all__ = ["Share", "Shares"]

_WIDTH, _HEIGHT = 150, 9  # pixels


@dataclass(frozen=True)
class Share:
    """A part of a whole.

    Parameters
    ----------
    name : str
        What it is.
    share : float
        Its share, from 0 to 1.
    text : str
        Its numbers, as they are shown.
    is_marked : bool
        Whether it stands out.

    Examples
    --------
    >>> Share("yes", 0.25, "10 (25.0%)").share
    0.25
    """

    name: str
    share: float
    text: str
    is_marked: bool = False


@dataclass(frozen=True)
class Shares:
    """Parts of a whole, a bar each.

    Parameters
    ----------
    caption : str
        What the whole is.
    parts : tuple of Share
        The parts.
    note : str
        A remark below them.

    Examples
    --------
    >>> Shares("Classes", (Share("no", 0.75, "30 (75.0%)"), Share("yes", 0.25, "10 (25.0%)"))).html().count("<tr>")
    2
    """

    caption: str
    parts: tuple[Share, ...]
    note: str = ""

    def html(self) -> str:
        """Return the parts as an HTML table, in a container that scrolls where names are long."""
        table = element("table", element("caption", text(self.caption)), element("tbody", *map(_row, self.parts)))
        note = element("p", text(self.note), class_="note") if self.note else ""
        return element("div", table, class_="table", role="region", aria_label=self.caption, tabindex=0) + note


def _row(part: Share) -> str:
    name = element("strong", text(part.name)) if part.is_marked else text(part.name)
    bar = element(
        "svg",
        _rect(_WIDTH, "currentColor", "0.12"),
        _rect(_WIDTH * part.share, *(("#4477aa", "1") if part.is_marked else ("currentColor", "0.45"))),
        width=_WIDTH,
        height=_HEIGHT,
        aria_hidden="true",
    )
    return element(
        "tr",
        element("th", name, scope="row", class_="left"),
        element("td", bar, class_="left"),
        element("td", text(part.text), class_="left"),
    )


def _rect(width: float, fill: str, opacity: str) -> str:
    return element("rect", width=f"{width:.4g}", height=_HEIGHT, rx=2, fill=fill, fill_opacity=opacity)
