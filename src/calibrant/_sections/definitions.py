"""A list of terms and their values."""

from __future__ import annotations

from dataclasses import dataclass

from calibrant._sections.markup import element, text

__all__ = ["Definitions"]


@dataclass(frozen=True)
class Definitions:
    """Terms and their values.

    Parameters
    ----------
    pairs : tuple of pairs of str
        A term and its value.

    Examples
    --------
    >>> Definitions((("rows", "1,000"),)).html()
    '<dl><dt>rows</dt><dd>1,000</dd></dl>'
    """

    pairs: tuple[tuple[str, str], ...]

    def html(self) -> str:
        """Return the list as HTML."""
        return element("dl", *(element("dt", text(term)) + element("dd", text(value)) for term, value in self.pairs))
