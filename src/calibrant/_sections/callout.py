"""An answer or a warning that must not be overlooked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from calibrant._sections.markup import element, text

__all__ = ["KINDS", "Callout"]

# The mark of each kind and the word that a screen reader reads: never colour alone
KINDS = {
    "good": ("✓", "Good"),
    "bad": ("✗", "Problem"),
    "unsure": ("?", "Not certain"),
    "info": ("i", "Note"),
    "warning": ("!", "Warning"),
}


@dataclass(frozen=True)
class Callout:
    """An answer or a warning.

    Parameters
    ----------
    kind : {"good", "bad", "unsure", "info", "warning"}
        What it means for the reader.
    text : str
        The statement, in a sentence.
    detail : str
        What stands behind it.
    model : str
        The model it is about; it is hidden with that model.

    Examples
    --------
    >>> Callout("good", "The probabilities are right.").html().count("Good")
    1
    """

    kind: Literal["good", "bad", "unsure", "info", "warning"]
    text: str
    detail: str = ""
    model: str = ""

    def html(self) -> str:
        """Return the statement as HTML."""
        mark, word = KINDS[self.kind]
        sign = element("span", text(mark), class_="mark", aria_hidden="true")
        spoken = element("span", text(f"{word}: "), class_="spoken")
        detail = element("p", text(self.detail), class_="detail") if self.detail else ""
        body = element("div", element("p", spoken, text(self.text)), detail)
        return element("div", sign, body, class_=f"callout {self.kind}", data_model_name=self.model)
