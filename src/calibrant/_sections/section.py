"""Sections: a title and blocks."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

from calibrant._sections.blocks import element, text

# Of the plain form in notebooks, whose colours are inherited; a report has a style sheet of its own
_STYLE = """\
.calibrant{line-height:1.4}
.calibrant section{margin:0 0 1.2em}
.calibrant table{border-collapse:collapse;font-variant-numeric:tabular-nums}
.calibrant caption,.calibrant th,.calibrant td{text-align:left;padding:.15em .8em .15em 0}
.calibrant th.right,.calibrant td.right{text-align:right}
.calibrant thead th{border-bottom:1px solid}
.calibrant tbody th{font-weight:normal}
.calibrant .table{overflow-x:auto}
.calibrant .note,.calibrant caption,.calibrant small{opacity:.75}
.calibrant .callout{display:flex;gap:.6em;margin:.4em 0}
.calibrant .callout p{margin:0}
.calibrant .mark{font-weight:bold}
.calibrant .spoken{position:absolute;left:-999em}
.calibrant dl{display:grid;grid-template-columns:max-content auto;gap:.1em 1em}
.calibrant dd{margin:0}
.calibrant pre{overflow-x:auto}
.calibrant figure{margin:0}
.calibrant .tree{overflow-x:auto;margin:.4em 0}
.calibrant .legend{display:flex;flex-wrap:wrap;gap:.2em 1.2em;margin:.4em 0;padding:0;list-style:none}
"""


class Block(Protocol):
    """A part of a section with a plain HTML form."""

    def html(self) -> str:
        """Return the block as HTML without scripts and style attributes, all text escaped."""


@dataclass(frozen=True, eq=False)
class Section:
    """A section of a report or of a result in a notebook.

    Parameters
    ----------
    name : str
        A short name, unique on its page: letters, digits and hyphens.
    title : str
        Its title, in words that everybody knows.
    blocks : tuple of Block
        What it consists of.
    term : str
        What the field calls its content.
    page : str
        The name of the page it stands on, such as that of a class; "" for the main page.

    Examples
    --------
    >>> from calibrant._sections import Paragraph
    >>> Section("scores", "How good are they?", (Paragraph("Good."),)).html()
    '<section><h3>How good are they?</h3><p>Good.</p></section>'
    """

    name: str
    title: str
    blocks: tuple[Block, ...]
    term: str = ""
    page: str = ""

    def html(self) -> str:
        """Return the section as plain HTML."""
        term = " " + element("small", text(self.term)) if self.term else ""
        return element("section", element("h3", text(self.title), term), *(block.html() for block in self.blocks))


def sections_html(sections: Iterable[Section]) -> str:
    """Return sections as one piece of HTML that needs nothing else, for notebooks.

    Examples
    --------
    >>> sections_html([Section("a", "A", ())]).startswith('<div class="calibrant"><style>')
    True
    """
    style = element("style", _STYLE)
    return element("div", style, *(section.html() for section in sections), class_="calibrant")
