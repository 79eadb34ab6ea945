"""The errors and warnings of calibrant; each error is also a subclass of the matching built-in one."""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterable
from typing import Self

__all__ = [
    "BaseRateWarning",
    "CalibrantError",
    "CalibrantWarning",
    "ClusterError",
    "DataError",
    "DataTypeError",
    "LittleDataWarning",
    "ManyClassesWarning",
    "MissingExtraError",
    "MissingFileError",
    "ModelFileError",
    "NotSavedError",
    "ParameterError",
    "ReadError",
    "SchemaError",
    "StoreError",
    "StudyChangedError",
    "StudyError",
    "UnknownParameterError",
    "VersionWarning",
    "nearest",
]

# Names of scikit-learn that resemble none of ours but mean one of them.
_SYNONYMS = {
    "base_estimator": "estimator",
    "categorical_features": "nominal",
    "k": "n_neighbors",
    "max_leaf_nodes": "max_leaves",
    "max_iter": "n_trees",
    "min_samples_leaf": "min_leaf",
    "min_samples_split": "min_leaf",
    "n_estimators": "n_trees",
    "sigmoid": "platt",
}


class CalibrantError(Exception):
    """Base class of the errors of calibrant.

    Examples
    --------
    >>> issubclass(SchemaError, CalibrantError) and issubclass(SchemaError, ValueError)
    True
    """


class ParameterError(CalibrantError, ValueError):
    """A parameter has an invalid value.

    Examples
    --------
    >>> raise ParameterError("max_depth must be an int >= 1 or None; got 0.")
    Traceback (most recent call last):
    calibrant.exceptions.ParameterError: max_depth must be an int >= 1 or None; got 0.
    """


class UnknownParameterError(ParameterError, TypeError):
    """An estimator has no such parameter; a TypeError as Python's, and a ValueError as scikit-learn's.

    It is raised for an unknown name and for a positional argument where only keyword arguments are accepted.

    Examples
    --------
    >>> from calibrant.ensembles import BPETsClassifier
    >>> BPETsClassifier(n_estimators=10)
    Traceback (most recent call last):
    calibrant.exceptions.UnknownParameterError: BPETsClassifier: there is no parameter 'n_estimators'. Did you mean
    'n_trees'?
    >>> BPETsClassifier(10)
    Traceback (most recent call last):
    calibrant.exceptions.UnknownParameterError: BPETsClassifier takes keyword arguments only: write
    BPETsClassifier(n_trees=10).
    """


class DataError(CalibrantError, ValueError):
    """A table, label or weight holds invalid values.

    Examples
    --------
    >>> raise DataError("y has 3 missing labels (first at row 17).")
    Traceback (most recent call last):
    calibrant.exceptions.DataError: y has 3 missing labels (first at row 17).
    """


class DataTypeError(CalibrantError, TypeError):
    """A table, label or weight is of a type that is not supported.

    Examples
    --------
    >>> raise DataTypeError("X is sparse; pass X.toarray().")
    Traceback (most recent call last):
    calibrant.exceptions.DataTypeError: X is sparse; pass X.toarray().
    """


class SchemaError(DataError):
    """The columns of a table are invalid: repeated, missing, or not those seen in ``fit``.

    Examples
    --------
    >>> raise SchemaError("fitted with 12 columns; 'income' is missing.")
    Traceback (most recent call last):
    calibrant.exceptions.SchemaError: fitted with 12 columns; 'income' is missing.
    """


class TableCheckError(DataError):
    """The check of a table found something, and nothing was to be learned then.

    Examples
    --------
    >>> raise TableCheckError("'currency' is constant: one value in every row.")
    Traceback (most recent call last):
    calibrant.exceptions.TableCheckError: 'currency' is constant: one value in every row.
    """


class StudyError(CalibrantError, ValueError):
    """A study is defined wrongly, does not exist, or has no trials to answer a query.

    Examples
    --------
    >>> raise StudyError("there is no study 'trees' in sqlite:///calibrant.db.")
    Traceback (most recent call last):
    calibrant.exceptions.StudyError: there is no study 'trees' in sqlite:///calibrant.db.
    """


class StudyChangedError(StudyError):
    """The store has a study of the same name with another definition; the message lists what differs.

    Examples
    --------
    >>> raise StudyChangedError("study 'trees' in the store has the seed 0; here it is 1.")
    Traceback (most recent call last):
    calibrant.exceptions.StudyChangedError: study 'trees' in the store has the seed 0; here it is 1.
    """


class StoreError(CalibrantError, OSError):
    """The store of studies cannot be opened, read or written; what was recorded before is kept.

    Examples
    --------
    >>> raise StoreError("sqlite:///calibrant.db: the disk is full. Free some space and run the study again.")
    Traceback (most recent call last):
    calibrant.exceptions.StoreError: sqlite:///calibrant.db: the disk is full. Free some space and run the study again.
    """


class ClusterError(CalibrantError, RuntimeError):
    """A Dask cluster does not answer, has no workers, or has workers that cannot do the work.

    Examples
    --------
    >>> raise ClusterError("no Dask scheduler answers at tcp://host:8786. Is it running?")
    Traceback (most recent call last):
    calibrant.exceptions.ClusterError: no Dask scheduler answers at tcp://host:8786. Is it running?
    """


class ReadError(DataError):
    """A file cannot be read; the message names the file, the line and column, and a remedy.

    Examples
    --------
    >>> raise ReadError.at("a.csv", "has 2 fields where 3 are expected", line=7, hint="Correct the row.")
    Traceback (most recent call last):
    calibrant.exceptions.ReadError: a.csv, line 7: has 2 fields where 3 are expected. Correct the row.
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
        """Return an error whose message names the file, the position in it, the problem and a hint."""
        where = os.fspath(path)
        where += f", line {line}" if line is not None else ""
        where += f", column {column!r}" if column is not None else ""
        return cls(f"{where}: {problem}." + (f" {hint}" if hint else ""))


class MissingFileError(ReadError, FileNotFoundError):
    """There is no file at the path.

    Examples
    --------
    >>> issubclass(MissingFileError, FileNotFoundError) and issubclass(MissingFileError, ValueError)
    True
    """

    # That of ValueError, the first base, must not make an OSError; tblib, which Dask uses, calls it by name
    def __new__(cls, *args: object) -> Self:
        """Return a new error."""
        return OSError.__new__(cls, *args)


class ModelFileError(CalibrantError, ValueError):
    """A model file is damaged, hostile or of a newer version, or a model cannot be saved.

    Examples
    --------
    >>> raise ModelFileError("a.calibrant: is not a model file. Pass a file that calibrant.save wrote.")
    Traceback (most recent call last):
    calibrant.exceptions.ModelFileError: a.calibrant: is not a model file. Pass a file that calibrant.save wrote.
    """


class NotSavedError(CalibrantError, RuntimeError):
    """A loaded model lacks what a method needs, most often its training rows.

    Examples
    --------
    >>> raise NotSavedError("the model was saved without its training rows. Save it with training_rows=True.")
    Traceback (most recent call last):
    calibrant.exceptions.NotSavedError: the model was saved without its training rows. Save it with training_rows=True.
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
    """Base class of the warnings of calibrant.

    Examples
    --------
    >>> issubclass(CalibrantWarning, UserWarning)
    True
    """


class LittleDataWarning(CalibrantWarning):
    """There are too few rows for the requested method to help.

    Examples
    --------
    >>> issubclass(LittleDataWarning, CalibrantWarning)
    True
    """


class ManyClassesWarning(CalibrantWarning):
    """The class column has thousands of values: most often an id, an amount or free text.

    Examples
    --------
    >>> issubclass(ManyClassesWarning, CalibrantWarning)
    True
    """


class BaseRateWarning(CalibrantWarning):
    """The probabilities of a model imply a base rate other than that of the rows.

    Examples
    --------
    >>> issubclass(BaseRateWarning, CalibrantWarning)
    True
    """


class VersionWarning(CalibrantWarning):
    """An estimator was pickled by another version of calibrant, and may predict otherwise or not at all.

    Examples
    --------
    >>> issubclass(VersionWarning, CalibrantWarning)
    True
    """


def nearest(name: object, options: Iterable[object]) -> str:
    """Return `` Did you mean 'x'?`` for the option most similar to a misspelled name, or an empty string.

    Case, hyphens and spaces do not count, and some names of scikit-learn suggest ours.

    Examples
    --------
    >>> nearest("laplas", ["laplace", "frequency"])
    " Did you mean 'laplace'?"
    >>> nearest("AUC", ["auc", "mcc"]), nearest("n_estimators", ["n_bins", "n_trees"])
    (" Did you mean 'auc'?", " Did you mean 'n_trees'?")
    >>> nearest("zzz", ["laplace", "frequency"])
    ''
    """
    by_text = {str(option): option for option in options}
    if str(name) in by_text:
        return _suggested(by_text[str(name)])
    by_text = {_folded(text): option for text, option in by_text.items()}
    written = _folded(str(name))
    close = [_SYNONYMS.get(written, ""), *difflib.get_close_matches(written, by_text, n=1)]
    close += [text for text in by_text if f"{written}_".startswith(f"{text}_")]
    return next((_suggested(by_text[text]) for text in close if text in by_text), "")


def _folded(text: str) -> str:
    return text.casefold().replace("-", "_").replace(" ", "_")


def _suggested(option: object) -> str:
    return f" Did you mean {option!r}?"
