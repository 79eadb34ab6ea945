"""Models saved to files, loaded from them, or described without loading."""

from __future__ import annotations

import getpass
import os
import platform
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import sklearn
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from calibrant import __version__
from calibrant._params import Bool, InstanceOf, Nothing, check_param
from calibrant._repr import short_repr
from calibrant._saved import Field, Flag, Inline, Integer, LabelArray, Line, ListOf, MapOf
from calibrant._saved.documents import Reader, Writer
from calibrant._saved.fields import named
from calibrant._saved.form import check_fitted
from calibrant.data import Table
from calibrant.data._internal import Schema, fit_columns
from calibrant.exceptions import MissingExtraError, ModelFileError, ParameterError
from calibrant.files._archive import open_container, write_container
from calibrant.files._description import (
    ColumnDescription,
    DataSource,
    ExpectedScore,
    ModelDescription,
    find_schema,
    read_expected,
    read_source,
)

FORMAT = "calibrant model"
SCHEMA_VERSION = 1
_MAX_REPR = 10_000
_KEYS = {"format", "schema_version", "description", "objects", "arrays"}

_DESCRIPTION: dict[str, Field] = {
    "model": Line(),
    "class_name": Line(),
    "classes": LabelArray() | None,
    "columns": Integer(0) | None,  # the number of the schema among the objects
    "made_by": Line(),
    "created": Line(),
    "made_from": Inline(DataSource),
    "expected": ListOf(Inline(ExpectedScore)),
    "notes": ListOf(Line()),
    "training_rows": Flag(),
    "versions": MapOf(Line()),
}


def _code_of(model: Any) -> str:
    """Return the model as code; some reprs add what was fitted."""
    return BaseEstimator.__repr__(model) if isinstance(model, BaseEstimator) else repr(model)


def make_header(
    model: Any,
    out: Writer,
    made_by: str | None,
    made_from: DataSource,
    expected: tuple[ExpectedScore, ...],
    schema: Schema | None,
) -> dict[str, Any]:
    """Return the header of a model, whose objects are added to ``out``; ``schema`` is that of its columns."""
    number = None if schema is None else out.add(schema)
    out.add(model)
    values = {
        "model": " ".join(_code_of(model).split())[:_MAX_REPR],
        "class_name": type(model).__name__,
        "classes": _find_classes(model),
        "columns": number,
        "made_by": _user() if made_by is None else made_by,
        "created": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "made_from": made_from,
        "expected": list(expected),
        "notes": list(dict.fromkeys(out.notes)),
        "training_rows": out.training_rows,
        "versions": _versions(),
    }
    description = {}
    for key, field in _DESCRIPTION.items():
        with named(key):
            description[key] = field.write(values[key], out)
    return {
        "format": FORMAT,
        "schema_version": SCHEMA_VERSION,
        "description": description,
        "objects": out.objects,
    }


def check_header(header: dict[str, Any]) -> None:
    """Raise unless a header is one of a model file of this version."""
    if header.get("format") != FORMAT:
        raise ModelFileError("is not a model file. Pass a file that calibrant.save wrote.")
    version = header.get("schema_version")
    if type(version) is int and version > SCHEMA_VERSION:
        raise ModelFileError(
            f"was written by a later version of calibrant (format {version}; {__version__} reads up to "
            f"{SCHEMA_VERSION}). Update: pip install --upgrade calibrant"
        )
    if version != SCHEMA_VERSION or type(version) is not int or header.keys() != _KEYS:
        raise ModelFileError("does not have the header of a model file.")
    if type(header["objects"]) is not list or not header["objects"]:
        raise ModelFileError("holds no model.")


def describe(header: dict[str, Any], arrays: Sequence[NDArray[Any]], n_bytes: int, sha256: str) -> ModelDescription:
    """Return the description of a header; raise if it is not one."""
    document, source = header["description"], Reader(arrays)
    if type(document) is not dict or document.keys() != _DESCRIPTION.keys():
        raise ModelFileError("does not have the description of a model file.")
    values = {}
    for key, field in _DESCRIPTION.items():
        with named(key):
            values[key] = field.read(document[key], source)
    classes = values["classes"]
    values["classes"] = () if classes is None else tuple(classes.tolist())
    values["columns"] = _columns(header["objects"], values["columns"], arrays)
    values["expected"], values["notes"] = tuple(values["expected"]), tuple(values["notes"])
    return ModelDescription(**values, schema_version=header["schema_version"], n_bytes=n_bytes, sha256=sha256)


def read_model(header: dict[str, Any], arrays: Sequence[NDArray[Any]]) -> Any:
    """Return the model of a header and its arrays: the last of its objects."""
    source = Reader(arrays)
    for document in header["objects"]:
        model = source.add(document)
    source.check_all_used(header["description"]["columns"], len(source.objects) - 1)
    check_fitted(model)
    if source.objects[-1][0].startswith("foreign.") and not hasattr(model, "predict"):
        raise ModelFileError(f"{type(model).__name__} has no method predict, so that it is no model")
    for name, value in source.objects:
        if name.startswith("foreign."):
            from calibrant.files._foreign.trial_rows import check_predicts

            check_predicts(value)
    return model


def _columns(objects: list[Any], number: int | None, arrays: Sequence[NDArray[Any]]) -> tuple[ColumnDescription, ...]:
    """Return the columns of the schema with a number; its document refers to no other object."""
    if number is None:
        return ()
    document = objects[number] if number < len(objects) else None
    if type(document) is not dict or document.get("form") != "data.Schema":
        raise ModelFileError("describes columns that are not there.")
    schema = Reader(arrays).add(document)
    return tuple(
        ColumnDescription(feature.name, feature.kind, feature.categories, feature.measure)
        for feature in schema.features
    )


def _find_classes(model: Any) -> Any:
    """Return the classes of a model as an array that can be written; None if it has none."""
    classes = getattr(model, "classes_", None)
    is_plain = isinstance(classes, np.ndarray) and classes.ndim == 1 and classes.dtype.kind in "OUbiuf"
    return classes if is_plain else None


def _versions() -> dict[str, str]:
    return {
        "calibrant": __version__,
        "Python": platform.python_version(),
        "NumPy": np.__version__,
        "scikit-learn": sklearn.__version__,
    }


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError, ImportError):  # a container without a user database
        return ""


def save(
    model: Any,
    path: str | os.PathLike[str],
    *,
    compress: bool = False,
    training_rows: bool = False,
    made_from: DataSource | Table | Mapping[str, Any] | None = None,
    expected: ExpectedScore | Mapping[str, Any] | Sequence[ExpectedScore | Mapping[str, Any]] | None = None,
    made_by: str | None = None,
) -> ModelDescription:
    """Save a fitted model as a file that `load_model` reads, without pickle.

    The file is a zip of JSON and raw arrays. It is written beside the path and then moved there, so that there is
    the whole file or none, and a file that was there before stays until then.

    Parameters
    ----------
    model : estimator or calibrator
        A fitted one of calibrant, which may have one of scikit-learn, LightGBM or XGBoost inside.
    path : str or path
        The file; ``.calibrant`` is the usual suffix.
    compress : bool
        Whether the file is compressed: smaller, but read as a whole when it is loaded instead of mapped into memory.
    training_rows : bool
        Whether the training rows are saved too where the model keeps them. They are needed to estimate probabilities
        from rows (``with_estimate("kernel_density")``), to continue a fit, and for out-of-bag results; predictions do
        without. Models that predict from their training rows save them always and say so in ``notes``.
    made_from : Table, DataSource or dict, optional
        The data the model was made from: ``name``, ``n_rows``, ``fingerprint``. Those of a `Table` are computed, and
        a model of another library, which does not know the kinds of its columns, has them from there.
    expected : ExpectedScore or dict, or a list of them, optional
        Scores to be expected on new rows: ``metric``, ``value``, ``low``, ``high``, ``confidence``. A
        `ProbabilityClassifier` adds the log-loss it expects itself.
    made_by : str, optional
        Who made the file; the name of the user if None.

    Returns
    -------
    ModelDescription
        What the file says about the model, as `describe_model` returns it.

    Raises
    ------
    ModelFileError
        If the model is not fitted, or holds something that model files do not; nothing is written then.
    OSError
        If the file cannot be written; a file that was there before is unchanged.

    Examples
    --------
    >>> import tempfile, calibrant
    >>> from calibrant.bayes import ConstantClassifier
    >>> path = tempfile.mkdtemp() + "/base_rate.calibrant"
    >>> model = ConstantClassifier().fit([[1], [2], [3]], ["no", "no", "yes"])
    >>> described = calibrant.save(model, path, made_from={"name": "three rows", "n_rows": 3})
    >>> described.class_name, described.made_from.n_rows
    ('ConstantClassifier', 3)
    >>> calibrant.load_model(path).predict_proba([[7]]).round(3)
    array([[0.667, 0.333]])
    """
    for name, value, rule in (
        ("compress", compress, Bool()),
        ("training_rows", training_rows, Bool()),
        ("made_by", made_by, InstanceOf(str, "a string") | Nothing()),
    ):
        check_param(name, value, rule)
    out = Writer(training_rows=bool(training_rows))
    scores = read_expected(expected) + _own_scores(model)
    try:
        check_fitted(model)
        header = make_header(model, out, made_by, read_source(made_from), scores, _schema(model, made_from))
        read_model(header, out.arrays)  # so that no file is written that cannot be loaded
    except ModelFileError as error:
        what = str(error).removeprefix(".")
        raise ModelFileError(f"{type(model).__name__} cannot be saved: {what}.") from None
    sha256 = write_container(path, header, out.arrays, compress=compress)
    return describe(header, out.arrays, Path(path).stat().st_size, sha256)


def _schema(model: Any, made_from: Any) -> Schema | None:
    """Return the columns of a model; one of another library does not know their kinds, which the table has."""
    known = find_schema(model)
    return fit_columns(made_from.X).schema if known is None and isinstance(made_from, Table) else known


def _own_scores(model: Any) -> tuple[ExpectedScore, ...]:
    """Return the score that a `ProbabilityClassifier` expects of itself."""
    expected = getattr(model, "expected_log_loss_", None)
    if expected is None:
        return ()
    return (ExpectedScore("log_loss", expected.value, expected.low, expected.high, expected.confidence),)


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
        If there is no such file, or it cannot be opened, is damaged, hostile, not a model file, written by a later
        version of calibrant, or of a library that is not installed.

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
    with _explained(path):
        check_header(container.header)
        arrays = container.arrays()
        describe(container.header, arrays, len(container.content), "")
        return read_model(container.header, arrays)


def describe_model(path: str | os.PathLike[str]) -> ModelDescription:
    """Return the description of the model in a file, without loading it.

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
    with _explained(path):
        check_header(container.header)
        return describe(container.header, container.lazy_arrays(), len(container.content), container.sha256())


@contextmanager
def _explained(path: str | os.PathLike[str]) -> Iterator[None]:
    """Turn every error into a `ModelFileError` that names the file: a hostile one must not choose what is raised."""
    try:
        yield
    except ModelFileError as error:
        message = str(error)
        end = "" if message.endswith((".", "calibrant")) else ". Save the model again, or ask who sent it."
        raise ModelFileError(f"{os.fspath(path)}: {message}{end}") from error
    except FileNotFoundError as error:
        raise ModelFileError(f"{os.fspath(path)}: there is no such file.") from error
    except MissingExtraError as error:
        raise ModelFileError(f"{os.fspath(path)}: {error}") from error
    except Exception as error:
        raise ModelFileError(f"{os.fspath(path)}: cannot be loaded ({type(error).__name__}: {error}).") from error
