"""Names of studies, data sets, methods and metrics: any text that a store can keep."""

from __future__ import annotations

from typing import Any

from calibrant._repr import short_repr
from calibrant.exceptions import StudyError

__all__ = ["check_name"]


def check_name(what: str, name: Any) -> None:
    """Raise a StudyError if a name is not text, is empty, or has characters that no database keeps.

    Examples
    --------
    >>> check_name("methods: a name", "Bäume 🌳")
    >>> check_name("methods: a name", " ")
    Traceback (most recent call last):
    calibrant.exceptions.StudyError: methods: a name must be text, and not empty; got ' '.
    """
    if not isinstance(name, str) or not name.strip():
        raise StudyError(f"{what} must be text, and not empty; got {short_repr(name)}.")
    if "\0" in name or any("\ud800" <= character <= "\udfff" for character in name):
        raise StudyError(f"{what} must have no NUL characters and no unpaired surrogates; got {short_repr(name)}.")
