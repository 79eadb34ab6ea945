"""Short representations of values for error messages."""

from __future__ import annotations

import reprlib

__all__ = ["short_repr"]

_WIDTH = 80
_REPR = reprlib.Repr()
_REPR.maxstring = _REPR.maxother = _WIDTH


def short_repr(value: object) -> str:
    """Return the repr of a value on one line of at most 80 characters.

    Examples
    --------
    >>> short_repr("x" * 1000)
    "'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx'"
    """
    try:
        text = " ".join(_REPR.repr(value).split())
    except ValueError:  # Python raises for an int of more than 4,300 digits
        text = f"an {type(value).__name__} too long to show"
    return text if len(text) <= _WIDTH else f"{text[:60]}...{text[-17:]}"
