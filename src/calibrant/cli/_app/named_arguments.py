"""Errors of functions, put in terms of the command line: columns and options instead of parameters."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from calibrant.exceptions import CalibrantError

__all__ = ["as_command_line", "named_arguments"]

# What messages of functions suggest, and what to do instead on the command line
_SUGGESTIONS = {
    r'Pass encoding="latin-1" or the encoding of the file\.': "Save it as UTF-8.",
    r"Pass target= for the class column, or target=False if the table has no class\.": "Pass --target.",
    r"Pass sep= if another character separates the columns, or target=False if the table has no class\.": (
        "Separate the columns by commas, semicolons or tabs."
    ),
    r"([Pp]ass) target=": r"\1 --target",
    r"([Pp]ass) pos_label=": r"\1 --positive",
    r'\bscale="(\w+)"': r"--scale \1",
    r'load\("(openml:.*?)"\) loads it from OpenML': r"\1 loads one of that name from OpenML",
    r"list_datasets\(\) lists them\.": "'calibrant datasets list' lists them.",
    r" read_table reads files\.": "",
    r"; to_probabilities converts percent and log-odds": "",
}


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


def as_command_line(message: str) -> str:
    """Return a message with the suggestions of functions replaced by those of the command line.

    Examples
    --------
    >>> as_command_line("The class is the last column, 'y'; pass target= for another.")
    "The class is the last column, 'y'; pass --target for another."
    """
    for pattern, instead in _SUGGESTIONS.items():
        message = re.sub(pattern, instead, message)
    return message
