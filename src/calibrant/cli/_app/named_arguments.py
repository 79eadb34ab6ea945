"""Errors of functions, put in terms of the command line: columns and options instead of parameters."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from calibrant.exceptions import CalibrantError

__all__ = ["named_arguments"]


@contextmanager
def named_arguments(names: Mapping[str, str]) -> Iterator[None]:
    """Replace names of parameters in the message of an error that is raised within.

    Examples
    --------
    >>> with named_arguments({"y_true": "column 'y'"}):
    ...     raise CalibrantError("y_true has 3 missing labels.")
    Traceback (most recent call last):
    calibrant.exceptions.CalibrantError: column 'y' has 3 missing labels.
    """
    try:
        yield
    except CalibrantError as error:
        error.args = (_renamed(str(error), names), *error.args[1:])
        raise


def _renamed(message: str, names: Mapping[str, str]) -> str:
    pattern = "|".join(rf"\b{re.escape(name)}\b" for name in names)
    return re.sub(pattern, lambda found: names[found[0]], message) if names else message
