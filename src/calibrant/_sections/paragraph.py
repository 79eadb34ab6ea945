"""A paragraph of text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from calibrant._sections.markup import element, text

__all__ = ["Paragraph"]


@dataclass(frozen=True)
class Paragraph:
    """A paragraph of plain text.

    Parameters
    ----------
    text : str
        The text, without markup.
    kind : {"", "lead", "note"}
        Whether it opens a section or remarks on what stands before it.

    Examples
    --------
    >>> Paragraph("1 < 2", "note").html()
    '<p class="note">1 &lt; 2</p>'
    """

    text: str
    kind: Literal["", "lead", "note"] = ""

    def html(self) -> str:
        """Return the paragraph as HTML."""
        return element("p", text(self.text), class_=self.kind)
