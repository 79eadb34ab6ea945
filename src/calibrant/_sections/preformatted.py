"""Text whose spaces and line breaks count."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

from calibrant._sections.markup import element, text

__all__ = ["Preformatted"]


@dataclass(frozen=True)
class Preformatted:
    """Text whose spaces and line breaks count, such as a command or a tree.

    Parameters
    ----------
    text : str
        The text.
    caption : str
        What it is.

    Examples
    --------
    >>> Preformatted("a <= 1: yes").html()
    '<pre tabindex="0">a &lt;= 1: yes</pre>'
    """

    text: str
    caption: str = ""

    def html(self) -> str:
        """Return the text as HTML."""
        caption = element("p", text(self.caption), class_="note") if self.caption else ""
        return caption + element("pre", escape(self.text), tabindex=0)
