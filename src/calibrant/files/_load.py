"""Loading a saved model, and describing it without loading."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from calibrant._repr import short_repr
from calibrant.exceptions import CalibrantError, MissingFileError, ModelFileError, ParameterError
from calibrant.files._archive import open_container
from calibrant.files._description import ModelDescription
from calibrant.files._header import check_header, describe, read_model

__all__ = ["describe_model", "load_model"]


def load_model(path: str | os.PathLike[str], *, sha256: str | None = None) -> Any:
    """Load a model that `save` wrote. A file from a stranger can do no harm; it may hold another model than they say.

    Checksums of all content are compared, and every field is checked for its type and range. Nothing is unpickled,
    evaluated, or imported by a name that stands in the file. Large arrays are mapped into memory, read-only; the file
    may be replaced or deleted while the model is in use, but must not be changed in place.

    Parameters
    ----------
    path : str or path
        The file.
    sha256 : str, optional
        The SHA-256 digest that the file must have (`ModelDescription.sha256`), so that it is the one you mean.

    Returns
    -------
    estimator or calibrator
        The model; it predicts what the saved one does, to the bit.

    Raises
    ------
    ModelFileError
        If the file is damaged, hostile, not a model file, or written by a later version of calibrant.
    MissingFileError
        If there is no such file.

    Examples
    --------
    >>> import tempfile, calibrant
    >>> from calibrant.calibration import Platt
    >>> path = tempfile.mkdtemp() + "/platt.calibrant"
    >>> described = calibrant.save(Platt().fit([-2.0, -1, 1, 2], [0, 0, 1, 1]), path)
    >>> calibrant.load_model(path, sha256=described.sha256).predict([0.0])
    array([0.5])
    """
    if sha256 is not None and not (isinstance(sha256, str) and re.fullmatch("[0-9a-fA-F]{64}", sha256)):
        raise ParameterError(f"sha256 must be a digest of 64 hexadecimal digits; got {short_repr(sha256)}.")
    with _explained(path):
        container = open_container(path, sha256)
        check_header(container.header)
        arrays = container.arrays()
        describe(container.header, arrays, len(container.content), "")
        return read_model(container.header, arrays)


def describe_model(path: str | os.PathLike[str]) -> ModelDescription:
    """Return what a model file says about its model, without loading it.

    Parameters
    ----------
    path : str or path
        The file.

    Returns
    -------
    ModelDescription
        The class of the model, its columns and classes, who made it and when, from what data, with which expected
        scores, and the file's digest.

    Examples
    --------
    >>> import tempfile, calibrant
    >>> from calibrant.bayes import ConstantClassifier
    >>> from calibrant.files import describe_model
    >>> path = tempfile.mkdtemp() + "/base_rate.calibrant"
    >>> _ = calibrant.save(ConstantClassifier().fit([[1], [2]], ["no", "yes"]), path, made_by="ada")
    >>> describe_model(path).made_by
    'ada'
    """
    with _explained(path):
        container = open_container(path)
        check_header(container.header)
        return describe(container.header, container.lazy_arrays(), len(container.content), container.sha256())


@contextmanager
def _explained(path: str | os.PathLike[str]) -> Iterator[None]:
    """Put the name of the file before the message of an error."""
    try:
        yield
    except ModelFileError as error:
        message = str(error)
        end = "" if message.endswith((".", "calibrant")) else ". Save the model again, or ask who sent it."
        raise ModelFileError(f"{os.fspath(path)}: {message}{end}") from error
    except FileNotFoundError as error:
        raise MissingFileError(f"{os.fspath(path)}: there is no such file.") from error
    except (CalibrantError, OSError):
        raise
    except Exception as error:  # none is known; a hostile file must not choose which error its reader sees
        raise ModelFileError(f"{os.fspath(path)}: cannot be loaded ({type(error).__name__}: {error}).") from error
