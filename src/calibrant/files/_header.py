"""The header of a model file: what describes the model, the documents of its objects, and its arrays."""

from __future__ import annotations

import getpass
import platform
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import numpy as np
import sklearn
from sklearn.base import BaseEstimator

from calibrant import __version__
from calibrant._saved.arrays import LabelArray
from calibrant._saved.documents import Reader, Writer
from calibrant._saved.fields import Field, Flag, Integer, Line, ListOf, MapOf, Number, named
from calibrant._saved.form import check_fitted
from calibrant.exceptions import ModelFileError
from calibrant.files._description import ColumnDescription, DataSource, ExpectedScore, ModelDescription
from calibrant.files._forms.legacy import Optional_, Struct

if TYPE_CHECKING:
    from numpy.typing import NDArray

if TYPE_CHECKING:
    from calibrant.data._internal import Schema

__all__ = ["check_header", "describe", "make_header", "read_model"]

FORMAT = "calibrant model"
SCHEMA_VERSION = 1
_MAX_REPR = 10_000
_KEYS = {"format", "schema_version", "description", "objects", "arrays"}
_SCORE = Number(finite=False)

_DESCRIPTION: dict[str, Field] = {
    "model": Line(),
    "class_name": Line(),
    "classes": Optional_(LabelArray()),
    "columns": Optional_(Integer(0)),  # the number of the schema among the objects
    "made_by": Line(),
    "created": Line(),
    "made_from": Struct(DataSource, {"name": Line(), "n_rows": Optional_(Integer(0)), "fingerprint": Line()}),
    "expected": ListOf(
        Struct(
            ExpectedScore,
            {
                "metric": Line(),
                "value": _SCORE,
                "low": Optional_(_SCORE),
                "high": Optional_(_SCORE),
                "confidence": Optional_(Number(0, 1)),
            },
        )
    ),
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
