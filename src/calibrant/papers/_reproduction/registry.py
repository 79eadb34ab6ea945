"""The papers that calibrant reproduces, by name."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from calibrant._params import Choice, check_param

if TYPE_CHECKING:
    from calibrant.papers._reproduction.paper import Paper

__all__ = ["PAPERS", "get_paper"]

# Imported at their first use: each paper imports the learners that it compares.
_CLASSES = {
    "zadrozny-elkan-2001": ("calibrant.papers._zadrozny.paper", "ZadroznyElkan2001"),
    "chawla-cieslak-2006": ("calibrant.papers._chawla.paper", "ChawlaCieslak2006"),
    "caruana-niculescu-mizil-2004": ("calibrant.papers._caruana.paper", "CaruanaNiculescuMizil2004"),
    "nielsen-2004": ("calibrant.papers._nielsen.paper", "Nielsen2004"),
}

PAPERS: tuple[str, ...] = tuple(_CLASSES)


def get_paper(name: str) -> Paper:
    """Return a paper by its name.

    Parameters
    ----------
    name : str
        One of `PAPERS`.

    Returns
    -------
    Paper
        The paper.

    Examples
    --------
    >>> from calibrant.papers import get_paper
    >>> list(get_paper("chawla-cieslak-2006").methods())[:2]
    ['Frequency', 'Laplace']
    """
    check_param("paper", name, Choice(*_CLASSES))
    module, class_name = _CLASSES[name]
    found: type[Paper] = getattr(importlib.import_module(module), class_name)
    return found()
