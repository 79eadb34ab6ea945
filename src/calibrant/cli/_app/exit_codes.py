"""Exit codes, their meaning, and the code of each error."""

from __future__ import annotations

from calibrant import exceptions

__all__ = [
    "BAD_DATA",
    "BUG",
    "CANNOT_WRITE",
    "CLOSED_PIPE",
    "DONE",
    "EXIT_CODES",
    "GATE_FAILED",
    "INTERRUPTED",
    "MISSING_EXTRA",
    "MODEL_MISMATCH",
    "PARTIAL_RESULT",
    "USAGE",
    "CommandError",
    "code_of",
]

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
    GATE_FAILED: ("gate_failed", "a --fail-if holds"),
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
    return next((code for kind, code in _CODES if isinstance(error, kind)), BUG)
