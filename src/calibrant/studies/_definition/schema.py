"""The JSON schema of study files, and the check of a file's structure by it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib import resources
from typing import Any

from calibrant._optional import optional_import
from calibrant._repr import short_repr
from calibrant.exceptions import nearest
from calibrant.studies._definition.build import DocumentError


def study_schema() -> dict[str, Any]:
    """Return the JSON schema of study files, draft 2020-12, with descriptions that editors show.

    Returns
    -------
    dict
        The schema. Save it as a file and name that in the first line of a YAML file, ``# yaml-language-server:
        $schema=study.schema.json``, to have an editor complete and check it.

    Examples
    --------
    >>> from calibrant.studies import study_schema
    >>> schema = study_schema()
    >>> schema["required"], schema["properties"]["seed"]["description"]
    (['name', 'datasets', 'methods'], 'The seed of what methods and plan leave open; by default 0.')
    """
    text = resources.files("calibrant.studies._definition").joinpath("study_schema.json").read_text("utf-8")
    schema: dict[str, Any] = json.loads(text)
    return schema


def check_structure(document: Any) -> None:
    """Raise a DocumentError for the first part of a study file that the schema does not allow.

    Examples
    --------
    >>> check_structure({"name": "s", "datasets": ["iris"], "methods": {"nb": "a.B"}, "sede": 1})
    Traceback (most recent call last):
    calibrant.studies._definition.build.DocumentError: sede: there is no key 'sede'. Did you mean 'seed'?
    """
    jsonschema = optional_import("jsonschema", extra="studies", purpose="check study files")
    validator = jsonschema.Draft202012Validator(study_schema())
    errors = list(validator.iter_errors(_with_text_keys(document)))
    if errors:
        first = min(errors, key=_precedence)
        raise _readable(first)


def _with_text_keys(document: Any) -> Any:
    """Return a document with keys as text: a schema knows no others, and YAML reads 1 as a number."""
    if isinstance(document, Mapping):
        return {str(key): _with_text_keys(each) for key, each in document.items()}
    return [_with_text_keys(each) for each in document] if isinstance(document, list) else document


def _precedence(error: Any) -> tuple[bool, list[str]]:
    """Order errors: unknown keys first, as a key that is missing is most often one that is misspelled."""
    return error.validator != "additionalProperties", [str(key) for key in error.absolute_path]


def _readable(error: Any) -> DocumentError:
    inner = _innermost(error)
    path = tuple(inner.absolute_path)
    if inner.validator == "additionalProperties":
        known = list(inner.schema.get("properties", {}))
        unknown = next(key for key in inner.instance if key not in known)
        hint = nearest(unknown, known) or f" There are {', '.join(known)}."
        return DocumentError(f"there is no key {unknown!r}.{hint}", (*path, unknown))
    if inner.validator == "required":
        missing = next(key for key in inner.validator_value if key not in inner.instance)
        return DocumentError(f"the key {missing!r} is missing.", path)
    if inner.validator == "oneOf":
        return DocumentError("exactly one of the keys 'class' and 'factory' is needed.", path)
    if inner.validator in ("minLength", "minItems", "minProperties"):
        return DocumentError(f"must not be empty; write {_expected(inner, error)}.", path)
    return DocumentError(f"must be {_expected(inner, error)}; got {short_repr(inner.instance)}.", path)


def _innermost(error: Any) -> Any:
    """Return the error in the only alternative whose type fits, where there is one; else the error itself."""
    while error.context and error.validator == "anyOf":
        branches: dict[Any, list[Any]] = {}
        for each in error.context:
            branches.setdefault(each.schema_path[0], []).append(each)
        here = error.absolute_path
        fitting = [
            errors
            for errors in branches.values()
            if not any(each.validator == "type" and each.absolute_path == here for each in errors)
        ]
        if len(fitting) != 1:
            return error
        error = min(fitting[0], key=_precedence)
    return error


def _expected(inner: Any, error: Any) -> str:
    return str(inner.schema.get("title") or error.schema.get("title") or "another value")
