"""Errors of commands: their exit codes, their messages in terms of the command line."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from calibrant import exceptions
from calibrant.exceptions import CalibrantError

DONE = 0
BUG = 1
USAGE = 2
BAD_DATA = 3
MODEL_MISMATCH = 4
MISSING_EXTRA = 5
CANNOT_WRITE = 6
PARTIAL_RESULT = 7
GATE_FAILED = 8
INTERRUPTED = 130
CLOSED_PIPE = 141

# Of each code the kind, which is that of errors in JSON, and its meaning
EXIT_CODES = {
    DONE: ("done", "done"),
    BUG: ("bug", "a bug in calibrant"),
    USAGE: ("usage", "the command line is wrong"),
    BAD_DATA: ("bad_data", "a file cannot be read or used"),
    MODEL_MISMATCH: ("model_mismatch", "model and table do not match"),
    MISSING_EXTRA: ("missing_extra", "an optional package is not installed"),
    CANNOT_WRITE: ("cannot_write", "the result cannot be written"),
    PARTIAL_RESULT: ("partial_result", "only a part of the result could be computed"),
    GATE_FAILED: ("gate_failed", "a --fail-if holds, or --strict and the check of the table found something"),
    INTERRUPTED: ("interrupted", "interrupted by Ctrl-C"),
    CLOSED_PIPE: ("closed_pipe", "the reader of the output went away"),
}


class CommandError(exceptions.CalibrantError):
    """A command failed, with the exit code of the reason."""

    def __init__(self, message: str, exit_code: int) -> None:
        super().__init__(message)
        self.exit_code = exit_code


# The first that fits counts
_CODES: tuple[tuple[type[BaseException], int], ...] = (
    (BrokenPipeError, CLOSED_PIPE),
    (KeyboardInterrupt, INTERRUPTED),
    (exceptions.MissingExtraError, MISSING_EXTRA),
    (exceptions.ParameterError, USAGE),
    (exceptions.StudyError, USAGE),
    (exceptions.StoreError, CANNOT_WRITE),
    (exceptions.TableCheckError, GATE_FAILED),
    (exceptions.CalibrantError, BAD_DATA),
    (MemoryError, BAD_DATA),
    (OSError, CANNOT_WRITE),
)


def code_of(error: BaseException) -> int:
    """Return the exit code of an error.

    Examples
    --------
    >>> code_of(exceptions.DataError("no rows")), code_of(PermissionError()), code_of(KeyError("x"))
    (3, 6, 1)
    """
    if isinstance(error, CommandError):
        return error.exit_code
    if isinstance(error, exceptions.ModelFileError) and isinstance(error.__cause__, exceptions.MissingExtraError):
        return MISSING_EXTRA  # of a model of a library that is not installed
    return next((code for kind, code in _CODES if isinstance(error, kind)), BUG)


_OPTIONS = (
    "sep|decimal|thousands|encoding|dates|missing|sheet|types|target|groups|weight|positive|metric|out|keep|interval|"
    "confidence|time_limit|seed|costs"
)
# What messages of functions suggest, and what to do instead on the command line
_SUGGESTIONS = {
    r'Pass encoding="latin-1" or the encoding of the file\.': "Pass --encoding latin-1 or the encoding of the file.",
    r"Pass the encoding of the file\.": "Pass --encoding.",
    r'\bencoding="([\w-]+)"': r"--encoding \1",
    r'"(utf-8|latin-1|cp1252)"': r"\1",
    r"Say which by dates: (dmy for day first), (mdy)": r"Pass --dates \1, \2",
    r": (?:it is|they are) in extra": "",
    r"; drop_ids=True leaves (?:it|them) out": "",
    r"\bnominal=\['(.*?)'\]": r"--types \1=nominal",
    r"declare them as missing": "pass --missing for each",
    r"Declare such cells as missing, or the column as nominal": "Pass --missing for such cells, or --types COL=nominal",
    r"declare the column as nominal": "pass --types COL=nominal",
    rf"^({_OPTIONS})(?= must |: | names )": r"--\1",
    r" or None; got ": "; got ",
    r"Pass target= for the class column, or target=False if the table has no class\.": "Pass --target.",
    r"Pass sep= if another character separates the columns, or target=False if the table has no class\.": (
        "Pass --sep if another character separates the columns."
    ),
    r"([Pp]ass) target=": r"\1 --target",
    r"([Pp]ass) pos_label=": r"\1 --positive",
    r'\bscale="(\w+)"': r"--scale \1",
    r'load\("(openml:.*?)"\) loads it from OpenML': r"\1 loads one of that name from OpenML",
    r"list_datasets\(\) lists them\.": "'calibrant datasets list' lists them.",
    r" read_table reads files\.": "",
    r"; to_probabilities converts percent and log-odds": "",
    r"\b([Pp]ass) (\w+)=(?=[\s.,;]|$)": r"\1 --\2",
    rf"\b({_OPTIONS})=(?=['\[])": r"--\1 ",
    rf"\b({_OPTIONS})=(?=[\s.,;]|$)": r"--\1",
    r"--time_limit": "--time-limit",
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
        pattern = "|".join(rf"\b{re.escape(name)}\b" for name in names)
        message = re.sub(pattern, lambda found: names[found[0]], str(error)) if names else str(error)
        error.args = (message, *error.args[1:])
        raise


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
