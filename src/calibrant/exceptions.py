"""What calibrant raises and warns: a short tree, each error also the built-in one a caller would expect."""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterable

__all__ = [
    "BaseRateWarning",
    "CalibrantError",
    "CalibrantWarning",
    "DataError",
    "DataTypeError",
    "LittleDataWarning",
    "MissingExtraError",
    "MissingFileError",
    "ParameterError",
    "ReadError",
    "SchemaError",
    "nearest",
]


class CalibrantError(Exception):
    """The root of every error that calibrant raises on purpose.

    Examples
    --------
    >>> issubclass(SchemaError, CalibrantError) and issubclass(SchemaError, ValueError)
    True
    """


class ParameterError(CalibrantError, ValueError):
    """A parameter has a value outside its rule.

    Examples
    --------
    >>> raise ParameterError("max_depth must be an int >= 1 or None; got 0.")
    Traceback (most recent call last):
    calibrant.exceptions.ParameterError: max_depth must be an int >= 1 or None; got 0.
    """


class DataError(CalibrantError, ValueError):
    """A table, label or weight holds values that nothing can be learnt from.

    Examples
    --------
    >>> raise DataError("y has 3 missing labels (first at row 17).")
    Traceback (most recent call last):
    calibrant.exceptions.DataError: y has 3 missing labels (first at row 17).
    """


class DataTypeError(CalibrantError, TypeError):
    """A table, label or weight is of a type that calibrant does not take.

    Examples
    --------
    >>> raise DataTypeError("X is sparse; pass X.toarray().")
    Traceback (most recent call last):
    calibrant.exceptions.DataTypeError: X is sparse; pass X.toarray().
    """


class SchemaError(DataError):
    """The columns of a table do not fit: doubled, absent, or not those seen in ``fit``.

    Examples
    --------
    >>> raise SchemaError("fitted with 12 columns; 'income' is missing.")
    Traceback (most recent call last):
    calibrant.exceptions.SchemaError: fitted with 12 columns; 'income' is missing.
    """


class ReadError(DataError):
    """A file that cannot be read: the message names the file, the place in it and what to do.

    Examples
    --------
    >>> raise ReadError.at("a.csv", "has 2 fields where 3 are expected", line=7, hint="Mend the row.")
    Traceback (most recent call last):
    calibrant.exceptions.ReadError: a.csv, line 7: has 2 fields where 3 are expected. Mend the row.
    """

    @classmethod
    def at(
        cls,
        path: str | os.PathLike[str],
        problem: str,
        *,
        line: int | None = None,
        column: str | None = None,
        hint: str = "",
    ) -> ReadError:
        """Compose the message: where, what is wrong, what to do."""
        where = os.fspath(path)
        where += f", line {line}" if line is not None else ""
        where += f", column {column!r}" if column is not None else ""
        return cls(f"{where}: {problem}." + (f" {hint}" if hint else ""))


class MissingFileError(ReadError, FileNotFoundError):
    """There is no file at the path given.

    Examples
    --------
    >>> issubclass(MissingFileError, FileNotFoundError) and issubclass(MissingFileError, ValueError)
    True
    """


class MissingExtraError(CalibrantError, ImportError):
    """An optional package is needed; the message is the command that installs it.

    Examples
    --------
    >>> raise MissingExtraError('pip install "calibrant[data]"')
    Traceback (most recent call last):
    calibrant.exceptions.MissingExtraError: pip install "calibrant[data]"
    """


class CalibrantWarning(UserWarning):
    """The root of every warning that calibrant gives.

    Examples
    --------
    >>> issubclass(CalibrantWarning, UserWarning)
    True
    """


class LittleDataWarning(CalibrantWarning):
    """There are too few rows for what was asked to help.

    Examples
    --------
    >>> issubclass(LittleDataWarning, CalibrantWarning)
    True
    """


class BaseRateWarning(CalibrantWarning):
    """A model's probabilities speak of another base rate than the rows have.

    Examples
    --------
    >>> issubclass(BaseRateWarning, CalibrantWarning)
    True
    """


def nearest(name: object, options: Iterable[object]) -> str:
    """Give `` Did you mean 'x'?`` for the option closest to a misspelt name, or nothing.

    Examples
    --------
    >>> nearest("laplas", ["laplace", "frequency"])
    " Did you mean 'laplace'?"
    >>> nearest("zzz", ["laplace", "frequency"])
    ''
    """
    by_text = {str(option): option for option in options}
    close = difflib.get_close_matches(str(name), by_text, n=1)
    return f" Did you mean {by_text[close[0]]!r}?" if close else ""
