"""Values made from the JSON documents that describe them."""

from __future__ import annotations

import base64
import collections
import functools
import inspect
import pathlib
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calibrant.exceptions import StudyError, nearest
from calibrant.studies._definition.names import resolve_path

# Keys and positions that lead from a document to a part of it.
Keys = tuple[str | int, ...]
_AS_PAIRS = (
    " A mapping whose keys are not meant so is written {{dict: [[key, value], ...]}}, as {!r} has a meaning here."
)
_VARIABLE = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


class DocumentError(StudyError):
    """A part of a document is wrong; `path` leads to it and `problem` is the message without it.

    Examples
    --------
    >>> str(DocumentError("there is no parameter 'x'.", ("methods", "tree", 0)))
    "methods.tree[0]: there is no parameter 'x'."
    """

    def __init__(self, problem: str, path: Keys = ()) -> None:
        super().__init__(f"{path_text(path)}: {problem}" if path else problem)
        self.problem = problem
        self.path = path

    def __reduce__(self) -> Any:
        return type(self), (self.problem, self.path)


def path_text(path: Keys) -> str:
    """Return a path as it is written in Python and TOML: ``methods.tree[0]``.

    Examples
    --------
    >>> path_text(("methods", "C4.5 tree", "grid", 0))
    "methods.'C4.5 tree'.grid[0]"
    """
    text = ""
    for key in path:
        if isinstance(key, int):
            text += f"[{key}]"
        else:
            plain = key.replace("-", "_").isidentifier()
            text += ("." if text else "") + (key if plain else repr(key))
    return text


def build_value(document: Any, path: Keys = ()) -> Any:
    """Return the value that a document describes; what it names is imported.

    Parameters
    ----------
    document : JSON
        What `describe_value` returns, or a person writes: a class or a function is named by its import path.
    path : tuple
        Where the document stands in a larger one, for messages.

    Raises
    ------
    StudyError
        If a part is opaque, is not an import path, or has parameters that its class does not have.

    Examples
    --------
    >>> build_value({"class": "sklearn.naive_bayes.GaussianNB", "params": {"var_smoothing": 0.5}})
    GaussianNB(var_smoothing=0.5)
    >>> build_value({"class": "sklearn.naive_bayes.GaussianNB", "params": {"smoothing": 0.5}})
    Traceback (most recent call last):
    calibrant.studies._definition.build.DocumentError: params.smoothing: GaussianNB has no parameter 'smoothing'. Did
    you mean 'var_smoothing'?
    """
    if isinstance(document, list):
        return [build_value(each, (*path, position)) for position, each in enumerate(document)]
    if not isinstance(document, Mapping):
        return document
    form = next((key for key in document if key in FORMS), None)
    if form is None:
        return {key: build_value(each, (*path, key)) for key, each in document.items()}
    build, further = FORMS[form]
    allowed = {form, *further}
    if unknown := [key for key in document if key not in allowed]:
        hint = nearest(unknown[0], allowed) or _AS_PAIRS.format(form)
        raise DocumentError(f"a {form!r} has no {unknown[0]!r}.{hint}", (*path, unknown[0]))
    try:
        return build(document, path)
    except DocumentError:
        raise
    except StudyError as error:
        raise DocumentError(str(error), (*path, form)) from error
    except (TypeError, ValueError, AttributeError, KeyError, OverflowError) as error:
        raise DocumentError(f"is not a valid {form!r}: {error}", path) from error


def _build_class(document: Mapping[str, Any], path: Keys) -> Any:
    kind = resolve_path(_text(document, "class", path))
    if not isinstance(kind, type):
        raise DocumentError(f"{document['class']!r} is not a class; name a function by 'factory'.", (*path, "class"))
    made = _called(kind, document, path)
    _restore(made, document, path)
    return made


def _called(called: Any, document: Mapping[str, Any], path: Keys) -> Any:
    params = document.get("params") or {}
    if not isinstance(params, Mapping) or not all(isinstance(name, str) for name in params):
        raise DocumentError(f"params must map names to values; got {params!r:.60}.", (*path, "params"))
    # Parameters are by name even where one of them is called like a form
    built = {name: build_value(each, (*path, "params", name)) for name, each in params.items()}
    name = getattr(called, "__name__", repr(called))
    try:
        parameters = dict(inspect.signature(called).parameters)
    except (TypeError, ValueError):  # a class written in C may have none
        parameters = {}
    is_open = not parameters or any(each.kind is inspect.Parameter.VAR_KEYWORD for each in parameters.values())
    if unknown := [] if is_open else [key for key in built if key not in parameters]:
        known = [key for key, each in parameters.items() if each.kind not in _VARIABLE]
        hint = nearest(unknown[0], known) or f" There are {', '.join(known) or 'none'}."
        raise DocumentError(f"{name} has no parameter {unknown[0]!r}.{hint}", (*path, "params", unknown[0]))
    try:
        return called(**built)
    except Exception as error:  # a constructor of any class may raise anything
        raise DocumentError(f"{name} cannot be made: {type(error).__name__}: {error}", path) from error


def _restore(made: Any, document: Mapping[str, Any], path: Keys) -> None:
    """Set what an estimator requests by metadata routing, and what its transform returns."""
    from sklearn import config_context

    try:
        with config_context(enable_metadata_routing=True):
            for method, requests in document.get("requests", {}).items():
                getattr(made, f"set_{method}_request")(**requests)
        if "output" in document:
            made.set_output(**document["output"])
    except (AttributeError, TypeError, ValueError) as error:
        raise DocumentError(f"cannot be set: {error}", path) from error


def _function(document: Mapping[str, Any], form: str, path: Keys) -> Any:
    found = resolve_path(_text(document, form, path))
    if not callable(found):
        raise DocumentError(f"{document[form]!r} is not a function.", (*path, form))
    return found


def _build_partial(document: Mapping[str, Any], path: Keys) -> Any:
    function = build_value(document["partial"], (*path, "partial"))
    return functools.partial(function, *_arguments(document, path), **_keywords(document, path))


def _build_distribution(document: Mapping[str, Any], path: Keys) -> Any:
    distribution = resolve_path(_text(document, "distribution", path))
    return distribution(*_arguments(document, path), **_keywords(document, path))


def _arguments(document: Mapping[str, Any], path: Keys) -> Any:
    return build_value(document.get("args", []), (*path, "args"))


def _keywords(document: Mapping[str, Any], path: Keys) -> dict[str, Any]:
    keywords = document.get("keywords", {})
    return {name: build_value(each, (*path, "keywords", name)) for name, each in keywords.items()}


def _build_array(document: Mapping[str, Any], path: Keys) -> Any:
    values = document["array"]
    values = values if isinstance(values, str) else build_value(values, (*path, "array"))
    return _as_array(values, document["dtype"], document.get("shape", [-1]))


def _build_scalar(document: Mapping[str, Any], path: Keys) -> Any:
    values = document["scalar"]
    raw = isinstance(values, str) and document["dtype"] != "object"
    return _as_array(values if raw else [build_value(values, path)], document["dtype"], [])[()]


def _as_array(values: Any, dtype: str, shape: list[int]) -> NDArray[Any]:
    """Return the array of a list of built values, or of bytes in base 64."""
    if isinstance(values, str):
        return np.frombuffer(base64.b64decode(values, validate=True), dtype=dtype).reshape(shape).copy()
    array = np.empty(len(values), dtype=dtype)
    array[:] = values
    return array.reshape(shape)


def _build_none(document: Mapping[str, Any], path: Keys) -> None:
    if document["none"] is not True:
        raise DocumentError(
            f"None is written {{none: true}}; got {document['none']!r:.60}.{_AS_PAIRS.format('none')}", path
        )


def _build_opaque(document: Mapping[str, Any], path: Keys) -> Any:
    raise DocumentError(
        f"{document['opaque']} has no description that it could be made from; pass the study's objects again to run "
        "it, and write functions and classes at the top level of a module that can be imported.",
        path,
    )


def _build_items(form: str, document: Mapping[str, Any], path: Keys) -> Any:
    items = document[form]
    if not isinstance(items, list):
        raise DocumentError(f"{form!r} must hold a list; got {items!r:.60}.", (*path, form))
    return _OF_ITEMS[form](build_value(items, (*path, form)))


def _text(document: Mapping[str, Any], form: str, path: Keys) -> str:
    text = document[form]
    if not isinstance(text, str):
        raise DocumentError(f"{form!r} must be an import path; got {text!r:.60}.", (*path, form))
    return text


# How to build the values of a document by its form, the first key of every document that is not itself the value, and
# the further keys that it may have. A dict with such a key is described by pairs.
FORMS: dict[str, tuple[Callable[[Mapping[str, Any], Keys], Any], tuple[str, ...]]] = {
    "array": (_build_array, ("dtype", "shape")),
    "bytes": (lambda document, _path: base64.b64decode(document["bytes"], validate=True), ()),
    "class": (_build_class, ("params", "requests", "output")),
    "distribution": (_build_distribution, ("args", "keywords")),
    "enum": (lambda document, path: resolve_path(_text(document, "enum", path))[document["name"]], ("name",)),
    "factory": (lambda document, path: _called(_function(document, "factory", path), document, path), ("params",)),
    "float": (lambda document, _path: float(document["float"]), ()),
    "function": (lambda document, path: _function(document, "function", path), ()),
    "opaque": (_build_opaque, ("digest",)),
    "none": (_build_none, ()),
    "partial": (_build_partial, ("args", "keywords")),
    "path": (lambda document, _path: pathlib.Path(document["path"]), ()),
    "scalar": (_build_scalar, ("dtype",)),
    "type": (lambda document, path: resolve_path(_text(document, "type", path)), ()),
}
_OF_ITEMS: dict[str, Callable[[list[Any]], Any]] = {
    **{kind.__name__: kind for kind in (dict, frozenset, set, tuple)},
    "ordered_dict": collections.OrderedDict,
    **{kind.__name__: lambda items, kind=kind: kind(*items) for kind in (complex, range, slice)},  # type: ignore[misc]
}
FORMS |= {form: (functools.partial(_build_items, form), ()) for form in _OF_ITEMS}
